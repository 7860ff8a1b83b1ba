// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Weights.h - The weights file and its constants -----------*- C++ -*-===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_WEIGHTS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_WEIGHTS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace recur::ir {

/// The `.bin` beside a model. It is opened when the first Const asks for bytes, and mapped, not read.
class Weights {
public:
  /// `path` is empty where there is no model file to be beside of.
  explicit Weights(std::string path) : path(std::move(path)) {}

  /// Opens the file, unless it is open. On the first failure `problem` is what is wrong.
  llvm::LogicalResult open(std::string &problem);
  bool isOpen() const { return buffer != nullptr; }
  llvm::StringRef getBytes() const { return buffer ? buffer->getBuffer() : llvm::StringRef(); }
  const std::string &getPath() const { return path; }
  std::string getFileName() const;

  /// The value of a constant, whose bytes have been checked to be there: dense where it is small, else a reference.
  mlir::TypedAttr getConstant(uint64_t offset, mlir::RankedTensorType type);
  /// True once a constant refers to the file.
  bool isReferred() const { return referred; }
  /// Name, size and hash of the file.
  ov::WeightsFileAttr describe(mlir::MLIRContext *context) const;
  std::shared_ptr<llvm::MemoryBuffer> take() { return std::move(buffer); }

private:
  std::string path;
  std::shared_ptr<llvm::MemoryBuffer> buffer;
  bool hasFailed = false, referred = false;
};

/// Constants of at most this many bytes become attributes.
inline constexpr uint64_t kMaxDenseBytes = 1024;

/// A dense attribute of the elements in `bytes`, which are stored as a weights file stores them.
mlir::DenseElementsAttr makeDense(llvm::StringRef bytes, mlir::RankedTensorType type);
/// The part of rank-2 `value` from column `start`, `count` wide.
mlir::TypedAttr extractColumns(mlir::TypedAttr value, int64_t start, int64_t count);
/// True if all bits of `value` are known to be 0.
bool isZero(mlir::TypedAttr value, llvm::StringRef weights);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_WEIGHTS_H
