// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-reduce.cpp - Upstream's mlir-reduce with Recur's dialects -------===//
//
// MLIR's reducer, with a --help that shows what a user of this tool needs: the two passes that reduce, and no option of
// LLVM's libraries or of other passes.
//
//===----------------------------------------------------------------------===//

#include "Recur/Registration.h"
#include "Recur/Tools/CommandLine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace recur;

/// Reduces the text in the file `input`, and prints the result to the file `output`.
static llvm::Error reduce(mlir::MLIRContext &context, const mlir::PassPipelineCLParser &passes, llvm::StringRef input,
                          llvm::StringRef output) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> text = mlir::openInputFile(input, &message);
  if (!text)
    return llvm::createStringError(message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return llvm::createStringError("cannot read the module");
  std::unique_ptr<llvm::ToolOutputFile> file = mlir::openOutputFile(output, &message);
  if (!file)
    return llvm::createStringError(message);
  mlir::PassManager manager(&context);
  llvm::Error error = llvm::Error::success();
  auto report = [&](const llvm::Twine &reason) {
    error = llvm::joinErrors(std::move(error), llvm::createStringError(reason));
    return mlir::failure();
  };
  if (mlir::failed(passes.addToPipeline(manager, report)))
    return error ? std::move(error) : llvm::createStringError("the passes cannot run");
  cantFail(std::move(error));
  if (mlir::failed(manager.run(*module)))
    return llvm::createStringError("a pass failed");
  module->print(file->os());
  file->keep();
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  // So far only options of LLVM's libraries are registered. Hide them, so that --help shows only ours.
  for (auto &entry : cl::getRegisteredOptions())
    if (!llvm::is_contained({"help", "version"}, entry.first))
      entry.second->setHiddenFlag(cl::ReallyHidden);
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> input(cl::Positional, cl::desc("<file.mlir>"), cl::init("-"));
  cl::opt<std::string> output("o", cl::desc("Write the smaller text to FILE (default '-': standard output)"),
                              cl::value_desc("FILE"), cl::init("-"));
  // The parser of passes gives each registered pass an option. The others are registered behind it, because they only
  // stand in --opt-reduction-pass="opt-pass=..." and in --pass-pipeline.
  mlir::registerReducerPasses();
  mlir::PassPipelineCLParser passes("",
                                    "Passes that reduce. Their test=FILE is a program, which gets the text as a file "
                                    "and ends with status 1 if that still shows the fault");
  llvm::SmallVector<const char *> arguments = getArguments(argc, argv);
  if (llvm::Error error = checkArguments(arguments))
    return printError(std::move(error), llvm::errs());
  cl::SetVersionPrinter(printVersion);
  cl::ParseCommandLineOptions(arguments.size(), arguments.data(),
                              "Recur: makes an MLIR text smaller that shows a fault of a pass\n");
  registerPasses();
  mlir::registerSymbolDCEPass();
  if (llvm::Error error = checkOutputs({{"-o", output}}, {{"the input", input}}))
    return printError(std::move(error), llvm::errs());
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  if (llvm::Error error = reduce(context, passes, input, output))
    return printError(std::move(error), llvm::errs());
  return 0;
}
