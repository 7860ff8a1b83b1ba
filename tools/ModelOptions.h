// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelOptions.h - options that several tools have ---------*- C++ -*-===//
//
// The options by which ir-compile, ir-run and ir-translate read and compile models, so that the options have the same
// names and descriptions in all of them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TOOLS_MODELOPTIONS_H
#define RECUR_TOOLS_MODELOPTIONS_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Driver/Driver.h"
#include "Recur/Tools/CommandLine.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace recur {

/// Options that say how a model is read. ir-compile, ir-run and ir-translate have them.
struct ReadOptions {
  explicit ReadOptions(llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : weights("weights", llvm::cl::desc("The weights file (default: the one beside the model)"),
                llvm::cl::value_desc("FILE"), llvm::cl::cat(category)),
        shapes("shape", llvm::cl::desc("Set the dims of an input that are dynamic in the model (?: stays dynamic)"),
               llvm::cl::value_desc("NAME=[2,?,3]"), llvm::cl::cat(category)) {}

  std::vector<std::string> getShapes() const { return {shapes.begin(), shapes.end()}; }

  llvm::cl::opt<std::string> weights;
  llvm::cl::list<std::string> shapes;
};

/// Options that say how a model is compiled. ir-compile and ir-run have them. `defaults` is the text of --help for the
/// levels without --targets and --mcpu.
struct CodeOptions {
  CodeOptions(llvm::cl::OptionCategory &category, llvm::StringRef defaults)
      : targetsText("CPUs that an object has code for; the model takes the best that the CPU can run (default: " +
                    defaults.str() + ")"),
        targets("targets", llvm::cl::CommaSeparated, llvm::cl::desc(targetsText), llvm::cl::value_desc("LIST"),
                llvm::cl::cat(category)),
        cpu("mcpu", llvm::cl::desc("The only CPU to compile for (native: this machine's; with --mattr: x86-64-v3)"),
            llvm::cl::value_desc("CPU"), llvm::cl::cat(category)),
        features("mattr", llvm::cl::desc("Features to add (+) to the only CPU or remove (-), e.g. +avx512f,-fma"),
                 llvm::cl::value_desc("LIST"), llvm::cl::cat(category)),
        naive("naive", llvm::cl::desc("Compile without Recur's optimizations"), llvm::cl::cat(category)),
        checkTimeLoops(
            "check-time-loops",
            llvm::cl::desc(
                "Fail if a loop of the model allocates, calls or makes unnecessary copies in its iterations"),
            llvm::cl::cat(category)),
        gangWork("gang-work",
                 llvm::cl::desc("Least work that is given to one of several threads, in vector instructions"),
                 llvm::cl::value_desc("N"), llvm::cl::init(kDefaultGangWork), llvm::cl::cat(category)),
        weightsPrecision("weights-precision", llvm::cl::desc("What weights of f32 are rounded to (default: f32)"),
                         llvm::cl::init(ov::WeightsPrecision::F32), ov::weightsPrecisionValues(),
                         llvm::cl::cat(category)),
        precision("precision", llvm::cl::desc("What the operands of products of f32 are rounded to (default: f32)"),
                  llvm::cl::init(ov::ProductPrecision::F32), ov::productPrecisionValues(), llvm::cl::cat(category)),
        debugInfo("g", llvm::cl::desc("Add debug information: the lines of the model's layers"),
                  llvm::cl::cat(category)),
        checkNaN("check-nan", llvm::cl::desc("End a call when an input or the result of a layer has a NaN"),
                 llvm::cl::cat(category)),
        profile("profile", llvm::cl::desc("Measure the time of each layer in the calls of the model"),
                llvm::cl::cat(category)),
        verifyPasses("verify-passes", llvm::cl::desc("Check what each pass of the compiler leaves"),
                     llvm::cl::cat(category)) {}

  /// True if the command line names no CPU, and asks for nothing that only one level can have.
  bool hasDefaultLevels() const { return !targets.getNumOccurrences() && cpu.empty() && features.empty() && !profile; }

  /// Fails if --targets is given together with an option for a single CPU.
  llvm::Error check() const { return checkTogether(targets, {&cpu, &features}); }

  /// Sets the options that the command line gives. The target's CPU, features and levels are unchanged if it names
  /// none.
  void apply(CompileOptions &options) const {
    options.target.levels.assign(targets.begin(), targets.end());
    if (!cpu.empty() || !features.empty()) {
      options.target.cpu = cpu;
      options.target.features = features;
    }
    options.optimize = !naive;
    options.checkTimeLoops = checkTimeLoops;
    options.gangWork = std::max<int64_t>(gangWork, 1);
    options.weightsPrecision = weightsPrecision;
    options.precision = precision;
    options.debugInfo = debugInfo;
    options.checkNaN = checkNaN;
    options.profile = profile;
    options.verifyPasses |= verifyPasses;
  }

  /// The text of --help. The option keeps a reference to it.
  std::string targetsText;
  llvm::cl::list<std::string> targets;
  llvm::cl::opt<std::string> cpu, features;
  llvm::cl::opt<bool> naive, checkTimeLoops;
  llvm::cl::opt<int64_t> gangWork;
  llvm::cl::opt<ov::WeightsPrecision> weightsPrecision;
  llvm::cl::opt<ov::ProductPrecision> precision;
  llvm::cl::opt<bool> debugInfo, checkNaN, profile, verifyPasses;
};

/// The values of --entry.
inline llvm::cl::ValuesClass entryValues() {
  return llvm::cl::values(
      clEnumValN(Entry::Run, "run", "all time steps of the inputs"),
      clEnumValN(Entry::Step, "step", "one time step; the instance keeps what the loops over time carry"));
}

/// The machine that a model is compiled for. ir-compile and ir-run have it.
struct TripleOption : llvm::cl::opt<std::string> {
  explicit TripleOption(llvm::cl::OptionCategory &category)
      : llvm::cl::opt<std::string>("mtriple", llvm::cl::desc("Target triple (default: this machine's)"),
                                   llvm::cl::value_desc("TRIPLE"), llvm::cl::cat(category)) {}
};

/// Where the packed weights of a compiled model are. ir-compile and ir-run have it.
struct WeightsModeOption : llvm::cl::opt<WeightsSource> {
  explicit WeightsModeOption(llvm::cl::OptionCategory &category)
      : llvm::cl::opt<WeightsSource>(
            "weights-mode", llvm::cl::desc("Where a program gets the weights of the object (default embed)"),
            llvm::cl::init(WeightsSource::Object),
            llvm::cl::values(
                clEnumValN(WeightsSource::Object, "embed", "from the object"),
                clEnumValN(WeightsSource::File, "file", "from the file NAME.weights, which the header maps and checks"),
                clEnumValN(WeightsSource::Caller, "caller",
                           "from memory, where it reads NAME.weights; the header checks them")),
            llvm::cl::cat(category)) {}

  WeightsPlacement getPlacement() const {
    return getValue() == WeightsSource::Object ? WeightsPlacement::Embedded : WeightsPlacement::Given;
  }
};

/// The checks of memory in a compiled model. ir-compile and ir-run have it.
struct SanitizeOption : llvm::cl::opt<Sanitizer> {
  explicit SanitizeOption(llvm::cl::OptionCategory &category)
      : llvm::cl::opt<Sanitizer>(
            "sanitize", llvm::cl::desc("Let the code check its accesses to memory, in a program with this sanitizer"),
            llvm::cl::init(Sanitizer::None), llvm::cl::cat(category),
            llvm::cl::values(clEnumValN(Sanitizer::Address, "address", "AddressSanitizer"),
                             clEnumValN(Sanitizer::Thread, "thread", "ThreadSanitizer"))) {}
};

/// The number of threads of a run. ir-run and ir-bench have it.
struct ThreadsOption : llvm::cl::opt<unsigned> {
  ThreadsOption(llvm::cl::OptionCategory &category, llvm::StringRef description)
      : llvm::cl::opt<unsigned>(removeOther(), llvm::cl::desc(description), llvm::cl::value_desc("N"),
                                llvm::cl::init(1), llvm::cl::cat(category)) {}

  llvm::Error check() const {
    if (getValue() < 1 || getValue() > kMaxThreads)
      return llvm::createStringError("expected 1 to %u threads, but got %u", kMaxThreads, getValue());
    return llvm::Error::success();
  }

private:
  /// LLVM's libraries have an option of this name, for a tool of their own. It is removed before ours is registered.
  static llvm::StringRef removeOther() {
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto other = options.find("threads"); other != options.end())
      other->second->removeArgument();
    return "threads";
  }
};

/// Most passes work on one function, so threads would only cost locks in the tables of types and attributes.
inline constexpr auto kCompilerThreading = mlir::MLIRContext::Threading::DISABLED;

/// Prints an error on standard error. Returns the exit status.
inline int fail(llvm::Error error) { return printError(std::move(error), llvm::errs()); }

/// The choices of an option that has names as values.
template <typename ChoiceOption>
Choices choicesOf(ChoiceOption &option) {
  return {std::addressof(option), &option.getParser()};
}

/// Parses the command line of a tool. Returns false after printing an error if an option is unknown, lacks a value, or
/// is one of `choices` and has an unknown value.
inline bool parseCommandLine(int argc, char **argv, llvm::StringRef overview, llvm::ArrayRef<Choices> choices = {}) {
  llvm::SmallVector<const char *> arguments = getArguments(argc, argv);
  if (llvm::Error error = checkArguments(arguments, choices)) {
    fail(std::move(error));
    return false;
  }
  llvm::cl::SetVersionPrinter(printVersion);
  return llvm::cl::ParseCommandLineOptions(arguments.size(), arguments.data(), overview, &llvm::errs());
}

} // namespace recur

#endif // RECUR_TOOLS_MODELOPTIONS_H
