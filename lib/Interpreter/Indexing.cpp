// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Indexing.cpp - slices, pads, scatters, convolutions ----------------===//

#include "Machine.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace recur::interpreter {

/// A tensor of `shape`, each of whose elements is that of `data` at the place that `from` gives; nothing leaves it to
/// what `otherwise` holds.
static MaybeTensor take(Machine &machine, const Tensor &data, ArrayRef<int64_t> shape,
                        llvm::function_ref<std::optional<Shape>(ArrayRef<int64_t>)> from,
                        const Tensor *otherwise = nullptr) {
  MaybeTensor result = machine.make(data.getType(), shape);
  int64_t next = 0;
  if (result)
    forEachPlace(shape, [&](ArrayRef<int64_t> place) {
      if (machine.status != RECUR_OK)
        return;
      if (std::optional<Shape> source = from(place))
        result->copy(next, data, getOffset(data.getShape(), *source));
      else if (otherwise)
        result->copy(next, *otherwise, 0);
      ++next;
    });
  return machine.status == RECUR_OK ? std::move(result) : std::nullopt;
}

/// An index of a dim, from the end where it is negative.
static std::optional<int64_t> place(Machine &machine, Integer index, int64_t size) {
  Integer at = index < 0 ? index + size : index;
  if (at < 0 || at >= size)
    return machine.fault(RECUR_E_INDEX,
                         "index " + Twine(int64_t(index)) + " is out of range for " + Twine(size) + " elements");
  return int64_t(at);
}

//===----------------------------------------------------------------------===//
// Parts
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

/// The indices from `begin` to `end`, which is left out; without a bound from or to the end.
static std::optional<Shape> enumerate(Machine &machine, std::optional<Integer> begin, std::optional<Integer> end,
                                      Integer step, int64_t size) {
  if (step == 0)
    return machine.fault(RECUR_E_SHAPE, "a step is 0");
  // Everything that can be visited, in the order of the step.
  Integer first = step > 0 ? 0 : size - 1, past = step > 0 ? size : -1;
  auto clamp = [&](Integer bound) {
    return std::clamp(bound < 0 ? bound + size : bound, std::min(first, past), std::max(first, past));
  };
  Shape result;
  for (Integer at = begin ? clamp(*begin) : first, stop = end ? clamp(*end) : past; step > 0 ? at < stop : at > stop;
       at += step)
    result.push_back(int64_t(at));
  return result;
}

/// The elements at those indices along each dim.
static MaybeTensor pick(Machine &machine, const Tensor &data, ArrayRef<Shape> indices) {
  Shape shape;
  for (const Shape &list : indices)
    shape.push_back(list.size());
  return take(machine, data, shape, [&](ArrayRef<int64_t> at) {
    Shape from;
    for (auto [i, list] : llvm::zip_equal(at, indices))
      from.push_back(list[i]);
    return from;
  });
}

static Shape all(int64_t size) {
  Shape result;
  for (int64_t i = 0; i != size; ++i)
    result.push_back(i);
  return result;
}

static MaybeTensor sliceOp(Machine &machine, ov::SliceOp op, Operands operands) {
  const Tensor &data = *operands[0];
  Shape axes = all(operands[1]->getNumElements());
  if (operands.size() > 4) {
    std::optional<Shape> given = getAxes(machine, *operands[4], data.getRank());
    if (!given)
      return std::nullopt;
    axes = *given;
  }
  std::vector<Shape> indices;
  for (int64_t dim : data.getShape())
    indices.push_back(all(dim));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    std::optional<Shape> list = enumerate(machine, operands[1]->getInteger(i), operands[2]->getInteger(i),
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
  std::vector<Shape> indices;
  // The dims of the result, where a dropped one is -1 and a new one 1.
  Shape dims;
  auto takeAll = [&](int64_t count) {
    for (; count > 0; --count) {
      dims.push_back(data.getDim(indices.size()));
      indices.push_back(all(dims.back()));
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
      std::optional<int64_t> at = place(machine, begin.value_or(0), size);
      if (!at)
        return std::nullopt;
      indices.push_back({*at});
      dims.push_back(-1);
      continue;
    }
    std::optional<Shape> list =
        enumerate(machine, begin, end, operands.size() > 3 ? operands[3]->getInteger(i) : Integer(1), size);
    if (!list)
      return std::nullopt;
    dims.push_back(list->size());
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

//===----------------------------------------------------------------------===//
// Greater tensors
//===----------------------------------------------------------------------===//

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

static MaybeTensor pad(Machine &machine, ov::PadOp op, Operands operands) {
  const Tensor &data = *operands[0];
  StringRef mode = op.getPadMode();
  Shape before = getIntegers(*operands[1]), behind = getIntegers(*operands[2]), shape;
  for (int64_t i = 0; i != data.getRank(); ++i) {
    Integer dim = data.getDim(i), size = dim + before[i] + behind[i], greatest = std::max(before[i], behind[i]);
    bool fits = size >= 0 && size <= std::numeric_limits<int64_t>::max();
    if (mode == "edge")
      fits &= greatest <= 0 || dim > 0;
    else if (mode == "reflect")
      fits &= greatest <= std::max<Integer>(dim - 1, 0);
    else if (mode == "symmetric")
      fits &= greatest <= dim;
    if (!fits)
      return machine.fault(RECUR_E_SHAPE, "pads " + Twine(before[i]) + " and " + Twine(behind[i]) +
                                              " do not fit a dim of " + Twine(data.getDim(i)));
    shape.push_back(int64_t(size));
  }
  Tensor zero(data.getType(), {});
  const Tensor &value = operands.size() > 3 ? *operands[3] : zero;
  auto from = [&](ArrayRef<int64_t> at) -> std::optional<Shape> {
    Shape source;
    for (auto [i, where] : llvm::enumerate(at)) {
      int64_t index = where - before[i], dim = data.getDim(i);
      if (mode == "edge") {
        index = std::clamp<int64_t>(index, 0, dim - 1);
      } else if (mode == "reflect") {
        index = index < 0 ? -index : index;
        index = index >= dim ? 2 * (dim - 1) - index : index;
      } else if (mode == "symmetric") {
        index = index < 0 ? -1 - index : index;
        index = index >= dim ? 2 * dim - 1 - index : index;
      } else if (index < 0 || index >= dim) {
        return std::nullopt;
      }
      source.push_back(index);
    }
    return source;
  };
  return take(machine, data, shape, from, &value);
}

static MaybeTensor range(Machine &machine, ov::RangeOp op, Operands operands) {
  recur_element_type type = getElementType(op.getOutputType());
  bool isInteger = !isReal(type);
  Scalar numbers[3];
  for (auto [i, operand] : llvm::enumerate(operands)) {
    numbers[i] = operand->get(0);
    if (numbers[i].isReal && isInteger) {
      if (std::isnan(numbers[i].real))
        return machine.fault(RECUR_E_SHAPE, "an operand of a range is NaN");
      numbers[i] = convertScalar(numbers[i], operand->getType(), RECUR_I64);
    }
  }
  bool allIntegers = llvm::none_of(numbers, [](Scalar number) { return number.isReal; });
  auto toReal = [](Scalar number) { return number.isReal ? number.real : double(number.integer); };
  constexpr int64_t kMost = int64_t(1) << 40;
  int64_t count = 0;
  if (allIntegers) {
    Integer span = numbers[1].integer - numbers[0].integer, step = numbers[2].integer;
    if (step == 0)
      return machine.fault(RECUR_E_SHAPE, "the step of a range is 0");
    Integer steps = (span > 0) == (step > 0) && span != 0 ? (span + step - (step > 0 ? 1 : -1)) / step : 0;
    count = int64_t(std::min<Integer>(steps, kMost + 1));
  } else {
    double steps = std::ceil((toReal(numbers[1]) - toReal(numbers[0])) / toReal(numbers[2]));
    if (toReal(numbers[2]) == 0 || !std::isfinite(toReal(numbers[1]) - toReal(numbers[0])) || std::isnan(steps))
      return machine.fault(RECUR_E_SHAPE, "the operands of a range are none");
    count = int64_t(std::clamp<double>(steps, 0, double(kMost + 1)));
  }
  MaybeTensor result = machine.make(type, {count});
  for (int64_t i = 0; result && i != count; ++i)
    if (isInteger)
      result->setInteger(i, numbers[0].integer + i * numbers[2].integer);
    else
      result->setReal(i, toReal(numbers[0]) + double(i) * toReal(numbers[2]));
  return result;
}

static MaybeTensor oneHot(Machine &machine, ov::OneHotOp op, Operands operands) {
  const Tensor &indices = *operands[0];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), indices.getRank() + 1);
  if (!axis)
    return std::nullopt;
  Integer depth = operands[1]->getInteger(0);
  if (depth < 0)
    return machine.fault(RECUR_E_SHAPE, "a depth is negative");
  Shape shape = indices.getShape();
  shape.insert(shape.begin() + *axis, int64_t(depth));
  MaybeTensor result = machine.make(operands[2]->getType(), shape);
  int64_t next = 0;
  if (result)
    forEachPlace(shape, [&](ArrayRef<int64_t> at) {
      Shape from(at);
      from.erase(from.begin() + *axis);
      Integer index = indices.getInteger(getOffset(indices.getShape(), from));
      if (index < 0 && op.getNegativeIndicesMode() == "normalize")
        index += depth;
      bool isOn = index == at[*axis];
      result->copy(next++, *operands[isOn ? 2 : 3], 0);
    });
  return result;
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

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

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
        place(machine, indices.getInteger(getOffset(indices.getShape(), at)), data.getDim(*axis));
    if (!index)
      return std::nullopt;
    from[*axis] = *index;
    return from;
  });
}

/// The coordinates that row `row` of `indices` holds, of dims from `first`.
static std::optional<Shape> getCoordinates(Machine &machine, const Tensor &indices, int64_t row, const Tensor &data,
                                           int64_t first) {
  Shape result;
  int64_t count = indices.getShape().back();
  for (int64_t i = 0; i != count; ++i) {
    std::optional<int64_t> index = place(machine, indices.getInteger(row * count + i), data.getDim(first + i));
    if (!index)
      return std::nullopt;
    result.push_back(*index);
  }
  return result;
}

static MaybeTensor gatherND(Machine &machine, ov::GatherNDOp op, Operands operands) {
  const Tensor &data = *operands[0], &indices = *operands[1];
  int64_t batch = op.getBatchDims(), coordinates = indices.getShape().back();
  for (int64_t i = 0; i != batch; ++i)
    if (data.getDim(i) != indices.getDim(i))
      return machine.fault(RECUR_E_SHAPE, "batch dims of data and indices differ");
  Shape rows(indices.getShape().begin(), indices.getShape().end() - 1), shape = rows;
  shape.append(data.getShape().begin() + batch + coordinates, data.getShape().end());
  MaybeTensor result = take(machine, data, shape, [&](ArrayRef<int64_t> at) -> std::optional<Shape> {
    std::optional<Shape> found =
        getCoordinates(machine, indices, getOffset(rows, at.take_front(rows.size())), data, batch);
    if (!found)
      return std::nullopt;
    Shape from(at.take_front(batch));
    llvm::append_range(from, *found);
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
// Scatters
//===----------------------------------------------------------------------===//

static Scalar combine(StringRef reduction, bool isBoolean, Scalar old, Scalar update) {
  auto both = [&](auto real, auto integer) {
    return old.isReal ? Scalar::of(double(real(old.real, update.real)))
                      : Scalar::of(Integer(integer(old.integer, update.integer)));
  };
  if (isBoolean)
    return Scalar::of(Integer(reduction == "sum" || reduction == "max" ? old.integer | update.integer
                                                                       : old.integer & update.integer));
  auto wrapped = [](uint64_t bits) { return Integer(int64_t(bits)); };
  if (reduction == "sum" || reduction == "mean")
    return both(std::plus<>(), [&](Integer a, Integer b) { return wrapped(uint64_t(a) + uint64_t(b)); });
  if (reduction == "sub")
    return both(std::minus<>(), [&](Integer a, Integer b) { return wrapped(uint64_t(a) - uint64_t(b)); });
  if (reduction == "prod")
    return both(std::multiplies<>(), [&](Integer a, Integer b) { return wrapped(uint64_t(a) * uint64_t(b)); });
  bool isMin = reduction == "min";
  return both(
      [&](double a, double b) {
        return std::isnan(a) || std::isnan(b) ? std::nan("") : isMin ? std::min(a, b) : std::max(a, b);
      },
      [&](Integer a, Integer b) { return isMin ? std::min(a, b) : std::max(a, b); });
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
  Tensor result = data;
  int64_t next = 0;
  forEachPlace(expected, [&](ArrayRef<int64_t> at) {
    ArrayRef<int64_t> where = at.slice(*axis, indices.getRank());
    std::optional<int64_t> index =
        place(machine, indices.getInteger(getOffset(indices.getShape(), where)), data.getDim(*axis));
    Shape to(at.take_front(*axis));
    to.push_back(index.value_or(0));
    llvm::append_range(to, at.drop_front(*axis + indices.getRank()));
    if (index)
      result.copy(getOffset(data.getShape(), to), updates, next);
    ++next;
  });
  return machine.status == RECUR_OK ? MaybeTensor(std::move(result)) : std::nullopt;
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
  // The elements that meet at each place, in order.
  std::vector<std::vector<int64_t>> meeting(data.getNumElements());
  int64_t next = 0;
  forEachPlace(indices.getShape(), [&](ArrayRef<int64_t> at) {
    std::optional<int64_t> index = place(machine, indices.getInteger(next), data.getDim(*axis));
    Shape to(at);
    to[*axis] = index.value_or(0);
    if (index)
      meeting[getOffset(data.getShape(), to)].push_back(next);
    ++next;
  });
  if (machine.status != RECUR_OK)
    return std::nullopt;
  Tensor result = data;
  StringRef reduction = op.getReduction();
  for (auto [i, list] : llvm::enumerate(meeting)) {
    if (list.empty())
      continue;
    if (reduction == "none") {
      result.copy(i, updates, list.back());
      continue;
    }
    bool first = !op.getUseInitVal();
    for (int64_t k : list) {
      // Each step is rounded as the element type is.
      if (first)
        result.copy(i, updates, k);
      else
        result.set(i, combine(reduction, data.getType() == RECUR_BOOLEAN, result.get(i), updates.get(k)));
      first = false;
    }
    int64_t count = list.size() + op.getUseInitVal();
    if (reduction != "mean" || count == 1)
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
  Tensor result = data;
  int64_t next = 0;
  forEachPlace(expected, [&](ArrayRef<int64_t> at) {
    std::optional<Shape> to = getCoordinates(machine, indices, getOffset(rows, at.take_front(rows.size())), data, 0);
    int64_t from = next++;
    if (!to)
      return;
    llvm::append_range(*to, at.drop_front(rows.size()));
    int64_t offset = getOffset(data.getShape(), *to);
    if (op.getReduction() == "none")
      result.copy(offset, updates, from);
    else
      result.set(offset,
                 combine(op.getReduction(), data.getType() == RECUR_BOOLEAN, result.get(offset), updates.get(from)));
  });
  return machine.status == RECUR_OK ? MaybeTensor(std::move(result)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

template <typename Op>
static MaybeTensor convolution(Machine &machine, Op op, Operands operands) {
  const Tensor &data = *operands[0];
  Tensor filters = *operands[1];
  constexpr bool hasGroups = std::is_same_v<Op, ov::GroupConvolutionOp>;
  if (!hasGroups) {
    Shape shape = filters.getShape();
    shape.insert(shape.begin(), 1);
    filters = filters.reshaped(shape);
  }
  // [G, O, I, kernel...]
  int64_t groups = filters.getDim(0), outputs = filters.getDim(1), inputs = filters.getDim(2);
  Shape kernel(filters.getShape().begin() + 3, filters.getShape().end()), begin,
      shape{data.getDim(0), groups * outputs};
  if (data.getDim(1) != groups * inputs)
    return machine.fault(RECUR_E_SHAPE, "the channels of data and filters differ");
  for (auto [i, size] : llvm::enumerate(kernel)) {
    int64_t dim = data.getDim(i + 2), stride = op.getStrides()[i], reach = (size - 1) * op.getDilations()[i] + 1;
    if (op.getAutoPad() == "same_upper" || op.getAutoPad() == "same_lower") {
      int64_t places = (dim + stride - 1) / stride;
      int64_t total = std::max<int64_t>((places - 1) * stride + reach - dim, 0);
      begin.push_back(op.getAutoPad() == "same_upper" ? total / 2 : total - total / 2);
      shape.push_back(places);
      continue;
    }
    bool isExplicit = op.getAutoPad() == "explicit";
    int64_t padded = dim + (isExplicit ? op.getPadsBegin()[i] + op.getPadsEnd()[i] : 0);
    if (size == 0 || reach > padded)
      return machine.fault(RECUR_E_SHAPE, "a kernel does not fit the padded data");
    begin.push_back(isExplicit ? op.getPadsBegin()[i] : 0);
    shape.push_back((padded - reach) / stride + 1);
  }
  MaybeTensor result = machine.make(data.getType(), shape);
  if (!result)
    return std::nullopt;
  int64_t next = 0;
  forEachPlace(shape, [&](ArrayRef<int64_t> at) {
    int64_t group = at[1] / outputs;
    double real = 0;
    uint64_t integer = 0;
    Shape window{inputs};
    llvm::append_range(window, kernel);
    forEachPlace(window, [&](ArrayRef<int64_t> tap) {
      Shape from{at[0], group * inputs + tap[0]}, weight{group, at[1] % outputs};
      llvm::append_range(weight, tap);
      for (size_t i = 0; i != kernel.size(); ++i) {
        from.push_back(at[i + 2] * op.getStrides()[i] + tap[i + 1] * op.getDilations()[i] - begin[i]);
        if (from.back() < 0 || from.back() >= data.getDim(i + 2))
          return;
      }
      Scalar x = data.get(getOffset(data.getShape(), from)), w = filters.get(getOffset(filters.getShape(), weight));
      real += x.real * w.real;
      integer += uint64_t(x.integer) * uint64_t(w.integer);
    });
    result->set(next++, isReal(data.getType()) ? Scalar::of(real) : Scalar::of(Integer(integer)));
  });
  return result;
}

void addIndexing(Handlers &handlers) {
  addHandler<ov::SplitOp>(handlers, split);
  addHandler<ov::VariadicSplitOp>(handlers, variadicSplit);
  addHandler<ov::SliceOp>(handlers, sliceOp);
  addHandler<ov::StridedSliceOp>(handlers, stridedSlice);
  addHandler<ov::TileOp>(handlers, tile);
  addHandler<ov::PadOp>(handlers, pad);
  addHandler<ov::RangeOp>(handlers, range);
  addHandler<ov::OneHotOp>(handlers, oneHot);
  addHandler<ov::ReverseSequenceOp>(handlers, reverseSequence);
  addHandler<ov::GatherElementsOp>(handlers, gatherElements);
  addHandler<ov::GatherNDOp>(handlers, gatherND);
  addHandler<ov::ScatterUpdateOp>(handlers, scatterUpdate);
  addHandler<ov::ScatterElementsUpdateOp>(handlers, scatterElements);
  addHandler<ov::ScatterNDUpdateOp>(handlers, scatterND);
  addHandler<ov::ConvolutionOp>(handlers, convolution<ov::ConvolutionOp>);
  addHandler<ov::GroupConvolutionOp>(handlers, convolution<ov::GroupConvolutionOp>);
}

} // namespace recur::interpreter
