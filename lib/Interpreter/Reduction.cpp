// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reduction.cpp - reductions -----------------------------------------===//
//
// Sums of real numbers are computed in f64 and rounded once. Compiled code sums f32 and narrower types in f32, so for
// these types a sum that exceeds the range of f32 becomes infinite before L2 and Mean continue with it.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace recur::interpreter {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kGreatest = std::numeric_limits<float>::max();

/// Reduces the elements along `axes` one after the other. `first` is the initial value; it is converted to the element
/// type, where an infinity becomes the smallest or largest integer. `finish` computes the result from the reduced value
/// and the number of elements that were reduced.
static MaybeTensor reduceAlong(
    Machine &machine, const Tensor &data, ArrayRef<int64_t> axes, bool keepDims, double first,
    llvm::function_ref<Scalar(Scalar, Scalar)> combine,
    llvm::function_ref<Scalar(Scalar, int64_t)> finish = [](Scalar value, int64_t) { return value; }) {
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
  std::vector<Scalar> values(result->getNumElements(), convertScalar(Scalar::of(first), RECUR_F64, data.getType()));
  int64_t next = 0;
  forEachPlace(data.getShape(), [&](ArrayRef<int64_t> place) {
    Scalar &value = values[getBroadcastOffset(reduced, place)];
    value = combine(value, data.get(next++));
    if (value.isReal)
      value.real = disturbSum(data.getType(), value.real);
  });
  for (auto [i, value] : llvm::enumerate(values))
    result->set(i, finish(value, data.getNumElements() / int64_t(values.size())));
  return result;
}

/// Brings a real sum to the range of the type in which compiled code computes it: f64 for f64, else f32. A sum that is
/// too large becomes infinite. NaN and integers do not change.
static Scalar toSumType(const Tensor &data, Scalar sum) {
  if (!sum.isReal || data.getType() == RECUR_F64 || !(std::fabs(sum.real) > kGreatest))
    return sum;
  return Scalar::of(std::copysign(kInfinity, sum.real));
}

/// Reduces along the axes in the operand `reduction_axes`.
template <typename Op, typename... Functions>
static MaybeTensor reduce(Machine &machine, Op op, Operands operands, double first, Functions... functions) {
  const Tensor &data = *operands[0];
  std::optional<Shape> axes = getAxes(machine, *operands[1], data.getRank());
  return axes ? reduceAlong(machine, data, *axes, op.getKeepDims(), first, functions...) : std::nullopt;
}

/// The same, but returns the data unchanged if there are no axes.
template <typename Op, typename... Functions>
static MaybeTensor reduceIfAny(Machine &machine, Op op, Operands operands, double first, Functions... functions) {
  if (operands[1]->getNumElements() == 0)
    return *operands[0];
  return reduce(machine, op, operands, first, functions...);
}

static MaybeTensor reduceL1(Machine &machine, ov::ReduceL1Op op, Operands operands) {
  return reduceIfAny(machine, op, operands, 0, [](Scalar sum, Scalar x) {
    return sumOf(sum, x.isReal ? Scalar::of(std::fabs(x.real)) : Scalar::of(x.integer < 0 ? -x.integer : x.integer));
  });
}

static MaybeTensor reduceL2(Machine &machine, ov::ReduceL2Op op, Operands operands) {
  return reduceIfAny(
      machine, op, operands, 0, [](Scalar sum, Scalar x) { return sumOf(sum, productOf(x, x)); },
      [&](Scalar sum, int64_t) { return Scalar::of(std::sqrt(toSumType(*operands[0], sum).real)); });
}

static MaybeTensor reduceLogicalAnd(Machine &machine, ov::ReduceLogicalAndOp op, Operands operands) {
  return reduceIfAny(machine, op, operands, 1, lesserOf);
}

static MaybeTensor reduceLogicalOr(Machine &machine, ov::ReduceLogicalOrOp op, Operands operands) {
  return reduceIfAny(machine, op, operands, 0, greaterOf);
}

static MaybeTensor reduceMax(Machine &machine, ov::ReduceMaxOp op, Operands operands) {
  return reduce(machine, op, operands, -kInfinity, greaterOf);
}

static MaybeTensor reduceMean(Machine &machine, ov::ReduceMeanOp op, Operands operands) {
  bool isUnsigned = operands[0]->getType() == RECUR_U64;
  return reduceIfAny(machine, op, operands, 0, sumOf, [&](Scalar sum, int64_t count) {
    if (sum.isReal)
      return Scalar::of(toSumType(*operands[0], sum).real / double(count));
    // The sum wrapped to 64 bits, signed; for u64 the same bits are an unsigned number.
    Integer whole = isUnsigned ? Integer(uint64_t(sum.integer)) : sum.integer;
    return Scalar::of(count == 0 ? Integer(0) : whole / count);
  });
}

static MaybeTensor reduceMin(Machine &machine, ov::ReduceMinOp op, Operands operands) {
  return reduceIfAny(machine, op, operands, kInfinity, lesserOf);
}

static MaybeTensor reduceProd(Machine &machine, ov::ReduceProdOp op, Operands operands) {
  return reduceIfAny(machine, op, operands, 1, productOf);
}

static MaybeTensor reduceSum(Machine &machine, ov::ReduceSumOp op, Operands operands) {
  return reduce(machine, op, operands, 0, sumOf);
}

void addReduction(Handlers &handlers) {
  addHandler<ov::ReduceL1Op>(handlers, reduceL1);
  addHandler<ov::ReduceL2Op>(handlers, reduceL2);
  addHandler<ov::ReduceLogicalAndOp>(handlers, reduceLogicalAnd);
  addHandler<ov::ReduceLogicalOrOp>(handlers, reduceLogicalOr);
  addHandler<ov::ReduceMaxOp>(handlers, reduceMax);
  addHandler<ov::ReduceMeanOp>(handlers, reduceMean);
  addHandler<ov::ReduceMinOp>(handlers, reduceMin);
  addHandler<ov::ReduceProdOp>(handlers, reduceProd);
  addHandler<ov::ReduceSumOp>(handlers, reduceSum);
}

} // namespace recur::interpreter
