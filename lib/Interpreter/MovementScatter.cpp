// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementScatter.cpp - scatters -------------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

/// Computes the new value of an element. Booleans are added as integers; a sum that is not 0 is stored as true.
using Combine = Scalar (*)(Scalar old, Scalar update);

static Scalar differenceOf(Scalar a, Scalar b) {
  return a.isReal ? Scalar::of(a.real - b.real)
                  : Scalar::of(Integer(int64_t(uint64_t(a.integer) - uint64_t(b.integer))));
}

/// Null if the update replaces the element.
static Combine getCombine(ov::ScatterElementsReduction reduction) {
  switch (reduction) {
  case ov::ScatterElementsReduction::None:
    return nullptr;
  case ov::ScatterElementsReduction::Sum:
  case ov::ScatterElementsReduction::Mean:
    return sumOf;
  case ov::ScatterElementsReduction::Prod:
    return productOf;
  case ov::ScatterElementsReduction::Min:
    return lesserOf;
  case ov::ScatterElementsReduction::Max:
    return greaterOf;
  }
  return nullptr;
}

static Combine getCombine(ov::ScatterNDReduction reduction) {
  switch (reduction) {
  case ov::ScatterNDReduction::None:
    return nullptr;
  case ov::ScatterNDReduction::Sum:
    return sumOf;
  case ov::ScatterNDReduction::Sub:
    return differenceOf;
  case ov::ScatterNDReduction::Prod:
    return productOf;
  case ov::ScatterNDReduction::Min:
    return lesserOf;
  case ov::ScatterNDReduction::Max:
    return greaterOf;
  }
  return nullptr;
}

static MaybeTensor scatterUpdate(Machine &machine, ov::ScatterUpdateOp op, Operands operands) {
  const Tensor &data = *operands[0], &indices = *operands[1], &updates = *operands[2];
  std::optional<int64_t> axis = normalize(machine, int64_t(operands[3]->getInteger(0)), data.getRank());
  if (!axis)
    return std::nullopt;
  Shape expected(data.getShape().begin(), data.getShape().begin() + *axis);
  llvm::append_range(expected, indices.getShape());
  expected.append(data.getShape().begin() + *axis + 1, data.getShape().end());
  if (expected != updates.getShape())
    return machine.fault(RECUR_E_SHAPE, "updates have another shape than data and indices say");
  std::optional<Shape> found = normalizeIndices(machine, indices, data.getDim(*axis));
  if (!found)
    return std::nullopt;
  Tensor result = data;
  int64_t next = 0;
  forEachPlace(expected, [&](ArrayRef<int64_t> at) {
    Shape to(at.take_front(*axis));
    to.push_back((*found)[getOffset(indices.getShape(), at.slice(*axis, indices.getRank()))]);
    llvm::append_range(to, at.drop_front(*axis + indices.getRank()));
    result.copy(getOffset(data.getShape(), to), updates, next++);
  });
  return result;
}

static MaybeTensor scatterElements(Machine &machine, ov::ScatterElementsUpdateOp op, Operands operands) {
  const Tensor &data = *operands[0], &indices = *operands[1], &updates = *operands[2];
  std::optional<int64_t> axis = normalize(machine, int64_t(operands[3]->getInteger(0)), data.getRank());
  if (!axis)
    return std::nullopt;
  bool fits = indices.getShape() == updates.getShape();
  for (int64_t i = 0; fits && i != data.getRank(); ++i)
    fits = i == *axis || indices.getDim(i) <= data.getDim(i);
  if (!fits)
    return machine.fault(RECUR_E_SHAPE, "indices do not fit updates or data");
  // For each element of data, the offsets of its updates, in order.
  std::vector<std::vector<int64_t>> meeting(data.getNumElements());
  int64_t next = 0;
  forEachPlace(indices.getShape(), [&](ArrayRef<int64_t> at) {
    std::optional<int64_t> index = normalizeIndex(machine, indices.getInteger(next), data.getDim(*axis));
    Shape to(at);
    to[*axis] = index.value_or(0);
    if (index)
      meeting[getOffset(data.getShape(), to)].push_back(next);
    ++next;
  });
  if (machine.status != RECUR_OK)
    return std::nullopt;
  Tensor result = data;
  Combine combine = getCombine(op.getReduction());
  for (auto [i, list] : llvm::enumerate(meeting)) {
    if (list.empty())
      continue;
    if (!combine) {
      result.copy(i, updates, list.back());
      continue;
    }
    bool first = !op.getUseInitVal();
    for (int64_t k : list) {
      // Each step is rounded to the element type, because it is stored.
      if (first)
        result.copy(i, updates, k);
      else
        result.set(i, combine(result.get(i), updates.get(k)));
      first = false;
    }
    int64_t count = list.size() + op.getUseInitVal();
    if (op.getReduction() != ov::ScatterElementsReduction::Mean || count == 1)
      continue;
    Scalar sum = result.get(i);
    if (sum.isReal) {
      result.setReal(i, sum.real / double(count));
    } else {
      Integer quotient = sum.integer / count;
      result.setInteger(i, quotient - (sum.integer % count < 0));
    }
  }
  return result;
}

static MaybeTensor scatterND(Machine &machine, ov::ScatterNDUpdateOp op, Operands operands) {
  const Tensor &data = *operands[0], &indices = *operands[1], &updates = *operands[2];
  int64_t coordinates = indices.getShape().back();
  Shape rows(indices.getShape().begin(), indices.getShape().end() - 1), expected = rows;
  expected.append(data.getShape().begin() + coordinates, data.getShape().end());
  if (expected != updates.getShape())
    return machine.fault(RECUR_E_SHAPE, "updates have another shape than data and indices say");
  std::optional<std::vector<Shape>> found = getCoordinates(machine, indices, data, 0);
  if (!found)
    return std::nullopt;
  Combine combine = getCombine(op.getReduction());
  Tensor result = data;
  int64_t next = 0;
  forEachPlace(expected, [&](ArrayRef<int64_t> at) {
    int64_t from = next++;
    Shape to = (*found)[getOffset(rows, at.take_front(rows.size()))];
    llvm::append_range(to, at.drop_front(rows.size()));
    int64_t offset = getOffset(data.getShape(), to);
    if (combine)
      result.set(offset, combine(result.get(offset), updates.get(from)));
    else
      result.copy(offset, updates, from);
  });
  return result;
}

void addMovementScatter(Handlers &handlers) {
  addHandler<ov::ScatterElementsUpdateOp>(handlers, scatterElements);
  addHandler<ov::ScatterNDUpdateOp>(handlers, scatterND);
  addHandler<ov::ScatterUpdateOp>(handlers, scatterUpdate);
}

} // namespace recur::interpreter
