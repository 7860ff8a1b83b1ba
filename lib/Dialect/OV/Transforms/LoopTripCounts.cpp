// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopTripCounts.cpp - How often a loop runs -------------------------===//

#include "Forms.h"
#include "RaiseLoops.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace recur::ov;
using namespace recur::ov::raising;

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

/// What must hold, all of it, for `condition` to hold.
static SmallVector<Value> getConjuncts(Value condition) {
  SmallVector<Value> worklist{condition}, conjuncts;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && isa<LogicalAndOp>(op) && isOneBoolean(op->getOperand(0)) && isOneBoolean(op->getOperand(1)))
      worklist.append({op->getOperand(1), op->getOperand(0)});
    else if (keepsElements(op) && isOneBoolean(op->getOperand(0)))
      worklist.push_back(op->getOperand(0));
    else
      conjuncts.push_back(value);
  }
  return conjuncts;
}

static bool isTrue(Value value) { return getConstantBool(value) == true; }

static FailureOr<Bound> getBound(LoopOp loop, Value conjunct, RewriterBase &rewriter) {
  auto refuse = [&](const char *why) { return rewriter.notifyMatchFailure(conjunct.getLoc(), why); };
  std::optional<Comparison> comparison = getComparison(conjunct);
  if (!comparison)
    return refuse("expected a condition that compares a counter with a limit");
  Value limit = comparison->rhs;
  std::optional<Induction> counter = getInduction(loop, comparison->lhs);
  // What goes down to a limit goes up when both are negated.
  bool goesDown = !counter;
  if (goesDown) {
    limit = comparison->lhs;
    counter = getInduction(loop, comparison->rhs);
    if (counter)
      counter = Induction{-counter->start, -counter->step, counter->bits};
  }
  if (!counter)
    return refuse("expected a condition on an integer that starts at a constant and changes by a constant");
  if (counter->step <= 0)
    return refuse("expected a condition on a counter that comes nearer to its limit");
  Bound bound{counter->start, counter->step, std::nullopt, Value()};
  if (std::optional<int64_t> constant = getConstantInteger(limit)) {
    std::optional<int64_t> sum = goesDown ? llvm::checkedSub(comparison->slack, *constant)
                                          : llvm::checkedAdd(*constant, comparison->slack);
    int64_t most = llvm::maxIntN(counter->bits - 1);
    if (!sum || *sum > most - bound.step)
      return refuse("expected a limit that the counter reaches before it wraps");
    bound.constant = *sum;
    return bound;
  }
  // A counter that goes up by one meets every limit before it wraps.
  if (goesDown || bound.step != 1 || comparison->slack || bound.first < 0)
    return refuse("expected a counter that goes up by one from 0 or more to below a limit known at run time");
  if (!isOutside(loop, limit))
    return refuse("expected a limit that the loop does not change");
  bound.value = lookThroughForms(limit);
  return bound;
}

/// Spells `c and x` an If that is x where c holds and false elsewhere (or the other way round), so that what c asks can
/// be told from what x does. Then x is computed where c does not hold too: in the last iteration.
static LogicalResult expandIf(IfOp op, RewriterBase &rewriter) {
  if (op.getNumResults() != 1 || op.getResult(0).getType() != op.getCondition().getType())
    return rewriter.notifyMatchFailure(op, "expected an If with nothing but the condition as its result");
  bool first = getConstantBool(op.getEnd(false).getValues()[0]) == false;
  if (!first && getConstantBool(op.getEnd(true).getValues()[0]) != false)
    return rewriter.notifyMatchFailure(op, "expected an If that is false in one of its bodies");
  ResultOp end = op.getEnd(first);
  for (Operation &inner : end->getBlock()->without_terminator())
    if (!isMemoryEffectFree(&inner) || !isSpeculatable(&inner))
      return rewriter.notifyMatchFailure(op, "expected a body that cannot fail where the other is taken");
  Value value = end.getValues()[0], condition = op.getCondition();
  rewriter.inlineBlockBefore(end->getBlock(), op);
  rewriter.eraseOp(end);
  rewriter.setInsertionPoint(op);
  if (!first)
    condition = LogicalNotOp::create(rewriter, op.getLoc(), condition);
  rewriter.replaceOpWithNewOp<LogicalAndOp>(op, condition, value);
  return success();
}

void raising::raiseTripCount(LoopOp loop, RewriterBase &rewriter) {
  YieldOp yield = loop.getYield();
  if (loop.isConditionAlwaysTrue() || !isOneBoolean(yield.getCondition()))
    return;
  for (bool expanded = true; expanded;) {
    expanded = false;
    for (Value conjunct : getConjuncts(yield.getCondition()))
      if (auto op = conjunct.getDefiningOp<IfOp>(); op && op->getBlock() == loop.getBodyBlock())
        expanded |= succeeded(expandIf(op, rewriter));
  }
  SmallVector<Bound> bounds;
  SmallVector<Value> rest;
  for (Value conjunct : getConjuncts(yield.getCondition())) {
    if (isTrue(conjunct))
      continue;
    FailureOr<Bound> bound = getBound(loop, conjunct, rewriter);
    if (failed(bound))
      rest.push_back(conjunct);
    else if (!llvm::is_contained(bounds, *bound))
      bounds.push_back(*bound);
  }
  if (bounds.empty())
    return;
  std::optional<int64_t> trip = getConstantInteger(loop.getTripCount());
  if (trip ? *trip < -1 : !isNonNegative(loop.getTripCount())) {
    (void)rewriter.notifyMatchFailure(loop, "expected a trip count beside the condition that is surely not negative");
    return;
  }

  // The condition in front often asks the same for the iteration before the first; then zero needs no case of its own.
  auto isAskedInFront = [&](Value conjunct) {
    if (isTrue(conjunct))
      return true;
    std::optional<Comparison> front = getComparison(conjunct);
    std::optional<int64_t> first = front ? getConstantInteger(front->lhs) : std::nullopt;
    return first && !front->slack && llvm::any_of(bounds, [&](const Bound &bound) {
             return bound.value && bound.value == lookThroughForms(front->rhs) && bound.first - 1 == *first;
           });
  };
  SmallVector<Value> inFront = getConjuncts(loop.getCondition());
  bool merge = !isTrue(loop.getCondition()) && isOneBoolean(loop.getCondition()) &&
               llvm::all_of(inFront, isAskedInFront);

  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  std::optional<int64_t> most = trip == -1 ? std::nullopt : trip;
  Value count;
  if (!trip) {
    auto type = cast<RankedTensorType>(loop.getTripCount().getType()).clone(rewriter.getI64Type());
    count = loop.getTripCount();
    if (count.getType() != type)
      count = ConvertOp::create(rewriter, loc, type, count);
  }
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
}
