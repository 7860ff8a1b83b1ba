// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Elements.cpp - helpers that several families share -----------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

//===----------------------------------------------------------------------===//
// Axes, indices and places
//===----------------------------------------------------------------------===//

std::optional<int64_t> normalize(Machine &machine, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return machine.fault(RECUR_E_INDEX, "axis " + Twine(axis) + " is out of range for rank " + Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

std::optional<int64_t> normalizeIndex(Machine &machine, Integer index, int64_t size, bool allowNegative) {
  Integer at = index < 0 && allowNegative ? index + size : index;
  if (at < 0 || at >= size)
    return machine.fault(RECUR_E_INDEX,
                         "index " + Twine(int64_t(index)) + " is out of range for " + Twine(size) + " elements");
  return int64_t(at);
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
  for (auto [i, axis] : llvm::enumerate(result))
    if (llvm::is_contained(ArrayRef(result).take_front(i), axis))
      return machine.fault(RECUR_E_INDEX, "axis " + Twine(axis) + " is given twice");
  return result;
}

std::optional<Shape> normalizeIndices(Machine &machine, const Tensor &indices, int64_t size, bool allowNegative) {
  Shape result;
  for (int64_t i = 0; i != indices.getNumElements(); ++i) {
    std::optional<int64_t> index = normalizeIndex(machine, indices.getInteger(i), size, allowNegative);
    if (!index)
      return std::nullopt;
    result.push_back(*index);
  }
  return result;
}

std::optional<std::vector<Shape>> getCoordinates(Machine &machine, const Tensor &indices, const Tensor &data,
                                                 int64_t first) {
  int64_t count = indices.getShape().back();
  std::vector<Shape> result(countElements(ArrayRef(indices.getShape()).drop_back()));
  for (auto [row, place] : llvm::enumerate(result))
    for (int64_t i = 0; i != count; ++i) {
      std::optional<int64_t> index =
          normalizeIndex(machine, indices.getInteger(row * count + i), data.getDim(first + i));
      if (!index)
        return std::nullopt;
      place.push_back(*index);
    }
  return result;
}

std::optional<Shape> broadcast(Machine &machine, ArrayRef<int64_t> a, ArrayRef<int64_t> b, ov::AutoBroadcast mode) {
  if (mode == ov::AutoBroadcast::None) {
    if (a != b)
      return machine.fault(RECUR_E_SHAPE, "the shapes of two operands differ");
    return Shape(a);
  }
  size_t rank = std::max(a.size(), b.size());
  Shape result(rank, 1);
  for (size_t i = 0; i != rank; ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return machine.fault(RECUR_E_SHAPE, "dims " + Twine(x) + " and " + Twine(y) + " do not broadcast");
    result[rank - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

int64_t getBroadcastOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> place) {
  int64_t offset = 0;
  ArrayRef<int64_t> own = place.take_back(shape.size());
  for (size_t i = 0; i != shape.size(); ++i)
    offset = offset * shape[i] + (shape[i] == 1 ? 0 : own[i]);
  return offset;
}

void forEachLine(const Tensor &data, int64_t axis, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  Shape lines = data.getShape();
  lines[axis] = 1;
  forEachPlace(lines, visit);
}

int64_t getLineOffset(const Tensor &tensor, ArrayRef<int64_t> line, int64_t axis, int64_t i) {
  Shape place(line);
  place[axis] = i;
  return getOffset(tensor.getShape(), place);
}

//===----------------------------------------------------------------------===//
// Functions of elements
//===----------------------------------------------------------------------===//

/// An integer modulo 2^64. Storing it in a type of 64 bits or fewer gives the right bits, because 2^n divides 2^64.
static Scalar wrapped(uint64_t bits) { return Scalar::of(Integer(int64_t(bits))); }

Scalar sumOf(Scalar a, Scalar b) {
  return a.isReal ? Scalar::of(a.real + b.real) : wrapped(uint64_t(a.integer) + uint64_t(b.integer));
}

Scalar productOf(Scalar a, Scalar b) {
  return a.isReal ? Scalar::of(a.real * b.real) : wrapped(uint64_t(a.integer) * uint64_t(b.integer));
}

Scalar lesserOf(Scalar a, Scalar b) {
  if (a.isReal)
    return Scalar::of(std::isnan(a.real) || std::isnan(b.real) ? std::nan("") : std::min(a.real, b.real));
  return Scalar::of(std::min(a.integer, b.integer));
}

Scalar greaterOf(Scalar a, Scalar b) {
  if (a.isReal)
    return Scalar::of(std::isnan(a.real) || std::isnan(b.real) ? std::nan("") : std::max(a.real, b.real));
  return Scalar::of(std::max(a.integer, b.integer));
}

//===----------------------------------------------------------------------===//
// Functions of tensors
//===----------------------------------------------------------------------===//

MaybeTensor mapUnary(Machine &machine, const Tensor &x, recur_element_type type,
                     llvm::function_ref<Scalar(Scalar)> function) {
  MaybeTensor result = machine.make(type, x.getShape());
  for (int64_t i = 0; result && i != x.getNumElements(); ++i)
    result->set(i, function(x.get(i)));
  return result;
}

MaybeTensor mapBinary(Machine &machine, const Tensor &a, const Tensor &b, recur_element_type type,
                      ov::AutoBroadcast mode, llvm::function_ref<std::optional<Scalar>(Scalar, Scalar)> function) {
  std::optional<Shape> shape = broadcast(machine, a.getShape(), b.getShape(), mode);
  MaybeTensor result = shape ? machine.make(type, *shape) : std::nullopt;
  if (!result)
    return std::nullopt;
  int64_t next = 0;
  bool isFine = true;
  auto add = [&](Scalar x, Scalar y) {
    std::optional<Scalar> value = function(x, y);
    isFine &= value.has_value();
    if (value)
      result->set(next++, *value);
  };
  // Most tensors have the shape of the result or a single element, which needs no indices.
  bool isSingleA = a.getNumElements() == 1, isSingleB = b.getNumElements() == 1;
  if ((isSingleA || a.getShape() == *shape) && (isSingleB || b.getShape() == *shape))
    for (int64_t i = 0, e = result->getNumElements(); i != e; ++i)
      add(a.get(isSingleA ? 0 : i), b.get(isSingleB ? 0 : i));
  else
    forEachPlace(*shape, [&](ArrayRef<int64_t> place) {
      add(a.get(getBroadcastOffset(a.getShape(), place)), b.get(getBroadcastOffset(b.getShape(), place)));
    });
  return isFine ? std::move(result) : std::nullopt;
}

MaybeTensor take(Machine &machine, const Tensor &data, ArrayRef<int64_t> shape,
                 llvm::function_ref<std::optional<Shape>(ArrayRef<int64_t>)> from) {
  MaybeTensor result = machine.make(data.getType(), shape);
  int64_t next = 0;
  if (result)
    forEachPlace(shape, [&](ArrayRef<int64_t> place) {
      if (machine.status != RECUR_OK)
        return;
      if (std::optional<Shape> source = from(place))
        result->copy(next, data, getOffset(data.getShape(), *source));
      ++next;
    });
  return machine.status == RECUR_OK ? std::move(result) : std::nullopt;
}

} // namespace recur::interpreter
