// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-diff.cpp - How two models differ --------------------------------===//
//
// Reads two models and prints what was removed, added and changed between them. The exit status is that of diff.
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"

#include "Recur/Compiler/Compiler.h"
#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Diff/Diff.h"
#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace recur;

enum class Comparison { Exact, Tolerance };

static cl::OptionCategory category("ir-diff options");
static cl::list<std::string> inputs(cl::Positional, cl::desc("<before.xml or ov text> <after.xml or ov text>"),
                                    cl::cat(category));
static cl::opt<Comparison> comparison("weights", cl::desc("When elements of constants differ (default exact)"),
                                      cl::init(Comparison::Exact),
                                      cl::values(clEnumValN(Comparison::Exact, "exact", "if a bit differs"),
                                                 clEnumValN(Comparison::Tolerance, "tolerance",
                                                            "if they differ by more than --rtol and --atol")),
                                      cl::cat(category));
static cl::opt<double> rtol("rtol", cl::desc("Relative tolerance of --weights=tolerance (default 1e-4)"),
                            cl::init(1e-4), cl::cat(category));
static cl::opt<double> atol_("atol", cl::desc("Absolute tolerance of --weights=tolerance (default 1e-5)"),
                             cl::init(1e-5), cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print nothing; the exit status tells whether the models differ"),
                           cl::cat(category));
static cl::extrahelp status("\nEXIT STATUS: 0 if the models are the same, 1 if they differ, 2 after an error.\n");

/// The exit status after an error; 1 says that the models differ.
static constexpr int kErrorStatus = 2;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv, "Recur: compares two models layer by layer\n", {choicesOf(comparison)}))
    return kErrorStatus;
  auto stop = [](llvm::Error error) {
    (void)fail(std::move(error));
    return kErrorStatus;
  };
  if (inputs.size() != 2)
    return stop(llvm::createStringError("expected two models, but got %zu", inputs.size()));
  if (comparison == Comparison::Exact)
    for (const cl::Option *tolerance : {static_cast<cl::Option *>(&rtol), static_cast<cl::Option *>(&atol_)})
      if (tolerance->getNumOccurrences())
        return stop(llvm::createStringError("expected --weights=tolerance with --" + tolerance->ArgStr));

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, kCompilerThreading);
  // Its --weights is another one.
  ImportOptions reading;
  reading.weightsOption.clear();
  Model models[2];
  for (auto [path, model] : llvm::zip_equal(inputs, models)) {
    llvm::SourceMgr sources;
    DiagnosticPrinter printer(sources, &context, llvm::errs());
    mlir::FailureOr<Model> read = readModel(path, reading, sources, &context);
    if (mlir::failed(read))
      return kErrorStatus;
    model = std::move(*read);
  }
  auto makeSide = [&](unsigned i) {
    const std::shared_ptr<llvm::MemoryBuffer> &weights = models[i].weights;
    return DiffSide{inputs[i], *models[i].module,
                    weights ? llvm::ArrayRef(weights->getBufferStart(), weights->getBufferSize())
                            : llvm::ArrayRef<char>()};
  };
  DiffOptions options;
  if (comparison == Comparison::Tolerance)
    options = {rtol, atol_};
  DiffCounts counts = diffModels(makeSide(0), makeSide(1), options, quiet ? llvm::nulls() : llvm::outs());
  return counts.any() ? 1 : 0;
}
