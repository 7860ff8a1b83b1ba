// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopBuffers.h - Values that live between iterations ------*- C++ -*-===//
//
// Carried values become memory here, before bufferization. If a carried value were an iter_arg of tensor type,
// bufferization would have to copy it in every iteration, unless it found that the old value is dead when the new one
// is written. Two slots per value need no such analysis: an iteration reads one slot and writes the other.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOSCF_LOOPBUFFERS_H
#define RECUR_LIB_CONVERSION_OVTOSCF_LOOPBUFFERS_H

#include "IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {

/// A value that lives from one iteration to the next, or until the end of the loop. It is a scalar iter_arg, a buffer,
/// or one or two growing buffers if its dims change.
struct Cell {
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::OpFoldResult> dims;
  /// For a scalar, its position among the iter_args.
  std::optional<unsigned> iterArg;
  /// The buffer: [slots, dims...] for a carried value, [dims...] for a last value. For a value whose dims change, the
  /// cells of its growing buffers, [slots, 2] of i64, which rt.reserve uses.
  mlir::Value buffer;
  /// For a value whose dims change, the position of its first dynamic dim among the iter_args. The dims are iter_args
  /// of type index.
  std::optional<unsigned> firstDim;
  /// The dims of the initial value, if they may differ from those after an iteration; else empty.
  llvm::SmallVector<mlir::OpFoldResult> initialDims;
  /// True if the value is updated in its only slot.
  bool inPlace = false;
  /// The home of the value, which the last iteration writes to, and the op that would copy the result there. Both are
  /// null if there is no home.
  mlir::Value home;
  mlir::Operation *homeWrite = nullptr;
};

/// A result that joins one part per iteration.
struct Concatenation {
  mlir::RankedTensorType type, partType;
  llvm::SmallVector<mlir::OpFoldResult> partDims;
  int64_t axis;
  bool backward;
  /// The buffer of the result, if its size is known before the loop.
  mlir::Value buffer;
  /// If the size is not known before the loop, the cell of a growing buffer in which the parts lie one after the other.
  mlir::Value cell;
  /// If the parts may differ in length, the cell of a growing buffer of their lengths (i64). Then `firstScalar` is the
  /// position of its first iter_arg. These are of type index: the bytes of all parts so far, their total length, and
  /// the dynamic dims that all parts share.
  mlir::Value lengths;
  unsigned firstScalar = 0;
};

/// True if a dim is statically 0. Statically empty tensors need no slice or copy, and a static slice of them does not
/// verify.
inline bool isEmpty(llvm::ArrayRef<mlir::OpFoldResult> dims) {
  return llvm::any_of(dims, [](mlir::OpFoldResult dim) { return mlir::isConstantIntValue(dim, 0); });
}

/// True if the type says that there is exactly one element. Such a value is an iter_arg of its element type.
inline bool isScalar(mlir::RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; }

/// Emits the allocations of a loop, and the reads and writes of its buffers. Code is emitted at the insertion point of
/// the rewriter.
class LoopBuffers {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using OpFoldResult = mlir::OpFoldResult;
  using RankedTensorType = mlir::RankedTensorType;

  LoopBuffers(mlir::Operation *loop, mlir::RewriterBase &rewriter)
      : rewriter(rewriter), loc(loop->getLoc()), loop(loop) {}

protected:
  // Short forms of builders.
  Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(rewriter, loc, value); }
  Value indexValue(OpFoldResult ofr) { return mlir::getValueOrCreateConstantIndexOp(rewriter, loc, ofr); }
  Value asI64(Value value) { return mlir::arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), value); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return mlir::arith::CmpIOp::create(rewriter, loc, predicate, lhs, rhs);
  }
  Value scalarToTensor(Value scalar, RankedTensorType type);
  Value zeros(RankedTensorType type);

  // Buffers of fixed size.
  Value checkedAlloc(RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims, int64_t slots);
  Value readBuffer(Value buffer, mlir::Type type, bool writable = false);
  void write(Value tensor, Value buffer);
  Value getBytes(RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims);

  // Growing buffers.
  Value createCells(llvm::ArrayRef<int64_t> shape);
  Value grow(Value cell, Value bytes, Value keep);
  Value getHeld(Value cell);
  Value viewAs(Value buffer, Value offset, RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims);

  // Cells.
  Cell planScalar(RankedTensorType type, Value init);
  Cell planGrowing(Value init);
  Value getSlot(const Cell &cell, OpFoldResult slot);
  void findHome(Cell &cell, Value result);
  Value chooseHome(const Cell &cell, Value slot, Value iteration);
  Value growingSlot(const Cell &cell, Value slot, llvm::ArrayRef<OpFoldResult> dims, bool isHeld);
  llvm::SmallVector<OpFoldResult> getDims(const Cell &cell, ValueRange scalars);

  // Concatenations (Concatenations.cpp).
  OpFoldResult dimIfRun(OpFoldResult dim, int64_t declared);
  mlir::LogicalResult checkDeclaredDims(RankedTensorType type, llvm::MutableArrayRef<OpFoldResult> dims);
  mlir::LogicalResult planBuffer(Concatenation &concat);
  void planRagged(Concatenation &concat);
  void addPart(const Concatenation &concat, Value part, Value iteration, ValueRange scalars,
               llvm::MutableArrayRef<Value> nextScalars);
  Value gatherParts(const Concatenation &concat, Value parts, Value count, llvm::ArrayRef<OpFoldResult> partDims,
                    llvm::ArrayRef<OpFoldResult> dims);
  Value readConcatenation(const Concatenation &concat, Value count, ValueRange scalars);

  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  IterationSpace space;
  /// True at run time if at least one iteration runs; null if one surely runs.
  Value ran;
  /// The number of the last iteration; set only if a cell has a home.
  Value lastIteration;
  /// The initial values of the iter_args.
  llvm::SmallVector<Value> initialScalars;

private:
  mlir::Operation *loop;
};

} // namespace recur

#endif // RECUR_LIB_CONVERSION_OVTOSCF_LOOPBUFFERS_H
