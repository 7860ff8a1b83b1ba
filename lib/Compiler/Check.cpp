// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Check.cpp - All errors of a model in one run -----------------------===//
//
// Reads a model, lets the first stages run on it, and counts the diagnostics on their way to the printer.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Check.h"

#include "Recur/Compiler/Compiler.h"
#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Target/TargetMachine.h"
#include "Recur/Transforms/Passes.h"

#include "llvm/Support/SourceMgr.h"

#include <limits>

using namespace mlir;
using namespace recur;

/// Lowers the model as `compile` does, up to the stage linalg. Each pass is verified.
static void checkStages(ModuleOp module, const CheckResult &result) {
  if (getStage(module) >= Stage::Linalg)
    return;
  CompileOptions options;
  options.verifyPasses = true;
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createTargetMachine(options.target);
  if (!machine) {
    module.emitError(llvm::toString(machine.takeError()));
    return;
  }
  if (failed(lower(module, Stage::Linalg, options, **machine)) && result.errors == 0)
    module.emitError("the model cannot be compiled");
}

CheckResult recur::checkModel(StringRef path, const CheckOptions &options, MLIRContext *context,
                              llvm::raw_ostream &os) {
  llvm::SourceMgr sources;
  DiagnosticPrinter printer(sources, context, os);
  CheckResult result;
  // The handler that was registered last is called first. It passes on what is to be shown.
  ScopedDiagnosticHandler counter(context, [&](Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (!isError && diagnostic.getSeverity() != DiagnosticSeverity::Warning)
      return success();
    uint64_t &count = isError ? result.errors : result.warnings;
    return failure(count++ < options.maxErrors || options.maxErrors == 0);
  });
  ImportOptions reading = options.reading;
  reading.reportsAll = true;
  reading.maxReports = std::numeric_limits<unsigned>::max();
  FailureOr<Model> model = readModel(path, reading, sources, context);
  if (failed(model)) {
    if (result.errors == 0)
      emitError(FileLineColLoc::get(context, path, 0, 0)) << "the model cannot be read";
    return result;
  }
  result.size = countLayers(*model->module);
  if (options.lowers && result.errors == 0)
    checkStages(*model->module, result);
  return result;
}
