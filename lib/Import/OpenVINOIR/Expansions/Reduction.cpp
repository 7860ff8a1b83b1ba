// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reduction.cpp - Reductions along axes that are not constant --------===//
//
// This file imports the Reduce layers and Squeeze. The ops of the dialect have constant axes. If those of a layer are
// not, the rank of its result is still known: no axis occurs twice, so the length of the list of axes says how many
// dims remain. A reduction then becomes a scatter: each element goes to the position that its other coordinates give,
// and the updates of one position are combined.
//
//===----------------------------------------------------------------------===//

#include "../Importers.h"
#include "Expansion.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// A boolean for each of `rank` axes: true if `axes`, an i64 tensor of rank 0 or 1, contains it.
static Value isListed(Expansion &e, Value axes, int64_t rank) {
  Type i64 = elementOf(axes);
  Value list = e.reshape(axes, e.integers({1, -1}));
  Value isNegative = e.less(list, e.scalar(0, i64));
  list = e.select(isNegative, e.add(list, double(rank)), list);
  Value isEqual = e.equal(list, e.unsqueeze(e.range(e.size(rank), i64), {1}));
  return e.reduce<ov::ReduceLogicalOrOp>(isEqual, {1}, /*keepDims=*/false);
}

/// The entries of `values`, an i64 tensor of shape [rank], at the `count` positions where `isDropped` is false.
static Value takeOthers(Expansion &e, Value values, Value isDropped, int64_t rank, int64_t count) {
  Type i64 = elementOf(values);
  // Positions that are dropped come after all others.
  Value keys = e.add(e.range(e.size(rank), i64), e.multiply(e.convert(isDropped, i64), double(rank)));
  SmallVector<Value> sorted = e.sort(keys, e.size(count));
  return sorted.empty() ? Value() : e.gather(values, sorted[0], 0);
}

/// The number of entries of a list of axes, or nullopt if the call decides it.
static std::optional<int64_t> countAxes(Value axes) {
  RankedTensorType type = typeOf(axes);
  return type.hasStaticShape() ? std::optional(type.getNumElements()) : std::nullopt;
}

/// Reduces `data` along the axes of operand 1. `reduction` combines two elements; `start` is its neutral element.
static Value scatter(Expansion &e, Value data, ov::ScatterElementsReduction reduction, Value start, bool keepDims) {
  Value axes = e.operand(1);
  Type i64 = elementOf(e.size(0));
  int64_t rank = rankOf(data);
  Value isReduced = isListed(e, axes, rank);
  Value sizes = e.select(isReduced, e.integers(SmallVector<int64_t>(rank, 1)), e.shapeOf(data));
  // The position of an element in the result, which has a dim of 1 for each reduced one.
  Value position = e.scalar(0, i64), isKept = e.convert(e.make<ov::LogicalNotOp>(isReduced), i64);
  Size total = e.size(1);
  for (int64_t d = rank; d-- > 0;) {
    Value step = e.multiply(total, e.gather(isKept, e.size(d), 0));
    position = e.add(position, e.alignTo(e.multiply(e.range(e.dim(data, d), i64), step), d, rank));
    total = e.multiply(total, e.gather(sizes, e.size(d), 0));
  }
  Value flat = e.integers({-1});
  Value from = e.reshape(data, flat), to = e.reshape(e.broadcast(position, e.shapeOf(data)), flat);
  auto kind = ov::ScatterElementsReductionAttr::get(i64.getContext(), reduction);
  Value result = e.make<ov::ScatterElementsUpdateOp>({e.broadcast(start, total), to, from, e.scalar(0, i64)},
                                                     e.attribute("reduction", Attribute(kind)));
  if (!keepDims)
    sizes = takeOthers(e, sizes, isReduced, rank, rank - *countAxes(axes));
  return e.reshape(result, sizes);
}

/// ReduceSum and the like, if the call decides the axes.
static Value reduceAlong(Expansion &e, StringRef op, bool keepDims) {
  using Reduction = ov::ScatterElementsReduction;
  Value data = e.operand(0);
  Type element = elementOf(data);
  auto sum = [&](Value of) { return scatter(e, of, Reduction::Sum, e.scalar(0, elementOf(of)), keepDims); };
  if (op == ov::ReduceSumOp::getOperationName())
    return sum(data);
  if (op == ov::ReduceL1Op::getOperationName())
    return sum(e.make<ov::AbsOp>(data));
  if (op == ov::ReduceL2Op::getOperationName())
    return e.squareRoot(sum(e.square(data)));
  if (op == ov::ReduceProdOp::getOperationName())
    return scatter(e, data, Reduction::Prod, e.scalar(1, element), keepDims);
  if (op == ov::ReduceMaxOp::getOperationName())
    return scatter(e, data, Reduction::Max, e.least(element), keepDims);
  if (op == ov::ReduceMinOp::getOperationName())
    return scatter(e, data, Reduction::Min, e.greatest(element), keepDims);
  if (op == ov::ReduceLogicalOrOp::getOperationName())
    return scatter(e, data, Reduction::Max, e.scalar(0, element), keepDims);
  if (op == ov::ReduceLogicalAndOp::getOperationName())
    return scatter(e, data, Reduction::Min, e.scalar(1, element), keepDims);
  // The mean: the sum, divided by the number of elements of each sum.
  Type wide = isa<FloatType>(element) ? element : elementOf(e.size(0));
  Value shape = e.shapeOf(data), isReduced = isListed(e, e.operand(1), rankOf(data));
  Value counts = e.select(isReduced, shape, e.integers(SmallVector<int64_t>(rankOf(data), 1)));
  Value count = e.convert(e.reduce<ov::ReduceProdOp>(counts, {0}, /*keepDims=*/false), wide);
  Value total = sum(e.convert(data, wide));
  if (isa<FloatType>(element))
    return e.divide(total, count);
  // Integers are truncated, and the mean of no elements is 0.
  Value quotient = e.make<ov::DivideOp>({total, e.maximum(count, 1)}, e.attribute("m_pythondiv", false));
  return e.convert(quotient, element);
}

LogicalResult recur::ir::importReduction(LayerBuilder &layer) {
  Value axes = layer.operands.size() == 2 ? layer.operands[1] : Value();
  if (!axes || ov::getConstantIntegers(axes) || !isa<IntegerType>(elementOf(axes)) || rankOf(axes) > 1)
    return layer.createOp();
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  if (failed(attributes))
    return failure();
  SmallVector<Value> operands(layer.operands);
  operands[1] = Expansion(layer, *attributes, {}).convert(axes, layer.builder.getI64Type());
  Expansion e(layer, *attributes, operands);
  bool keepDims = e.has("keep_dims") && e.flag("keep_dims");
  if (!keepDims && (!countAxes(axes) || *countAxes(axes) > rankOf(operands[0])))
    return e.error("expected a known number of axes that is at most the rank of the data");
  return e.replace(reduceAlong(e, layer.type->op, keepDims));
}

/// Squeeze with constant axes: those of dims that are known and are not 1 are left out. A dim that only the run knows
/// is taken for 1.
static LogicalResult squeezeKnown(LayerBuilder &layer, ArrayRef<int64_t> axes) {
  Value data = layer.operands[0];
  ArrayRef<int64_t> shape = typeOf(data).getShape();
  SmallVector<int64_t> dropped = llvm::filter_to_vector(axes, [&](int64_t axis) {
    std::optional<int64_t> i = ov::normalizeAxis(axis, shape.size());
    return !i || ShapedType::isDynamic(shape[*i]) || shape[*i] == 1;
  });
  if (!dropped.empty())
    return layer.createOp({data, Expansion(layer, {}, {}).integers(dropped)});
  if (failed(layer.readAttributes()))
    return failure();
  layer.results.push_back(data);
  return success();
}

LogicalResult recur::ir::importSqueeze(LayerBuilder &layer) {
  Value axes = layer.operands.size() == 2 ? layer.operands[1] : Value();
  std::optional<SmallVector<int64_t>> known = axes ? ov::getConstantIntegers(axes) : std::nullopt;
  if (known && !known->empty())
    return squeezeKnown(layer, *known);
  if (!axes || ov::getConstantIntegers(axes) || !isa<IntegerType>(elementOf(axes)) || !countAxes(axes) ||
      rankOf(axes) > 1 || *countAxes(axes) == 0 || *countAxes(axes) > rankOf(layer.operands[0]))
    return layer.createOp();
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  if (failed(attributes))
    return failure();
  Expansion e(layer, *attributes, layer.operands);
  Value data = e.operand(0), list = e.convert(axes, layer.builder.getI64Type());
  int64_t rank = rankOf(data);
  Value sizes = takeOthers(e, e.shapeOf(data), isListed(e, list, rank), rank, rank - *countAxes(axes));
  return e.replace(e.reshape(data, sizes));
}
