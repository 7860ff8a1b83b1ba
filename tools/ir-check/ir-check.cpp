// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-check.cpp - All errors of models, without compiling them --------===//
//
// Reads models and reports every error that does not follow from another. Nothing is compiled or written.
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"

#include "Recur/Compiler/Check.h"
#include "Recur/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace recur;

static cl::OptionCategory category("ir-check options");
static cl::list<std::string> inputs(cl::Positional, cl::desc("<model.xml or ov text>..."), cl::cat(category));
static ReadOptions reading(category);
static cl::opt<uint64_t> maxErrors("max-errors", cl::desc("Show N errors of a model at most (default 20; 0: all)"),
                                   cl::value_desc("N"), cl::init(CheckOptions().maxErrors), cl::cat(category));
static cl::opt<bool> importOnly("import-only",
                                cl::desc("Check the files alone, and not whether the stages of the compiler take them"),
                                cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print errors and warnings, but no summary"), cl::cat(category));

/// "1 layer", "2 layers".
static std::string count(uint64_t number, llvm::StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : "s");
}

/// Prints what is to be known about a model that was checked.
static void printResult(llvm::StringRef path, const CheckResult &result) {
  std::string found = result.errors ? count(result.errors, "error") : "no error";
  if (result.warnings)
    found += ", " + count(result.warnings, "warning");
  if (maxErrors != 0 && result.errors > maxErrors)
    llvm::errs() << path << ": " << found << "; " << count(result.errors - maxErrors, "error")
                 << " not shown, --max-errors=0 shows all\n";
  else if (result.errors && !quiet)
    llvm::errs() << path << ": " << found << "\n";
  else if (!quiet)
    llvm::outs() << path << ": " << count(result.size.layers, "layer") << ", " << count(result.size.loops, "loop")
                 << ", " << found << "\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv, "Recur: checks OpenVINO IR models, and reports all errors at once\n"))
    return 1;
  if (inputs.empty())
    inputs.push_back("-");
  mlir::DialectRegistry registry;
  registerDialects(registry);
  CheckOptions options;
  options.reading.weightsPath = reading.weights;
  options.reading.shapes = reading.getShapes();
  options.maxErrors = maxErrors;
  options.lowers = !importOnly;
  bool ok = true;
  for (const std::string &input : inputs) {
    mlir::MLIRContext context(registry, kCompilerThreading);
    CheckResult result = checkModel(input, options, &context, llvm::errs());
    printResult(input, result);
    ok &= result.errors == 0;
  }
  return ok ? 0 : 1;
}
