// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Weights.h - The weights file and its constants -----------*- C++ -*-===//
//
// A small constant becomes a dense attribute. A large one stays in the weights file, and the module refers to it by
// `#ov.weights`. So the module stays small, and no pass copies or prints megabytes of numbers.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_WEIGHTS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_WEIGHTS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace recur::ir {

/// The weights file of a model. It is opened when the first Const needs bytes. A large file is mapped into memory.
class Weights {
public:
  /// `path` is empty if the user gives no path and the model is not a file. `buffer` is null, or the contents.
  Weights(std::string path, std::shared_ptr<llvm::MemoryBuffer> buffer)
      : path(std::move(path)), buffer(std::move(buffer)) {}

  /// Opens the file, unless it is open. The first failure stores the reason in `problem`; later failures leave it
  /// unchanged, so that the reason is reported once.
  llvm::LogicalResult open(std::string &problem);
  bool isOpen() const { return buffer != nullptr; }
  /// The contents of the file; empty if it is not open.
  llvm::StringRef getBytes() const { return buffer ? buffer->getBuffer() : llvm::StringRef(); }
  const std::string &getPath() const { return path; }
  std::string getFileName() const;

  /// The value of a constant whose bytes are at `offset`: a dense attribute of at most ov::kMaxDenseBytes, or
  /// `#ov.weights`. The type is static, and the caller has checked that the file has these bytes. With a `format`, they
  /// hold the elements packed.
  mlir::TypedAttr getConstant(uint64_t offset, mlir::RankedTensorType type,
                              std::optional<ov::PackedFormat> format = std::nullopt);
  /// True if getConstant has returned an `#ov.weights`.
  bool isReferred() const { return referred; }
  /// Name, size and hash of the file.
  ov::WeightsFileAttr describe(mlir::MLIRContext *context) const;
  /// Passes the contents of the file on to the caller.
  std::shared_ptr<llvm::MemoryBuffer> take() { return std::move(buffer); }

private:
  std::string path;
  std::shared_ptr<llvm::MemoryBuffer> buffer;
  bool hasFailed = false, referred = false;
};

/// A dense attribute of a static type. `bytes` are its elements as a weights file stores them.
mlir::DenseElementsAttr makeDense(llvm::StringRef bytes, mlir::RankedTensorType type);
/// The `count` columns of `value` from column `start`. `value` has rank 2. The result is null if `value` is neither
/// dense nor an `#ov.weights`.
mlir::TypedAttr extractColumns(mlir::TypedAttr value, int64_t start, int64_t count);
/// True if all bits of `value` are known to be 0. `weights` is the content of the weights file.
bool isZero(mlir::TypedAttr value, llvm::StringRef weights);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_WEIGHTS_H
