// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementGather.cpp - gathers ---------------------------------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

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
  // The shape of the result is data[: axis] + indices[batch :] + data[axis + 1 :].
  Shape shape(data.getShape().begin(), data.getShape().begin() + *axis);
  shape.append(indices.getShape().begin() + batch, indices.getShape().end());
  shape.append(data.getShape().begin() + *axis + 1, data.getShape().end());
  MaybeTensor result = machine.make(data.getType(), shape);
  if (!result)
    return std::nullopt;
  std::optional<Shape> found =
      normalizeIndices(machine, indices, data.getDim(*axis), /*allowNegative=*/op.getVersion() >= 8);
  if (!found)
    return std::nullopt;
  int64_t next = 0, indexRank = indices.getRank() - batch;
  forEachPlace(shape, [&](ArrayRef<int64_t> place) {
    Shape where(place.take_front(batch));
    llvm::append_range(where, place.slice(*axis, indexRank));
    Shape from(place.take_front(*axis));
    from.push_back((*found)[getOffset(indices.getShape(), where)]);
    llvm::append_range(from, place.drop_front(*axis + indexRank));
    result->copy(next++, data, getOffset(data.getShape(), from));
  });
  return result;
}

static MaybeTensor gatherElements(Machine &machine, ov::GatherElementsOp op, Operands operands) {
  const Tensor &data = *operands[0], &indices = *operands[1];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), data.getRank());
  if (!axis)
    return std::nullopt;
  for (int64_t i = 0; i != data.getRank(); ++i)
    if (i != *axis && data.getDim(i) != indices.getDim(i))
      return machine.fault(RECUR_E_SHAPE, "dims of data and indices differ");
  return take(machine, data, indices.getShape(), [&](ArrayRef<int64_t> at) -> std::optional<Shape> {
    Shape from(at);
    std::optional<int64_t> index =
        normalizeIndex(machine, indices.getInteger(getOffset(indices.getShape(), at)), data.getDim(*axis));
    if (!index)
      return std::nullopt;
    from[*axis] = *index;
    return from;
  });
}

static MaybeTensor gatherND(Machine &machine, ov::GatherNDOp op, Operands operands) {
  const Tensor &data = *operands[0], &indices = *operands[1];
  int64_t batch = op.getBatchDims(), coordinates = indices.getShape().back();
  for (int64_t i = 0; i != batch; ++i)
    if (data.getDim(i) != indices.getDim(i))
      return machine.fault(RECUR_E_SHAPE, "batch dims of data and indices differ");
  Shape rows(indices.getShape().begin(), indices.getShape().end() - 1), shape = rows;
  shape.append(data.getShape().begin() + batch + coordinates, data.getShape().end());
  std::optional<std::vector<Shape>> found = getCoordinates(machine, indices, data, batch);
  if (!found)
    return std::nullopt;
  MaybeTensor result = take(machine, data, shape, [&](ArrayRef<int64_t> at) -> std::optional<Shape> {
    Shape from(at.take_front(batch));
    llvm::append_range(from, (*found)[getOffset(rows, at.take_front(rows.size()))]);
    llvm::append_range(from, at.drop_front(rows.size()));
    return from;
  });
  if (result && op.getVersion() < 8 && batch > 1) {
    int64_t product = countElements(ArrayRef(shape).take_front(batch));
    shape.erase(shape.begin(), shape.begin() + batch);
    shape.insert(shape.begin(), product);
    return result->reshaped(shape);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// GatherTree-1
//===----------------------------------------------------------------------===//

/// A length or a parent as an integer: a real number is truncated and saturates at the bounds of i64. Nullopt for NaN.
static std::optional<Integer> toInteger(Scalar value) {
  if (!value.isReal)
    return value.integer;
  if (std::isnan(value.real))
    return std::nullopt;
  return convertScalar(value, RECUR_F64, RECUR_I64).integer;
}

static bool isEqual(Scalar a, Scalar b) { return a.isReal ? a.real == b.real : a.integer == b.integer; }

static MaybeTensor gatherTree(Machine &machine, ov::GatherTreeOp op, Operands operands) {
  const Tensor &steps = *operands[0], &parents = *operands[1], &lengths = *operands[2], &end = *operands[3];
  const Shape &shape = steps.getShape();
  if (parents.getShape() != shape || lengths.getDim(0) != shape[1])
    return machine.fault(RECUR_E_SHAPE, "the shapes of step_ids, parent_ids and max_seq_len do not agree");
  MaybeTensor result = machine.make(steps.getType(), shape);
  if (!result)
    return std::nullopt;
  int64_t maxTime = shape[0];
  for (int64_t i = 0; i != result->getNumElements(); ++i)
    result->copy(i, end, 0);
  for (int64_t batch = 0; batch != shape[1]; ++batch) {
    std::optional<Integer> given = toInteger(lengths.get(batch));
    if (!given)
      return machine.fault(RECUR_E_INDEX, "max_seq_len of batch " + Twine(batch) + " is NaN");
    int64_t length = int64_t(std::clamp<Integer>(*given, 0, maxTime));
    for (int64_t beam = 0; beam != shape[2]; ++beam) {
      // Follow the parents back in time.
      int64_t source = beam;
      for (int64_t time = length; time-- != 0;) {
        result->copy(getOffset(shape, {time, batch, beam}), steps, getOffset(shape, {time, batch, source}));
        if (time == 0)
          break;
        std::optional<Integer> parent = toInteger(parents.get(getOffset(shape, {time, batch, source})));
        if (!parent || *parent < 0 || *parent >= shape[2])
          return machine.fault(RECUR_E_INDEX, "the parent at time " + Twine(time) + ", batch " + Twine(batch) +
                                                  ", beam " + Twine(source) + " is out of range");
        source = int64_t(*parent);
      }
      // Then go forward and replace all tokens after the first end token by end tokens.
      bool isOver = false;
      for (int64_t time = 0; time != length; ++time) {
        int64_t place = getOffset(shape, {time, batch, beam});
        if (isOver)
          result->copy(place, end, 0);
        isOver |= isEqual(result->get(place), end.get(0));
      }
    }
  }
  return result;
}

void addMovementGather(Handlers &handlers) {
  addHandler<ov::GatherElementsOp>(handlers, gatherElements);
  addHandler<ov::GatherNDOp>(handlers, gatherND);
  addHandler<ov::GatherOp>(handlers, gather);
  addHandler<ov::GatherTreeOp>(handlers, gatherTree);
}

} // namespace recur::interpreter
