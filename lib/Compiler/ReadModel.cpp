// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReadModel.cpp - Read a model from files or memory ------------------===//
//
// Tells OpenVINO IR from the text of a module, and finds the weights of either.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/ReadModel.h"

#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Tools/TextNesting.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/xxhash.h"

#include <optional>

using namespace mlir;
using namespace recur;

/// Opens the weights file of a module: that of the options, or if they name none, the file that the module names,
/// beside `path`. Fails if it cannot be read.
static FailureOr<std::shared_ptr<llvm::MemoryBuffer>> openWeights(ModuleOp module, ov::WeightsFileAttr file,
                                                                  StringRef path, const ImportOptions &options) {
  SmallString<128> place(options.weightsPath);
  if (place.empty()) {
    // The module may come from anywhere, so its file name must not lead to another directory.
    if (file.getName() != llvm::sys::path::filename(file.getName()) || file.getName() == "..") {
      module.emitError() << "expected the weights file '" << file.getName() << "' to be named without directories";
      return failure();
    }
    place = llvm::sys::path::parent_path(path);
    llvm::sys::path::append(place, file.getName());
  }
  if (!llvm::sys::fs::is_regular_file(place)) {
    InFlightDiagnostic diag = module.emitError() << "cannot open the weights file '" << place << "'; ";
    if (options.weightsOption.empty())
      diag << "it belongs beside the text";
    else
      diag << "name it with " << options.weightsOption;
    return failure();
  }
  auto buffer = llvm::MemoryBuffer::getFile(place, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    module.emitError() << "cannot read the weights file '" << place << "': " << buffer.getError().message();
    return failure();
  }
  return std::shared_ptr<llvm::MemoryBuffer>(std::move(*buffer));
}

/// Reads a model from its text.
static FailureOr<Model> readText(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef path,
                                 const ImportOptions &options, llvm::SourceMgr &sources, MLIRContext *context) {
  Model model;
  model.files.push_back({"the model", path.str()});
  auto addWeightsFile = [&](StringRef file) {
    if (!file.empty())
      model.files.push_back({"the weights file", file.str()});
  };
  StringRef text = buffer->getBuffer();
  StringRef start = text.ltrim(" \t\r\n\xEF\xBB\xBF");
  llvm::MemoryBufferRef ref = buffer->getMemBufferRef();
  bool isModule = isBytecode(ref) || (llvm::sys::path::extension(path) == ".mlir") || start.starts_with("module") ||
                  start.starts_with("func") || start.starts_with("//") || start.starts_with("#");
  std::optional<size_t> deep = isModule && !isBytecode(ref) ? findDeepNesting(text) : std::nullopt;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  if (deep) {
    auto [line, column] = sources.getLineAndColumn(SMLoc::getFromPointer(text.data() + *deep));
    emitError(FileLineColLoc::get(context, path, line, column))
        << "the text is nested more than " << kMaxNesting << " deep";
    return failure();
  }
  if (!isModule) {
    FailureOr<ImportedModel> imported = importOpenVINOIR(ref, context, options);
    if (failed(imported))
      return failure();
    model.module = std::move(imported->module);
    model.weights = std::move(imported->weights);
    addWeightsFile(imported->weightsFile);
    model.isIR = true;
    return model;
  }
  if (!options.shapes.empty()) {
    emitError(FileLineColLoc::get(context, path, 0, 0))
        << "expected OpenVINO IR where shapes are to be fixed, but got a module";
    return failure();
  }
  model.module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!model.module || failed(verifyStage(*model.module)))
    return failure();
  auto file = (*model.module)->getAttrOfType<ov::WeightsFileAttr>(ov::kWeightsFileAttr);
  if (!file)
    return model;
  std::shared_ptr<llvm::MemoryBuffer> weights = options.weights;
  if (!weights) {
    FailureOr<std::shared_ptr<llvm::MemoryBuffer>> opened = openWeights(*model.module, file, path, options);
    if (failed(opened))
      return failure();
    weights = std::move(*opened);
  }
  // The identifier of a buffer that was read from a file is its path.
  StringRef place = weights->getBufferIdentifier();
  if (weights->getBufferSize() != file.getSize() || llvm::xxh3_64bits(weights->getBuffer()) != file.getHash()) {
    model.module->emitError() << "the weights file '" << place << "' is not the one that the module was made with";
    return failure();
  }
  addWeightsFile(place);
  model.weights = std::move(weights);
  return model;
}

/// Says why a path is not one of a model that can be read.
static StringRef describeMissing(StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return "it is a folder; expected a file, such as model.xml in it";
  return llvm::sys::fs::exists(path) ? "not a regular file" : "no such file";
}

FailureOr<Model> recur::readModel(StringRef path, const ImportOptions &options, llvm::SourceMgr &sources,
                                  MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  if (path != "-" && !llvm::sys::fs::is_regular_file(path)) {
    emitError(loc) << "cannot open '" << path << "': " << describeMissing(path);
    return failure();
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    emitError(loc) << "cannot read '" << path << "': " << buffer.getError().message();
    return failure();
  }
  return readText(std::move(*buffer), path, options, sources, context);
}

FailureOr<Model> recur::readModel(StringRef path, StringRef weightsPath, llvm::SourceMgr &sources, MLIRContext *context,
                                  ArrayRef<std::string> shapes) {
  ImportOptions options;
  options.weightsPath = weightsPath.str();
  options.shapes.assign(shapes.begin(), shapes.end());
  return readModel(path, options, sources, context);
}

FailureOr<Model> recur::readModel(std::unique_ptr<llvm::MemoryBuffer> text, std::shared_ptr<llvm::MemoryBuffer> weights,
                                  llvm::SourceMgr &sources, MLIRContext *context, ArrayRef<std::string> shapes) {
  std::string path = text->getBufferIdentifier().str();
  // Without weights there are no bytes, and no file is looked for.
  ImportOptions options;
  if (!weights)
    weights = llvm::MemoryBuffer::getMemBuffer("", "the weights", /*RequiresNullTerminator=*/false);
  options.weights = std::move(weights);
  options.shapes.assign(shapes.begin(), shapes.end());
  return readText(std::move(text), path, options, sources, context);
}

FailureOr<Model> recur::readModel(std::unique_ptr<llvm::MemoryBuffer> text, StringRef weightsPath,
                                  llvm::SourceMgr &sources, MLIRContext *context, ArrayRef<std::string> shapes) {
  std::string path = text->getBufferIdentifier().str();
  ImportOptions options;
  options.weightsPath = weightsPath.str();
  options.shapes.assign(shapes.begin(), shapes.end());
  return readText(std::move(text), path, options, sources, context);
}
