// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Axes.cpp - Movement along axes that are not constant ---------------===//
//
// This file imports layers that move elements along an axis, if only the call tells the axis. The dims before the axis
// are merged to one dim, and so are those behind it. The op then works along the middle one of three dims, and its
// result gets the dims that the call computes. Transpose, whose dims may all move, becomes a gather.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"

#include "../Importers.h"
#include "../TypeSyntax.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

bool recur::ir::isConstant(Value value) { return ov::getConstantIntegers(value).has_value(); }

Value recur::ir::countFromFirst(Expansion &e, Value axes, int64_t rank) {
  return e.gather(e.range(e.size(rank), e.i64()), e.reshape(axes, e.size(-1)), 0);
}

Value recur::ir::isListed(Expansion &e, Value axes, int64_t rank) {
  Value list = e.reshape(countFromFirst(e, axes, rank), e.integers({1, -1}));
  Value isEqual = e.equal(list, e.unsqueeze(e.range(e.size(rank), e.i64()), {1}));
  return e.reduce<ov::ReduceLogicalOrOp>(isEqual, {1}, /*keepDims=*/false);
}

Size recur::ir::require(Expansion &e, Value condition, Size value) {
  Value flags = e.reshape(condition, e.size(-1));
  Value holds = e.convert(e.reduce<ov::ReduceLogicalAndOp>(flags, {0}, /*keepDims=*/true), e.i64());
  // A slice of no elements does not have the shape [1].
  return e.reshape(e.slice(value, 0, e.size(0), holds), e.size(1));
}

/// The product of the entries of `shape` where `isIncluded`.
static Size multiplyWhere(Expansion &e, Value shape, Value isIncluded) {
  return e.reduce<ov::ReduceProdOp>(e.select(isIncluded, shape, e.size(1)), {0}, /*keepDims=*/true);
}

AxisView recur::ir::viewAlong(Expansion &e, Value data, Value axis, int64_t first) {
  AxisView view;
  view.rank = rankOf(data);
  view.shape = e.shapeOf(data);
  view.axis = countFromFirst(e, e.reshape(axis, e.size(1)), view.rank);
  view.length = e.gather(view.shape, view.axis, 0);
  Value positions = e.range(e.size(view.rank), e.i64());
  Value isBefore = e.less(positions, view.axis);
  if (first)
    isBefore = e.make<ov::LogicalAndOp>({isBefore, e.less(e.scalar(double(first - 1), e.i64()), positions)});
  view.outer = multiplyWhere(e, view.shape, isBefore);
  view.inner = multiplyWhere(e, view.shape, e.less(view.axis, positions));
  return view;
}

Value recur::ir::spliceShape(Expansion &e, const AxisView &view, Value middle, int64_t count) {
  Value positions = e.range(e.size(view.rank - 1 + count), e.i64());
  Value behind = e.add(view.axis, double(count));
  Value isMiddle = e.less(positions, behind), isBefore = e.less(positions, view.axis);
  Value inMiddle = e.add(e.subtract(positions, view.axis), double(view.rank));
  Value inRest = e.add(positions, double(1 - count));
  Value from = e.select(isBefore, positions, e.select(isMiddle, inMiddle, inRest));
  return e.gather(count ? e.concat({view.shape, middle}, 0) : view.shape, from, 0);
}

FailureOr<SmallVector<Axis>> recur::ir::readAxisList(Expansion &e, unsigned i, int64_t rank) {
  SmallVector<Axis> axes;
  Value list = e.operand(i);
  if (!isConstant(list) && rank != 0 && rankOf(list) == 1 && typeOf(list).isDynamicDim(0))
    return e.error("expected 'axes' to have a static shape if it is not constant, but got " + spell(typeOf(list)));
  if (isConstant(list) || rank == 0 || rankOf(list) > 1) {
    FailureOr<SmallVector<int64_t>> numbers = e.expectConstant(i);
    if (failed(numbers))
      return failure();
    SmallVector<bool> isUsed(rank, false);
    for (int64_t number : *numbers) {
      FailureOr<int64_t> axis = e.normalizeAxis("axes", number, rank);
      if (failed(axis))
        return failure();
      if (std::exchange(isUsed[*axis], true))
        return e.error("expected 'axes' without repetition, but got " + llvm::Twine(*axis) + " twice");
      axes.push_back({*axis, {}});
    }
    return axes;
  }
  int64_t count = typeOf(list).getNumElements();
  if (count > rank)
    return e.error("expected at most " + llvm::Twine(rank) + " entries of 'axes', but got " + llvm::Twine(count));
  list = countFromFirst(e, list, rank);
  // An axis that is given twice is listed once.
  Value isOnce = e.equal(e.reduce<ov::ReduceSumOp>(e.convert(isListed(e, list, rank), e.i64()), {0}, /*keepDims=*/true),
                         e.size(count));
  for (int64_t k : llvm::seq(count))
    axes.push_back({1, require(e, isOnce, e.slice(list, 0, k, k + 1))});
  return axes;
}

AlongAxis::AlongAxis(Expansion &e, const Axis &axis, Value data) : axis(axis.number), e(e) {
  if (axis.open)
    view = viewAlong(e, data, axis.open);
}

Value AlongAxis::enter(Value data) {
  if (!view)
    return data;
  if (entered)
    return e.reshape(data, entered);
  Value first = e.reshape(data, {view->outer, view->length, view->inner});
  entered = e.shapeOf(first);
  return first;
}

Value AlongAxis::leave(Value result, Value like) {
  if (!view)
    return result;
  return e.reshape(result, like ? e.shapeOf(like) : spliceShape(e, *view, e.dim(result, 1), 1));
}

LastAxisOutside::LastAxisOutside(Expansion &e, int64_t axis, Value data) : axis(axis), e(e) {
  auto isOne = [](int64_t dim) { return dim == 1; };
  moves = axis == rankOf(data) - 1 && !llvm::all_of(typeOf(data).getShape().drop_back(), isOne);
  // There are kernels for transpositions that keep the first dim.
  if (moves)
    this->axis = llvm::all_of(typeOf(data).getShape().drop_back().drop_front(), isOne) ? 0 : 1;
}

Value LastAxisOutside::enter(Value data) {
  if (!moves)
    return data;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(data)));
  std::rotate(order.begin() + axis, order.end() - 1, order.end());
  return e.transpose(data, order);
}

Value LastAxisOutside::leave(Value result) {
  if (!moves)
    return result;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(result)));
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
  return e.transpose(result, order);
}

/// The operands of a layer for an expansion, with those of `which` as i64. Reports an error if one of these, the axes,
/// is not an integer of rank 0 or 1.
static FailureOr<SmallVector<Value>> readOperands(LayerBuilder &layer, ArrayRef<unsigned> which) {
  SmallVector<Value> operands(layer.operands);
  for (unsigned i : which) {
    if (!isa<IntegerType>(elementOf(operands[i])))
      return layer.error("ir-op", "expected '" + layer.type->operands[i].name + "' to be a tensor of integers");
    operands[i] = Expansion(layer, {}, {}).convert(operands[i], layer.builder.getI64Type());
  }
  if (layer.hasFailedToExpand)
    return failure();
  return operands;
}

/// True if the layer has `count` operands, and operand `i` is one axis that only the call tells.
static bool hasOpenAxis(LayerBuilder &layer, size_t count, unsigned i) {
  if (layer.operands.size() != count || isConstant(layer.operands[i]))
    return false;
  return isa<IntegerType>(elementOf(layer.operands[i])) && hasOneElement(typeOf(layer.operands[i]).getShape()) &&
         rankOf(layer.operands[0]) != 0;
}

//===----------------------------------------------------------------------===//
// Gather and scatters
//===----------------------------------------------------------------------===//

LogicalResult recur::ir::importGather(LayerBuilder &layer) {
  if (!hasOpenAxis(layer, 3, 2))
    return layer.createOp();
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  FailureOr<SmallVector<Value>> operands = readOperands(layer, {1, 2});
  if (failed(attributes) || failed(operands))
    return failure();
  Expansion e(layer, *attributes, *operands);
  Value data = e.operand(0), indices = e.operand(1);
  int64_t batch = e.has("batch_dims") ? e.integer("batch_dims") : 0;
  batch += batch < 0 ? rankOf(indices) : 0;
  if (batch < 0 || batch > rankOf(indices) || batch >= rankOf(data))
    return e.error("expected 'batch_dims' to be at most the rank of the indices, and less than that of the data");
  AxisView view = viewAlong(e, data, e.operand(2), batch);
  // The axis is behind the batch dims.
  if (batch)
    view.length = require(e, e.less(e.scalar(double(batch - 1), e.i64()), view.axis), view.length);
  Value shape = e.shapeOf(indices);
  Value places = e.slice(shape, 0, batch, rankOf(indices));
  Size batches = e.reduce<ov::ReduceProdOp>(e.slice(view.shape, 0, 0, batch), {0}, /*keepDims=*/true);
  Size count = e.reduce<ov::ReduceProdOp>(places, {0}, /*keepDims=*/true);
  // The operation has batch dims since opset 7, which differs from 1 in nothing else.
  int64_t version = e.has("version") ? std::max<int64_t>(e.integer("version"), 7) : 8;
  SmallVector<NamedAttribute> own{e.attribute("batch_dims", int64_t(1)), e.attribute("version", version)};
  Value taken = e.make<ov::GatherOp>({e.reshape(data, {batches, view.outer, view.length, view.inner}),
                                      e.reshape(indices, {batches, count}), e.scalar(2, e.i64())},
                                     own);
  return e.replace(e.reshape(taken, spliceShape(e, view, places, rankOf(indices) - batch)));
}

LogicalResult recur::ir::importScatterUpdate(LayerBuilder &layer) {
  if (!hasOpenAxis(layer, 4, 3))
    return layer.createOp();
  FailureOr<SmallVector<Value>> operands = readOperands(layer, {1, 3});
  if (failed(layer.readAttributes()) || failed(operands))
    return failure();
  Expansion e(layer, {}, *operands);
  Value data = e.operand(0), indices = e.operand(1), updates = e.operand(2);
  if (rankOf(updates) != rankOf(data) - 1 + rankOf(indices))
    return e.error("expected updates of rank " + llvm::Twine(rankOf(data) - 1 + rankOf(indices)) + ", but got rank " +
                   llvm::Twine(rankOf(updates)));
  AxisView view = viewAlong(e, data, e.operand(3));
  Value places = e.shapeOf(indices);
  Size count = e.reduce<ov::ReduceProdOp>(places, {0}, /*keepDims=*/true);
  Value expected = spliceShape(e, view, places, rankOf(indices));
  count = require(e, e.equal(expected, e.shapeOf(updates)), count);
  Value result =
      e.make<ov::ScatterUpdateOp>({e.reshape(data, {view.outer, view.length, view.inner}), e.reshape(indices, count),
                                   e.reshape(updates, {view.outer, count, view.inner}), e.scalar(1, e.i64())});
  return e.replace(e.reshape(result, view.shape));
}

/// True if the layer combines elements by sums or products, each of which would be rounded.
static bool combinesNumbers(LayerBuilder &layer) {
  const TextAttribute *reduction = layer.findData("reduction");
  return reduction && !llvm::is_contained({"none", "min", "max"}, StringRef(reduction->value).lower());
}

/// ScatterElementsUpdate: all dims are merged to one. The position of an update is the sum of those along all dims.
LogicalResult recur::ir::importScatterElementsUpdate(LayerBuilder &layer) {
  bool isWidened = combinesNumbers(layer);
  if (!hasOpenAxis(layer, 4, 3))
    return isWidened ? createWidened(layer, layer.operands) : layer.createOp();
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  FailureOr<SmallVector<Value>> operands = readOperands(layer, {1, 3});
  if (failed(attributes) || failed(operands))
    return failure();
  Expansion e(layer, *attributes, *operands);
  if (isWidened)
    e.widen();
  Value data = e.operand(0), indices = e.operand(1), updates = e.operand(2);
  int64_t rank = rankOf(data);
  if (rankOf(indices) != rank || rankOf(updates) != rank)
    return e.error("expected indices and updates of rank " + llvm::Twine(rank) + ", but got ranks " +
                   llvm::Twine(rankOf(indices)) + " and " + llvm::Twine(rankOf(updates)));
  AxisView view = viewAlong(e, data, e.operand(3));
  Value zero = e.scalar(0, e.i64()), places = e.shapeOf(indices);
  Value isAxis = e.equal(e.range(e.size(rank), e.i64()), view.axis);
  Value isInside = e.make<ov::LessEqualOp>({places, view.shape});
  Value fits = e.make<ov::LogicalOrOp>({isAxis, isInside});
  fits = e.make<ov::LogicalAndOp>({fits, e.equal(places, e.shapeOf(updates))});
  // An index out of range stays so, because no position is negative or as great as the number of elements.
  Value isValid = e.make<ov::LogicalAndOp>(
      {e.less(e.subtract(e.multiply(view.length, -1), 1), indices), e.less(indices, view.length)});
  Value index = e.select(e.less(indices, zero), e.add(indices, view.length), indices);
  Value position = e.multiply(index, view.inner);
  Size step = e.size(1);
  for (int64_t d = rank; d-- > 0;) {
    Size own = e.select(e.gather(isAxis, e.size(d), 0), e.size(0), step);
    position = e.add(position, e.alignTo(e.multiply(e.range(e.dim(indices, d), e.i64()), own), d, rank));
    step = e.multiply(step, e.dim(data, d));
  }
  position = e.select(isValid, position, step);
  Value flat = e.size(-1);
  Value result = e.make<ov::ScatterElementsUpdateOp>(
      {e.reshape(data, require(e, fits, step)), e.reshape(position, flat), e.reshape(updates, flat), zero},
      *attributes);
  return e.replace(e.reshape(result, view.shape));
}

/// ScatterNDUpdate, if only the call tells how many coordinates an index has. The dims that have coordinates are merged
/// to one, and so are the others.
LogicalResult recur::ir::importScatterNDUpdate(LayerBuilder &layer) {
  bool isWidened = combinesNumbers(layer);
  if (layer.operands.size() != 3 || rankOf(layer.operands[1]) == 0 || rankOf(layer.operands[0]) == 0 ||
      !typeOf(layer.operands[1]).isDynamicDim(rankOf(layer.operands[1]) - 1))
    return isWidened ? createWidened(layer, layer.operands) : layer.createOp();
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  FailureOr<SmallVector<Value>> operands = readOperands(layer, {1});
  if (failed(attributes) || failed(operands))
    return failure();
  Expansion e(layer, *attributes, *operands);
  if (isWidened)
    e.widen();
  Value data = e.operand(0), indices = e.operand(1), updates = e.operand(2), shape = e.shapeOf(data);
  int64_t rank = rankOf(data), last = rankOf(indices) - 1;
  Value zero = e.scalar(0, e.i64()), positions = e.range(e.size(rank), e.i64());
  Size coordinates = e.dim(indices, last);
  coordinates = require(e, e.less(coordinates, e.size(rank + 1)), coordinates);
  Value isOuter = e.less(positions, coordinates);
  Size outer = multiplyWhere(e, shape, isOuter);
  Size inner = multiplyWhere(e, shape, e.make<ov::LogicalNotOp>(isOuter));
  // The number of merged rows from one coordinate to the next, for each dim.
  SmallVector<Size> steps;
  for (int64_t d : llvm::seq(rank)) {
    Value isBehind = e.less(e.scalar(double(d), e.i64()), positions);
    steps.push_back(multiplyWhere(e, shape, e.make<ov::LogicalAndOp>({isBehind, isOuter})));
  }
  Value limits = e.slice(shape, 0, e.size(0), coordinates);
  Value isValid =
      e.make<ov::LogicalAndOp>({e.less(e.subtract(e.multiply(limits, -1), 1), indices), e.less(indices, limits)});
  Value index = e.select(e.less(indices, zero), e.add(indices, limits), indices);
  Value scaled = e.multiply(index, e.slice(e.concat(steps, 0), 0, e.size(0), coordinates));
  Value row = e.reduce<ov::ReduceSumOp>(scaled, {last}, /*keepDims=*/true);
  row = e.select(e.reduce<ov::ReduceLogicalAndOp>(isValid, {last}, /*keepDims=*/true), row, outer);
  Value places = e.slice(e.shapeOf(indices), 0, 0, last);
  Size count = e.reduce<ov::ReduceProdOp>(places, {0}, /*keepDims=*/true);
  Value own = e.concat({places, e.slice(shape, 0, coordinates, e.size(rank))}, 0);
  // The updates have the dims of the places and of the rows. A broadcast checks them, if the ranks agree.
  Value expected = e.reshape(own, e.size(rankOf(updates)));
  count = require(e, e.equal(expected, e.shapeOf(updates)), count);
  Value result = e.make<ov::ScatterNDUpdateOp>(
      {e.reshape(data, {outer, inner}), e.reshape(row, {count, e.size(1)}), e.reshape(updates, {count, inner})},
      *attributes);
  return e.replace(e.reshape(result, shape));
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

/// Splits the view along its middle dim by `OpT`, whose other operands are `more`.
template <typename OpT>
static LogicalResult splitAlong(LayerBuilder &layer, size_t count) {
  if (!hasOpenAxis(layer, count, 1))
    return layer.createOp();
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  FailureOr<SmallVector<Value>> given = readOperands(layer, {1});
  if (failed(attributes) || failed(given))
    return failure();
  Expansion e(layer, *attributes, *given);
  AxisView view = viewAlong(e, e.operand(0), e.operand(1));
  SmallVector<Value> operands{e.reshape(e.operand(0), {view.outer, view.length, view.inner}), e.scalar(1, e.i64())};
  if (count == 3)
    operands.push_back(e.operand(2));
  SmallVector<Value> parts = e.makeAll<OpT>(operands, *attributes);
  // Nothing reads a part without a port, and there may be many.
  for (Value &part : MutableArrayRef(parts).take_front(layer.layer.outputs.size()))
    part = e.reshape(part, spliceShape(e, view, e.dim(part, 1), 1));
  return e.replace(parts);
}

LogicalResult recur::ir::importSplit(LayerBuilder &layer) { return splitAlong<ov::SplitOp>(layer, 2); }
LogicalResult recur::ir::importVariadicSplit(LayerBuilder &layer) { return splitAlong<ov::VariadicSplitOp>(layer, 3); }

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult recur::ir::importUnsqueeze(LayerBuilder &layer) {
  Value axes = layer.operands.size() == 2 ? layer.operands[1] : Value();
  if (!axes || isConstant(axes) || rankOf(axes) > 1 || !typeOf(axes).hasStaticShape() ||
      !isa<IntegerType>(elementOf(axes)))
    return layer.createOp();
  FailureOr<SmallVector<Value>> operands = readOperands(layer, {1});
  if (failed(layer.readAttributes()) || failed(operands))
    return failure();
  Expansion e(layer, {}, *operands);
  Value data = e.operand(0), one = e.size(1);
  int64_t rank = rankOf(data) + typeOf(axes).getNumElements();
  Value isNew = isListed(e, e.operand(1), rank);
  // A dim that is not new is the next one of the data. With an axis that is given twice, there are too few.
  Value isOld = e.convert(e.make<ov::LogicalNotOp>(isNew), e.i64());
  Value from = e.make<ov::CumSumOp>({isOld, e.scalar(0, e.i64())});
  Value dims = e.concat({one, e.shapeOf(data)}, 0);
  Value sizes = e.select(isNew, one, e.gather(dims, from, 0));
  return e.replace(e.reshape(data, sizes));
}

/// Transpose: each element of the result is gathered. The order may be empty only if it is constant.
LogicalResult recur::ir::importTranspose(LayerBuilder &layer) {
  Value data = layer.operands.size() == 2 ? layer.operands[0] : Value();
  Value order = data ? layer.operands[1] : Value();
  int64_t rank = data ? rankOf(data) : 0;
  if (!order || isConstant(order) || rank == 0 || rankOf(order) != 1 || !isa<IntegerType>(elementOf(order)) ||
      (typeOf(order).getDimSize(0) != rank && !typeOf(order).isDynamicDim(0)))
    return layer.createOp();
  FailureOr<SmallVector<Value>> operands = readOperands(layer, {1});
  if (failed(layer.readAttributes()) || failed(operands))
    return failure();
  Expansion e(layer, {}, *operands);
  order = e.reshape(e.operand(1), e.size(rank));
  SmallVector<Size> steps(rank);
  Size total = e.size(1);
  for (int64_t d = rank; d-- > 0;) {
    steps[d] = total;
    total = e.multiply(total, e.dim(data, d));
  }
  Value sizes = e.gather(e.shapeOf(data), order, 0), strides = e.gather(e.concat(steps, 0), order, 0);
  Value position = e.scalar(0, e.i64());
  for (int64_t d : llvm::seq(rank)) {
    Value along = e.range(e.reshape(e.gather(sizes, e.size(d), 0), e.size(1)), e.i64());
    position = e.add(position, e.alignTo(e.multiply(along, e.gather(strides, e.size(d), 0)), d, rank));
  }
  Value flat = e.reshape(data, require(e, isListed(e, order, rank), total));
  return e.replace(e.gather(flat, position, 0));
}

LogicalResult recur::ir::importBroadcast(LayerBuilder &layer) {
  bool isExplicit = false;
  if (layer.findData("mode")) {
    FailureOr<Attribute> mode = layer.readAttribute("mode");
    if (failed(mode))
      return failure();
    isExplicit = cast<ov::BroadcastModeAttr>(*mode).getValue() == ov::BroadcastMode::Explicit;
  }
  // OpenVINO's front end for TensorFlow writes an `axes_mapping` in other modes too, where it has no meaning.
  if (layer.operands.size() != 3 || !isExplicit)
    return layer.createOp(layer.operands.size() == 3 ? layer.operands.drop_back() : layer.operands);
  Value data = layer.operands[0], target = layer.operands[1], mapping = layer.operands[2];
  int64_t rank = rankOf(data);
  if (isConstant(mapping) || rankOf(mapping) != 1 || rankOf(target) != 1 || typeOf(target).isDynamicDim(0) ||
      !isa<IntegerType>(elementOf(mapping)) || rank == 0)
    return layer.createOp();
  FailureOr<SmallVector<Value>> operands = readOperands(layer, {1, 2});
  if (failed(layer.readAttributes()) || failed(operands))
    return failure();
  Expansion e(layer, {}, *operands);
  // The data gets the rank of the result. A dim that no dim of the data is mapped to is 1.
  mapping = e.reshape(e.operand(2), e.size(rank));
  int64_t wanted = typeOf(target).getDimSize(0);
  Value isDim = e.equal(e.reshape(mapping, e.integers({1, rank})), e.unsqueeze(e.range(e.size(wanted), e.i64()), {1}));
  Value sizes = e.reduce<ov::ReduceProdOp>(e.select(isDim, e.shapeOf(data), e.size(1)), {1}, /*keepDims=*/false);
  // Each dim is mapped to one behind that of the dim before.
  Value previous = e.concat({e.size(-1), e.slice(mapping, 0, 0, rank - 1)}, 0);
  Value isValid =
      e.make<ov::LogicalAndOp>({e.less(previous, mapping), e.less(mapping, e.scalar(double(wanted), e.i64()))});
  Size total = require(e, isValid, e.reduce<ov::ReduceProdOp>(e.shapeOf(data), {0}, /*keepDims=*/true));
  return e.replace(e.broadcast(e.reshape(e.reshape(data, total), sizes), e.operand(1)));
}
