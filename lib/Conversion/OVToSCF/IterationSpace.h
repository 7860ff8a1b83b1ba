// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IterationSpace.h - How often a loop runs, and over what --*- C++ -*-===//
//
// Computes the number of iterations of a loop and the parts of its sliced inputs, in code before the loop.
// docs/Semantics.md has the rules.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_OVTOSCF_ITERATIONSPACE_H
#define RECUR_CONVERSION_OVTOSCF_ITERATIONSPACE_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace recur {

/// The slices of a sliced input.
struct SlicedAxis {
  /// The tensor that is sliced, and the attribute that says how.
  mlir::Value input;
  ov::SliceInputAttr slice;
  /// The number of slices, and the offset along the axis of slice 0 (indices or constants).
  mlir::OpFoldResult count, firstOffset;

  /// The slice of iteration `iteration`, of type `type`.
  mlir::Value extractSlice(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value iteration,
                           mlir::RankedTensorType type) const;
};

/// The number of iterations of a loop, and what they read.
struct IterationSpace {
  /// The sliced inputs, in their order.
  llvm::SmallVector<SlicedAxis> slices;
  /// The number of iterations, as an index value or constant. If `condition` is set, it is an upper bound.
  mlir::OpFoldResult count;
  /// The condition of the first iteration (i1), if the body computes the condition of the next one; else null.
  mlir::Value condition;
  /// True if each iteration must check that its parts exist, because only an upper bound of the count is known.
  bool checkSlices = false;
};

/// Emits the computation of the iteration space before `op`, and the checks that are possible there. The ranges of
/// slices must fit their axes. All slices of a TensorIterator must have the same number of parts. The trip count of a
/// Loop must be at least -1, and not greater than the number of parts.
IterationSpace buildIterationSpace(mlir::OpBuilder &builder, ov::TensorIteratorOp op);
IterationSpace buildIterationSpace(mlir::OpBuilder &builder, ov::LoopOp op);

/// The only element of `tensor`, whose dims are all 1. It is read at the insertion point.
mlir::Value extractElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_ITERATIONSPACE_H
