// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelOptions.h - options that several tools have ---------*- C++ -*-===//
#ifndef RECUR_TOOLS_MODELOPTIONS_H
#define RECUR_TOOLS_MODELOPTIONS_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Tools/CommandLine.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace recur {

/// What a tool has to know to read a model: ir-compile, ir-run and ir-translate.
struct ReadOptions {
  explicit ReadOptions(llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : weights("weights", llvm::cl::desc("The weights file (default: beside the model)"), llvm::cl::value_desc("FILE"),
                llvm::cl::cat(category)),
        shapes("shape", llvm::cl::desc("Fix dims of an input that the model leaves open"),
               llvm::cl::value_desc("NAME=[2,?,3]"), llvm::cl::cat(category)) {}

  std::vector<std::string> getShapes() const { return {shapes.begin(), shapes.end()}; }

  llvm::cl::opt<std::string> weights;
  llvm::cl::list<std::string> shapes;
};

/// How a tool compiles a model: ir-compile and ir-run. `defaultCPU` says in the help which CPU it is without --mcpu.
struct CodeOptions {
  CodeOptions(llvm::cl::OptionCategory &category, llvm::StringRef defaultCPU)
      : cpuText("CPU to compile for (default: " + defaultCPU.str() + ")"),
        cpu("mcpu", llvm::cl::desc(cpuText), llvm::cl::value_desc("CPU"), llvm::cl::cat(category)),
        features("mattr", llvm::cl::desc("Features to add or take away, e.g. +avx512f,-fma"),
                 llvm::cl::value_desc("LIST"), llvm::cl::cat(category)),
        naive("naive", llvm::cl::desc("Without Recur's optimizations, to compare with"), llvm::cl::cat(category)),
        checkTimeLoops("check-time-loops",
                       llvm::cl::desc("Fail on allocations, calls and superfluous copies in time loops"),
                       llvm::cl::cat(category)) {}

  /// Writes what the command line says into `options`. The target's CPU and features stay as
  /// they are if it names neither.
  void apply(CompileOptions &options) const {
    if (!cpu.empty() || !features.empty()) {
      options.target.cpu = cpu;
      options.target.features = features;
    }
    options.optimize = !naive;
    options.checkTimeLoops = checkTimeLoops;
  }

  /// The text of --help. The option keeps a reference to it.
  std::string cpuText;
  llvm::cl::opt<std::string> cpu, features;
  llvm::cl::opt<bool> naive, checkTimeLoops;
};

/// Prints an error on standard error. Returns the exit status.
inline int fail(llvm::Error error) { return printError(std::move(error), llvm::errs()); }

/// Parses the command line of a tool. Returns false after printing an error if an option is unknown or lacks a value.
inline bool parseCommandLine(int argc, char **argv, llvm::StringRef overview) {
  if (llvm::Error error = checkArguments(argc, argv)) {
    fail(std::move(error));
    return false;
  }
  llvm::cl::ParseCommandLineOptions(argc, argv, overview);
  return true;
}

} // namespace recur

#endif // RECUR_TOOLS_MODELOPTIONS_H
