// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVMovement.h - Sizes of slices, ranges and windows -------*- C++ -*-===//
//
// Type inference, folds and lowerings share these functions, so that the size of a slice, a range or a window has one
// formula. A number that is not known at compile time is ShapedType::kDynamic. Operands of the functions need not be
// valid; an error says why they are not.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_OVMOVEMENT_H
#define RECUR_DIALECT_OV_IR_OVMOVEMENT_H

#include "Recur/Dialect/OV/IR/OVShapes.h"

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The elements that ov.slice or ov.strided_slice takes along one dim of its data.
struct SliceDim {
  /// The position of this dim's bounds and step in the op's operands; nullopt if the dim is taken whole. If the axes
  /// are known only at run time (`Slicing::areAxesKnown` is false), it is the number of the dim.
  std::optional<unsigned> entry;
  /// False if a mask says that the bound is to be ignored: the dim is then taken from its start, or to its end.
  bool hasBegin = true, hasEnd = true;
  /// True if one element is taken and the dim is dropped from the result.
  bool shrinks = false;
  /// True if `shrinks` and the index is provably in range.
  bool isInside = false;
  /// The index of the first element, the number of elements, and the step; kDynamic where they are not known.
  int64_t start = 0, size = 0, step = 1;

  /// True if all elements of the dim are taken in order, whatever its size is.
  bool isWhole() const { return !entry || (!hasBegin && !hasEnd && !shrinks && step == 1); }
  /// True if start, size and step are all known.
  bool isKnown() const {
    return !mlir::ShapedType::isDynamic(start) && !mlir::ShapedType::isDynamic(size) &&
           !mlir::ShapedType::isDynamic(step);
  }
};

/// The elements that ov.slice or ov.strided_slice takes.
struct Slicing {
  /// One entry for each dim of the data.
  llvm::SmallVector<SliceDim> dims;
  /// The dims of the result that are new unit dims, in ascending order.
  llvm::SmallVector<int64_t> newAxes;
  /// False if the axes that the bounds and steps belong to are known only at run time.
  bool areAxesKnown = true;

  /// The shape of the result, with kDynamic for each size that is not known.
  llvm::SmallVector<int64_t> getResultShape() const;
  /// True if the op provably cannot fail at run time, whatever values the unknown numbers have.
  bool isSafe() const;
};

/// The elements that the op takes, or nullopt if its operands or attributes are not valid. The versions with `why`
/// store the reason there.
std::optional<Slicing> getSlicing(SliceOp::Adaptor op, std::string &why);
std::optional<Slicing> getSlicing(StridedSliceOp::Adaptor op, std::string &why);
std::optional<Slicing> getSlicing(SliceOp op);
std::optional<Slicing> getSlicing(StridedSliceOp op);

/// The lengths of the parts of ov.variadic_split, whose operand has the entries `lengths`: a -1 is replaced by the rest
/// of `dim`, or by kDynamic. Nullopt if the lengths provably do not add up to `dim`, or one is negative.
std::optional<llvm::SmallVector<int64_t>> resolveSplitLengths(llvm::ArrayRef<int64_t> lengths, int64_t dim);

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The number of integers from `start` up to `stop` (exclusive) by `step`, which must not be 0. Saturates at the
/// greatest int64_t.
int64_t countSteps(int64_t start, int64_t stop, int64_t step);

/// The number of real numbers from `start` up to `stop` (exclusive) by `step`; kDynamic if it is not finite or at least
/// 2^56.
int64_t countRealSteps(double start, double stop, double step);

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The size of the result of sliding a window of `kernel` elements over a spatial dim of `dim` elements. kDynamic if
/// `dim` or a needed `kernel` is; nullopt if the window does not fit into the padded dim.
std::optional<int64_t> getWindowedDim(int64_t dim, int64_t kernel, int64_t stride, int64_t dilation, int64_t padBegin,
                                      int64_t padEnd, AutoPad autoPad);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_OVMOVEMENT_H
