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
#include "../TypeSyntax.h"
#include "Axes.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// The entries of `values`, an i64 tensor of shape [rank], at the `count` positions where `isDropped` is false.
static Value takeOthers(Expansion &e, Value values, Value isDropped, int64_t rank, int64_t count) {
  Type i64 = elementOf(values);
  // Positions that are dropped come after all others.
  Value keys = e.add(e.range(e.size(rank), i64), e.multiply(e.convert(isDropped, i64), double(rank)));
  SmallVector<Value> sorted = e.sort(keys, e.size(count));
  return e.gather(values, sorted[0], 0);
}

/// The number of entries of a list of axes, or nullopt if the call decides it.
static std::optional<int64_t> countAxes(Value axes) {
  RankedTensorType type = typeOf(axes);
  return type.hasStaticShape() ? std::optional(type.getNumElements()) : std::nullopt;
}

/// Reduces `data` along the dims where `isReduced` holds, which stay as dims of 1. `reduction` combines two elements;
/// `start` is its neutral element.
static Value scatterKeeping(Expansion &e, Value data, Value isReduced, ov::ScatterElementsReduction reduction,
                            Value start) {
  Type i64 = elementOf(e.size(0));
  int64_t rank = rankOf(data);
  Value sizes = e.select(isReduced, e.integers(SmallVector<int64_t>(rank, 1)), e.shapeOf(data));
  // The position of each element, in order, in the result. It is built from the last dim on, as a matrix that becomes a
  // list: nests of two loops, whatever the rank is.
  Value to = e.integers({0}), isKept = e.convert(e.make<ov::LogicalNotOp>(isReduced), i64), flat = e.integers({-1});
  Size total = e.size(1);
  for (int64_t d = rank; d-- > 0;) {
    Value step = e.multiply(total, e.gather(isKept, e.size(d), 0));
    Value rows = e.unsqueeze(e.multiply(e.range(e.dim(data, d), i64), step), {1});
    to = e.reshape(e.add(rows, to), flat);
    total = e.multiply(total, e.gather(sizes, e.size(d), 0));
  }
  auto kind = ov::ScatterElementsReductionAttr::get(i64.getContext(), reduction);
  Value result =
      e.make<ov::ScatterElementsUpdateOp>({e.broadcast(start, total), to, e.reshape(data, flat), e.scalar(0, i64)},
                                          e.attribute("reduction", Attribute(kind)));
  return e.reshape(result, sizes);
}

/// Reduces `data` along `axes`. The other parameters are those of scatterKeeping.
static Value scatter(Expansion &e, Value data, Value axes, ov::ScatterElementsReduction reduction, Value start,
                     bool keepDims) {
  int64_t rank = rankOf(data);
  Value isReduced = isListed(e, axes, rank), result;
  // Dims of 1 are so in the result too. Code for many dims of unknown size would be long.
  SmallVector<int64_t> ones, others;
  for (auto [d, size] : llvm::enumerate(ov::shapeOf(data)))
    (size == 1 ? ones : others).push_back(d);
  if (ones.empty())
    result = scatterKeeping(e, data, isReduced, reduction, start);
  else
    result = e.unsqueeze(
        scatterKeeping(e, e.squeeze(data, ones), e.gather(isReduced, e.integers(others), 0), reduction, start), ones);
  if (keepDims)
    return result;
  Value sizes = e.select(isReduced, e.integers(SmallVector<int64_t>(rank, 1)), e.shapeOf(data));
  return e.reshape(result, takeOthers(e, sizes, isReduced, rank, rank - *countAxes(axes)));
}

Value recur::ir::reduceAlong(Expansion &e, StringRef op, Value data, Value axes, bool keepDims) {
  using Reduction = ov::ScatterElementsReduction;
  Type element = elementOf(data);
  auto sum = [&](Value of) { return scatter(e, of, axes, Reduction::Sum, e.scalar(0, elementOf(of)), keepDims); };
  if (op == ov::ReduceSumOp::getOperationName())
    return sum(data);
  if (op == ov::ReduceL1Op::getOperationName())
    return sum(e.make<ov::AbsOp>(data));
  if (op == ov::ReduceL2Op::getOperationName())
    return e.squareRoot(sum(e.square(data)));
  if (op == ov::ReduceProdOp::getOperationName())
    return scatter(e, data, axes, Reduction::Prod, e.scalar(1, element), keepDims);
  if (op == ov::ReduceMaxOp::getOperationName())
    return scatter(e, data, axes, Reduction::Max, e.least(element), keepDims);
  if (op == ov::ReduceMinOp::getOperationName())
    return scatter(e, data, axes, Reduction::Min, e.greatest(element), keepDims);
  if (op == ov::ReduceLogicalOrOp::getOperationName())
    return scatter(e, data, axes, Reduction::Max, e.scalar(0, element), keepDims);
  if (op == ov::ReduceLogicalAndOp::getOperationName())
    return scatter(e, data, axes, Reduction::Min, e.scalar(1, element), keepDims);
  // The mean: the sum, divided by the number of elements of each sum.
  Type wide = isa<FloatType>(element) ? element : elementOf(e.size(0));
  Value shape = e.shapeOf(data), isReduced = isListed(e, axes, rankOf(data));
  Value counts = e.select(isReduced, shape, e.integers(SmallVector<int64_t>(rankOf(data), 1)));
  Value count = e.convert(e.reduce<ov::ReduceProdOp>(counts, {0}, /*keepDims=*/false), wide);
  Value total = sum(e.convert(data, wide));
  if (isa<FloatType>(element))
    return e.divide(total, count);
  // Integers are truncated, and the mean of no elements is 0.
  Value quotient = e.make<ov::DivideOp>({total, e.maximum(count, 1)}, e.attribute("m_pythondiv", false));
  return e.convert(quotient, element);
}

static bool keepsDims(Expansion &e) { return e.has("keep_dims") && e.flag("keep_dims"); }

/// ReduceL2 of integers: the root of the sum is truncated.
static LogicalResult reduceIntegers(LayerBuilder &layer, ArrayRef<NamedAttribute> attributes) {
  Expansion e(layer, attributes, layer.operands);
  Value data = e.operand(0), axes = e.operand(1), wide = e.convert(data, layer.builder.getF64Type());
  Value result = isConstant(axes) ? e.make<ov::ReduceL2Op>({wide, axes}, attributes)
                                  : reduceAlong(e, layer.type->op, wide, e.convert(axes, e.i64()), keepsDims(e));
  return e.replace(e.convert(result, elementOf(data)));
}

LogicalResult recur::ir::importReduction(LayerBuilder &layer) {
  Value axes = layer.operands.size() == 2 ? layer.operands[1] : Value();
  bool isPlain = !axes || !isa<IntegerType>(elementOf(axes)) || rankOf(axes) > 1;
  bool hasIntegers = layer.type->op == ov::ReduceL2Op::getOperationName() && !layer.operands.empty() &&
                     isa<IntegerType>(elementOf(layer.operands[0])) && !elementOf(layer.operands[0]).isInteger(1);
  if (isPlain || (isConstant(axes) && !hasIntegers))
    return layer.createOp();
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  if (failed(attributes))
    return failure();
  SmallVector<Value> operands(layer.operands);
  operands[1] = Expansion(layer, *attributes, {}).convert(axes, layer.builder.getI64Type());
  Expansion e(layer, *attributes, operands);
  if (layer.type->op != ov::ReduceMaxOp::getOperationName() && layer.type->op != ov::ReduceMinOp::getOperationName())
    e.widen();
  if (!isConstant(axes) && !keepsDims(e) && (!countAxes(axes) || *countAxes(axes) > rankOf(e.operand(0))))
    return e.error("expected a known number of axes that is at most the rank of the data");
  if (hasIntegers)
    return reduceIntegers(layer, *attributes);
  return e.replace(reduceAlong(e, layer.type->op, e.operand(0), e.operand(1), keepsDims(e)));
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

/// Squeeze without axes: all dims of 1 are dropped. Where only the call tells whether a dim is 1, so does the rank that
/// the output port declares. Without it, a single such dim makes the layer an If: the dim is dropped or not.
static LogicalResult squeezeUnits(LayerBuilder &layer) {
  Value data = layer.operands[0];
  RankedTensorType type = typeOf(data);
  SmallVector<int64_t> units, open;
  for (auto [i, dim] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(dim))
      open.push_back(i);
    else if (dim == 1)
      units.push_back(i);
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  if (failed(attributes))
    return failure();
  if (open.empty())
    return layer.createOp(data);
  Expansion e(layer, *attributes, layer.operands);
  // The data without the dims of 1, and without those in `more`.
  auto drop = [](Expansion &own, Value value, ArrayRef<int64_t> axes) {
    return axes.empty() ? value : own.squeeze(value, axes);
  };
  int64_t dropped = type.getRank() - layer.getDeclaredRank().value_or(-1);
  if (layer.getDeclaredRank() && dropped >= int64_t(units.size()) && dropped <= int64_t(units.size() + open.size())) {
    if (dropped == int64_t(units.size()))
      return e.replace(drop(e, data, units));
    if (dropped == int64_t(units.size() + open.size())) {
      llvm::append_range(units, open);
      return e.replace(drop(e, data, units));
    }
    Value shape = e.shapeOf(data), isUnit = e.equal(shape, e.size(1));
    return e.replace(e.reshape(data, takeOthers(e, shape, isUnit, type.getRank(), type.getRank() - dropped)));
  }
  if (open.size() != 1)
    return e.error("expected 'axes', a rank that the output port declares, or at most one dim that is not known, but "
                   "got " +
                   spell(type));
  layer.open = std::make_unique<OpenIf>();
  layer.open->condition = e.squeeze(e.equal(e.dim(data, open[0]), e.size(1)), {0});
  layer.open->problem = "expected 'axes', because the rank of the result is not known where dim " +
                        std::to_string(open[0]) + " of " + spell(type) + " may be 1";
  for (unsigned body : {0, 1}) {
    OpBuilder inner(layer.builder.getContext());
    inner.setInsertionPointToStart(&layer.open->regions[body].emplaceBlock());
    LayerBuilder own(layer.state, inner, layer.layer, {});
    Expansion of(own, {}, {});
    SmallVector<int64_t> axes(units);
    if (body == 0)
      axes.push_back(open[0]);
    layer.open->values[body].push_back(drop(of, data, axes));
    if (of.hasFailed())
      return failure();
  }
  return success(!e.hasFailed());
}

LogicalResult recur::ir::importSqueeze(LayerBuilder &layer) {
  Value axes = layer.operands.size() == 2 ? layer.operands[1] : Value();
  if (layer.operands.size() == 1 || (axes && isConstant(axes) && typeOf(axes).getNumElements() == 0))
    return squeezeUnits(layer);
  std::optional<SmallVector<int64_t>> known = axes ? ov::getConstantIntegers(axes) : std::nullopt;
  if (known && !known->empty())
    return squeezeKnown(layer, *known);
  if (!axes || isConstant(axes) || !isa<IntegerType>(elementOf(axes)) || !countAxes(axes) || rankOf(axes) > 1 ||
      *countAxes(axes) == 0 || *countAxes(axes) > rankOf(layer.operands[0]))
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
