// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IterationSpace.h - How often a loop runs, and over what --*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOSCF_ITERATIONSPACE_H
#define RECUR_CONVERSION_OVTOSCF_ITERATIONSPACE_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace recur {

/// The slices of a sliced input.
struct SlicedAxis {
  mlir::Value input;
  ov::SliceInputAttr slice;
  /// The number of slices, and the offset along the axis of slice 0 (indices or constants).
  mlir::OpFoldResult count, firstOffset;

  /// The slice of iteration `iteration`, of type `type`.
  mlir::Value extractSlice(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value iteration,
                           mlir::RankedTensorType type) const;
};

/// How often a loop runs.
struct IterationSpace {
  llvm::SmallVector<SlicedAxis> slices;
  /// The number of iterations, or, where `condition` is set, the greatest number of them (an index or a constant).
  mlir::OpFoldResult count;
  /// The condition before the first iteration (i1), of a loop whose body computes it anew; else null.
  mlir::Value condition;
  /// Slices must be checked in each iteration, because only the bound of the count is known.
  bool checkSlices = false;
};

/// Emits the computation of the iteration space before `op`, with the checks that hold before the first iteration:
/// ranges that fit their axes, equal counts (TensorIterator), a trip count of at least -1 and no more trips than slices
/// (Loop).
IterationSpace buildIterationSpace(mlir::OpBuilder &builder, ov::TensorIteratorOp op);
IterationSpace buildIterationSpace(mlir::OpBuilder &builder, ov::LoopOp op);

/// A dim of a tensor, as a constant where it is static.
mlir::OpFoldResult getDim(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, int64_t dim);

/// The only element of a tensor.
mlir::Value extractElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_ITERATIONSPACE_H
