// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-explain.cpp - Shows what a model does ---------------------------===//
//
// Prints the loops of a model, and what becomes of them, as text for the terminal, or as a page with pictures.
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"

#include "Recur/Compiler/Compiler.h"
#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Explain/Explain.h"
#include "Recur/Kernels.h"
#include "Recur/Registration.h"
#include "Recur/Target/ObjectFile.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

namespace cl = llvm::cl;
using namespace recur;

static cl::OptionCategory category("ir-explain options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<model.xml or ov text>"), cl::Required, cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Write the text to FILE (default '-': standard output)"),
                                   cl::value_desc("FILE"), cl::init("-"), cl::cat(category));
static cl::opt<std::string> html("html", cl::desc("Write a page with pictures to FILE, and no text if -o is not given"),
                                 cl::value_desc("FILE"), cl::cat(category));
static cl::opt<bool> measures("time", cl::desc("Call the model with random inputs, and show the times of its layers"),
                              cl::cat(category));
static ReadOptions reading(category);
static CodeOptions code(category, "this machine's");

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv, "Recur: shows what a model does, and what becomes of it\n",
                        {choicesOf(code.weightsPrecision), choicesOf(code.precision)}))
    return 1;
  if (llvm::Error error =
          checkUnused({std::addressof(code.targets), &code.debugInfo, &code.profile}, "where a model is explained"))
    return fail(std::move(error));

  CompileOptions options;
  options.target = TargetConfig::forHost();
  code.apply(options);

  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerKernels();
  mlir::MLIRContext context(registry, kCompilerThreading);
  llvm::SourceMgr sources;
  DiagnosticPrinter printer(sources, &context, llvm::errs());
  mlir::FailureOr<Model> model = readModel(input, reading.weights, sources, &context, reading.getShapes());
  if (mlir::failed(model))
    return 1;
  std::vector<ToolFile> outputs;
  bool hasText = html.empty() || output.getNumOccurrences();
  if (hasText)
    outputs.push_back({"-o", output});
  if (!html.empty())
    outputs.push_back({"--html", html});
  if (llvm::Error error = checkOutputs(outputs, model->files))
    return fail(std::move(error));

  llvm::Expected<Explanation> explanation = explain(*model, sources, input, options, measures);
  if (!explanation)
    return fail(explanation.takeError());
  auto write = [&](llvm::StringRef path, void (*print)(llvm::raw_ostream &, const Explanation &)) {
    return writeProduct(path, [&](llvm::raw_ostream &os) {
      print(os, *explanation);
      return llvm::Error::success();
    });
  };
  if (!html.empty())
    if (llvm::Error error = write(html, printPage))
      return fail(std::move(error));
  if (hasText)
    if (llvm::Error error = write(output, printText))
      return fail(std::move(error));
  return 0;
}
