// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SliceRange.h - Where the slices of an axis lie -----------*- C++ -*-===//
//
// The one place that works out the slices of `#ov.slice_input`. The verifier and the interpreter know the dim of the
// axis as a number. The loops stage may only know it as a value in IR. Both use the same formula.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_SLICERANGE_H
#define RECUR_DIALECT_OV_IR_SLICERANGE_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {

/// The slices of an axis, in elements. `Index` is int64_t, or a value in IR with the operators of int64_t.
/// The slice of iteration `i` begins at `firstOffset + i * stride`.
template <typename Index>
struct SliceRange {
  using Condition = decltype(std::declval<Index>() < std::declval<Index>());
  /// The number of slices, and the offset of the first one. They have a meaning only if `isWhole` holds.
  Index count, firstOffset;
  /// True if `start` and `end` are in the axis, and if there is a whole number of slices between them.
  Condition isWhole;

  /// Works out the slices of `slice` on an axis of `dim` elements. `constant` turns an int64_t into an Index.
  template <typename Constant>
  static SliceRange get(SliceInputAttr slice, Index dim, Constant constant) {
    auto getPosition = [&](int64_t at) { return at < 0 ? dim + constant(at) : constant(at); };
    Index start = getPosition(slice.getStart()), end = getPosition(slice.getEnd());
    Index zero = constant(0), one = constant(1), size = constant(slice.getPartSize());
    auto isInside = [&](Index at) { return (at >= zero) & (at < dim); };
    // The number of elements that are left for further steps behind the first slice.
    Index rest = (slice.isBackward() ? start - end : end - start) + one - size;
    Condition isWhole = isInside(start) & isInside(end) & (rest >= zero);
    Index steps = rest;
    if (int64_t step = slice.getStep(); step != 1) {
      isWhole = isWhole & (rest % constant(step) == zero);
      steps = rest / constant(step);
    }
    return {steps + one, slice.isBackward() ? start - size + one : start, isWhole};
  }
};

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_SLICERANGE_H
