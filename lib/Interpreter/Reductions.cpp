// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reductions.cpp - reductions and softmax ----------------------------===//
//
// Sums of real numbers are taken in f64 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace recur::interpreter {

/// Combines the elements along `axes` one after the other, beginning with `first`.
static MaybeTensor reduce(Machine &machine, const Tensor &data, ArrayRef<int64_t> axes, bool keepDims, Scalar first,
                          llvm::function_ref<Scalar(Scalar, Scalar)> combine) {
  Shape reduced = data.getShape(), shape;
  for (int64_t i = 0; i != data.getRank(); ++i) {
    bool isReduced = llvm::is_contained(axes, i);
    if (isReduced)
      reduced[i] = 1;
    if (keepDims || !isReduced)
      shape.push_back(reduced[i]);
  }
  MaybeTensor result = machine.make(data.getType(), shape);
  if (!result)
    return std::nullopt;
  std::vector<Scalar> values(result->getNumElements(), first);
  int64_t next = 0;
  forEachPlace(data.getShape(), [&](ArrayRef<int64_t> place) {
    Scalar &value = values[getBroadcastOffset(reduced, place)];
    value = combine(value, data.get(next++));
  });
  for (auto [i, value] : llvm::enumerate(values))
    result->set(i, value);
  return result;
}

static Scalar add(Scalar a, Scalar b) {
  return a.isReal ? Scalar::of(a.real + b.real) : Scalar::of(Integer(int64_t(uint64_t(a.integer) + uint64_t(b.integer))));
}

static Scalar greater(Scalar a, Scalar b) {
  if (a.isReal)
    return std::isnan(a.real) || std::isnan(b.real) ? Scalar::of(std::nan("")) : Scalar::of(std::max(a.real, b.real));
  return Scalar::of(std::max(a.integer, b.integer));
}

static MaybeTensor reduceSum(Machine &machine, ov::ReduceSumOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::optional<Shape> axes = getAxes(machine, *operands[1], data.getRank());
  Scalar zero = isReal(data.getType()) ? Scalar::of(0.0) : Scalar::of(Integer(0));
  return axes ? reduce(machine, data, *axes, op.getKeepDims(), zero, add) : std::nullopt;
}

static MaybeTensor reduceMax(Machine &machine, ov::ReduceMaxOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::optional<Shape> axes = getAxes(machine, *operands[1], data.getRank());
  // A conversion saturates: -infinity becomes the least value of the type.
  Scalar least = convertScalar(Scalar::of(-std::numeric_limits<double>::infinity()), RECUR_F64, data.getType());
  return axes ? reduce(machine, data, *axes, op.getKeepDims(), least, greater) : std::nullopt;
}

static MaybeTensor softmax(Machine &machine, ov::SoftmaxOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), data.getRank());
  MaybeTensor result = axis ? machine.make(data.getType(), data.getShape()) : std::nullopt;
  if (!result)
    return std::nullopt;
  Shape lines = data.getShape();
  int64_t length = lines[*axis];
  if (length == 0)
    return result;
  lines[*axis] = 1;
  forEachPlace(lines, [&](ArrayRef<int64_t> place) {
    auto offset = [&](int64_t i) {
      Shape where(place);
      where[*axis] = i;
      return getOffset(data.getShape(), where);
    };
    double greatest = data.getReal(offset(0)), sum = 0;
    for (int64_t i = 0; i != length; ++i)
      greatest = greater(Scalar::of(greatest), data.get(offset(i))).real;
    for (int64_t i = 0; i != length; ++i)
      sum += std::exp(data.getReal(offset(i)) - greatest);
    for (int64_t i = 0; i != length; ++i)
      result->set(offset(i), Scalar::rounded(std::exp(data.getReal(offset(i)) - greatest) / sum));
  });
  return result;
}

void addReductions(Handlers &handlers) {
  addHandler<ov::ReduceSumOp>(handlers, reduceSum);
  addHandler<ov::ReduceMaxOp>(handlers, reduceMax);
  addHandler<ov::SoftmaxOp>(handlers, softmax);
}

} // namespace recur::interpreter
