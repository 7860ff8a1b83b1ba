// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementSlice.cpp - parts of tensors -------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

MaybeTensor slice(Machine &machine, const Tensor &data, int64_t axis, int64_t start, int64_t size, int64_t step) {
  Shape shape = data.getShape();
  shape[axis] = size;
  MaybeTensor result = machine.make(data.getType(), shape);
  int64_t next = 0;
  if (result)
    forEachPlace(shape, [&](ArrayRef<int64_t> place) {
      Shape from(place);
      from[axis] = start + place[axis] * step;
      result->copy(next++, data, getOffset(data.getShape(), from));
    });
  return result;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

static MaybeTensors cut(Machine &machine, const Tensor &data, int64_t axis, ArrayRef<int64_t> lengths) {
  Tensors parts;
  int64_t start = 0;
  for (int64_t length : lengths) {
    MaybeTensor part = slice(machine, data, axis, start, length);
    if (!part)
      return std::nullopt;
    parts.push_back(std::move(*part));
    start += length;
  }
  return parts;
}

static MaybeTensors split(Machine &machine, ov::SplitOp op, Operands operands) {
  std::optional<int64_t> axis = normalize(machine, int64_t(operands[1]->getInteger(0)), operands[0]->getRank());
  if (!axis)
    return std::nullopt;
  int64_t dim = operands[0]->getDim(*axis), count = op.getNumSplits();
  if (dim % count != 0)
    return machine.fault(RECUR_E_SHAPE, "a dim of " + Twine(dim) + " is not divided by " + Twine(count));
  return cut(machine, *operands[0], *axis, Shape(count, dim / count));
}

static MaybeTensors variadicSplit(Machine &machine, ov::VariadicSplitOp op, Operands operands) {
  std::optional<int64_t> axis = normalize(machine, int64_t(operands[1]->getInteger(0)), operands[0]->getRank());
  if (!axis)
    return std::nullopt;
  Shape lengths = getIntegers(*operands[2]);
  Integer left = operands[0]->getDim(*axis);
  int64_t *rest = nullptr;
  for (int64_t &length : lengths) {
    if (length == -1 && !rest) {
      rest = &length;
      continue;
    }
    left -= length;
    if (length < 0 || left < 0)
      return machine.fault(RECUR_E_SHAPE, "split_lengths do not make up the dim");
  }
  if (rest)
    *rest = int64_t(left);
  else if (left != 0)
    return machine.fault(RECUR_E_SHAPE, "split_lengths do not make up the dim");
  return cut(machine, *operands[0], *axis, lengths);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// Indices of an axis: `first`, and `count` in all, each `step` behind the one before.
struct Indices {
  int64_t first, step, count;
};
} // namespace

/// The indices from `begin` to `end`, exclusive, of an axis of `size` elements. Negative bounds count from the end, and
/// bounds are clamped to the axis: the first index to an element, if there is one. A bound that is nullopt is the end
/// of the axis in the direction of the step.
static std::optional<Indices> enumerate(Machine &machine, std::optional<Integer> begin, std::optional<Integer> end,
                                        Integer step, int64_t size) {
  if (step == 0)
    return machine.fault(RECUR_E_SHAPE, "a step is 0");
  // The first index of the whole axis in the order of the step, and the index behind its last one.
  Integer first = step > 0 ? 0 : size - 1, past = step > 0 ? size : -1;
  auto clamp = [&](Integer bound, Integer least) {
    return std::clamp(bound < 0 ? bound + size : bound, least, std::max(first, past));
  };
  Integer at = begin ? clamp(*begin, std::min<Integer>(0, first)) : first;
  Integer stop = end ? clamp(*end, std::min(first, past)) : past;
  Integer way = step > 0 ? stop - at : at - stop, stride = step > 0 ? step : -step;
  return Indices{int64_t(at), int64_t(step), way > 0 ? int64_t((way - 1) / stride + 1) : 0};
}

/// The elements of `data` at the given indices of each dim.
static MaybeTensor pick(Machine &machine, const Tensor &data, ArrayRef<Indices> indices) {
  Shape shape;
  for (const Indices &own : indices)
    shape.push_back(own.count);
  return take(machine, data, shape, [&](ArrayRef<int64_t> at) {
    Shape from;
    for (auto [i, own] : llvm::zip_equal(at, indices))
      from.push_back(own.first + i * own.step);
    return from;
  });
}

static MaybeTensor sliceOp(Machine &machine, ov::SliceOp op, Operands operands) {
  const Tensor &data = *operands[0];
  Shape axes = llvm::to_vector(llvm::seq<int64_t>(operands[1]->getNumElements()));
  if (operands.size() > 4) {
    std::optional<Shape> given = getAxes(machine, *operands[4], data.getRank());
    if (!given)
      return std::nullopt;
    axes = *given;
  }
  SmallVector<Indices> indices;
  for (int64_t dim : data.getShape())
    indices.push_back({0, 1, dim});
  for (auto [i, axis] : llvm::enumerate(axes)) {
    std::optional<Indices> list = enumerate(machine, operands[1]->getInteger(i), operands[2]->getInteger(i),
                                            operands[3]->getInteger(i), data.getDim(axis));
    if (!list)
      return std::nullopt;
    indices[axis] = *list;
  }
  return pick(machine, data, indices);
}

static MaybeTensor stridedSlice(Machine &machine, ov::StridedSliceOp op, Operands operands) {
  const Tensor &data = *operands[0];
  auto isSet = [](ArrayRef<int64_t> mask, int64_t i) { return i < int64_t(mask.size()) && mask[i]; };
  int64_t entries = operands[1]->getNumElements(), taken = 0;
  for (int64_t i = 0; i != entries; ++i)
    taken += !isSet(op.getEllipsisMask(), i) && !isSet(op.getNewAxisMask(), i);
  SmallVector<Indices> indices;
  // The dims of the result. A dim that is dropped is -1, a new dim is 1.
  Shape dims;
  auto takeAll = [&](int64_t count) {
    for (; count > 0; --count) {
      dims.push_back(data.getDim(indices.size()));
      indices.push_back({0, 1, dims.back()});
    }
  };
  for (int64_t i = 0; i != entries; ++i) {
    if (isSet(op.getEllipsisMask(), i)) {
      takeAll(data.getRank() - taken);
      continue;
    }
    if (isSet(op.getNewAxisMask(), i)) {
      dims.push_back(1);
      continue;
    }
    int64_t size = data.getDim(indices.size());
    std::optional<Integer> begin, end;
    if (!isSet(op.getBeginMask(), i))
      begin = operands[1]->getInteger(i);
    if (!isSet(op.getEndMask(), i))
      end = operands[2]->getInteger(i);
    if (isSet(op.getShrinkAxisMask(), i)) {
      std::optional<int64_t> at = normalizeIndex(machine, begin.value_or(0), size);
      if (!at)
        return std::nullopt;
      indices.push_back({*at, 1, 1});
      dims.push_back(-1);
      continue;
    }
    std::optional<Indices> list =
        enumerate(machine, begin, end, operands.size() > 3 ? operands[3]->getInteger(i) : Integer(1), size);
    if (!list)
      return std::nullopt;
    dims.push_back(list->count);
    indices.push_back(*list);
  }
  takeAll(data.getRank() - int64_t(indices.size()));
  MaybeTensor result = pick(machine, data, indices);
  Shape shape;
  for (int64_t dim : dims)
    if (dim >= 0)
      shape.push_back(dim);
  return result ? MaybeTensor(result->reshaped(shape)) : std::nullopt;
}

void addMovementSlice(Handlers &handlers) {
  addHandler<ov::SliceOp>(handlers, sliceOp);
  addHandler<ov::SplitOp>(handlers, split);
  addHandler<ov::StridedSliceOp>(handlers, stridedSlice);
  addHandler<ov::VariadicSplitOp>(handlers, variadicSplit);
}

} // namespace recur::interpreter
