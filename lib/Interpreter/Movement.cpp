// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.cpp - ops on shapes, and those that move elements ---------===//

#include "Machine.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::interpreter {

std::optional<int64_t> normalize(Machine &machine, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return machine.fault(RECUR_E_SHAPE, "axis " + Twine(axis) + " is out of range for rank " + Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

Shape getIntegers(const Tensor &tensor) {
  Shape result;
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    result.push_back(int64_t(tensor.getInteger(i)));
  return result;
}

std::optional<Shape> getAxes(Machine &machine, const Tensor &axes, int64_t rank) {
  Shape result = getIntegers(axes);
  for (int64_t &axis : result) {
    std::optional<int64_t> normal = normalize(machine, axis, rank);
    if (!normal)
      return std::nullopt;
    axis = *normal;
  }
  return result;
}

MaybeTensor slice(Machine &machine, const Tensor &data, int64_t axis, int64_t start, int64_t size) {
  Shape shape = data.getShape();
  shape[axis] = size;
  MaybeTensor result = machine.make(data.getType(), shape);
  int64_t next = 0;
  if (result)
    forEachPlace(shape, [&](ArrayRef<int64_t> place) {
      Shape from(place);
      from[axis] += start;
      result->copy(next++, data, getOffset(data.getShape(), from));
    });
  return result;
}

MaybeTensor concatenate(Machine &machine, Operands parts, int64_t axis) {
  Shape shape = parts.front()->getShape();
  shape[axis] = 0;
  for (const Tensor *part : parts) {
    for (int64_t i = 0; i != part->getRank(); ++i)
      if (i != axis && part->getDim(i) != shape[i])
        return machine.fault(RECUR_E_SHAPE, "parts of a concatenation have dims " + Twine(shape[i]) + " and " +
                                                Twine(part->getDim(i)));
    shape[axis] += part->getDim(axis);
  }
  MaybeTensor result = machine.make(parts.front()->getType(), shape);
  if (!result)
    return std::nullopt;
  int64_t start = 0;
  for (const Tensor *part : parts) {
    int64_t next = 0;
    forEachPlace(part->getShape(), [&](ArrayRef<int64_t> place) {
      Shape to(place);
      to[axis] += start;
      result->copy(getOffset(shape, to), *part, next++);
    });
    start += part->getDim(axis);
  }
  return result;
}

MaybeTensor transpose(Machine &machine, const Tensor &data, ArrayRef<int64_t> order) {
  Shape shape;
  for (int64_t axis : order)
    shape.push_back(data.getDim(axis));
  MaybeTensor result = machine.make(data.getType(), shape);
  int64_t next = 0;
  if (result)
    forEachPlace(shape, [&](ArrayRef<int64_t> place) {
      Shape from(place.size());
      for (auto [i, axis] : llvm::enumerate(order))
        from[axis] = place[i];
      result->copy(next++, data, getOffset(data.getShape(), from));
    });
  return result;
}

//===----------------------------------------------------------------------===//
// Ops on shapes
//===----------------------------------------------------------------------===//

static MaybeTensor shapeOf(Machine &machine, ov::ShapeOfOp op, Operands operands) {
  MaybeTensor result = machine.make(getElementType(op.getOutputType()), {operands[0]->getRank()});
  for (int64_t i = 0; result && i != operands[0]->getRank(); ++i)
    result->setInteger(i, operands[0]->getDim(i));
  return result;
}

static MaybeTensor reshape(Machine &machine, ov::ReshapeOp op, Operands operands) {
  const Tensor &data = *operands[0];
  Shape target = getIntegers(*operands[1]);
  auto misfit = [&] {
    return machine.fault(RECUR_E_SHAPE,
                         "the target shape does not fit a tensor of " + Twine(data.getNumElements()) + " elements");
  };
  // What is copied stands on both sides; the rest must match.
  Shape left = data.getShape(), right;
  std::optional<size_t> free;
  for (size_t i = 0; i != target.size(); ++i) {
    if (target[i] == 0 && op.getSpecialZero()) {
      if (int64_t(i) >= data.getRank())
        return misfit();
      target[i] = data.getDim(i);
      left[i] = 1;
    } else if (target[i] == -1 && !free) {
      free = i;
    } else if (target[i] < 0) {
      return misfit();
    } else {
      right.push_back(target[i]);
    }
  }
  int64_t elements = countElements(left), others = countElements(right);
  if (free) {
    if (others <= 0 ? others < 0 || elements != 0 : elements % others != 0)
      return misfit();
    target[*free] = others == 0 ? 0 : elements / others;
  } else if (elements != others) {
    return misfit();
  }
  return data.reshaped(target);
}

static MaybeTensor squeeze(Machine &machine, ov::SqueezeOp op, Operands operands) {
  const Tensor &data = *operands[0];
  Shape axes;
  if (operands.size() > 1) {
    std::optional<Shape> given = getAxes(machine, *operands[1], data.getRank());
    if (!given)
      return std::nullopt;
    axes = *given;
  }
  Shape shape;
  for (int64_t i = 0; i != data.getRank(); ++i) {
    if (axes.empty() ? data.getDim(i) != 1 : !llvm::is_contained(axes, i))
      shape.push_back(data.getDim(i));
    else if (data.getDim(i) != 1)
      return machine.fault(RECUR_E_SHAPE, "a squeezed dim is " + Twine(data.getDim(i)));
  }
  return data.reshaped(shape);
}

static MaybeTensor unsqueeze(Machine &machine, ov::UnsqueezeOp op, Operands operands) {
  const Tensor &data = *operands[0];
  int64_t rank = data.getRank() + operands[1]->getNumElements();
  std::optional<Shape> axes = getAxes(machine, *operands[1], rank);
  if (!axes)
    return std::nullopt;
  Shape shape;
  int64_t next = 0;
  for (int64_t i = 0; i != rank; ++i)
    shape.push_back(llvm::is_contained(*axes, i) ? 1 : data.getDim(next++));
  return data.reshaped(shape);
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

static MaybeTensor transposeOp(Machine &machine, ov::TransposeOp op, Operands operands) {
  Shape order = getIntegers(*operands[1]);
  for (int64_t i = operands[0]->getRank(); order.size() != size_t(operands[0]->getRank()); )
    order.push_back(--i);
  return transpose(machine, *operands[0], order);
}

static MaybeTensor concat(Machine &machine, ov::ConcatOp op, Operands operands) {
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), operands[0]->getRank());
  return axis ? concatenate(machine, operands, *axis) : std::nullopt;
}

static MaybeTensor broadcastOp(Machine &machine, ov::BroadcastOp op, Operands operands) {
  Tensor data = *operands[0];
  Shape target = getIntegers(*operands[1]);
  for (int64_t dim : target)
    if (dim < 0)
      return machine.fault(RECUR_E_SHAPE, "a target dim is " + Twine(dim));
  if (op.getMode() == "explicit") {
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
  if (op.getMode() != "bidirectional" && *shape != target)
    return machine.fault(RECUR_E_SHAPE, "the data does not broadcast to the target shape");
  MaybeTensor result = machine.make(data.getType(), *shape);
  int64_t next = 0;
  if (result)
    forEachPlace(*shape, [&](ArrayRef<int64_t> place) {
      result->copy(next++, data, getBroadcastOffset(data.getShape(), place));
    });
  return result;
}

static MaybeTensor gather(Machine &machine, ov::GatherOp op, Operands operands) {
  const Tensor &data = *operands[0], &indices = *operands[1];
  std::optional<int64_t> axis = normalize(machine, int64_t(operands[2]->getInteger(0)), data.getRank());
  if (!axis)
    return std::nullopt;
  int64_t batch = op.getBatchDims();
  batch += batch < 0 ? indices.getRank() : 0;
  for (int64_t i = 0; i != batch; ++i)
    if (data.getDim(i) != indices.getDim(i))
      return machine.fault(RECUR_E_SHAPE, "batch dims of data and indices differ");
  // data[: axis] indices[batch :] data[axis + 1 :]
  Shape shape(data.getShape().begin(), data.getShape().begin() + *axis);
  shape.append(indices.getShape().begin() + batch, indices.getShape().end());
  shape.append(data.getShape().begin() + *axis + 1, data.getShape().end());
  MaybeTensor result = machine.make(data.getType(), shape);
  if (!result)
    return std::nullopt;
  // Each index counts, also where the result has no elements.
  for (int64_t i = 0; i != indices.getNumElements(); ++i) {
    Integer index = indices.getInteger(i), size = data.getDim(*axis);
    if (index >= size || index < (op.getVersion() >= 8 ? -size : 0))
      return machine.fault(RECUR_E_INDEX, "index " + Twine(int64_t(index)) + " is out of range for " +
                                              Twine(int64_t(size)) + " elements");
  }
  int64_t next = 0, indexRank = indices.getRank() - batch;
  forEachPlace(shape, [&](ArrayRef<int64_t> place) {
    Shape where(place.take_front(batch));
    llvm::append_range(where, place.slice(*axis, indexRank));
    int64_t index = int64_t(indices.getInteger(getOffset(indices.getShape(), where)));
    Shape from(place.take_front(*axis));
    from.push_back(index < 0 ? index + data.getDim(*axis) : index);
    llvm::append_range(from, place.drop_front(*axis + indexRank));
    result->copy(next++, data, getOffset(data.getShape(), from));
  });
  return result;
}

/// `tensor.cast`, which the importer puts where a body has wider types; the types of results are compared for all ops.
static MaybeTensor castOp(Machine &machine, tensor::CastOp op, Operands operands) { return *operands[0]; }

void addMovement(Handlers &handlers) {
  addHandler<ov::ShapeOfOp>(handlers, shapeOf);
  addHandler<ov::ReshapeOp>(handlers, reshape);
  addHandler<ov::SqueezeOp>(handlers, squeeze);
  addHandler<ov::UnsqueezeOp>(handlers, unsqueeze);
  addHandler<ov::TransposeOp>(handlers, transposeOp);
  addHandler<ov::ConcatOp>(handlers, concat);
  addHandler<ov::BroadcastOp>(handlers, broadcastOp);
  addHandler<ov::GatherOp>(handlers, gather);
  addHandler<tensor::CastOp>(handlers, castOp);
}

} // namespace recur::interpreter
