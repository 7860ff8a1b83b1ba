// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RaiseLoops.h - What the steps of ov-raise-loops share ----*- C++ -*-===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_RAISELOOPS_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_RAISELOOPS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"

namespace recur::ov::raising {

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// `start + step * i` in iteration i.
struct Induction {
  int64_t start, step;
};

/// `base + offset`.
struct Offset {
  mlir::Value base;
  int64_t offset;
};

/// True for an i32 or i64 tensor of one element.
bool isOneInteger(mlir::Value value);
bool isOneBoolean(mlir::Value value);

/// The one element of a constant i32 or i64 tensor.
std::optional<int64_t> getConstantInteger(mlir::Value value);

/// The value whose only element `value` holds too: through reshapes, and conversions that lose nothing.
mlir::Value lookThroughForms(mlir::Value value);

/// A one-element integer as an offset from another.
Offset getOffset(mlir::Value value);

/// What `value`, computed in the body of `loop`, is in each iteration. Counters are taken to be small enough not to
/// wrap; who uses one checks that.
std::optional<Induction> getInduction(LoopOp loop, mlir::Value value);

/// True if a one-element integer, a dim or made of dims, is surely not negative.
bool isNonNegative(mlir::Value value, unsigned depth = 8);

/// The entry that `values`, a tensor of rank 0 or 1, has at `position`, as a tensor of one element, if it is known where
/// that comes from.
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
