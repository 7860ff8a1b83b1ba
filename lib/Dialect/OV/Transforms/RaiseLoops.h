// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RaiseLoops.h - What the steps of ov-raise-loops share ----*- C++ -*-===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_RAISELOOPS_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_RAISELOOPS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

namespace recur::ov::raising {

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// `start + step * i` in iteration i. It may be computed of narrower integers, and these of others, all of which wrap:
/// none does while -2^(bits - 2) <= start + step * i < 2^(bits - 2). `start` and `step` are in that range.
struct Induction {
  int64_t start, step;
  /// The width of the narrowest.
  unsigned bits;
};

/// `base * scale + offset`.
struct Affine {
  mlir::Value base;
  int64_t scale, offset;
};

/// True for an i32 or i64 tensor of one element.
bool isOneInteger(mlir::Value value);
bool isOneBoolean(mlir::Value value);

/// The one element of a constant i32 or i64 tensor.
std::optional<int64_t> getConstantInteger(mlir::Value value);

/// The value whose only element `value` holds too: through reshapes, and conversions that lose nothing.
mlir::Value lookThroughForms(mlir::Value value);

/// A one-element integer as a multiple of another and an offset. Like the integers themselves it may wrap.
Affine getAffine(mlir::Value value);

/// What `value`, computed in the body of `loop`, is in each iteration.
std::optional<Induction> getInduction(LoopOp loop, mlir::Value value);

/// What a counter is in the last iteration that a trip count, constant and above 0, allows, if it surely does not wrap
/// before.
std::optional<int64_t> getLast(LoopOp loop, Induction counter);

/// True if a one-element integer, a dim or made of dims, is surely not negative.
bool isNonNegative(mlir::Value value, unsigned depth = 8);

/// The entry that `values`, a tensor of rank 0 or 1, has at `position`, as a tensor of one element, if it is known
/// where that comes from.
mlir::Value getEntry(mlir::Value values, int64_t position);

mlir::Value createInteger(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, int64_t value);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// True for what the loop does not change.
inline bool isOutside(LoopOp loop, mlir::Value value) { return !loop.getBody().isAncestor(value.getParentRegion()); }

/// `loop` with other slices and concatenations; its body moves.
LoopOp rebuild(LoopOp loop, mlir::RewriterBase &rewriter, mlir::ValueRange sliced, mlir::ArrayAttr slices,
               mlir::TypeRange concatenated, mlir::ArrayAttr concats);

/// Dims of values in the body of a loop that are surely the same in every iteration. Of carried values that is shown by
/// induction: those of the initial value are assumed, and given up where the next value does not have them.
class SteadyDims final : public ValueDims {
public:
  explicit SteadyDims(LoopOp loop);

private:
  /// What the loop does not change.
  bool isKnown(mlir::Value value) override { return isOutside(loop, value); }
  MaybeDim getOfArgument(mlir::BlockArgument argument, int64_t dim) override;

  LoopOp loop;
  /// Dims of carried values that are those of the initial values.
  llvm::DenseSet<std::pair<mlir::Value, int64_t>> steady;
};

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Takes comparisons of a counter with a limit out of the condition and puts the limit into the trip count.
void raiseTripCount(LoopOp loop, mlir::RewriterBase &rewriter);
/// Scatters of single elements that are those of one slice become scatters of that slice.
void raiseElementScatters(LoopOp loop, mlir::RewriterBase &rewriter);
/// Reads of a part of an invariant by a counter become sliced inputs.
LoopOp raiseSlices(LoopOp loop, mlir::RewriterBase &rewriter);
/// Carried buffers that a counter fills, and lists that grow, become concatenations.
LoopOp raiseConcats(LoopOp loop, mlir::RewriterBase &rewriter);

} // namespace recur::ov::raising

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_RAISELOOPS_H
