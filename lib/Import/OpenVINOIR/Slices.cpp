// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Slices.cpp - The axes, ranges and parts of a port map --------------===//
//
// Checks the slices of a port map against the type of the sliced tensor. A dynamic axis is checked at run time.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

FailureOr<int64_t> recur::ir::normaliseAxis(LayerBuilder &layer, const PortMapEntry &entry, RankedTensorType type) {
  int64_t rank = type.getRank(), axis = *entry.axis;
  if (axis < -rank || axis >= rank)
    return layer.error(entry.axisOffset, "ir-axis",
                       rank == 0 ? "expected a tensor with an axis to " +
                                       Twine(entry.isInput ? "slice" : "concatenate") + ", but got " + spell(type)
                                 : "expected axis in [" + Twine(-rank) + ", " + Twine(rank - 1) + "] of " +
                                       spell(type) + ", but got " + Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

/// Checks start, end and direction of an entry on a static axis of `dim` elements.
static LogicalResult checkRange(LayerBuilder &layer, const PortMapEntry &entry, RankedTensorType type, int64_t dim) {
  auto check = [&](int64_t value, StringRef name, Offset where) -> LogicalResult {
    if (value >= -dim && value < dim)
      return success();
    return layer.error(where, "ir-slice-range",
                       dim == 0 ? "the sliced axis of " + spell(type) + " is empty"
                                : "expected " + name + " in [" + Twine(-dim) + ", " + Twine(dim - 1) +
                                      "] on an axis of " + Twine(dim) + ", but got " + Twine(value));
  };
  if (failed(check(entry.start, "start", entry.startOffset)) || failed(check(entry.end, "end", entry.endOffset)))
    return failure();
  int64_t first = entry.start < 0 ? entry.start + dim : entry.start, last = entry.end < 0 ? entry.end + dim : entry.end;
  if (first != last && (first > last) != (entry.stride < 0))
    return layer.error(entry.strideOffset, "ir-slice-direction",
                       "expected a " + Twine(first > last ? "negative" : "positive") + " stride from index " +
                           Twine(first) + " to index " + Twine(last) + ", but got " + Twine(entry.stride));
  return success();
}

FailureOr<ov::SliceInputAttr> recur::ir::resolveSlice(LayerBuilder &layer, const PortMapEntry &entry,
                                                      RankedTensorType type) {
  FailureOr<int64_t> axis = normaliseAxis(layer, entry, type);
  if (failed(axis))
    return failure();
  auto slice = ov::SliceInputAttr::get(type.getContext(), *axis, entry.start, entry.end, entry.stride, entry.part);
  int64_t dim = type.getDimSize(*axis);
  if (ShapedType::isDynamic(dim))
    return slice;
  if (failed(checkRange(layer, entry, type, dim)))
    return failure();
  if (!slice.countSlices(dim))
    return layer.error(entry.offset, "ir-slice-parts",
                       "expected a whole number of parts of " + Twine(entry.part) + " at stride " +
                           Twine(entry.stride) + " from start " + Twine(entry.start) + " to end " + Twine(entry.end) +
                           " of an axis of " + Twine(dim));
  return slice;
}
