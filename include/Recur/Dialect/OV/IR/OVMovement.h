// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVMovement.h - What slices, pads and ranges come to ------*- C++ -*-===//
//
// What inference, folds and lowering of the ops that move data share. An unknown number is ShapedType::kDynamic.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_OVMOVEMENT_H
#define RECUR_DIALECT_OV_IR_OVMOVEMENT_H

#include "Recur/Dialect/OV/IR/OVShapes.h"

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// What ov.slice or ov.strided_slice takes of one dim of its data.
struct SliceDim {
  /// The place of bounds and step in their tensors; none where the dim is taken whole. Where only the run tells the
  /// axes, it is the place in tensors with an entry for each dim.
  std::optional<unsigned> entry;
  bool hasBegin = true, hasEnd = true;
  /// One element is taken, and the dim is dropped.
  bool shrinks = false;
  /// What shrinks is known to be in range.
  bool isInside = false;
  /// The index of the first element, how many there are, and the step, as far as they are known.
  int64_t start = 0, size = 0, step = 1;

  bool isWhole() const { return !entry || (!hasBegin && !hasEnd && !shrinks && step == 1); }
  bool isKnown() const {
    return !mlir::ShapedType::isDynamic(start) && !mlir::ShapedType::isDynamic(size) &&
           !mlir::ShapedType::isDynamic(step);
  }
};

struct Slicing {
  llvm::SmallVector<SliceDim> dims;
  /// Where the result has unit dims that the data does not have; ascending.
  llvm::SmallVector<int64_t> newAxes;
  /// False if only the run tells which dims the bounds and steps are for.
  bool areAxesKnown = true;

  llvm::SmallVector<int64_t> getResultShape() const;
  /// True if nothing can go wrong, whatever the unknown numbers turn out to be.
  bool isSafe() const;
};

/// How the op cuts its data, or nullopt, with the reason in `why`, if it is not valid.
std::optional<Slicing> getSlicing(SliceOp::Adaptor op, std::string &why);
std::optional<Slicing> getSlicing(StridedSliceOp::Adaptor op, std::string &why);
std::optional<Slicing> getSlicing(SliceOp op);
std::optional<Slicing> getSlicing(StridedSliceOp op);

/// The lengths of the parts of ov.variadic_split, whose entries are `lengths`, or nullopt if they do not make up `dim`.
std::optional<llvm::SmallVector<int64_t>> resolveSplitLengths(llvm::ArrayRef<int64_t> lengths, int64_t dim);

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The number of integers from `start` to `stop` by `step`, which is not 0; saturates.
int64_t countSteps(int64_t start, int64_t stop, int64_t step);

/// The number of real numbers from `start` to `stop` by `step`; kDynamic where there is none, or it is 2^56 or more.
int64_t countRealSteps(double start, double stop, double step);

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The dim that a window of `kernel` elements makes of a spatial dim of `dim` elements, kDynamic if it is not known, or
/// nullopt if the window does not fit.
std::optional<int64_t> getWindowedDim(int64_t dim, int64_t kernel, int64_t stride, int64_t dilation, int64_t padBegin,
                                      int64_t padEnd, AutoPad autoPad);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_OVMOVEMENT_H
