// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopTripCounts.cpp - Raise conditions to trip counts ---------------===//
//
// A body that asks for another iteration while a counter is below a limit has a trip count: the number of iterations
// until the comparison fails. The comparison is a check after an iteration, so the first iteration always runs unless
// the initial condition of the loop is false.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "RaiseLoops.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace recur::ov;
using namespace recur::ov::raising;

namespace {
/// A condition `first + step * i < limit` for another iteration, where `i` is the number of the current iteration.
/// `step` is positive.
struct Bound {
  int64_t first, step;
  /// The limit: `constant` if it is known, else `value`, a loop-invariant integer of one element.
  std::optional<int64_t> constant;
  Value value;
  bool operator==(const Bound &other) const {
    return first == other.first && step == other.step && constant == other.constant && value == other.value;
  }
};

/// A comparison of two one-element integers: `lhs < rhs + slack`. `slack` is 1 for <= and 0 for <.
struct Comparison {
  Value lhs, rhs;
  int64_t slack;
};
} // namespace

/// The comparison that `value` is the result of. A comparison with > or >= is returned with its sides swapped.
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

/// The operands of the conjunction `condition`, flattened. `condition` itself if it is not a conjunction.
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

/// True if `value` is a constant that is true.
static bool isTrue(Value value) { return getConstantBool(value) == true; }

/// `conjunct` as a bound on a counter. Fails, with a remark, if it is none, or if the counter might wrap before it
/// reaches the limit.
static FailureOr<Bound> getBound(LoopOp loop, Value conjunct, RewriterBase &rewriter) {
  auto refuse = [&](const char *why) { return rewriter.notifyMatchFailure(conjunct.getLoc(), why); };
  std::optional<Comparison> comparison = getComparison(conjunct);
  if (!comparison)
    return refuse("expected a condition that compares a counter with a limit");
  Value limit = comparison->rhs;
  std::optional<Induction> counter = getInduction(loop, comparison->lhs);
  // A counter that goes down to a limit becomes one that goes up if both are negated.
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
    std::optional<int64_t> sum =
        goesDown ? llvm::checkedSub(comparison->slack, *constant) : llvm::checkedAdd(*constant, comparison->slack);
    int64_t most = llvm::maxIntN(counter->bits - 1);
    if (!sum || *sum > most - bound.step)
      return refuse("expected a limit that the counter reaches before it wraps");
    bound.constant = *sum;
    return bound;
  }
  // A counter that goes up by one reaches any limit before it wraps, so the limit need not be known.
  if (goesDown || bound.step != 1 || comparison->slack || bound.first < 0)
    return refuse("expected a counter that goes up by one from 0 or more to below a limit known at run time");
  if (!isOutside(loop, limit))
    return refuse("expected a limit that the loop does not change");
  bound.value = lookThroughForms(limit);
  return bound;
}

/// An If whose result is x if c holds, and false otherwise (or the other way round).
struct ConjunctionIf {
  /// True if x is the result if c holds.
  bool isFirst;
  /// The end of the body that computes x.
  ResultOp end;
};

/// Matches such an If whose ops cannot fail. Fails, with a remark, for any other.
static FailureOr<ConjunctionIf> matchConjunction(IfOp op, RewriterBase &rewriter) {
  if (op.getNumResults() != 1 || op.getResult(0).getType() != op.getCondition().getType())
    return rewriter.notifyMatchFailure(op, "expected an If with nothing but the condition as its result");
  bool first = getConstantBool(op.getEnd(false).getValues()[0]) == false;
  if (!first && getConstantBool(op.getEnd(true).getValues()[0]) != false)
    return rewriter.notifyMatchFailure(op, "expected an If that is false in one of its bodies");
  ResultOp end = op.getEnd(first);
  for (Operation &inner : end->getBlock()->without_terminator())
    if (!isMemoryEffectFree(&inner) || !isSpeculatable(&inner))
      return rewriter.notifyMatchFailure(op, "expected a body that cannot fail where the other is taken");
  return ConjunctionIf{first, end};
}

/// Replaces an If whose result is x if c holds, and false otherwise (or the other way round), by `c and x`. So c and x
/// become conjuncts that can be raised one by one. x is then also computed if c does not hold, which is in the last
/// iteration, so the ops of that body must not be able to fail.
static LogicalResult expandIf(IfOp op, RewriterBase &rewriter) {
  FailureOr<ConjunctionIf> match = matchConjunction(op, rewriter);
  if (failed(match))
    return failure();
  Value value = match->end.getValues()[0], condition = op.getCondition();
  rewriter.inlineBlockBefore(match->end->getBlock(), op);
  rewriter.eraseOp(match->end);
  rewriter.setInsertionPoint(op);
  if (!match->isFirst)
    condition = LogicalNotOp::create(rewriter, op.getLoc(), condition);
  rewriter.replaceOpWithNewOp<LogicalAndOp>(op, condition, value);
  return success();
}

/// True if a conjunct of `condition`, which may be inside of Ifs that expandIf replaces, is a bound on a counter.
static bool hasBound(LoopOp loop, Value condition, RewriterBase &rewriter) {
  for (Value conjunct : getConjuncts(condition)) {
    if (succeeded(getBound(loop, conjunct, rewriter)))
      return true;
    auto op = conjunct.getDefiningOp<IfOp>();
    FailureOr<ConjunctionIf> match = op ? matchConjunction(op, rewriter) : FailureOr<ConjunctionIf>();
    if (succeeded(match) && (hasBound(loop, match->end.getValues()[0], rewriter) ||
                             (match->isFirst && hasBound(loop, op.getCondition(), rewriter))))
      return true;
  }
  return false;
}

// The steps: the condition is taken apart into conjuncts; each comparison of a counter becomes a bound; the bounds, and
// the old trip count, become the new trip count; the other conjuncts stay as the condition.
void raising::raiseTripCount(LoopOp loop, RewriterBase &rewriter) {
  YieldOp yield = loop.getYield();
  if (loop.isConditionAlwaysTrue() || !isOneBoolean(yield.getCondition()))
    return;
  std::optional<int64_t> trip = getConstantInteger(loop.getTripCount());
  if (trip ? *trip < -1 : !isNonNegative(loop.getTripCount())) {
    (void)rewriter.notifyMatchFailure(loop, "expected a trip count beside the condition that is provably not negative");
    return;
  }
  // Nothing changes unless there is a bound. The search is silent; if it fails, a second one says why.
  IRRewriter silent(rewriter.getContext());
  if (!hasBound(loop, yield.getCondition(), silent)) {
    (void)hasBound(loop, yield.getCondition(), rewriter);
    return;
  }
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

  // The initial condition of the loop is often the same comparison for the counter's value one step earlier. Then the
  // trip count can include that check, so that zero iterations need no separate condition.
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
  bool merge =
      !isTrue(loop.getCondition()) && isOneBoolean(loop.getCondition()) && llvm::all_of(inFront, isAskedInFront);

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
      // This cannot overflow: getBound has checked the limit.
      int64_t more = *bound.constant > bound.first ? (*bound.constant - bound.first - 1) / bound.step + 1 : 0;
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
      // The bound keeps the addition of 1 from overflowing. A loop with so many iterations never ends anyway.
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
