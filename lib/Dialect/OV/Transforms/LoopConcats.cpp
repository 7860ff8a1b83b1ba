// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopConcats.cpp - Raise writes to concatenations -------------------===//
//
// A list is a carried tensor to which an iteration adds one part: by a scatter at a counter, or by a concatenation.
// Such a list becomes a concatenation. TensorFlow creates the list before it knows the dims of its elements, with dims
// of 1 instead, and the body broadcasts it to the real dims in every iteration.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "RaiseLoops.h"
#include "Recur/Dialect/OV/IR/EmptyDims.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace recur::ov;
using namespace recur::ov::raising;

namespace {
/// The ops that compute the next value of a list.
struct Write {
  /// The op that adds the part: ov.scatter_update or ov.concat.
  Operation *writer;
  /// The op that broadcasts the list to the dims of its elements before the part is added, or null.
  BroadcastOp broadcast;
};

/// A concatenation that replaces carried value number `carried`. `part` is the part of one iteration, `result` the type
/// of the concatenation without the initial value.
struct NewConcat {
  unsigned carried;
  Write write;
  Value part;
  ConcatOutputAttr concat;
  RankedTensorType result;
  /// The number of elements along the axis that the initial value keeps in front of the concatenation and behind it.
  int64_t before = 0, behind = 0;
};
} // namespace

/// The type of `value`, a ranked tensor.

/// The value that `value` was cast from by tensor.cast; its type may be more static.
static Value lookThroughCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

/// True if `shape` is only used to compute the target shape of `broadcast`.
static bool feedsOnlyTarget(ShapeOfOp shape, BroadcastOp broadcast) {
  SmallVector<Operation *> worklist{shape};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val()->getUses()) {
      Operation *user = use.getOwner();
      if (user == broadcast && &use == &broadcast.getTargetShapeMutable())
        continue;
      if (user->getBlock() != shape->getBlock() || user->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(user))
        return false;
      worklist.push_back(user);
    }
  return true;
}

/// The op that computes the next value of carried value `i` from it. Fails if it is not a scatter or a concatenation,
/// or if the body uses either value for anything else. A shape_of of the value is allowed if it only feeds the
/// broadcast.
static FailureOr<Write> matchWrite(LoopOp loop, unsigned i, RewriterBase &rewriter) {
  Value arg = loop.getCarriedArgs()[i], next = loop.getYield().getNext()[i];
  if (!next.hasOneUse())
    return failure();
  while (auto cast = next.getDefiningOp<tensor::CastOp>()) {
    next = cast.getSource();
    if (!next.hasOneUse())
      return failure();
  }
  Operation *writer = next.getDefiningOp();
  if (!writer || writer->getBlock() != loop.getBodyBlock() || !isa<ScatterUpdateOp, ConcatOp>(writer))
    return failure();
  Write write{writer, writer->getOperand(0).getDefiningOp<BroadcastOp>()};
  if (write.broadcast && (!isa<ScatterUpdateOp>(writer) || write.broadcast.getData() != arg))
    write.broadcast = nullptr;
  if (write.broadcast && !write.broadcast->hasOneUse())
    return failure();
  Operation *reader = write.broadcast ? write.broadcast.getOperation() : writer;
  auto refuse = [&]() -> LogicalResult {
    auto scatter = dyn_cast<ScatterUpdateOp>(writer);
    if (!llvm::is_contained(reader->getOperands(), arg) || (scatter && !getInduction(loop, scatter.getIndices())))
      return failure();
    return rewriter.notifyMatchFailure(writer, "expected a list that the body reads for nothing else");
  };
  bool isRead = false;
  for (OpOperand &use : arg.getUses()) {
    if (auto shape = dyn_cast<ShapeOfOp>(use.getOwner()); shape && write.broadcast) {
      if (!feedsOnlyTarget(shape, write.broadcast))
        return refuse();
      continue;
    }
    if (use.getOwner() != reader || isRead)
      return refuse();
    isRead = true;
  }
  if (!isRead)
    return failure();
  return write;
}

/// True if `entry`, an element of the target shape of a broadcast in the body, is dim `axis` of `list`.
static bool isDimOf(Value entry, Value list, int64_t axis) {
  entry = entry ? lookThroughForms(entry) : Value();
  auto gather = entry ? entry.getDefiningOp<GatherOp>() : nullptr;
  auto shape = gather ? gather.getData().getDefiningOp<ShapeOfOp>() : nullptr;
  return shape && shape.getData() == list && gather.getBatchDims() == 0 &&
         getConstantInteger(gather.getIndices()) == axis;
}

/// Checks that the broadcast may be removed: it cannot fail, and it does not repeat parts that earlier iterations have
/// written but only expands the dims of 1 of the initial value. For that, the dims that it gives to the elements must
/// provably be the same in every iteration, and be the dims of the parts.
static LogicalResult checkBroadcast(LoopOp loop, unsigned i, const Write &write, int64_t axis, RewriterBase &rewriter) {
  BroadcastOp op = write.broadcast;
  auto scatter = cast<ScatterUpdateOp>(write.writer);
  Value arg = loop.getCarriedArgs()[i], updates = scatter.getUpdates();
  RankedTensorType init = typeOf(lookThroughCasts(loop.getInitArgs()[i])), target = typeOf(op.getResult());
  if (op.getMode() != BroadcastMode::Numpy || target.getRank() != init.getRank())
    return rewriter.notifyMatchFailure(op, "expected a broadcast that leaves the dims of the list where they are");
  SteadyDims dims(loop);
  for (int64_t d = 0; d < target.getRank(); ++d) {
    int64_t from = init.getDimSize(d), to = target.getDimSize(d);
    if (d == axis) {
      if ((!ShapedType::isDynamic(to) && from == to) || isDimOf(getEntry(op.getTargetShape(), d), arg, d))
        continue;
    } else if (from == 1 || (!ShapedType::isDynamic(to) && from == to)) {
      DimSource::MaybeDim given =
          ShapedType::isDynamic(to) ? dims.getElement(op.getTargetShape(), d) : dims.constant(to);
      bool dropsAxis = typeOf(updates).getRank() < target.getRank();
      if (given && given == dims.get(updates, d - (dropsAxis && d > axis)))
        continue;
    }
    return rewriter.notifyMatchFailure(op, "expected a list whose elements provably have the same dims in every "
                                           "iteration");
  }
  return success();
}

/// Replaces the write to a list of one element by the element itself: every iteration overwrites the list, so its next
/// value does not depend on the previous one. Exporters do this if only the last output is used.
static LogicalResult raiseOverwritten(LoopOp loop, unsigned i, const Write &write, RewriterBase &rewriter) {
  auto scatter = dyn_cast<ScatterUpdateOp>(write.writer);
  if (!scatter || !getConstantInteger(scatter.getIndices()))
    return failure();
  RankedTensorType type = typeOf(scatter.getResult()), part = typeOf(scatter.getUpdates());
  std::optional<int64_t> axis = getConstantAxis(scatter.getAxis(), type.getRank());
  if (!axis || type.getDimSize(*axis) != 1 || scatter.getData().getType() != type || !isMemoryEffectFree(scatter))
    return rewriter.notifyMatchFailure(scatter, "expected a list of one element, as the same one is written each time");
  if (write.broadcast && failed(checkBroadcast(loop, i, write, *axis, rewriter)))
    return failure();
  rewriter.setInsertionPoint(scatter);
  Value value = scatter.getUpdates();
  if (part.getRank() < type.getRank()) {
    auto axes = RankedTensorType::get({1}, rewriter.getI64Type());
    value = UnsqueezeOp::create(rewriter, scatter.getLoc(), type, value,
                                createInteger(rewriter, scatter.getLoc(), axes, *axis));
  } else if (part != type) {
    value = tensor::CastOp::create(rewriter, scatter.getLoc(), type, value);
  }
  rewriter.replaceOp(scatter, value);
  if (BroadcastOp broadcast = write.broadcast)
    rewriter.eraseOp(broadcast);
  return success();
}

//===----------------------------------------------------------------------===//
// Scatters of single elements
//===----------------------------------------------------------------------===//

/// True if the elements of `value` are 0, 1, 2, … in row-major order, for any shape.
static bool isCountingUp(Value value) {
  while (keepsElements(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (auto range = value.getDefiningOp<RangeOp>())
    return isOneInteger(range.getStart()) && getConstantInteger(range.getStart()) == 0 &&
           isOneInteger(range.getStep()) && getConstantInteger(range.getStep()) == 1;
  std::optional<SmallVector<int64_t>> values = getConstantIntegers(value);
  return values &&
         llvm::all_of(llvm::enumerate(*values), [](auto entry) { return int64_t(entry.index()) == entry.value(); });
}

/// Replaces a scatter of elements by a scatter of a slice. PyTorch writes `list[:, i] = part` as a scatter of the
/// elements of the flat list, at the indices `arange(n).reshape(shape)[:, i]`.
static LogicalResult raiseElementScatter(LoopOp loop, ScatterNDUpdateOp op, RewriterBase &rewriter) {
  auto flat = op.getData().getDefiningOp<ReshapeOp>();
  Value indices = op.getIndices();
  while (isa_and_nonnull<ReshapeOp, UnsqueezeOp>(indices.getDefiningOp()))
    indices = indices.getDefiningOp()->getOperand(0);
  auto gather = indices.getDefiningOp<GatherOp>();
  auto back = op->hasOneUse() ? dyn_cast<ReshapeOp>(*op->user_begin()) : nullptr;
  std::optional<Induction> counter = gather ? getInduction(loop, gather.getIndices()) : std::nullopt;
  if (!flat || !back || !counter)
    return failure();
  // Before opset8 a negative index of Gather is a fault, but one of ScatterUpdate is not.
  if (counter->start < 0 || (counter->step < 0 && getLast(loop, *counter).value_or(-1) < 0))
    return rewriter.notifyMatchFailure(op, "expected a counter that is provably 0 or more");
  RankedTensorType type = typeOf(flat.getData()), places = typeOf(gather.getData()), taken = typeOf(gather.getResult());
  if (op.getReduction() != ScatterNDReduction::None || typeOf(op.getData()).getRank() != 1 || back.getType() != type ||
      !type.hasStaticShape() || !places.hasStaticShape() || !taken.hasStaticShape() ||
      places.getShape() != type.getShape() || gather.getBatchDims() != 0 || !isCountingUp(gather.getData()))
    return rewriter.notifyMatchFailure(op, "expected a scatter to the elements of one slice of a static tensor");
  if (typeOf(op.getUpdates()).getNumElements() != taken.getNumElements() ||
      typeOf(op.getIndices()).getShape().back() != 1)
    return rewriter.notifyMatchFailure(op, "expected an update for each element of the slice");
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto dims = RankedTensorType::get({taken.getRank()}, rewriter.getI64Type());
  Value shape = ConstantOp::create(rewriter, loc, dims, DenseElementsAttr::get(dims, taken.getShape()));
  Value updates = op.getUpdates();
  auto partType = taken.clone(type.getElementType());
  if (updates.getType() != partType)
    updates = ReshapeOp::create(rewriter, loc, partType, updates, shape, /*special_zero=*/false);
  rewriter.replaceOpWithNewOp<ScatterUpdateOp>(back, type, flat.getData(), gather.getIndices(), updates,
                                               gather.getAxis());
  // The new scatter reports an index out of range as the gather would have. The ops that computed the indices are dead
  // now.
  Operation *chain = op.getIndices().getDefiningOp();
  rewriter.eraseOp(op);
  if (flat->use_empty())
    rewriter.eraseOp(flat);
  while (chain->use_empty()) {
    Operation *from = chain->getOperand(0).getDefiningOp();
    bool isLast = chain == gather;
    rewriter.eraseOp(chain);
    if (isLast)
      break;
    chain = from;
  }
  return success();
}

void raising::raiseElementScatters(LoopOp loop, RewriterBase &rewriter) {
  for (auto op : llvm::make_early_inc_range(loop.getBodyBlock()->getOps<ScatterNDUpdateOp>()))
    (void)raiseElementScatter(loop, op, rewriter);
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

/// True if dim `axis` of `tensor` is provably the one-element integer `count`.
static bool isCounted(Value tensor, int64_t axis, Value count) {
  auto broadcast = lookThroughCasts(tensor).getDefiningOp<BroadcastOp>();
  Value entry = broadcast ? getEntry(broadcast.getTargetShape(), axis) : Value();
  Value source = lookThroughForms(count);
  // A dim is not negative, so a maximum with 0 does not change it.
  while (auto maximum = source.getDefiningOp<MaximumOp>()) {
    std::optional<int64_t> other = getConstantInteger(maximum->getOperand(1));
    if (!other || *other > 0)
      break;
    source = lookThroughForms(maximum->getOperand(0));
  }
  return entry && entry == source;
}

/// True if the parts that `scatter` writes provably have the dims of the list beside `axis`. Else the scatter may fail,
/// and nothing else would say so.
static bool fitsList(LoopOp loop, unsigned i, ScatterUpdateOp scatter, int64_t axis) {
  Value list = loop.getCarriedArgs()[i], part = scatter.getUpdates();
  bool dropsAxis = typeOf(part).getRank() < typeOf(list).getRank();
  SteadyDims dims(loop);
  return llvm::all_of(llvm::seq<int64_t>(typeOf(list).getRank()), [&](int64_t d) {
    if (d == axis)
      return true;
    DimSource::MaybeDim dim = dims.get(list, d);
    return dim && dim == dims.get(part, d - (dropsAxis && d > axis));
  });
}

/// The concatenation for a list that is written by a scatter at a counter. Fails, with a remark, unless every part is
/// provably written once or keeps its initial value.
static FailureOr<NewConcat> matchScatter(LoopOp loop, unsigned i, const Write &write, RewriterBase &rewriter) {
  auto scatter = cast<ScatterUpdateOp>(write.writer);
  RankedTensorType type = typeOf(scatter.getResult()), part = typeOf(scatter.getUpdates());
  std::optional<int64_t> axis = getConstantAxis(scatter.getAxis(), type.getRank());
  std::optional<Induction> counter = getInduction(loop, scatter.getIndices());
  int64_t indexRank = typeOf(scatter.getIndices()).getRank();
  BroadcastOp broadcast = write.broadcast;
  Value list = broadcast ? broadcast.getResult() : Value(loop.getCarriedArgs()[i]);
  if (scatter.getData() != list || !axis || !counter || indexRank > 1 ||
      part.getRank() != type.getRank() - 1 + indexRank)
    return rewriter.notifyMatchFailure(scatter, "expected a scatter of one part of the list, at a counter");
  bool isForward = counter->step == 1;
  if (std::abs(counter->step) != 1 || counter->start < 0)
    return rewriter.notifyMatchFailure(scatter, "expected a counter that goes up or down by one from 0 or more");
  if (!loop.isConditionAlwaysTrue() || getConstantBool(loop.getCondition()) != true)
    return rewriter.notifyMatchFailure(scatter, "expected a loop that does not end before its trip count, as what it "
                                                "has not written then stays");
  if (write.broadcast && failed(checkBroadcast(loop, i, write, *axis, rewriter)))
    return failure();
  if (!write.broadcast && !fitsList(loop, i, scatter, *axis))
    return rewriter.notifyMatchFailure(scatter, "expected parts that provably have the dims of the list");
  NewConcat found{i, write, scatter.getUpdates(),
                  ConcatOutputAttr::get(loop.getContext(), *axis, /*reverse=*/!isForward), type};
  int64_t dim = type.getDimSize(*axis);
  std::optional<int64_t> trip = getConstantInteger(loop.getTripCount());
  if (trip && !ShapedType::isDynamic(dim)) {
    std::optional<int64_t> last = getLast(loop, *counter);
    if (!last || *last < 0 || std::max(counter->start, *last) >= dim)
      return rewriter.notifyMatchFailure(scatter, "expected a place in the list for every iteration");
    found.before = std::min(counter->start, *last);
    found.behind = dim - 1 - std::max(counter->start, *last);
    // The parts that are not written are slices of the initial value.
    if ((found.before || found.behind) && !type.hasStaticShape())
      return rewriter.notifyMatchFailure(scatter, "expected static dims where a part of the initial value stays");
    SmallVector<int64_t> shape(type.getShape());
    shape[*axis] = *trip;
    found.result = type.clone(shape);
    return found;
  }
  if (counter->start != 0 || !isForward || !isCounted(loop.getInitArgs()[i], *axis, loop.getTripCount()))
    return rewriter.notifyMatchFailure(scatter, "expected a list whose length is the trip count");
  return found;
}

/// The concatenation for a list to which each iteration appends or prepends a part of static shape.
static FailureOr<NewConcat> matchAppend(LoopOp loop, unsigned i, const Write &write, RewriterBase &rewriter) {
  auto concat = cast<ConcatOp>(write.writer);
  Value arg = loop.getCarriedArgs()[i];
  std::optional<int64_t> axis = normalizeAxis(concat.getAxis(), typeOf(arg).getRank());
  if (concat->getNumOperands() != 2 || !axis)
    return rewriter.notifyMatchFailure(concat, "expected a list and one part");
  bool isBack = concat->getOperand(0) == arg;
  Value part = concat->getOperand(isBack ? 1 : 0);
  RankedTensorType partType = typeOf(part), initType = typeOf(lookThroughCasts(loop.getInitArgs()[i]));
  int64_t length = partType.getDimSize(*axis);
  if (!partType.hasStaticShape() || !initType.hasStaticShape() || length < 1)
    return rewriter.notifyMatchFailure(concat, "expected a list and parts of static dims");
  for (int64_t d = 0; d < partType.getRank(); ++d)
    if (d != *axis && partType.getDimSize(d) != initType.getDimSize(d))
      return rewriter.notifyMatchFailure(concat, "expected parts with the dims of the initial value");
  int64_t kept = initType.getDimSize(*axis);
  bool exact = loop.isConditionAlwaysTrue() && getConstantBool(loop.getCondition()) == true;
  SmallVector<int64_t> shape(partType.getShape());
  shape[*axis] = ShapedType::kDynamic;
  if (std::optional<int64_t> trip = getConstantInteger(loop.getTripCount()); exact && trip && *trip >= 0) {
    std::optional<int64_t> parts = llvm::checkedMul(*trip, length);
    if (!parts || !llvm::checkedAdd(*parts, kept))
      return rewriter.notifyMatchFailure(concat, "expected a list of fewer than 2^63 elements along its axis");
    shape[*axis] = *parts;
  }
  NewConcat found{i, write, part, ConcatOutputAttr::get(loop.getContext(), *axis, /*reverse=*/!isBack),
                  partType.clone(shape)};
  (isBack ? found.before : found.behind) = kept;
  return found;
}

/// The concatenation that replaces the list with this write, in either form.
static FailureOr<NewConcat> matchConcat(LoopOp loop, unsigned i, const Write &write, RewriterBase &rewriter) {
  if (isa<ScatterUpdateOp>(write.writer))
    return matchScatter(loop, i, write, rewriter);
  return matchAppend(loop, i, write, rewriter);
}

/// Reshapes `list`, the result of a loop that may run zero times. In that case the list is the initial value, whose
/// dims differ from those of the parts, because the loop has not broadcast it. Returns `list` itself if the dims agree.
static Value restoreEmpty(LoopOp loop, const NewConcat &found, Value list, RewriterBase &rewriter) {
  RankedTensorType init = typeOf(lookThroughCasts(loop.getInitArgs()[found.carried])), type = typeOf(list);
  int64_t axis = found.concat.getAxis();
  auto agrees = [&](int64_t d) {
    return d == axis || (!type.isDynamicDim(d) && init.getDimSize(d) == type.getDimSize(d));
  };
  if (llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), agrees))
    return list;
  auto entry = RankedTensorType::get({1}, rewriter.getI64Type());
  Location loc = list.getLoc();
  auto number = [&](int64_t value) { return createInteger(rewriter, loc, entry, value); };
  Value current = ShapeOfOp::create(rewriter, loc, list, rewriter.getI64Type());
  auto entryOf = [&](int64_t d) -> Value { return GatherOp::create(rewriter, loc, current, number(d), number(0)); };
  Value length = entryOf(axis);
  Value some = MinimumOp::create(rewriter, loc, length, number(1));
  Value none = SubtractOp::create(rewriter, loc, number(1), some);
  SmallVector<Value> dims;
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t then = init.getDimSize(d), now = type.getDimSize(d);
    if (d == axis) {
      dims.push_back(length);
      continue;
    }
    if (agrees(d)) {
      dims.push_back(number(now));
      continue;
    }
    Value dim = MultiplyOp::create(rewriter, loc, some, ShapedType::isDynamic(now) ? entryOf(d) : number(now));
    Value other = MultiplyOp::create(rewriter, loc, none, number(then));
    dims.push_back(AddOp::create(rewriter, loc, dim, other));
    shape[d] = ShapedType::kDynamic;
  }
  Value target = ConcatOp::create(rewriter, loc, dims, 0);
  return ReshapeOp::create(rewriter, loc, type.clone(shape), list, target, /*special_zero=*/false);
}

/// The final value of carried value `found`, with type `type`: its concatenation, with the elements of the initial
/// value that stay in front of it and behind it.
static Value assemble(LoopOp loop, const NewConcat &found, Value concatenated, Type type, RewriterBase &rewriter) {
  Location loc = concatenated.getLoc();
  Value init = lookThroughCasts(loop.getInitArgs()[found.carried]);
  int64_t axis = found.concat.getAxis();
  if (found.write.broadcast && (found.before || found.behind)) {
    auto written = typeOf(found.part);
    SmallVector<int64_t> shape(found.result.getShape());
    shape[axis] = typeOf(init).getDimSize(axis);
    auto dims = RankedTensorType::get({written.getRank()}, rewriter.getI64Type());
    Value target = ConstantOp::create(rewriter, loc, dims, DenseElementsAttr::get(dims, ArrayRef(shape)));
    init = BroadcastOp::create(rewriter, loc, written.clone(shape), init, target, Value());
  }
  auto initType = typeOf(init);
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
  std::optional<int64_t> count = loop.getStaticCount();
  if (found.write.broadcast && !(count && *count > 0))
    result = restoreEmpty(loop, found, result, rewriter);
  return result.getType() == type ? result : tensor::CastOp::create(rewriter, loc, type, result).getResult();
}

/// The dims that the results of a loop have after no iteration when it also has the concatenations `found`. A list then
/// has the dims of its initial value.
static SmallVector<Value> getEmptyDims(LoopOp loop, ArrayRef<NewConcat> found, RewriterBase &rewriter) {
  auto isOpen = [](const NewConcat &concat) {
    auto isDynamic = [&](int64_t d) { return d != concat.concat.getAxis() && concat.result.isDynamicDim(d); };
    return !concat.write.broadcast && llvm::any_of(llvm::seq(concat.result.getRank()), isDynamic);
  };
  SmallVector<Value> emptyDims(loop.getEmptyDims());
  if (loop.runsAtLeastOnce() || (emptyDims.empty() && llvm::none_of(found, isOpen)))
    return {};
  Value open;
  auto addOpen = [&] {
    if (!open)
      open = createOpenDims(rewriter, loop.getLoc());
    emptyDims.push_back(open);
  };
  while (emptyDims.size() < loop.getLast().size() + loop.getConcatenated().size())
    addOpen();
  for (const NewConcat &concat : found)
    if (isOpen(concat))
      emptyDims.push_back(
          ShapeOfOp::create(rewriter, loop.getLoc(), loop.getInitArgs()[concat.carried], rewriter.getI64Type()));
    else
      addOpen();
  return emptyDims;
}

LoopOp raising::raiseConcats(LoopOp loop, RewriterBase &rewriter) {
  SmallVector<NewConcat> found;
  for (unsigned i = 0; i < loop.getInitArgs().size(); ++i) {
    FailureOr<Write> write = matchWrite(loop, i, rewriter);
    if (failed(write) || succeeded(raiseOverwritten(loop, i, *write, rewriter)))
      continue;
    if (FailureOr<NewConcat> concat = matchConcat(loop, i, *write, rewriter); succeeded(concat))
      found.push_back(*concat);
  }
  if (found.empty())
    return loop;
  YieldOp yield = loop.getYield();
  SmallVector<Value> next(yield.getNext()), parts(yield.getConcat());
  SmallVector<Attribute> concats(loop.getConcats().begin(), loop.getConcats().end());
  SmallVector<Type> types(loop.getConcatenated().getTypes());
  for (NewConcat &concat : found) {
    rewriter.setInsertionPoint(concat.write.writer);
    Location loc = concat.write.writer->getLoc();
    RankedTensorType type = typeOf(concat.part);
    if (type.getRank() < concat.result.getRank()) {
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin() + concat.concat.getAxis(), 1);
      auto axes = RankedTensorType::get({1}, rewriter.getI64Type());
      concat.part = UnsqueezeOp::create(rewriter, loc, type.clone(shape), concat.part,
                                        createInteger(rewriter, loc, axes, concat.concat.getAxis()));
    }
    parts.push_back(concat.part);
    concats.push_back(concat.concat);
    types.push_back(concat.result);
    next[concat.carried] = loop.getCarriedArgs()[concat.carried];
  }
  rewriter.setInsertionPoint(yield);
  SmallVector<Operation *> dead;
  for (const NewConcat &concat : found) {
    for (Operation *op = yield.getNext()[concat.carried].getDefiningOp(); op != concat.write.writer;
         op = op->getOperand(0).getDefiningOp())
      dead.push_back(op);
    dead.push_back(concat.write.writer);
    if (concat.write.broadcast)
      dead.push_back(concat.write.broadcast);
  }
  rewriter.replaceOpWithNewOp<YieldOp>(yield, yield.getCondition(), next, yield.getLast(), parts);
  // The faults that these ops could report are reported by the loop.
  for (Operation *op : dead)
    rewriter.eraseOp(op);
  unsigned first = loop.getConcatenated().size();
  rewriter.setInsertionPoint(loop);
  LoopOp raised = rebuild(loop, rewriter, loop.getSliced(), getEmptyDims(loop, found, rewriter), loop.getSlices(),
                          types, rewriter.getArrayAttr(concats));
  rewriter.setInsertionPointAfter(raised);
  for (auto [i, concat] : llvm::enumerate(found)) {
    Value carried = raised.getCarried()[concat.carried];
    rewriter.replaceAllUsesWith(
        carried, assemble(raised, concat, raised.getConcatenated()[first + i], carried.getType(), rewriter));
  }
  return raised;
}
