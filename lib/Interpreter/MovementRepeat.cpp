// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementRepeat.cpp - Broadcast, Pad and Tile -----------------------===//

#include "Machine.h"

#include <limits>

using namespace mlir;

namespace recur::interpreter {

static MaybeTensor broadcastOp(Machine &machine, ov::BroadcastOp op, Operands operands) {
  Tensor data = *operands[0];
  Shape target = getIntegers(*operands[1]);
  for (int64_t dim : target)
    if (dim < 0)
      return machine.fault(RECUR_E_SHAPE, "a target dim is " + Twine(dim));
  if (op.getMode() == ov::BroadcastMode::Explicit) {
    std::optional<Shape> mapping = getAxes(machine, *operands[2], target.size());
    if (!mapping)
      return std::nullopt;
    Shape spread(target.size(), 1);
    for (auto [i, axis] : llvm::enumerate(*mapping))
      spread[axis] = data.getDim(i);
    data = data.reshaped(spread);
  }
  std::optional<Shape> shape = broadcast(machine, data.getShape(), target);
  if (!shape)
    return std::nullopt;
  if (op.getMode() != ov::BroadcastMode::Bidirectional && *shape != target)
    return machine.fault(RECUR_E_SHAPE, "the data does not broadcast to the target shape");
  MaybeTensor result = machine.make(data.getType(), *shape);
  int64_t next = 0;
  if (result)
    forEachPlace(*shape, [&](ArrayRef<int64_t> place) {
      result->copy(next++, data, getBroadcastOffset(data.getShape(), place));
    });
  return result;
}

/// Pads with `value`. A tensor may have many more elements than the data, so these are not looked for one by one.
static MaybeTensor padWithConstant(Machine &machine, const Tensor &data, ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> before, const Tensor &value) {
  MaybeTensor result = machine.make(data.getType(), shape);
  if (!result || result->getNumElements() == 0)
    return result;
  result->copy(0, value, 0);
  for (int64_t filled = 1, all = result->getNumElements(); filled < all; filled *= 2)
    result->copy(filled, *result, 0, std::min(filled, all - filled));
  int64_t next = 0;
  forEachPlace(data.getShape(), [&](ArrayRef<int64_t> place) {
    Shape to;
    for (auto [i, at] : llvm::enumerate(place))
      to.push_back(at + before[i]);
    // A negative pad cuts elements off.
    bool isInside = llvm::all_of(llvm::zip_equal(to, shape), [](auto pair) {
      auto [at, dim] = pair;
      return at >= 0 && at < dim;
    });
    if (isInside)
      result->copy(getOffset(shape, to), data, next);
    ++next;
  });
  return result;
}

static MaybeTensor pad(Machine &machine, ov::PadOp op, Operands operands) {
  const Tensor &data = *operands[0];
  ov::PadMode mode = op.getPadMode();
  Shape before = getIntegers(*operands[1]), behind = getIntegers(*operands[2]), shape;
  for (int64_t i = 0; i != data.getRank(); ++i) {
    Integer dim = data.getDim(i), size = dim + before[i] + behind[i], greatest = std::max(before[i], behind[i]);
    bool fits = size >= 0 && size <= std::numeric_limits<int64_t>::max();
    if (mode == ov::PadMode::Edge)
      fits &= greatest <= 0 || dim > 0;
    else if (mode == ov::PadMode::Reflect)
      fits &= greatest <= std::max<Integer>(dim - 1, 0);
    else if (mode == ov::PadMode::Symmetric)
      fits &= greatest <= dim;
    if (!fits)
      return machine.fault(RECUR_E_SHAPE, "pads " + Twine(before[i]) + " and " + Twine(behind[i]) +
                                              " do not fit a dim of " + Twine(data.getDim(i)));
    shape.push_back(int64_t(size));
  }
  Tensor zero(data.getType(), {});
  const Tensor &value = operands.size() > 3 ? *operands[3] : zero;
  if (mode == ov::PadMode::Constant)
    return padWithConstant(machine, data, shape, before, value);
  auto from = [&](ArrayRef<int64_t> at) {
    Shape source;
    for (auto [i, where] : llvm::enumerate(at)) {
      int64_t index = where - before[i], dim = data.getDim(i);
      if (mode == ov::PadMode::Edge) {
        index = std::clamp<int64_t>(index, 0, dim - 1);
      } else if (mode == ov::PadMode::Reflect) {
        index = index < 0 ? -index : index;
        index = index >= dim ? 2 * (dim - 1) - index : index;
      } else {
        index = index < 0 ? -1 - index : index;
        index = index >= dim ? 2 * dim - 1 - index : index;
      }
      source.push_back(index);
    }
    return source;
  };
  return take(machine, data, shape, from);
}

static MaybeTensor tile(Machine &machine, ov::TileOp op, Operands operands) {
  Shape dims = operands[0]->getShape(), repeats = getIntegers(*operands[1]), shape;
  size_t rank = std::max(dims.size(), repeats.size());
  dims.insert(dims.begin(), rank - dims.size(), 1);
  repeats.insert(repeats.begin(), rank - repeats.size(), 1);
  for (auto [dim, repeat] : llvm::zip_equal(dims, repeats)) {
    Integer size = Integer(dim) * std::max<int64_t>(repeat, 0);
    if (size > std::numeric_limits<int64_t>::max())
      return machine.fault(RECUR_E_OVERFLOW, "a tile is too large");
    shape.push_back(int64_t(size));
  }
  return take(machine, operands[0]->reshaped(dims), shape, [&](ArrayRef<int64_t> at) {
    Shape from;
    for (auto [i, dim] : llvm::zip_equal(at, dims))
      from.push_back(i % dim);
    return from;
  });
}

void addMovementRepeat(Handlers &handlers) {
  addHandler<ov::BroadcastOp>(handlers, broadcastOp);
  addHandler<ov::PadOp>(handlers, pad);
  addHandler<ov::TileOp>(handlers, tile);
}

} // namespace recur::interpreter
