// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TimeAxes.cpp - Where the tensors of a model have time --------------===//
//
// First the sliced inputs of loops are followed back to the inputs of the model, which become timed. Then each op, in
// order, says how its results depend on time. If an op combines time steps with another input that varies along the
// same axis, that input becomes timed too, and all ops are looked at again.
//
//===----------------------------------------------------------------------===//

#include "TimeAxes.h"

#include "Forms.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

/// The axis of a sliced input of a loop, or of a concatenated result.
static TimeAxis alone(DimSource &dims, int64_t axis) { return {axis, *dims.constant(1), *dims.constant(1)}; }

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

const Timing &TimeAxes::get(Value value) const {
  static const Timing fixed;
  auto found = timings.find(value);
  return found != timings.end() ? found->second : fixed;
}

RankedTensorType TimeAxes::getStepType(Value value) const {
  RankedTensorType type = typeOf(value);
  const Timing &timing = get(value);
  if (timing.kind != Timing::Timed)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  std::optional<int64_t> outer = dims.exprs.getConstant(timing.time.outer),
                         inner = dims.exprs.getConstant(timing.time.inner);
  shape[timing.time.axis] = outer && inner ? *outer * *inner : ShapedType::kDynamic;
  return type.clone(shape);
}

InFlightDiagnostic TimeAxes::refuse(Operation *op) {
  InFlightDiagnostic diag = emitError(op->getLoc());
  if (auto layer = op->getLoc()->findInstanceOf<NameLoc>())
    diag << "'" << layer.getName().getValue() << "': ";
  diag << "cannot process one time step after the other: ";
  return diag;
}

LogicalResult TimeAxes::explain(InFlightDiagnostic diag, Value value, int64_t axis) {
  if (Operation *end = followed.lookup({value, axis}).end)
    diag.attachNote(end->getLoc()) << "time cannot be followed through this op";
  return diag;
}

LogicalResult TimeAxes::run() {
  findLoops();
  if (timeLoops.empty() && firstSliced)
    return explain(refuse(firstLoop) << "expected slices along the time of an input", firstSliced, firstAxis);
  if (timeLoops.empty()) {
    InFlightDiagnostic diag = emitError(entry.getLoc());
    diag << "expected a loop or a sequence over several time steps of an input, to compile its body for one of them, "
            "but the model has none";
    diag.attachNote(entry.getLoc()) << "a model that takes one time step in each call streams by its entry 'run'";
    return diag;
  }
  // Each pass makes at least one more input timed.
  for (bool isDone = false; !isDone;) {
    numTimed = inputs.size();
    timings.clear();
    for (BlockArgument input : entry.getArguments()) {
      auto found = inputs.find(input);
      if (found == inputs.end())
        continue;
      TimeAxis time = found->second;
      int64_t size = typeOf(input).getDimSize(time.axis);
      if (length && !ShapedType::isDynamic(size) && size != *length)
        return emitError(input.getLoc()) << "cannot process one time step after the other: expected " << *length
                                         << " time steps, as in another input, but got " << size;
      if (!ShapedType::isDynamic(size))
        length = size;
      timings[input] = {Timing::Timed, time};
    }
    for (Operation &op : entry.getBody().front().without_terminator())
      if (failed(transfer(&op)))
        return failure();
    isDone = inputs.size() == numTimed;
  }
  for (OpOperand &result : entry.getBody().front().getTerminator()->getOpOperands())
    if (get(result.get()).kind == Timing::Sizes)
      return emitError(entry.getLoc()) << "cannot process one time step after the other: result "
                                       << result.getOperandNumber() << " depends on the number of time steps";
  return success();
}

/// The length of a concatenation of a loop with one iteration for each element of the sliced axes.
template <typename LoopT>
static DimSource::MaybeDim getLength(LoopT loop, OpResult result, int64_t dim, DimSource &dims) {
  unsigned first = loop->getNumResults() - loop.getConcatenated().size();
  if (result.getResultNumber() < first)
    return std::nullopt;
  unsigned number = result.getResultNumber() - first;
  int64_t part = typeOf(loop.getYield().getConcat()[number]).getDimSize(loop.getConcatAt(number).getAxis());
  if (dim != loop.getConcatAt(number).getAxis() || ShapedType::isDynamic(part))
    return std::nullopt;
  return dims.combine(DimKind::product,
                      {dims.get(loop.getSliced().front(), loop.getSliceAt(0).getAxis()), dims.constant(part)});
}

DimSource::MaybeDim TimeDims::getOfOp(OpResult result, int64_t dim) {
  if (loops.contains(result.getOwner())) {
    auto loop = dyn_cast<TensorIteratorOp>(result.getOwner());
    return loop ? getLength(loop, result, dim, *this) : getLength(cast<LoopOp>(result.getOwner()), result, dim, *this);
  }
  return ValueDims::getOfOp(result, dim);
}

//===----------------------------------------------------------------------===//
// From loops to inputs
//===----------------------------------------------------------------------===//

bool TimeAxes::follow(Value value, TimeAxis time) {
  std::pair<Value, int64_t> place(value, time.axis);
  if (auto known = followed.find(place); known != followed.end())
    return known->second.isFound;
  if (auto input = dyn_cast<BlockArgument>(value)) {
    bool isFound = isAlone(time);
    if (isFound)
      inputs.try_emplace(input, time);
    followed[place] = {isFound, nullptr};
    return isFound;
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  Search search{isTimeLoop(op), op->getNumOperands() != 0 ? op : nullptr};
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (int64_t axis = 0; type && axis < type.getRank(); ++axis) {
      // A reshape may merge time with other dims, or take it apart. All other ops keep its factors.
      std::optional<TimeAxis> source = TimeAxis{axis, time.outer, time.inner};
      if (keepsElements(op))
        source = operand.getOperandNumber() == 0 ? mapElements(value, operand.get(), time) : std::nullopt;
      bool varies = source && typeOf(operand.get()).getDimSize(source->axis) == typeOf(value).getDimSize(time.axis);
      if (source && (varies || keepsElements(op)) &&
          map(op, operand.getOperandNumber(), result.getResultNumber(), *source) == time) {
        search.isFound |= follow(operand.get(), *source);
        search.end = followed.lookup({operand.get(), source->axis}).end;
      }
    }
  }
  followed[place] = search;
  return search.isFound;
}

void TimeAxes::findLoops() {
  for (Operation &op : entry.getBody().front()) {
    auto followSlices = [&](auto loop) {
      if (!firstSliced && !loop.getSliced().empty()) {
        firstLoop = loop;
        firstSliced = loop.getSliced().front();
        firstAxis = loop.getSliceAt(0).getAxis();
      }
      for (auto [i, sliced] : llvm::enumerate(loop.getSliced()))
        if (follow(sliced, alone(dims, loop.getSliceAt(i).getAxis())) && timeLoops.insert(&op).second)
          dims.addLoop(&op);
    };
    if (auto loop = dyn_cast<TensorIteratorOp>(op))
      followSlices(loop);
    else if (auto loop = dyn_cast<LoopOp>(op))
      followSlices(loop);
  }
}

//===----------------------------------------------------------------------===//
// From inputs to outputs
//===----------------------------------------------------------------------===//

LogicalResult TimeAxes::setAll(Operation *op, const Timing &timing) {
  for (Value result : op->getResults())
    timings[result] = timing;
  return success();
}

LogicalResult TimeAxes::transfer(Operation *op) {
  if (isTimeLoop(op)) {
    if (auto loop = dyn_cast<TensorIteratorOp>(op))
      return transferLoop(loop);
    return transferLoop(cast<LoopOp>(op));
  }
  // What a body takes from outside counts as operands.
  llvm::SetVector<Value> used(op->getOperands().begin(), op->getOperands().end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, used);
  auto isAny = [&](Timing::Kind kind) {
    return llvm::any_of(used, [&](Value value) { return get(value).kind == kind; });
  };
  if (isAny(Timing::Timed))
    return transferTimed(op);
  if (isAny(Timing::Sizes))
    return transferSizes(op);
  return setAll(op, {isAny(Timing::Latest) ? Timing::Latest : Timing::Fixed});
}

LogicalResult TimeAxes::checkRepeated(Operation *op, unsigned operand, unsigned result, TimeAxis time) {
  Value value = op->getOperand(operand);
  auto type = cast<RankedTensorType>(value.getType());
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    std::optional<TimeAxis> place = map(op, operand, result, {axis, time.outer, time.inner});
    if (!place || place->axis != time.axis || type.getDimSize(axis) == 1)
      continue;
    // An input that another op has found in this pass is timed in the next one, too.
    if (!follow(value, {axis, time.outer, time.inner}) || inputs.size() == numTimed)
      return explain(refuse(op) << "operand " << operand << " has other values at other time steps, but is no input",
                     value, axis);
    break;
  }
  return success();
}

LogicalResult TimeAxes::transferTimed(Operation *op) {
  if (op->getNumRegions() != 0)
    return refuse(op) << "its body uses all time steps";
  if (isa<ShapeOfOp>(op)) {
    Timing sizes{Timing::Sizes};
    const Timing &given = get(op->getOperand(0));
    sizes.sizes.assign(typeOf(op->getOperand(0)).getRank(), Timing::Other);
    sizes.sizes[given.time.axis] = isAlone(given.time) ? Timing::Steps : Timing::FromSteps;
    return setAll(op, sizes);
  }
  if (get(op->getOperand(0)).kind == Timing::Timed && isLastStep(op, get(op->getOperand(0)).time)) {
    lastSteps.insert(op);
    return setAll(op, {Timing::Latest});
  }
  const Timing &data = get(op->getOperand(0));
  if (data.kind == Timing::Timed && getStepsBefore(op, data.time.axis).value_or(0) > 0) {
    SmallVector<int64_t> others(typeOf(op->getOperand(0)).getShape());
    others.erase(others.begin() + data.time.axis);
    if (ShapedType::isDynamicShape(others))
      return refuse(op) << "it needs earlier time steps, for which all dims but time have to be static";
  }
  bool isChecked = true;
  for (OpResult result : op->getResults()) {
    std::optional<TimeAxis> time;
    for (OpOperand &operand : op->getOpOperands()) {
      const Timing &timing = get(operand.get());
      if (timing.kind != Timing::Timed)
        continue;
      std::optional<TimeAxis> place = map(op, operand.getOperandNumber(), result.getResultNumber(), timing.time);
      if (!place)
        return refuse(op) << "it combines the time steps of operand " << operand.getOperandNumber();
      if (time && *place != *time)
        return refuse(op) << "its operands have time along different axes";
      time = place;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      const Timing &timing = get(operand.get());
      if (timing.kind == Timing::Latest)
        return refuse(op) << "it combines each time step with the last one, in operand " << operand.getOperandNumber();
      // The shape of a reshape is allowed to depend on the number of steps: the map has proved where time is.
      if (timing.kind == Timing::Sizes && !(isa<ReshapeOp>(op) && operand.getOperandNumber() == 1))
        return refuse(op) << "operand " << operand.getOperandNumber() << " depends on the number of time steps";
      if (timing.kind == Timing::Fixed)
        isChecked &= succeeded(checkRepeated(op, operand.getOperandNumber(), result.getResultNumber(), *time));
    }
    timings[result] = {Timing::Timed, *time};
  }
  return success(isChecked);
}

LogicalResult TimeAxes::transferSizes(Operation *op) {
  // An op without a reader may stay because it can fail.
  if (op->use_empty())
    return setAll(op, {Timing::Sizes});
  // A value that is repeated for each time step is the same at each of them.
  if (auto broadcast = dyn_cast<BroadcastOp>(op); broadcast && get(broadcast.getTargetShape()).kind == Timing::Sizes) {
    ArrayRef<Timing::Size> sizes = get(broadcast.getTargetShape()).sizes;
    int64_t axis = std::distance(sizes.begin(), llvm::find(sizes, Timing::Steps)), rank = sizes.size();
    int64_t own = axis - rank + typeOf(broadcast.getData()).getRank();
    bool isRepeated = own < 0 || typeOf(broadcast.getData()).getDimSize(own) == 1;
    if (broadcast.getMode() == BroadcastMode::Numpy && isRepeated && llvm::count(sizes, Timing::Other) == rank - 1 &&
        axis != rank && get(broadcast.getData()).kind == Timing::Fixed)
      return setAll(op, {Timing::Timed, alone(dims, axis)});
  }
  for (Value result : op->getResults()) {
    std::optional<int64_t> count = getStaticLength(result);
    if (!count || *count > kMaxShapeElements || !typeOf(result).getElementType().isIntOrIndex())
      return refuse(op) << "it depends on the number of time steps";
  }
  Value result = op->getResult(0);
  SmallVector<Timing::Size> sizes(*getStaticLength(result), Timing::FromSteps);
  ArrayRef<Timing::Size> first = get(op->getOperand(0)).sizes;
  std::optional<SmallVector<int64_t>> indices;
  if (auto gather = dyn_cast<GatherOp>(op); gather && !first.empty())
    indices = getConstantIntegers(gather.getIndices());
  if (indices && indices->size() == sizes.size()) {
    for (auto [size, index] : llvm::zip_equal(sizes, *indices)) {
      int64_t at = index < 0 ? index + int64_t(first.size()) : index;
      if (at >= 0 && at < int64_t(first.size()))
        size = first[at];
    }
  } else if (isa<ConcatOp>(op)) {
    sizes.clear();
    for (Value operand : op->getOperands()) {
      ArrayRef<Timing::Size> own = get(operand).sizes;
      sizes.append(own.begin(), own.end());
      if (own.empty())
        sizes.append(*getStaticLength(operand), Timing::Other);
    }
  } else if ((keepsElements(op) || isa<ConvertOp>(op)) && first.size() == sizes.size()) {
    sizes.assign(first.begin(), first.end());
  }
  bool isFixed = op->getNumResults() == 1 && llvm::all_equal(sizes) && !sizes.empty() && sizes[0] == Timing::Other;
  return setAll(op, isFixed ? Timing() : Timing{Timing::Sizes, {}, sizes});
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// True if the condition of the loop, before the first iteration and after each, is true.
static bool alwaysContinues(TensorIteratorOp loop) { return true; }
static bool alwaysContinues(LoopOp loop) {
  return getConstantBool(loop.getCondition()) == true && loop.isConditionAlwaysTrue();
}

LogicalResult TimeAxes::checkCount(LoopOp loop, Value sliced, int64_t axis) {
  Value count = loop.getTripCount();
  if (auto constants = getConstantIntegers(count); constants && constants->size() == 1)
    if (constants->front() == -1 || constants->front() == length)
      return success();
  // A count that is a dim is not negative.
  for (Operation *op = count.getDefiningOp(); op && (keepsElements(op) || isa<ConvertOp, MaximumOp>(op));
       op = count.getDefiningOp()) {
    if (isa<MaximumOp>(op)) {
      auto least = getConstantIntegers(op->getOperand(1));
      if (!least || least->size() != 1 || least->front() > 1)
        break;
    }
    count = op->getOperand(0);
  }
  DimSource::MaybeDim steps = dims.getElement(count, 0);
  if (steps && steps == dims.get(sliced, axis))
    return success();
  return refuse(loop) << "its trip count is not known to be the number of time steps";
}

template <typename LoopT>
LogicalResult TimeAxes::transferLoop(LoopT loop) {
  for (auto [i, sliced] : llvm::enumerate(loop.getSliced())) {
    SliceInputAttr slice = loop.getSliceAt(i);
    const Timing &timing = get(sliced);
    if (slice.isBackward())
      return refuse(loop) << "it goes backward in time";
    if (timing.kind != Timing::Timed || timing.time != alone(dims, slice.getAxis()))
      return explain(refuse(loop) << "sliced input " << i << " has other values at other time steps, but is no input",
                     sliced, slice.getAxis());
    int64_t size = typeOf(sliced).getDimSize(slice.getAxis());
    bool visitsAll = slice.visitsEachElement() ||
                     (!ShapedType::isDynamic(size) && slice.getPartSize() == 1 && slice.countSlices(size) == size);
    if (!visitsAll)
      return refuse(loop) << "an iteration does not read one time step of sliced input " << i;
    if (failed(checkCount(loop, sliced, slice.getAxis())))
      return failure();
  }
  if (!alwaysContinues(loop))
    return refuse(loop) << "it may end before the last time step";
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
    if (get(init).kind != Timing::Fixed)
      return refuse(loop) << "the initial value of carried value " << i << " depends on time steps";
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(loop.getBody(), used);
  for (Value value : used)
    if (get(value).kind != Timing::Fixed)
      return refuse(loop) << "an iteration uses a value that depends on other time steps";
  for (Value result : loop->getResults())
    timings[result] = {Timing::Latest};
  for (auto [i, result] : llvm::enumerate(loop.getConcatenated())) {
    ConcatOutputAttr concat = loop.getConcatAt(i);
    int64_t part = typeOf(loop.getYield().getConcat()[i]).getDimSize(concat.getAxis());
    if (concat.getReverse())
      return refuse(loop) << "concatenated result " << i << " has the last time step first";
    if (ShapedType::isDynamic(part))
      return refuse(loop) << "the length of a part of concatenated result " << i << " is not static";
    timings[result] = {Timing::Timed, {concat.getAxis(), *dims.constant(1), *dims.constant(part)}};
  }
  return success();
}
