// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RaiseLoops.cpp - Loops say what they mean --------------------------===//
//
// Exporters that know no slices and no concatenations write loops over a counter. What they compute from it is found
// again here: how often the loop runs, which part of an input an iteration reads, and where its result goes.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace recur::ov {
#define GEN_PASS_DEF_RAISELOOPS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

static bool isOneInteger(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType().isSignlessInteger() && type.getElementTypeBitWidth() >= 32 && type.hasStaticShape() &&
         type.getNumElements() == 1;
}

/// The one element of a constant i32 or i64 tensor.
static std::optional<int64_t> getConstantInteger(Value value) {
  std::optional<SmallVector<int64_t>> values = getConstantIntegers(value);
  if (!values || values->size() != 1)
    return std::nullopt;
  return values->front();
}

/// The value whose only element `value` holds too: through reshapes, and conversions that lose nothing.
static Value lookThroughForms(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isOneInteger(value) || !isa<ReshapeOp, SqueezeOp, UnsqueezeOp, ConvertOp>(op) ||
        !isOneInteger(op->getOperand(0)))
      break;
    if (isa<ConvertOp>(op) && getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() >
                                  getElementTypeOrSelf(value).getIntOrFloatBitWidth())
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
/// `start + step * i` in iteration i.
struct Induction {
  int64_t start, step;
};

/// `base + offset`.
struct Offset {
  Value base;
  int64_t offset;
};
} // namespace

/// A one-element integer as an offset from another.
static Offset getOffset(Value value) {
  Offset result{lookThroughForms(value), 0};
  while (Operation *op = result.base.getDefiningOp()) {
    if (!isa<AddOp, SubtractOp>(op) || !isOneInteger(result.base))
      break;
    std::optional<int64_t> by = getConstantInteger(op->getOperand(1));
    Value rest = op->getOperand(0);
    if (!by && isa<AddOp>(op)) {
      by = getConstantInteger(op->getOperand(0));
      rest = op->getOperand(1);
    }
    if (!by || !isOneInteger(rest))
      break;
    std::optional<int64_t> sum =
        isa<AddOp>(op) ? llvm::checkedAdd(result.offset, *by) : llvm::checkedSub(result.offset, *by);
    if (!sum)
      break;
    result = {lookThroughForms(rest), *sum};
  }
  return result;
}

/// What `value`, computed in the body of `loop`, is in each iteration. Counters are taken to be small enough not to
/// wrap; who uses one checks that.
static std::optional<Induction> getInduction(LoopOp loop, Value value) {
  if (!isOneInteger(value))
    return std::nullopt;
  Offset offset = getOffset(value);
  auto arg = dyn_cast<BlockArgument>(offset.base);
  if (!arg || arg.getOwner() != loop.getBodyBlock())
    return std::nullopt;
  if (arg == loop.getIndexArg())
    return Induction{offset.offset, 1};
  for (auto [i, carried] : llvm::enumerate(loop.getCarriedArgs())) {
    if (carried != arg)
      continue;
    std::optional<int64_t> start = getConstantInteger(loop.getInitArgs()[i]);
    Offset next = getOffset(loop.getYield().getNext()[i]);
    std::optional<int64_t> sum = start ? llvm::checkedAdd(*start, offset.offset) : std::nullopt;
    if (!sum || next.base != arg)
      return std::nullopt;
    return Induction{*sum, next.offset};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Trip counts
//===----------------------------------------------------------------------===//

namespace {
/// The body asks for another iteration while `first + step * i < limit`.
struct Bound {
  int64_t first, step;
  /// The limit, if it is constant, and as a value, if it is not.
  std::optional<int64_t> constant;
  Value value;
  bool operator==(const Bound &other) const {
    return first == other.first && step == other.step && constant == other.constant && value == other.value;
  }
};

/// A comparison of two integers: `lhs < rhs + slack`.
struct Comparison {
  Value lhs, rhs;
  int64_t slack;
};
} // namespace

static std::optional<Comparison> getComparison(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<LessOp, LessEqualOp, GreaterOp, GreaterEqualOp>(op) || !isOneInteger(op->getOperand(0)) ||
      !isOneInteger(op->getOperand(1)))
    return std::nullopt;
  Comparison result{op->getOperand(0), op->getOperand(1), isa<LessEqualOp, GreaterEqualOp>(op)};
  if (isa<GreaterOp, GreaterEqualOp>(op))
    std::swap(result.lhs, result.rhs);
  return result;
}

static bool isOneBoolean(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType().isInteger(1) && type.hasStaticShape() && type.getNumElements() == 1;
}

/// What must hold, all of it, for `condition` to hold.
static SmallVector<Value> getConjuncts(Value condition) {
  SmallVector<Value> worklist{condition}, conjuncts;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && isa<LogicalAndOp>(op) && isOneBoolean(op->getOperand(0)) && isOneBoolean(op->getOperand(1)))
      worklist.append({op->getOperand(1), op->getOperand(0)});
    else if (op && isa<ReshapeOp, SqueezeOp, UnsqueezeOp>(op) && isOneBoolean(op->getOperand(0)))
      worklist.push_back(op->getOperand(0));
    else
      conjuncts.push_back(value);
  }
  return conjuncts;
}

static bool isConstantTrue(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.getElementType().isInteger(1) && elements.isSplat() && elements.getSplatValue<bool>();
}

static std::optional<Bound> getBound(LoopOp loop, Value conjunct) {
  std::optional<Comparison> comparison = getComparison(conjunct);
  if (!comparison)
    return std::nullopt;
  std::optional<Induction> counter = getInduction(loop, comparison->lhs);
  if (!counter || counter->step <= 0)
    return std::nullopt;
  Bound bound{counter->start, counter->step, std::nullopt, Value()};
  if (std::optional<int64_t> limit = getConstantInteger(comparison->rhs)) {
    std::optional<int64_t> sum = llvm::checkedAdd(*limit, comparison->slack);
    // Beyond, the counter would wrap before it reaches the limit.
    int64_t most = llvm::maxIntN(getElementTypeOrSelf(comparison->lhs).getIntOrFloatBitWidth());
    if (!sum || *sum > most - bound.step || bound.first < -(int64_t(1) << 62))
      return std::nullopt;
    bound.constant = *sum;
    return bound;
  }
  // A counter that goes up by one meets every limit before it wraps.
  if (bound.step != 1 || comparison->slack || loop.getBody().isAncestor(comparison->rhs.getParentRegion()) ||
      bound.first < 0)
    return std::nullopt;
  bound.value = lookThroughForms(comparison->rhs);
  return bound;
}

static Value createInteger(OpBuilder &builder, Location loc, RankedTensorType type, int64_t value) {
  return ConstantOp::create(builder, loc, type,
                            DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
}

/// Takes comparisons of a counter with a limit out of the condition and puts the limit into the trip count.
static bool raiseTripCount(LoopOp loop, RewriterBase &rewriter) {
  YieldOp yield = loop.getYield();
  std::optional<int64_t> trip = getConstantInteger(loop.getTripCount());
  if (!trip || *trip < -1 || !isOneBoolean(yield.getCondition()))
    return false;
  SmallVector<Bound> bounds;
  SmallVector<Value> rest;
  for (Value conjunct : getConjuncts(yield.getCondition())) {
    if (std::optional<Bound> bound = getBound(loop, conjunct)) {
      if (!llvm::is_contained(bounds, *bound))
        bounds.push_back(*bound);
    } else if (!isConstantTrue(conjunct)) {
      rest.push_back(conjunct);
    }
  }
  if (bounds.empty())
    return false;

  // The condition in front often asks the same for the iteration before the first; then zero needs no case of its own.
  auto isAskedInFront = [&](Value conjunct) {
    if (isConstantTrue(conjunct))
      return true;
    std::optional<Comparison> front = getComparison(conjunct);
    std::optional<int64_t> first = front ? getConstantInteger(front->lhs) : std::nullopt;
    return first && !front->slack && llvm::any_of(bounds, [&](const Bound &bound) {
             return bound.value && bound.value == lookThroughForms(front->rhs) && bound.first - 1 == *first;
           });
  };
  SmallVector<Value> inFront = getConjuncts(loop.getCondition());
  bool merge = !isConstantTrue(loop.getCondition()) && isOneBoolean(loop.getCondition()) &&
               llvm::all_of(inFront, isAskedInFront);

  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  std::optional<int64_t> most = *trip == -1 ? std::nullopt : trip;
  Value count;
  for (const Bound &bound : bounds) {
    if (bound.constant) {
      // first <= limit is far from overflow, by the checks in getBound.
      int64_t more =
          *bound.constant > bound.first ? (*bound.constant - bound.first - 1) / bound.step + 1 : 0;
      most = std::min(most.value_or(std::numeric_limits<int64_t>::max()), more + 1);
      continue;
    }
    auto type = cast<RankedTensorType>(bound.value.getType()).clone(rewriter.getI64Type());
    Value limit = bound.value;
    if (limit.getType() != type)
      limit = ConvertOp::create(rewriter, loc, type, limit);
    bool again = merge && llvm::any_of(inFront, [&](Value conjunct) {
                   std::optional<Comparison> front = getComparison(conjunct);
                   return front && lookThroughForms(front->rhs) == bound.value;
                 });
    int64_t first = again ? bound.first - 1 : bound.first;
    if (first)
      limit = SubtractOp::create(rewriter, loc, limit, createInteger(rewriter, loc, type, first));
    limit = MaximumOp::create(rewriter, loc, limit, createInteger(rewriter, loc, type, 0));
    if (!again) {
      // One more must not overflow; a loop of so many iterations never ends.
      limit = MinimumOp::create(rewriter, loc, limit, createInteger(rewriter, loc, type, int64_t(1) << 62));
      limit = AddOp::create(rewriter, loc, limit, createInteger(rewriter, loc, type, 1));
    }
    count = count ? MinimumOp::create(rewriter, loc, count, limit).getResult() : limit;
  }
  auto scalar = RankedTensorType::get({}, rewriter.getI64Type());
  if (most) {
    Value constant = createInteger(rewriter, loc, scalar, *most);
    count = count ? MinimumOp::create(rewriter, loc, count, constant).getResult() : constant;
  }
  Value condition;
  rewriter.setInsertionPoint(yield);
  for (Value conjunct : rest)
    condition = condition ? LogicalAndOp::create(rewriter, loc, condition, conjunct).getResult() : conjunct;
  auto boolean = cast<RankedTensorType>(yield.getCondition().getType());
  auto yes = DenseElementsAttr::get(boolean, true);
  if (!condition)
    condition = ConstantOp::create(rewriter, loc, boolean, yes);
  rewriter.modifyOpInPlace(yield, [&] { yield.getConditionMutable().assign(condition); });
  rewriter.setInsertionPoint(loop);
  rewriter.modifyOpInPlace(loop, [&] {
    loop.getTripCountMutable().assign(count);
    if (merge) {
      auto type = cast<RankedTensorType>(loop.getCondition().getType());
      loop.getConditionMutable().assign(ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, true)));
    }
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// True if a one-element integer, a dim or made of dims, is surely not negative.
static bool isNonNegative(Value value, unsigned depth = 8) {
  if (std::optional<SmallVector<int64_t>> constant = getConstantIntegers(value))
    return llvm::all_of(*constant, [](int64_t entry) { return entry >= 0; });
  Operation *op = value.getDefiningOp();
  if (!op || !depth)
    return false;
  auto operand = [&](unsigned i) { return isNonNegative(op->getOperand(i), depth - 1); };
  if (isa<ShapeOfOp>(op))
    return true;
  if (isa<ReshapeOp, SqueezeOp, UnsqueezeOp, GatherOp>(op))
    return operand(0);
  if (isa<ConvertOp>(op))
    return getElementTypeOrSelf(op->getOperand(0)).isSignlessInteger() && operand(0);
  if (isa<MaximumOp>(op))
    return operand(0) || operand(1);
  if (isa<MinimumOp>(op))
    return operand(0) && operand(1);
  return false;
}

namespace {
struct NewSlice {
  Operation *reader;
  Value data;
  PartitionAttr partition;
  RankedTensorType part;
};
} // namespace

/// The parts of `data` along `axis` that `counter` names one after the other.
static std::optional<NewSlice> getSlice(LoopOp loop, Operation *reader, Value data, int64_t axis, Induction counter) {
  auto type = cast<RankedTensorType>(data.getType());
  int64_t dim = type.getDimSize(axis);
  std::optional<int64_t> trip = getConstantInteger(loop.getTripCount());
  if (counter.start < 0 || counter.step <= 0)
    return std::nullopt;
  PartitionAttr partition;
  if (trip && *trip > 0 && !ShapedType::isDynamic(dim)) {
    std::optional<int64_t> last = llvm::checkedMulAdd(counter.step, *trip - 1, counter.start);
    if (!last || *last >= dim)
      return std::nullopt;
    partition = PartitionAttr::get(loop.getContext(), axis, counter.start, *last, counter.step, 1);
  } else {
    // An index beyond the last part is a fault, and so are more iterations than parts; but only where every iteration
    // takes place.
    if (!loop.isConditionAlwaysTrue() || counter.start != 0 || counter.step != 1 || !isNonNegative(loop.getTripCount()))
      return std::nullopt;
    partition = PartitionAttr::get(loop.getContext(), axis, 0, -1, 1, 1);
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  return NewSlice{reader, data, partition, type.clone(shape)};
}

/// The value of a one-element tensor that is one more than `value`.
static bool isOneMore(Value more, Value value) {
  Offset a = getOffset(more), b = getOffset(value);
  return a.base == b.base && a.offset == b.offset + 1;
}

static std::optional<NewSlice> matchSlice(LoopOp loop, Operation &op) {
  auto isOutside = [&](Value value) { return !loop.getBody().isAncestor(value.getParentRegion()); };
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto data = cast<RankedTensorType>(gather.getData().getType());
    auto indices = cast<RankedTensorType>(gather.getIndices().getType());
    std::optional<int64_t> axis = getConstantInteger(gather.getAxis());
    std::optional<Induction> counter = getInduction(loop, gather.getIndices());
    if (axis)
      axis = normalizeAxis(*axis, data.getRank());
    if (!isOutside(gather.getData()) || !axis || !counter || indices.getRank() > 1 || gather.getBatchDims() != 0)
      return std::nullopt;
    return getSlice(loop, &op, gather.getData(), *axis, *counter);
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    auto data = cast<RankedTensorType>(slice.getData().getType());
    std::optional<int64_t> step = getConstantInteger(slice.getStep()), axis = 0;
    if (slice.getAxes())
      axis = getConstantInteger(slice.getAxes());
    if (axis)
      axis = normalizeAxis(*axis, data.getRank());
    std::optional<Induction> counter = getInduction(loop, slice.getStart());
    if (!isOutside(slice.getData()) || !axis || step != 1 || !counter || !isOneInteger(slice.getStop()) ||
        !isOneMore(slice.getStop(), slice.getStart()))
      return std::nullopt;
    // A slice beyond the end is empty, not a fault, so all of it must be known.
    if (data.isDynamicDim(*axis) || !getConstantInteger(loop.getTripCount()))
      return std::nullopt;
    return getSlice(loop, &op, slice.getData(), *axis, *counter);
  }
  return std::nullopt;
}

/// `loop` with other slices and concatenations; its body moves.
static LoopOp rebuild(LoopOp loop, RewriterBase &rewriter, ValueRange sliced, ArrayAttr slices, TypeRange concatenated,
                      ArrayAttr concats) {
  LoopOp replacement =
      LoopOp::create(rewriter, loop.getLoc(), loop.getCarried().getTypes(), loop.getLast().getTypes(), concatenated,
                     loop.getTripCount(), loop.getCondition(), sliced, loop.getInitArgs(), slices, concats,
                     loop.getHasIndexAttr());
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(loop.getBody(), replacement.getBody(), replacement.getBody().end());
  unsigned old = loop.getNumResults();
  rewriter.replaceOp(loop, replacement.getResults().take_front(old));
  return replacement;
}

/// Reads of a part of an invariant by a counter become sliced inputs.
static LoopOp raiseSlices(LoopOp loop, RewriterBase &rewriter) {
  SmallVector<NewSlice> found;
  for (Operation &op : *loop.getBodyBlock())
    if (std::optional<NewSlice> slice = matchSlice(loop, op))
      found.push_back(*slice);
  if (found.empty())
    return loop;
  SmallVector<Value> sliced(loop.getSliced());
  SmallVector<Attribute> slices(loop.getSlices().begin(), loop.getSlices().end());
  unsigned firstNew = (loop.getIndexArg() ? 1 : 0) + sliced.size();
  for (auto [i, slice] : llvm::enumerate(found)) {
    sliced.push_back(slice.data);
    slices.push_back(slice.partition);
    Location loc = slice.reader->getLoc();
    Value part = loop.getBodyBlock()->insertArgument(firstNew + i, slice.part, loc);
    auto type = cast<RankedTensorType>(slice.reader->getResult(0).getType());
    rewriter.setInsertionPoint(slice.reader);
    if (type.getRank() < slice.part.getRank()) {
      auto axes = RankedTensorType::get({1}, rewriter.getI64Type());
      Value axis = createInteger(rewriter, loc, axes, slice.partition.getAxis());
      part = SqueezeOp::create(rewriter, loc, type, part, axis);
    } else if (type != slice.part) {
      part = tensor::CastOp::create(rewriter, loc, type, part);
    }
    rewriter.replaceOp(slice.reader, part);
  }
  rewriter.setInsertionPoint(loop);
  return rebuild(loop, rewriter, sliced, rewriter.getArrayAttr(slices), loop.getConcatenated().getTypes(),
                 loop.getConcats());
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

namespace {
/// Carried value `carried` is put together of parts.
struct NewConcat {
  unsigned carried;
  Operation *writer;
  Value part;
  PartitionAttr partition;
  RankedTensorType result;
  /// How many elements of the initial value, along the axis, stay in front and behind.
  int64_t before = 0, behind = 0;
};
} // namespace

/// The entry that `shape`, a tensor of dims, has at `position`, if it is known where that comes from.
static Value getEntry(Value shape, int64_t position) {
  auto concat = shape.getDefiningOp<ConcatOp>();
  if (!concat)
    return Value();
  for (Value operand : concat.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() != 1 || !type.hasStaticShape())
      return Value();
    if (position < type.getDimSize(0))
      return type.getDimSize(0) == 1 ? lookThroughForms(operand) : getEntry(operand, position);
    position -= type.getDimSize(0);
  }
  return Value();
}

/// True if dim `axis` of `tensor` is what `count` holds.
static bool isCounted(Value tensor, int64_t axis, Value count) {
  if (auto broadcast = tensor.getDefiningOp<BroadcastOp>()) {
    Value entry = getEntry(broadcast.getTargetShape(), axis);
    Value source = lookThroughForms(count);
    // A dim is not negative, so a bound by 0 changes nothing.
    while (auto maximum = source.getDefiningOp<MaximumOp>()) {
      std::optional<int64_t> other = getConstantInteger(maximum->getOperand(1));
      if (!other || *other > 0)
        break;
      source = lookThroughForms(maximum->getOperand(0));
    }
    while (auto minimum = source.getDefiningOp<MinimumOp>()) {
      if (minimum->getOperand(0) != minimum->getOperand(1))
        break;
      source = lookThroughForms(minimum->getOperand(0));
    }
    return entry && entry == source;
  }
  return false;
}

static std::optional<NewConcat> matchConcat(LoopOp loop, unsigned i) {
  Value arg = loop.getCarriedArgs()[i], next = loop.getYield().getNext()[i], init = loop.getInitArgs()[i];
  Operation *writer = next.getDefiningOp();
  while (auto cast = dyn_cast_or_null<tensor::CastOp>(writer))
    writer = cast.getSource().hasOneUse() ? cast.getSource().getDefiningOp() : nullptr;
  if (!writer || writer->getBlock() != loop.getBodyBlock() || !arg.hasOneUse() || !next.hasOneUse() ||
      *arg.getUsers().begin() != writer)
    return std::nullopt;
  auto type = cast<RankedTensorType>(arg.getType()), initType = cast<RankedTensorType>(init.getType());
  std::optional<int64_t> trip = getConstantInteger(loop.getTripCount());
  bool exact = loop.isConditionAlwaysTrue() && isConstantTrue(loop.getCondition());
  MLIRContext *context = loop.getContext();

  if (auto scatter = dyn_cast<ScatterUpdateOp>(writer)) {
    std::optional<int64_t> axis = getConstantInteger(scatter.getAxis());
    std::optional<Induction> counter = getInduction(loop, scatter.getIndices());
    auto part = cast<RankedTensorType>(scatter.getUpdates().getType());
    auto indices = cast<RankedTensorType>(scatter.getIndices().getType());
    if (axis)
      axis = normalizeAxis(*axis, type.getRank());
    if (scatter.getData() != arg || !exact || !axis || !counter || counter->step != 1 || counter->start < 0 ||
        indices.getRank() > 1 || part.getRank() != type.getRank() - 1 + indices.getRank())
      return std::nullopt;
    NewConcat found{i, writer, scatter.getUpdates(), PartitionAttr::get(context, *axis, 0, -1, 1, 1), type};
    int64_t dim = type.getDimSize(*axis);
    if (trip && !ShapedType::isDynamic(dim)) {
      std::optional<int64_t> end = llvm::checkedAdd(counter->start, *trip);
      if (*trip < 1 || !end || *end > dim)
        return std::nullopt;
      found.before = counter->start;
      found.behind = dim - *end;
      // What is not written is cut out of the initial value.
      if ((found.before || found.behind) && !type.hasStaticShape())
        return std::nullopt;
      SmallVector<int64_t> shape(type.getShape());
      shape[*axis] = *trip;
      found.result = type.clone(shape);
      return found;
    }
    if (counter->start != 0 || !isCounted(init, *axis, loop.getTripCount()))
      return std::nullopt;
    return found;
  }

  if (auto concat = dyn_cast<ConcatOp>(writer)) {
    std::optional<int64_t> axis = normalizeAxis(concat.getAxis(), type.getRank());
    if (concat->getNumOperands() != 2 || !axis)
      return std::nullopt;
    bool isBack = concat->getOperand(0) == arg;
    Value part = concat->getOperand(isBack ? 1 : 0);
    auto partType = cast<RankedTensorType>(part.getType());
    Value origin = init;
    if (auto cast = init.getDefiningOp<tensor::CastOp>())
      origin = cast.getSource();
    initType = cast<RankedTensorType>(origin.getType());
    int64_t length = partType.getDimSize(*axis);
    if (part == arg || !partType.hasStaticShape() || !initType.hasStaticShape() || length < 1)
      return std::nullopt;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != *axis && partType.getDimSize(d) != initType.getDimSize(d))
        return std::nullopt;
    SmallVector<int64_t> shape(partType.getShape());
    std::optional<int64_t> whole = trip && exact && *trip >= 0 ? llvm::checkedMul(*trip, length) : std::nullopt;
    shape[*axis] = whole.value_or(ShapedType::kDynamic);
    NewConcat found{i, writer, part,
                    isBack ? PartitionAttr::get(context, *axis, 0, -1, length, length)
                           : PartitionAttr::get(context, *axis, -1, 0, -length, length),
                    partType.clone(shape)};
    (isBack ? found.before : found.behind) = initType.getDimSize(*axis);
    return found;
  }
  return std::nullopt;
}

/// What the loop leaves of carried value `found`, put together of its concatenation and of the initial value.
static Value assemble(const NewConcat &found, Value init, Value concatenated, Type type, RewriterBase &rewriter) {
  Location loc = concatenated.getLoc();
  if (auto cast = init.getDefiningOp<tensor::CastOp>())
    init = cast.getSource();
  int64_t axis = found.partition.getAxis();
  auto initType = cast<RankedTensorType>(init.getType());
  auto cut = [&](int64_t start, int64_t size) -> Value {
    if (size == initType.getDimSize(axis))
      return init;
    SmallVector<OpFoldResult> offsets(initType.getRank(), rewriter.getIndexAttr(0)),
        strides(initType.getRank(), rewriter.getIndexAttr(1)),
        sizes = getAsIndexOpFoldResult(rewriter.getContext(), initType.getShape());
    offsets[axis] = rewriter.getIndexAttr(start);
    sizes[axis] = rewriter.getIndexAttr(size);
    return tensor::ExtractSliceOp::create(rewriter, loc, init, offsets, sizes, strides);
  };
  SmallVector<Value> pieces;
  if (found.before)
    pieces.push_back(cut(0, found.before));
  pieces.push_back(concatenated);
  if (found.behind)
    pieces.push_back(cut(initType.getDimSize(axis) - found.behind, found.behind));
  Value result = concatenated;
  if (pieces.size() > 1) {
    SmallVector<int64_t> shape(found.result.getShape());
    if (!ShapedType::isDynamic(shape[axis]))
      shape[axis] += found.before + found.behind;
    result = ConcatOp::create(rewriter, loc, found.result.clone(shape), pieces, axis);
  }
  return result.getType() == type ? result : tensor::CastOp::create(rewriter, loc, type, result).getResult();
}

/// Carried buffers that a counter fills, and lists that grow, become concatenations.
static LoopOp raiseConcats(LoopOp loop, RewriterBase &rewriter) {
  SmallVector<NewConcat> found;
  for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
    if (std::optional<NewConcat> concat = matchConcat(loop, i))
      found.push_back(*concat);
  if (found.empty())
    return loop;
  YieldOp yield = loop.getYield();
  SmallVector<Value> next(yield.getNext()), parts(yield.getConcat());
  SmallVector<Attribute> concats(loop.getConcats().begin(), loop.getConcats().end());
  SmallVector<Type> types(loop.getConcatenated().getTypes());
  for (const NewConcat &concat : found) {
    rewriter.setInsertionPoint(concat.writer);
    Location loc = concat.writer->getLoc();
    Value part = concat.part;
    auto type = cast<RankedTensorType>(part.getType());
    if (type.getRank() < concat.result.getRank()) {
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin() + concat.partition.getAxis(), 1);
      auto axes = RankedTensorType::get({1}, rewriter.getI64Type());
      part = UnsqueezeOp::create(rewriter, loc, type.clone(shape), part,
                                 createInteger(rewriter, loc, axes, concat.partition.getAxis()));
    }
    parts.push_back(part);
    concats.push_back(concat.partition);
    types.push_back(concat.result);
    next[concat.carried] = loop.getCarriedArgs()[concat.carried];
  }
  rewriter.setInsertionPoint(yield);
  SmallVector<Operation *> writers;
  for (const NewConcat &concat : found)
    for (Operation *op = yield.getNext()[concat.carried].getDefiningOp();; op = op->getOperand(0).getDefiningOp()) {
      writers.push_back(op);
      if (op == concat.writer)
        break;
    }
  rewriter.replaceOpWithNewOp<YieldOp>(yield, yield.getCondition(), next, yield.getLast(), parts);
  // What they could find wrong, the loop does.
  for (Operation *writer : writers)
    rewriter.eraseOp(writer);
  unsigned first = loop.getConcatenated().size();
  rewriter.setInsertionPoint(loop);
  LoopOp raised = rebuild(loop, rewriter, loop.getSliced(), loop.getSlices(), types, rewriter.getArrayAttr(concats));
  rewriter.setInsertionPointAfter(raised);
  for (auto [i, concat] : llvm::enumerate(found)) {
    Value carried = raised.getCarried()[concat.carried];
    Value result = assemble(concat, raised.getInitArgs()[concat.carried], raised.getConcatenated()[first + i],
                            carried.getType(), rewriter);
    rewriter.replaceAllUsesWith(carried, result);
  }
  return raised;
}

namespace {
struct RaiseLoops final : recur::ov::impl::RaiseLoopsBase<RaiseLoops> {
  void runOnOperation() override {
    SmallVector<LoopOp> loops;
    getOperation().walk([&](LoopOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (LoopOp loop : loops) {
      raiseTripCount(loop, rewriter);
      raiseConcats(raiseSlices(loop, rewriter), rewriter);
    }
  }
};
} // namespace
