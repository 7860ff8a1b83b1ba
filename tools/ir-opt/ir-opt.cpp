// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-opt.cpp - Recur's passes on MLIR text ---------------------------===//
//
// MLIR's optimizer driver with the dialects, passes and pipelines of Recur.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/Layers.h"
#include "Recur/Registration.h"
#include "Recur/Tools/CommandLine.h"
#include "Recur/Tools/TextNesting.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Debug/Counter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"), cl::init("-"));
static cl::opt<std::string> output("o", cl::desc("Output filename"), cl::value_desc("filename"), cl::init("-"));
static cl::opt<bool> listLayers("list-ov-ops",
                                cl::desc("Print OpenVINO's operations, and what each becomes, and exit"));

/// Fails if MLIR's parser should not get this input: XML, such as a model of OpenVINO, about which it would say nothing
/// of use, or text that is nested too deeply.
static llvm::Error checkInput(llvm::MemoryBufferRef text) {
  if (mlir::isBytecode(text))
    return llvm::Error::success();
  if (text.getBuffer().ltrim(" \t\r\n\xEF\xBB\xBF").starts_with("<"))
    return llvm::createStringError("expected text of MLIR, but '" + text.getBufferIdentifier() +
                                   "' is XML; ir-translate --import-openvino prints a model as text");
  return recur::checkNesting(text);
}

/// Does what mlir::MlirOptMain does with the names of files, but checks the input before it is parsed. Returns the exit
/// status.
static int optimize(mlir::DialectRegistry &registry, const mlir::MlirOptMainConfig &config) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> text = mlir::openInputFile(input, &message);
  if (!text)
    return recur::printError(llvm::createStringError(message), llvm::errs());
  if (llvm::Error error = checkInput(text->getMemBufferRef()))
    return recur::printError(std::move(error), llvm::errs());
  std::unique_ptr<llvm::ToolOutputFile> file = mlir::openOutputFile(output, &message);
  if (!file)
    return recur::printError(llvm::createStringError(message), llvm::errs());
  if (mlir::failed(mlir::MlirOptMain(file->os(), std::move(text), registry, config)))
    return 1;
  file->keep();
  return 0;
}

int main(int argc, char **argv) {
  // So far options of LLVM's libraries are registered, and few others. Hide the former, so that --help is about MLIR
  // and Recur. --help-hidden lists all.
  for (auto &entry : cl::getRegisteredOptions())
    if (!llvm::is_contained({"o", "list-ov-ops", "help", "version"}, entry.first))
      entry.second->setHiddenFlag(cl::Hidden);
  mlir::DialectRegistry registry;
  recur::registerDialects(registry);
  recur::registerPasses();
  // This repeats mlir::registerAndParseCLIOptions, with a check of the arguments between registering and parsing.
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  mlir::tracing::DebugCounter::registerCLOptions();
  llvm::SmallVector<const char *> arguments = recur::getArguments(argc, argv);
  if (llvm::Error error = recur::checkArguments(arguments))
    return recur::printError(std::move(error), llvm::errs());
  cl::SetVersionPrinter(recur::printVersion);
  cl::ParseCommandLineOptions(arguments.size(), arguments.data(), "Recur optimizer driver\n");
  if (listLayers) {
    recur::ov::printLayers(llvm::outs());
    return 0;
  }
  if (llvm::Error error = recur::checkOutputs({{"-o", output}}, {{"the input", input}}))
    return recur::printError(std::move(error), llvm::errs());
  const cl::Option *bytecode = cl::getRegisteredOptions().lookup("emit-bytecode");
  if (bytecode && bytecode->getNumOccurrences())
    if (llvm::Error error = recur::checkBinaryOutput(output))
      return recur::printError(std::move(error), llvm::errs());
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  // These need no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  return optimize(registry, config);
}
