// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.cpp - Concat, ReverseSequence and Transpose ---------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

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
  if (!result || result->getNumElements() == 0)
    return result;
  // A loop may make its state longer in each iteration, so rows are copied as a whole.
  int64_t rows = countElements(ArrayRef(shape).take_front(axis)),
          inner = countElements(ArrayRef(shape).drop_front(axis + 1)), start = 0;
  for (const Tensor *part : parts) {
    int64_t length = part->getDim(axis) * inner;
    for (int64_t row = 0; length && row != rows; ++row)
      result->copy((row * shape[axis] + start) * inner, *part, row * length, length);
    start += part->getDim(axis);
  }
  return result;
}

static MaybeTensor concat(Machine &machine, ov::ConcatOp op, Operands operands) {
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), operands[0]->getRank());
  return axis ? concatenate(machine, operands, *axis) : std::nullopt;
}

static MaybeTensor reverseSequence(Machine &machine, ov::ReverseSequenceOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::optional<int64_t> batch = normalize(machine, op.getBatchAxis(), data.getRank());
  std::optional<int64_t> seq = normalize(machine, op.getSeqAxis(), data.getRank());
  if (!batch || !seq)
    return std::nullopt;
  if (operands[1]->getDim(0) != data.getDim(*batch))
    return machine.fault(RECUR_E_SHAPE, "there is not one length for each batch");
  Shape lengths;
  for (int64_t i = 0; i != operands[1]->getNumElements(); ++i) {
    Integer length = convertScalar(operands[1]->get(i), operands[1]->getType(), RECUR_I64).integer;
    if (length < 0 || length > data.getDim(*seq))
      return machine.fault(RECUR_E_INDEX, "a sequence is longer than there are elements, or negative");
    lengths.push_back(int64_t(length));
  }
  return take(machine, data, data.getShape(), [&](ArrayRef<int64_t> at) {
    Shape from(at);
    if (int64_t length = lengths[at[*batch]]; at[*seq] < length)
      from[*seq] = length - 1 - at[*seq];
    return from;
  });
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

static MaybeTensor transposeOp(Machine &machine, ov::TransposeOp op, Operands operands) {
  Shape order = getIntegers(*operands[1]);
  for (int64_t i = operands[0]->getRank(); order.size() != size_t(operands[0]->getRank());)
    order.push_back(--i);
  return transpose(machine, *operands[0], order);
}

void addMovement(Handlers &handlers) {
  addHandler<ov::ConcatOp>(handlers, concat);
  addHandler<ov::ReverseSequenceOp>(handlers, reverseSequence);
  addHandler<ov::TransposeOp>(handlers, transposeOp);
}

} // namespace recur::interpreter
