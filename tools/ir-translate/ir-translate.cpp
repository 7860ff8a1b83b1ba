// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-translate.cpp - Models to MLIR text -----------------------------===//
//
// Imports a model and prints its module, which ir-opt, ir-compile and ir-run read too. It also runs the tests of the
// importer (--split-input-file, --verify-diagnostics).
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Target/ObjectFile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace recur;

namespace {
/// The ImportOptions that the command line gives.
struct CommandLineOptions {
  ReadOptions reading;
  llvm::cl::opt<unsigned> maxDepth{"max-depth", llvm::cl::desc("Limit of the depth of bodies within bodies"),
                                   llvm::cl::init(ImportOptions().maxDepth)};
  llvm::cl::opt<uint64_t> maxFileBytes{"max-file-bytes", llvm::cl::desc("Limit of the bytes of the XML file"),
                                       llvm::cl::init(ImportOptions().maxFileBytes)};
  llvm::cl::opt<uint64_t> maxElements{"max-elements", llvm::cl::desc("Limit of the elements of one tensor"),
                                      llvm::cl::init(ImportOptions().maxElements)};
  llvm::cl::opt<uint64_t> maxBytes{"max-bytes", llvm::cl::desc("Limit of the bytes of one tensor"),
                                   llvm::cl::init(ImportOptions().maxBytes)};
  llvm::cl::opt<uint64_t> maxOperations{"max-operations", llvm::cl::desc("Limit of the number of operations"),
                                        llvm::cl::init(ImportOptions().maxOperations)};

  ImportOptions get() const {
    ImportOptions options;
    options.weightsPath = reading.weights;
    options.shapes = reading.getShapes();
    options.maxDepth = maxDepth;
    options.maxFileBytes = maxFileBytes;
    options.maxElements = maxElements;
    options.maxBytes = maxBytes;
    options.maxOperations = maxOperations;
    return options;
  }
};
} // namespace

/// Registers the translation. When it runs, it appends the weights files that it reads to `files`.
static void registerImport(const CommandLineOptions &commandLine, std::vector<ToolFile> &files) {
  TranslateToMLIRRegistration registration(
      "import-openvino", "import OpenVINO IR (model.xml, with its weights in model.bin beside it)",
      [&commandLine, &files](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        FailureOr<ImportedModel> model = importOpenVINOIR(
            sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef(), context, commandLine.get());
        if (failed(model))
          return {};
        files.push_back({"the weights file", model->weightsFile});
        return OwningOpRef<Operation *>(model->module.release());
      },
      [](DialectRegistry &registry) {
        registry.insert<ov::OVDialect, func::FuncDialect, tensor::TensorDialect, arith::ArithDialect>();
      });
}

/// Translates a text, or each part of it if `splits`, and appends the result to `output`. With `verifies`, checks the
/// diagnostics against the expected-* lines instead of failing on them.
static LogicalResult translate(const Translation &translation, std::unique_ptr<llvm::MemoryBuffer> buffer,
                               const llvm::cl::opt<bool> &splits, const llvm::cl::opt<bool> &verifies,
                               llvm::raw_ostream &output) {
  auto translateChunk = [&](std::unique_ptr<llvm::MemoryBuffer> chunk, llvm::raw_ostream &os) -> LogicalResult {
    MLIRContext context;
    context.printOpOnDiagnostic(!verifies);
    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(std::move(chunk), SMLoc());
    if (verifies) {
      // The diagnostics are checked here, and most of them come with a failure.
      SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
      (void)translation(sources, os, &context);
      return handler.verify();
    }
    SourceMgrDiagnosticHandler handler(*sources, &context);
    return translation(sources, os, &context);
  };
  return splitAndProcessBuffer(std::move(buffer), translateChunk, output, splits ? kDefaultSplitMarker : "");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // So far only options of LLVM's libraries are registered. Hide them, so that --help shows only ours.
  for (auto &entry : llvm::cl::getRegisteredOptions())
    entry.second->setHiddenFlag(llvm::cl::ReallyHidden);
  CommandLineOptions commandLine;
  std::vector<ToolFile> files;
  registerImport(commandLine, files);
  // This repeats mlirTranslateMain for one translation, with a check of the arguments before they are parsed, and of
  // the output before it is opened.
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<model.xml>"), llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Write the text to FILE (default '-': standard output)"),
                                    llvm::cl::value_desc("FILE"), llvm::cl::init("-"));
  llvm::cl::opt<bool> splits("split-input-file", llvm::cl::desc("Translate each part of the input on its own"));
  llvm::cl::opt<bool> verifies("verify-diagnostics",
                               llvm::cl::desc("Check the diagnostics against the expected-* lines of the input"));
  llvm::cl::opt<const Translation *, false, TranslationParser> translation(
      "", llvm::cl::desc("Translations to perform"), llvm::cl::Required);
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerTranslationCLOptions();
  if (!parseCommandLine(argc, argv, "Recur: models to MLIR text\n"))
    return 1;

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &message);
  if (!buffer)
    return fail(llvm::createStringError(message));
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(translate(*translation, std::move(buffer), splits, verifies, os)))
    return 1;
  files.push_back({"the model", input});
  if (llvm::Error error = checkOutputs({{"-o", output}}, files))
    return fail(std::move(error));
  if (llvm::Error error = writeProduct(output, llvm::ArrayRef<char>(text.data(), text.size())))
    return fail(std::move(error));
  return 0;
}
