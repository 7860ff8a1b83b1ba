// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-translate.cpp - Models to MLIR text, and back -------------------===//
//
// Imports a model and prints its module, which ir-opt, ir-compile and ir-run read too, or writes a module as a model.
// It also runs the tests of the importer and the exporter (--split-input-file, --verify-diagnostics).
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Export/OpenVINOIR.h"
#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Registration.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace recur;

/// The words of --help for the export. A translation that is chosen can be told by nothing else.
static constexpr llvm::StringLiteral kExportText =
    "write a model, or a module that is imported or simplified, as OpenVINO IR (model.xml, and model.bin beside it)";

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

/// The dialects of modules that are imported.
static void registerImportDialects(DialectRegistry &registry) {
  registry.insert<ov::OVDialect, func::FuncDialect, tensor::TensorDialect, arith::ArithDialect, rt::RTDialect>();
}

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
      registerImportDialects);
}

/// Registers the translation. When it runs, it writes the bytes of the weights to `*weights`, and appends the weights
/// file that it reads to `files`.
static void registerExport(const CommandLineOptions &commandLine, std::vector<ToolFile> &files,
                           llvm::raw_ostream *const &weights) {
  TranslateRegistration registration(
      "export-openvino", kExportText,
      [&](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &xml, MLIRContext *context) {
        // A module of a later stage is read too, and refused in words that tell why.
        DialectRegistry registry;
        recur::registerDialects(registry);
        context->appendDialectRegistry(registry);
        const llvm::MemoryBuffer *text = sources->getMemoryBuffer(sources->getMainFileID());
        FailureOr<Model> model = readModel(llvm::MemoryBuffer::getMemBuffer(*text), commandLine.reading.weights,
                                           *sources, context, commandLine.reading.getShapes());
        if (failed(model))
          return failure();
        if (Stage stage = getStage(*model->module); stage > Stage::Simplify) {
          emitError(model->module->getLoc())
              << "expected a module of stage 'simplify' or before, but got one of '" << stringifyStage(stage) << "'";
          return failure();
        }
        files.insert(files.end(), model->files.begin(), model->files.end());
        llvm::StringRef bytes = model->weights ? model->weights->getBuffer() : "";
        return exportOpenVINOIR(*model->module, bytes, xml, *weights);
      });
}

/// Writes the two files of an export, `output` and the weights beside it, or none. `translate` makes the text, and
/// writes the weights to `*weights`; when it fails, it has reported why. `inputs` are the files that were read by then.
/// Returns the exit status.
static int writeExport(llvm::StringRef output, llvm::function_ref<LogicalResult(llvm::raw_ostream &)> translate,
                       llvm::raw_ostream *&weights, const std::vector<ToolFile> &inputs) {
  if (output == "-")
    return fail(llvm::createStringError("expected -o FILE, because the weights are written beside it"));
  if (llvm::sys::fs::is_directory(output))
    return fail(llvm::createStringError("cannot write '" + output + "': is a directory"));
  llvm::SmallString<128> weightsOutput(output);
  llvm::sys::path::replace_extension(weightsOutput, ".bin");
  bool hasReported = false;
  // The weights get their name before the text does. A failure after that is one of the file system.
  llvm::Error error = writeProduct(output, [&](llvm::raw_ostream &os) -> llvm::Error {
    std::string xml;
    llvm::raw_string_ostream text(xml);
    llvm::Error failed = writeProduct(weightsOutput, [&](llvm::raw_ostream &bytes) -> llvm::Error {
      weights = &bytes;
      hasReported = translate(text).failed();
      if (!hasReported)
        if (llvm::Error error =
                checkOutputs({{"-o", output.str()}, {"the weights beside -o", weightsOutput.str().str()}}, inputs))
          hasReported = fail(std::move(error));
      return hasReported ? llvm::createStringError("nothing is written") : llvm::Error::success();
    });
    os << xml;
    return failed;
  });
  if (!hasReported)
    return error ? fail(std::move(error)) : 0;
  llvm::consumeError(std::move(error));
  return 1;
}

/// Translates a text, or each part of it if `splits`, and appends the result to `output`. With `verifies`, checks the
/// diagnostics against the expected-* lines instead of failing on them.
static LogicalResult translate(const Translation &translation, std::unique_ptr<llvm::MemoryBuffer> buffer,
                               const llvm::cl::opt<bool> &splits, const llvm::cl::opt<bool> &verifies,
                               llvm::raw_ostream &output) {
  auto translateChunk = [&](std::unique_ptr<llvm::MemoryBuffer> chunk, llvm::raw_ostream &os) -> LogicalResult {
    MLIRContext context;
    // An op may be a whole model.
    context.printOpOnDiagnostic(false);
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
  llvm::raw_ostream *weights = &llvm::nulls();
  registerImport(commandLine, files);
  registerExport(commandLine, files, weights);
  // This repeats mlirTranslateMain, with a check of the arguments before they are parsed, and of
  // the output before it is opened.
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<model.xml>"), llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o",
                                    llvm::cl::desc("Write the text to FILE (default '-': standard output). An export "
                                                   "also writes the weights, to FILE with the extension .bin"),
                                    llvm::cl::value_desc("FILE"), llvm::cl::init("-"));
  llvm::cl::opt<bool> splits("split-input-file", llvm::cl::desc("Translate each part of the input on its own"));
  llvm::cl::opt<bool> verifies("verify-diagnostics",
                               llvm::cl::desc("Check the diagnostics against the expected-* lines of the input"));
  llvm::cl::opt<const Translation *, false, TranslationParser> translation("",
                                                                           llvm::cl::desc("Translations to perform"));
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerTranslationCLOptions();
  if (!parseCommandLine(argc, argv, "Recur: models to MLIR text, and back\n"))
    return 1;

  if (!translation.getNumOccurrences())
    return fail(llvm::createStringError("expected --import-openvino or --export-openvino"));
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &message);
  if (!buffer)
    return fail(llvm::createStringError(message));
  files.push_back({"the model", input});
  auto run = [&](llvm::raw_ostream &os) { return translate(*translation, std::move(buffer), splits, verifies, os); };
  if (translation->getDescription() == kExportText && !verifies)
    return writeExport(output, run, weights, files);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(run(os)))
    return 1;
  if (llvm::Error error = checkOutputs({{"-o", output}}, files))
    return fail(std::move(error));
  if (llvm::Error error = writeProduct(output, llvm::ArrayRef<char>(text.data(), text.size())))
    return fail(std::move(error));
  return 0;
}
