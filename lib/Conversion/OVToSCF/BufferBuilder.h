// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BufferBuilder.h - Emits buffers, and reads and writes them -*- C++ -*-===//
//
// Values of loops and results of branches live in buffers that are there before the loop or the branch. This file emits
// the buffers. The dims of a buffer are known before the loop, or the buffer grows while the loop computes its size.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOSCF_BUFFERBUILDER_H
#define RECUR_LIB_CONVERSION_OVTOSCF_BUFFERBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {

/// True if a dim is the constant 0. Such tensors need no slice and no copy; a static slice of them does not verify.
inline bool isEmpty(llvm::ArrayRef<mlir::OpFoldResult> dims) {
  return llvm::any_of(dims, [](mlir::OpFoldResult dim) { return mlir::isConstantIntValue(dim, 0); });
}

/// True for the type of a tensor with one element. Such a value is kept as a scalar, because a scalar needs no memory.
inline bool isScalar(mlir::RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; }

/// Emits buffers for `op`, a loop or a branch, at the insertion point of the rewriter. Dims are indices or constants.
class BufferBuilder {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using OpFoldResult = mlir::OpFoldResult;
  using RankedTensorType = mlir::RankedTensorType;

  BufferBuilder(mlir::RewriterBase &rewriter, mlir::Operation *op) : rewriter(rewriter), loc(op->getLoc()), op(op) {}

  // Index arithmetic.
  /// A constant, a size as a value, an index as i64 (as the details of a check need it), and a comparison.
  Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(rewriter, loc, value); }
  Value indexValue(OpFoldResult ofr) { return mlir::getValueOrCreateConstantIndexOp(rewriter, loc, ofr); }
  Value asI64(Value value) { return mlir::arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), value); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return mlir::arith::CmpIOp::create(rewriter, loc, predicate, lhs, rhs);
  }

  // Tensors.
  /// A tensor of one element.
  Value scalarToTensor(Value scalar, RankedTensorType type);
  /// A tensor of zeros of a static type.
  Value zeros(RankedTensorType type);

  // Buffers of known dims.
  /// A buffer of [dims...].
  Value allocate(RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims);
  /// A buffer of [copies, dims...]. Each dim has at least one element: if a dim is simplified to 0 later, a slice of
  /// one copy would not verify.
  Value allocateCopies(RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims, int64_t copies);
  /// The view [dims...] of copy `number` in a buffer of allocateCopies.
  Value getCopy(Value buffer, RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims, OpFoldResult number);
  /// The contents of a buffer as a tensor, which no op may write unless it is `writable`.
  Value readBuffer(Value buffer, mlir::Type type, bool writable = false);
  /// Stores a tensor in a buffer.
  void write(Value tensor, Value buffer);

  // Growing buffers. Each one is a row {address, bytes} of a buffer of two i64, which the runtime fills.
  /// The rows of growing buffers, all empty, in a buffer of [2] or [count, 2]. They are made at the start of the
  /// function, because what they hold lasts for the call.
  Value createGrowing(llvm::ArrayRef<int64_t> shape);
  /// Row `number` of a buffer of [count, 2].
  Value getGrowing(Value rows, OpFoldResult number);
  /// The bytes of a growing buffer, made `bytes` long. Its first `keep` bytes stay. Faults if there is no memory.
  Value grow(Value row, Value bytes, Value keep);
  /// The bytes of a growing buffer as they were reserved last.
  Value getHeld(Value row);
  /// The bytes from `offset` as the dense buffer of a tensor.
  Value viewAs(Value bytes, Value offset, RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims);
  /// The number of bytes of a tensor. Faults if it overflows.
  Value getBytes(RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims);

  mlir::RewriterBase &rewriter;
  /// The location of all emitted ops.
  mlir::Location loc;

private:
  /// The loop or branch. Growing buffers are created at the start of the function around it.
  mlir::Operation *op;
};

} // namespace recur

#endif // RECUR_LIB_CONVERSION_OVTOSCF_BUFFERBUILDER_H
