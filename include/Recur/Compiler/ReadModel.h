// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReadModel.h - Read a model from files or memory ----------*- C++ -*-===//
//
// A model is OpenVINO IR, or a module of any stage of the compiler, as text or bytecode.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_READMODEL_H
#define RECUR_COMPILER_READMODEL_H

#include "Recur/Tools/CommandLine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace recur {

struct ImportOptions;

/// A model: a module of any stage, and its weights.
struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The contents of the weights file; null if none was read. The module may have taken all that it needs from them.
  std::shared_ptr<llvm::MemoryBuffer> weights;
  /// The files that were read. Tools must not overwrite them with an output (checkOutputs).
  std::vector<ToolFile> files = {};
  /// True if the model was read from OpenVINO IR, which accepts `shapes`.
  bool isIR = false;
};

/// Reads OpenVINO IR, or a module of any stage as text or bytecode, from the file `path` ("-": standard input). The
/// weights file is `weightsPath`, or if that is empty, the one beside `path`. For a module, its size and hash must be
/// those that the module names. `shapes` fix dims of inputs (`NAME=[2,?,3]`); only an IR accepts them. Errors are
/// diagnostics of the context; `sources` keeps the text that they point into.
mlir::FailureOr<Model> readModel(llvm::StringRef path, llvm::StringRef weightsPath, llvm::SourceMgr &sources,
                                 mlir::MLIRContext *context, llvm::ArrayRef<std::string> shapes = {});

/// The same with all options of an import. Its limits and shapes are only for an IR.
mlir::FailureOr<Model> readModel(llvm::StringRef path, const ImportOptions &options, llvm::SourceMgr &sources,
                                 mlir::MLIRContext *context);

/// Reads a model whose text and weights are in memory. The identifier of `text` is the path that messages name.
mlir::FailureOr<Model> readModel(std::unique_ptr<llvm::MemoryBuffer> text, std::shared_ptr<llvm::MemoryBuffer> weights,
                                 llvm::SourceMgr &sources, mlir::MLIRContext *context,
                                 llvm::ArrayRef<std::string> shapes = {});

/// Reads a model whose text is in memory. The identifier of `text` is its path; the weights file is found as that of a
/// model in a file is.
mlir::FailureOr<Model> readModel(std::unique_ptr<llvm::MemoryBuffer> text, llvm::StringRef weightsPath,
                                 llvm::SourceMgr &sources, mlir::MLIRContext *context,
                                 llvm::ArrayRef<std::string> shapes = {});

} // namespace recur

#endif // RECUR_COMPILER_READMODEL_H
