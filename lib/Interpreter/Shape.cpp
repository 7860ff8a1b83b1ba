// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Shape.cpp - shapes and unit dims -----------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

static MaybeTensor reshape(Machine &machine, ov::ReshapeOp op, Operands operands) {
  const Tensor &data = *operands[0];
  Shape target = getIntegers(*operands[1]);
  auto misfit = [&] {
    return machine.fault(RECUR_E_SHAPE,
                         "the target shape does not fit a tensor of " + Twine(data.getNumElements()) + " elements");
  };
  // A dim that is copied from data is in both shapes, so it is left out on both sides. The products of the other dims
  // must match.
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

static MaybeTensor shapeOf(Machine &machine, ov::ShapeOfOp op, Operands operands) {
  MaybeTensor result = machine.make(getElementType(op.getOutputType()), {operands[0]->getRank()});
  for (int64_t i = 0; result && i != operands[0]->getRank(); ++i)
    result->setInteger(i, operands[0]->getDim(i));
  return result;
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

void addShape(Handlers &handlers) {
  addHandler<ov::ReshapeOp>(handlers, reshape);
  addHandler<ov::ShapeOfOp>(handlers, shapeOf);
  addHandler<ov::SqueezeOp>(handlers, squeeze);
  addHandler<ov::UnsqueezeOp>(handlers, unsqueeze);
}

} // namespace recur::interpreter
