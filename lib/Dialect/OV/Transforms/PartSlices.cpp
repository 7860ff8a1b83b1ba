// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartSlices.cpp - Parts of a tensor that a loop slices --------------===//

#include "PartSlices.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"
#include "Recur/Dialect/OV/IR/SliceRange.h"

using namespace mlir;
using namespace recur::ov;

namespace {
/// A part of `data` along `axis`, which has all elements along the other dims. `squeezes`: the axis is dropped.
struct Part {
  Value data;
  int64_t axis, start, size;
  bool squeezes;
};
} // namespace

/// The part that ov.slice or ov.strided_slice takes, if it is one along a single axis.
static std::optional<Part> findPart(Value data, const std::optional<Slicing> &slicing) {
  auto type = cast<RankedTensorType>(data.getType());
  if (!slicing || !slicing->areAxesKnown || !slicing->newAxes.empty())
    return std::nullopt;
  std::optional<Part> part;
  for (auto [axis, dim] : llvm::enumerate(slicing->dims)) {
    int64_t size = type.getDimSize(axis);
    if (dim.isWhole() || (dim.isKnown() && !dim.shrinks && dim.start == 0 && dim.step == 1 && dim.size == size))
      continue;
    if (part || !dim.isKnown() || dim.step != 1 || ShapedType::isDynamic(size) || (dim.shrinks && !dim.isInside))
      return std::nullopt;
    part = Part{data, int64_t(axis), dim.start, dim.size, dim.shrinks};
  }
  return part;
}

/// The part of a tensor that `value` is, or nullopt if it is anything else.
static std::optional<Part> findPart(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto slice = dyn_cast_if_present<SliceOp>(op))
    return findPart(slice.getData(), getSlicing(slice));
  if (auto slice = dyn_cast_if_present<StridedSliceOp>(op))
    return findPart(slice.getData(), getSlicing(slice));
  if (auto gather = dyn_cast_if_present<GatherOp>(op)) {
    auto type = cast<RankedTensorType>(gather.getData().getType());
    auto indices = cast<RankedTensorType>(gather.getIndices().getType());
    std::optional<SmallVector<int64_t>> index = getConstantIntegers(gather.getIndices());
    std::optional<int64_t> axis = getConstantAxis(gather.getAxis(), type.getRank());
    if (!index || index->size() != 1 || indices.getRank() > 1 || !axis || gather.getBatchDims() != 0)
      return std::nullopt;
    int64_t dim = type.getDimSize(*axis), start = index->front();
    if (start < 0 && gather.getVersion() >= 8)
      start += dim;
    if (ShapedType::isDynamic(dim) || start < 0 || start >= dim)
      return std::nullopt;
    return Part{gather.getData(), *axis, start, 1, indices.getRank() == 0};
  }
  if (!isa_and_present<SplitOp, VariadicSplitOp>(op))
    return std::nullopt;
  Value data = op->getOperand(0);
  auto type = cast<RankedTensorType>(data.getType());
  std::optional<int64_t> axis = getConstantAxis(op->getOperand(1), type.getRank());
  if (!axis)
    return std::nullopt;
  int64_t start = 0;
  for (Value result : op->getResults()) {
    int64_t size = cast<RankedTensorType>(result.getType()).getDimSize(*axis);
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    if (result == value)
      return Part{data, *axis, start, size, false};
    start += size;
  }
  return std::nullopt;
}

std::optional<PartSlices> recur::ov::findSlices(ArrayRef<Value> values) {
  std::optional<Part> first = findPart(values[0]), second = findPart(values[1]);
  if (!first || !second)
    return std::nullopt;
  int64_t step = second->start - first->start, size = first->size;
  if (step == 0 || size < 1 || (size != 1 && std::abs(step) != size))
    return std::nullopt;
  for (auto [i, value] : llvm::enumerate(values)) {
    std::optional<Part> part = findPart(value);
    if (!part || part->data != first->data || part->axis != first->axis || part->size != size ||
        part->squeezes != first->squeezes || part->start != first->start + int64_t(i) * step)
      return std::nullopt;
  }
  int64_t last = first->start + int64_t(values.size() - 1) * step;
  int64_t begin = step > 0 ? first->start : first->start + size - 1, end = step > 0 ? last + size - 1 : last;
  auto type = cast<RankedTensorType>(first->data.getType());
  auto slice = SliceInputAttr::get(type.getContext(), first->axis, begin, end, step, size);
  if (slice.countSlices(type.getDimSize(first->axis)) != int64_t(values.size()))
    return std::nullopt;
  return PartSlices{first->data, slice, first->squeezes};
}
