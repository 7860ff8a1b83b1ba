// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-fuzz.cpp - random models, compiled against interpreted ----------===//
//
// Compiles random models and compares their results with those of the interpreter, in several processes. It can also
// put a known bug into what is compiled, to show that the comparison finds it (--mutate), and change the files of
// models
// (--mutate-files).
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"

#include "Recur/Testing/FileMutations.h"
#include "Recur/Testing/Generator.h"
#include "Recur/Testing/Mutations.h"
#include "Recur/Testing/Reduce.h"
#include "Recur/Testing/Workers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <ctime>

namespace cl = llvm::cl;
using namespace recur::fuzz;

static cl::OptionCategory category("ir-fuzz options");
static cl::opt<uint64_t> firstSeed("seed",
                                   cl::desc("The seed of the first model (default 1); each model has the next seed"),
                                   cl::init(1), cl::cat(category));
static cl::opt<uint64_t> count("count", cl::desc("The number of models (default 100)"), cl::init(100),
                               cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("The number of processes (default 1)"), cl::init(1), cl::cat(category));
static cl::opt<unsigned> linkedEvery("linked-every",
                                     cl::desc("Also compile every Nth model as ir-run --aot does (default 4; 0: none)"),
                                     cl::init(4), cl::cat(category));
static cl::opt<unsigned> compiledEvery("compiled-every",
                                       cl::desc("Compile every Nth mutant that can be imported, and only interpret "
                                                "the others (with --mutate-files; default 1; 0: none)"),
                                       cl::init(1), cl::cat(category));
static cl::opt<unsigned> naiveEvery("naive-every",
                                    cl::desc("Also run every Nth model without optimizations (default 1; 0: none)"),
                                    cl::init(1), cl::cat(category));
static cl::opt<unsigned> strictEvery("strict-every",
                                     cl::desc("Call every Nth model as ir-run --strict does (default 1; 0: none)"),
                                     cl::init(1), cl::cat(category));
static cl::opt<unsigned>
    leastAgreeing("least-agreeing",
                  cl::desc("Fail if fewer than this percentage of 20 or more models agree (default 90)"), cl::init(90),
                  cl::cat(category));
static cl::opt<unsigned> seconds("seconds",
                                 cl::desc("Limit of the CPU time for importing, each interpretation, compiling and "
                                          "each call of a model (default 60; 10 with --mutate-files)"),
                                 cl::init(60), cl::cat(category));
static cl::opt<std::string> output("output-dir",
                                   cl::desc("Write the models that fail into DIR/SEED (with --write: all models)"),
                                   cl::value_desc("DIR"), cl::cat(category));
static cl::opt<bool> writeAll("write", cl::desc("Write all models and run none"), cl::cat(category));
static cl::opt<bool> reduceThem("reduce",
                                cl::desc("Reduce the models that fail to small ones that fail in the same way"),
                                cl::cat(category));
static cl::opt<bool> statistics("statistics", cl::desc("Print how many models had which feature, operation and result"),
                                cl::cat(category));
static cl::opt<std::string>
    logFile("log",
            cl::desc("Write a line for each finished model: its seed, the result, the reason, the CPU "
                     "seconds, its features, its operations"),
            cl::value_desc("FILE"), cl::cat(category));
static cl::opt<bool> listMutations("list-mutations",
                                   cl::desc("Print the names of the mutations (bugs for --mutate) and what they do"),
                                   cl::cat(category));
static cl::opt<std::string> mutation("mutate",
                                     cl::desc("Put this bug into the compiled models, until a model shows it"),
                                     cl::value_desc("NAME|all"), cl::cat(category));

static cl::opt<bool> mutateFiles("mutate-files",
                                 cl::desc("Change the files of models, of each operation in turn. Each changed file "
                                          "must be refused with a place and a reason, or be computed as interpreted"),
                                 cl::cat(category));
static cl::list<std::string> corpora("corpus",
                                     cl::desc("Also change each model.xml below FOLDER (with --mutate-files)"),
                                     cl::value_desc("FOLDER"), cl::cat(category));

static CheckOptions optionsOf(uint64_t seed, const std::string &directory, llvm::StringRef bug) {
  CheckOptions options;
  options.directory = directory;
  options.mutation = bug.str();
  options.modes = {Mode::Optimized};
  options.isStrict = !bug.empty() || (strictEvery && seed % strictEvery == 0);
  if (bug.empty() && naiveEvery && seed % naiveEvery == 0)
    options.modes.push_back(Mode::Naive);
  if (bug.empty() && linkedEvery && seed % linkedEvery == 0)
    options.modes.push_back(Mode::Linked);
  return options;
}

/// The options for checking a model without its mutation.
static CheckOptions withoutMutation(uint64_t seed, const std::string &directory) {
  CheckOptions options = optionsOf(seed, directory, "");
  options.modes = {Mode::Optimized};
  options.isStrict = true;
  return options;
}

/// The models that the command line asks for, with this mutation or none.
static WorkPlan planWork(const std::string &directory, const std::string &bug) {
  WorkPlan plan;
  plan.firstSeed = firstSeed;
  plan.count = count;
  plan.jobs = jobs;
  plan.seconds = seconds;
  plan.directory = directory;
  plan.checkGenerated([bug](uint64_t seed, const std::string &own) { return optionsOf(seed, own, bug); });
  return plan;
}

/// Prints a failure, reduced if the options ask for it, and writes its model.
static void showFailure(const Report &report, const std::string &directory, llvm::StringRef bug) {
  llvm::outs() << "seed " << report.seed << " " << spell(report.verdict.kind) << ": " << report.verdict.text << "\n";
  llvm::outs().flush();
  if (!reduceThem && output.empty())
    return;
  Model model = generate(report.seed);
  CheckOptions options = optionsOf(report.seed, directory, bug);
  if (reduceThem && report.verdict.kind != Verdict::Rejected) {
    unsigned before = model.countNodes();
    model = reduce(std::move(model), report.verdict, options, seconds);
    Verdict verdict = checkIsolated(model, options, seconds);
    llvm::outs() << "  " << before << " layers became " << model.countNodes() << ": " << verdict.text << "\n";
    if (output.empty()) {
      std::string xml, bin;
      model.print(xml, bin);
      llvm::outs() << xml;
    }
  }
  if (!output.empty() && !writeModel(model, output + "/" + std::to_string(report.seed)))
    llvm::errs() << "error: cannot write the model into '" << output << "'\n";
}

/// Compiles models with each of the mutations that --mutate names, until a model shows it. Returns false if no model
/// shows one of them.
static bool checkMutations(const std::string &directory) {
  std::vector<MutationInfo> known = getMutations();
  if (mutation != "all" && llvm::none_of(known, [](const MutationInfo &info) { return mutation == info.name.str(); })) {
    llvm::errs() << "error: expected --mutate to name a mutation, which --list-mutations lists, but got '" << mutation
                 << "'\n";
    return false;
  }
  bool areFound = true;
  for (const MutationInfo &info : known) {
    if (mutation != "all" && mutation != info.name)
      continue;
    std::optional<Report> found;
    uint64_t tried = 0;
    runWorkers(planWork(directory, info.name.str()), [&](const Report &report) {
      tried += report.verdict.kind != Verdict::Unmutated;
      // A mutation may also show as a broken promise, which ends the process. Without the mutation the model must keep
      // the promises.
      bool isBreach =
          report.verdict.kind == Verdict::Crashed && report.verdict.text.find("error: strict") != std::string::npos &&
          !checkIsolated(generate(report.seed), withoutMutation(report.seed, directory), seconds).isFailure();
      if (report.verdict.kind == Verdict::Differs || isBreach)
        found = report;
      return !found;
    });
    if (found)
      llvm::outs() << llvm::formatv("found {0,-28} seed {1}, model {2} that it fits: {3}\n", info.name, found->seed,
                                    tried, llvm::StringRef(found->verdict.text).take_front(120));
    if (found && reduceThem)
      showFailure(*found, directory, info.name);
    if (!found)
      llvm::outs() << llvm::formatv("MISSED {0} in {1} models that it fits\n", info.name, tried);
    llvm::outs().flush();
    areFound &= found.has_value();
  }
  return areFound;
}

/// Compares the compiled models with the interpreted ones. Returns false if one of them fails or too few agree.
static bool checkModels(const std::string &directory) {
  Statistics all;
  unsigned failures = 0;
  std::error_code error;
  std::unique_ptr<llvm::raw_fd_ostream> log;
  if (!logFile.empty())
    log = std::make_unique<llvm::raw_fd_ostream>(logFile, error);
  if (error)
    llvm::errs() << "error: cannot write '" << logFile << "': " << error.message() << "\n";
  runWorkers(planWork(directory, ""), [&](const Report &report) {
    all.add(report);
    if (log && !error) {
      *log << report.print();
      log->flush();
    }
    if (report.verdict.isFailure()) {
      ++failures;
      showFailure(report, directory, "");
    }
    return true;
  });
  if (statistics)
    all.print(llvm::outs());
  bool areEnough = count < 20 || all.countAgreeing() * 100 >= leastAgreeing * count;
  if (!areEnough)
    llvm::outs() << "too few models agree: " << all.countAgreeing() << " of " << count << ", expected at least "
                 << leastAgreeing << " percent\n";
  llvm::outs() << count << " models, " << failures << " failures\n";
  return failures == 0 && areEnough;
}

/// The options for checking a mutant. The changes are in the file, so one way to run it tells most.
static CheckOptions mutantOptionsOf(uint64_t seed, const Mutant &mutant, const std::string &directory) {
  CheckOptions options;
  options.directory = directory;
  options.modes.clear();
  if (compiledEvery && seed % compiledEvery == 0)
    options.modes.push_back(Mode::Optimized);
  // The strict caller makes no calls that the interface forbids.
  options.isStrict = mutant.callFault == CallFault::None && strictEvery && seed % strictEvery == 0;
  if (linkedEvery && seed % linkedEvery == 0)
    options.modes.push_back(Mode::Linked);
  return options;
}

/// Shows the first mutant of a finding, with the command that makes it again, and writes its files.
static void showMutant(const Report &report, const Corpus &corpus) {
  std::string command = llvm::formatv("ir-fuzz --mutate-files --seed={0} --count=1", report.seed).str();
  for (const std::string &folder : corpora)
    command += " --corpus=" + folder;
  llvm::outs() << "seed " << report.seed << " " << spell(report.verdict.kind) << ": " << report.verdict.text << "\n  "
               << llvm::join(report.ops, ", ") << " changed by " << llvm::join(report.features, ", ") << "\n  "
               << command << "\n";
  llvm::outs().flush();
  if (!output.empty() && !writeModel(mutateFile(report.seed, corpus).file, output + "/" + std::to_string(report.seed)))
    llvm::errs() << "error: cannot write the model into '" << output << "'\n";
}

/// Checks mutants of files. Returns false if one shows an error of Recur.
static bool checkMutants(const std::string &directory) {
  Corpus corpus;
  for (const std::string &folder : corpora)
    if (llvm::Error error = corpus.addFolder(folder)) {
      llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
      return false;
    }
  if (writeAll) {
    bool isFine = true;
    for (uint64_t seed = firstSeed; seed != firstSeed + count && !output.empty(); ++seed)
      isFine &= writeModel(mutateFile(seed, corpus).file, output + "/" + std::to_string(seed));
    return isFine;
  }
  WorkPlan plan = planWork(directory, "");
  plan.bytes = uint64_t(2) << 30;
  if (!seconds.getNumOccurrences())
    plan.seconds = 10;
  plan.describe = [&](uint64_t seed) { return describe(seed, mutateFile(seed, corpus)); };
  plan.check = [&](uint64_t seed, const std::string &own) {
    std::clock_t start = std::clock();
    Mutant mutant = mutateFile(seed, corpus);
    Report report = describe(seed, mutant);
    report.verdict = checkFile(seed, mutant, mutantOptionsOf(seed, mutant, own));
    report.seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    return report;
  };
  Statistics all;
  std::map<std::string, unsigned> findings;
  unsigned failures = 0;
  std::error_code error;
  std::unique_ptr<llvm::raw_fd_ostream> log;
  if (!logFile.empty())
    log = std::make_unique<llvm::raw_fd_ostream>(logFile, error);
  runWorkers(plan, [&](const Report &report) {
    all.add(report);
    if (log && !error)
      *log << report.print();
    if (report.verdict.isFailure()) {
      ++failures;
      if (findings[getSignature(report.verdict)]++ == 0)
        showMutant(report, corpus);
    }
    return true;
  });
  if (statistics)
    all.printMutants(llvm::outs());
  for (const auto &[signature, times] : findings)
    llvm::outs() << llvm::formatv("{0,6} {1}\n", times, signature);
  llvm::outs() << count << " mutants, " << failures << " failures of " << findings.size() << " kinds\n";
  return failures == 0;
}

/// Writes the models and runs nothing. Returns false if a file cannot be written.
static bool writeModels() {
  Statistics all;
  for (uint64_t seed = firstSeed; seed != firstSeed + count; ++seed) {
    Model model = generate(seed);
    all.add(describe(seed, model));
    if (!output.empty() && !writeModel(model, output + "/" + std::to_string(seed)))
      return false;
  }
  if (statistics)
    all.print(llvm::outs());
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!recur::parseCommandLine(argc, argv, "Recur: compares compiled random models with interpreted ones\n"))
    return 1;
  if (listMutations) {
    for (const MutationInfo &info : getMutations())
      llvm::outs() << llvm::formatv("{0,-28} {1}\n", info.name, info.description);
    for (const MutationInfo &info : mutateFiles ? getFileMutations() : std::vector<MutationInfo>())
      llvm::outs() << llvm::formatv("{0,-28} {1}\n", info.name, info.description);
    return 0;
  }
  if (writeAll && !mutateFiles)
    return !writeModels();
  llvm::SmallString<128> directory;
  if (llvm::sys::fs::createUniqueDirectory("ir-fuzz", directory)) {
    llvm::errs() << "error: cannot make a temporary directory\n";
    return 1;
  }
  bool isRight = mutateFiles        ? checkMutants(directory.str().str())
                 : mutation.empty() ? checkModels(directory.str().str())
                                    : checkMutations(directory.str().str());
  (void)llvm::sys::fs::remove_directories(directory);
  return !isRight;
}
