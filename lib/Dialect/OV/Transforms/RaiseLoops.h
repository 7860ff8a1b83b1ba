// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RaiseLoops.h - Shared parts of ov-raise-loops ------------*- C++ -*-===//
//
// The steps of the pass are in one file each (LoopTripCounts.cpp, LoopSlices.cpp, LoopConcats.cpp). They share the
// analysis of counters in LoopCounters.cpp and that of dims in LoopDims.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_RAISELOOPS_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_RAISELOOPS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

namespace recur::ov::raising {

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// An induction variable whose value is `start + step * i` in iteration i. It may be computed from narrower integers,
/// all of which may wrap. None of them wraps while -2^(bits - 2) <= start + step * i < 2^(bits - 2). `start` and `step`
/// are in that range.
struct Induction {
  int64_t start, step;
  /// The width of the narrowest of these integers, in bits.
  unsigned bits;
};

/// The integer `base * scale + offset`, where `base` has one element.
struct Affine {
  mlir::Value base;
  int64_t scale, offset;
};

/// True for an i32 or i64 tensor of one element, and for an i1 tensor of one element.
bool isOneInteger(mlir::Value value);
bool isOneBoolean(mlir::Value value);

/// The element of a constant integer tensor that has one element, or nullopt.
std::optional<int64_t> getConstantInteger(mlir::Value value);

/// The value that `value`, a tensor of one element, was reshaped or converted from; both have the same element. Only
/// looks through conversions between i32 and i64 that are not narrowing.
mlir::Value lookThroughForms(mlir::Value value);

/// A one-element integer as a multiple of another plus an offset. The sum may wrap like the integers that it stands
/// for. If nothing better is known, `base` is `value` without its casts, the scale 1 and the offset 0.
Affine getAffine(mlir::Value value);

/// `value`, computed in the body of `loop`, as an induction variable; nullopt if it is none. The iteration index
/// counts, and so does a carried integer whose initial value is constant.
std::optional<Induction> getInduction(LoopOp loop, mlir::Value value);

/// The value of a counter in the last iteration that the trip count allows. Nullopt if the trip count is not a constant
/// greater than 0, or if the counter does not provably stay in range (no integer wraps) until then.
std::optional<int64_t> getLast(LoopOp loop, Induction counter);

/// True if all elements of an integer tensor are provably not negative: it is constant, a shape, or computed from
/// shapes. At most `depth` ops are followed.
bool isNonNegative(mlir::Value value, unsigned depth = 8);

/// The element of `values`, a tensor of rank 0 or 1, at `position`, as a tensor of one element; null if it is not known
/// which value it comes from.
mlir::Value getEntry(mlir::Value values, int64_t position);

/// Creates a constant of `type` in which every element is `value`.
mlir::Value createInteger(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, int64_t value);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// True if `value` is loop-invariant because it is defined outside of the body.
inline bool isOutside(LoopOp loop, mlir::Value value) { return !loop.getBody().isAncestor(value.getParentRegion()); }

/// Replaces `loop` by a loop with other sliced inputs and concatenations, and moves the body there. Results of the old
/// loop are replaced; `concatenated` must begin with the types of its concatenations, and `emptyDims` fit the new loop.
LoopOp rebuild(LoopOp loop, mlir::RewriterBase &rewriter, mlir::ValueRange sliced, mlir::ValueRange emptyDims,
               mlir::ArrayAttr slices, mlir::TypeRange concatenated, mlir::ArrayAttr concats);

/// Finds dims of values in the body of a loop that are provably the same in every iteration, in terms of loop-invariant
/// values. For carried values this is proved by induction: the dims of the initial value are assumed, and an assumption
/// is given up if the next value does not have the dim.
class SteadyDims final : public ValueDims {
public:
  explicit SteadyDims(LoopOp loop);

private:
  /// Only loop-invariant values may be symbols.
  bool isKnown(mlir::Value value) override { return isOutside(loop, value); }
  MaybeDim getOfArgument(mlir::BlockArgument argument, int64_t dim) override;

  LoopOp loop;
  /// Pairs of a carried block argument and a dim that is the same as that of the initial value in every iteration.
  llvm::DenseSet<std::pair<mlir::Value, int64_t>> steady;
};

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Moves comparisons of a counter with a limit from the condition of a loop into its trip count.
void raiseTripCount(LoopOp loop, mlir::RewriterBase &rewriter);
/// Replaces scatters of all single elements of one slice by scatters of that slice.
void raiseElementScatters(LoopOp loop, mlir::RewriterBase &rewriter);
/// Replaces reads of a part of a loop-invariant tensor at a counter by sliced inputs. Returns the loop, which is a new
/// op if there was such a read.
LoopOp raiseSlices(LoopOp loop, mlir::RewriterBase &rewriter);
/// Replaces carried buffers that are filled at a counter, and lists that grow, by concatenations. Returns the loop,
/// which is a new op if there was such a buffer.
LoopOp raiseConcats(LoopOp loop, mlir::RewriterBase &rewriter);

} // namespace recur::ov::raising

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_RAISELOOPS_H
