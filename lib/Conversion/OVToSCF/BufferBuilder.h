// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopBuffers.h - What a loop keeps between iterations -----*- C++ -*-===//
#ifndef RECUR_LIB_CONVERSION_OVTOSCF_LOOPBUFFERS_H
#define RECUR_LIB_CONVERSION_OVTOSCF_LOOPBUFFERS_H

#include "IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {

/// A value that lives from one iteration to the next, or to the end of the loop: a scalar iter_arg, or a buffer.
struct Cell {
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::OpFoldResult> dims;
  /// Of a scalar: its place among the iter_args.
  std::optional<unsigned> iterArg;
  /// Of a buffer: [slots, dims...]. Of a value whose shape changes: the cells of its buffers that grow, [slots, 2].
  mlir::Value buffer;
  /// Of a value whose shape changes: the first of its changing dims among the iter_args (they are indices).
  std::optional<unsigned> firstDim;
  /// The dims of the initial value, where those that an iteration leaves may be others.
  llvm::SmallVector<mlir::OpFoldResult> initialDims;
  /// Iterations write into the one slot there is.
  bool inPlace = false;
  /// Where the last iteration writes, where the value goes on to a place that is there before the loop; and what would
  /// write it there.
  mlir::Value home;
  mlir::Operation *homeWrite = nullptr;
};

/// A buffer that the parts of all iterations fill.
struct Concatenation {
  mlir::RankedTensorType type, partType;
  llvm::SmallVector<mlir::OpFoldResult> partDims;
  int64_t axis;
  bool backward;
  mlir::Value buffer;
  /// Where the size is not known before: the cell of a buffer that grows, in which the parts lie one after the other.
  mlir::Value cell;
  /// Where parts differ in length: the cell of a buffer of their lengths (i64), and the first of the iter_args
  /// (indices): the bytes and the length of all parts so far, then the dims that parts share and only show at run time.
  mlir::Value lengths;
  unsigned firstScalar = 0;
};

/// Of what is known to be empty there is nothing to cut or to write (and a static slice of it does not verify).
inline bool isEmpty(llvm::ArrayRef<mlir::OpFoldResult> dims) {
  return llvm::any_of(dims, [](mlir::OpFoldResult dim) { return mlir::isConstantIntValue(dim, 0); });
}

inline bool isScalar(mlir::RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; }

/// Emits what a loop reserves before it runs, and how it is read and written. Code is put where the rewriter stands.
class LoopBuffers {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using OpFoldResult = mlir::OpFoldResult;
  using RankedTensorType = mlir::RankedTensorType;

  LoopBuffers(mlir::Operation *loop, mlir::RewriterBase &rewriter)
      : rewriter(rewriter), loc(loop->getLoc()), loop(loop) {}

protected:
  // Short forms.
  Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(rewriter, loc, value); }
  Value indexValue(OpFoldResult ofr) { return mlir::getValueOrCreateConstantIndexOp(rewriter, loc, ofr); }
  Value asI64(Value value) { return mlir::arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), value); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return mlir::arith::CmpIOp::create(rewriter, loc, predicate, lhs, rhs);
  }
  Value scalarToTensor(Value scalar, RankedTensorType type);
  Value zeros(RankedTensorType type);

  // Buffers.
  Value checkedAlloc(RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims, int64_t slots);
  Value readBuffer(Value buffer, mlir::Type type, bool writable = false);
  void write(Value tensor, Value buffer);
  Value getBytes(RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims);

  // Buffers that grow.
  Value createCells(llvm::ArrayRef<int64_t> shape);
  Value grow(Value cell, Value bytes, Value keep);
  Value getHeld(Value cell);
  Value viewAs(Value buffer, Value offset, RankedTensorType type, llvm::ArrayRef<OpFoldResult> dims);

  // Values that live from one iteration to the next.
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
  /// Whether there is an iteration; null where there is one for sure.
  Value ran;
  /// The number of the last iteration, where a value has a home.
  Value lastIteration;
  /// What the iter_args begin with.
  llvm::SmallVector<Value> initialScalars;

private:
  mlir::Operation *loop;
};

} // namespace recur

#endif // RECUR_LIB_CONVERSION_OVTOSCF_LOOPBUFFERS_H
