// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Suppression.cpp - Choice of boxes that overlap little --------------===//
//
// What the heads of detectors share: ranks, overlaps, and the greedy choice. The loop compares one candidate of each
// group with all others, so that no matrix of overlaps is stored.
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

Value recur::ir::getPlane(Expansion &e, Value planes, int64_t i) {
  return e.squeeze(e.slice(planes, 0, i, i + 1), {0});
}

Corners Corners::split(Expansion &e, Value boxes) {
  Value planes = e.transpose(boxes, {2, 0, 1});
  Value x0 = getPlane(e, planes, 0), y0 = getPlane(e, planes, 1), x1 = getPlane(e, planes, 2),
        y1 = getPlane(e, planes, 3);
  return {x0, y0, x1, y1};
}

/// Element `at`, a tensor of rank 0, of each row.
static Value getColumn(Expansion &e, Value values, Value at) { return e.unsqueeze(e.gather(values, at, 1), {1}); }

Corners Corners::getColumn(Expansion &e, Value at) const {
  auto get = [&](Value side) { return ::getColumn(e, side, at); };
  Value left = get(x0), top = get(y0), right = get(x1), bottom = get(y1);
  return {left, top, right, bottom};
}

SmallVector<Value> recur::ir::findGreatest(Expansion &e, Value values, Size count) {
  MLIRContext *context = e.i64().getContext();
  return e.makeAll<ov::TopKOp>({values, count},
                               {e.attribute("axis", int64_t(1)),
                                e.attribute("mode", ov::TopKModeAttr::get(context, ov::TopKMode::Max)),
                                e.attribute("sort", ov::TopKSortAttr::get(context, ov::TopKSort::Value)),
                                e.attribute("index_element_type", e.i64())});
}

Candidates recur::ir::rankScores(Expansion &e, const Scores &scores, int64_t most) {
  Value values = scores.values, isCandidate = scores.isCandidate, least = e.least(elementOf(values));
  Size count = e.dim(values, 1);
  if (most >= 0)
    count = e.minimum(count, e.size(most));
  Value masked = isCandidate ? e.select(isCandidate, values, least) : values;
  SmallVector<Value> sorted = findGreatest(e, masked, count);
  Value flags = isCandidate ? e.make<ov::GatherElementsOp>({isCandidate, sorted[1]}, e.attribute("axis", int64_t(1)))
                            : greater(e, sorted[0], least);
  // Behind the greatest number of candidates of a group, no group has any.
  Value counts = e.reduce<ov::ReduceSumOp>(e.convert(flags, e.i64()), {1}, /*keepDims=*/false);
  Size used = e.maximum(e.reduce<ov::ReduceMaxOp>(counts, {0}, /*keepDims=*/true), 0);
  auto cut = [&](Value values) { return e.slice(values, 1, e.size(0), used); };
  Value places = cut(sorted[1]), best = cut(sorted[0]), isUsed = cut(flags);
  return {Value(), Corners(), best, places, isUsed};
}

Value recur::ir::gatherBoxes(Expansion &e, const Candidates &candidates, Value rows, Value firstRow) {
  return e.gather(rows, e.add(candidates.places, firstRow), 0);
}

Candidates recur::ir::rankBoxes(Expansion &e, Value rows, Value firstRow, const Scores &scores, int64_t most) {
  Candidates result = rankScores(e, scores, most);
  result.boxes = gatherBoxes(e, result, rows, firstRow);
  result.corners = Corners::split(e, result.boxes);
  return result;
}

Value Overlap::compute(Expansion &e, const Corners &a, const Corners &b) const {
  Type element = elementOf(a.x0);
  auto side = [&](Value from, Value to) {
    Value length = e.subtract(to, from);
    return offset == 0 ? length : e.add(length, offset);
  };
  auto area = [&](const Corners &box) {
    Value width = side(box.x0, box.x1), height = side(box.y0, box.y1), product = e.multiply(width, height);
    if (!hasEmptyBoxes)
      return product;
    Value isEmpty = e.make<ov::LogicalOrOp>({e.less(box.x1, box.x0), e.less(box.y1, box.y0)});
    return e.select(isEmpty, e.scalar(0, element), product);
  };
  // With contact, a side is below 0 only if the corners of a box are in the wrong order.
  auto shared = [&](Value from, Value other, Value to, Value otherTo) {
    Value length = side(e.maximum(from, other), e.minimum(to, otherTo));
    return hasEmptyBoxes ? length : e.maximum(length, 0);
  };
  Value width = shared(a.x0, b.x0, a.x1, b.x1), height = shared(a.y0, b.y0, a.y1, b.y1);
  Value common = e.multiply(width, height), own = area(a), other = area(b);
  Value result = e.divide(common, e.subtract(e.add(own, other), common));
  auto require = [&](Value condition) { result = e.select(condition, result, e.scalar(0, element)); };
  if (needsContact) {
    auto isUpTo = [&](Value low, Value high) { return e.make<ov::LessEqualOp>({low, high}); };
    require(both(e, both(e, isUpTo(a.x0, b.x1), isUpTo(a.y0, b.y1)), both(e, isUpTo(b.x0, a.x1), isUpTo(b.y0, a.y1))));
  }
  if (!hasEmptyBoxes) {
    Value zero = e.scalar(0, element);
    require(both(e, greater(e, own, zero), greater(e, other, zero)));
  }
  return result;
}

Value recur::ir::chooseGreedily(Expansion &e, const Candidates &candidates,
                                llvm::function_ref<Value(Value at)> overlapWith, const OverlapLimit &limit) {
  Value flags = candidates.isCandidate;
  Type element = elementOf(candidates.scores), boolean = elementOf(flags);
  Value none = e.broadcast(e.scalar(0, boolean), e.shapeOf(flags)), axis = e.scalar(1, e.i64());
  bool isConstant = limit.factor == 1;
  SmallVector<Value> inits{none};
  if (!isConstant)
    inits.push_back(e.broadcast(limit.limit, e.concat({e.dim(flags, 0), e.size(1)}, 0)));
  Size count = e.dim(flags, 1);
  SmallVector<Value> result = e.loop(count, inits, [&](Value iteration, ValueRange carried) -> SmallVector<Value> {
    Value isChosen = carried[0], most = isConstant ? limit.limit : carried[1];
    Value share = overlapWith(iteration);
    Value isOver = limit.includesEqual ? e.make<ov::GreaterEqualOp>({share, most}) : greater(e, share, most);
    Value isDropped = e.reduce<ov::ReduceLogicalOrOp>(both(e, isOver, isChosen), {1}, /*keepDims=*/false);
    Value isNew = both(e, e.gather(flags, iteration, 1), e.make<ov::LogicalNotOp>(isDropped));
    SmallVector<Value> next{e.make<ov::ScatterUpdateOp>({isChosen, iteration, isNew, axis})};
    if (!isConstant) {
      Value shrinks = both(e, e.unsqueeze(isNew, {1}), greater(e, most, e.scalar(0.5, element)));
      next.push_back(e.select(shrinks, e.multiply(most, limit.factor), most));
    }
    return next;
  });
  return result[0];
}

Value recur::ir::chooseGreedily(Expansion &e, const Candidates &candidates, const Overlap &overlap,
                                const OverlapLimit &limit) {
  auto overlapWith = [&](Value at) {
    return overlap.compute(e, candidates.corners.getColumn(e, at), candidates.corners);
  };
  return chooseGreedily(e, candidates, overlapWith, limit);
}

Value recur::ir::keepFirst(Expansion &e, Value isChosen, Value most) {
  Value numbers = e.make<ov::CumSumOp>({e.convert(isChosen, e.i64()), e.scalar(1, e.i64())});
  return both(e, isChosen, e.make<ov::LessEqualOp>({numbers, most}));
}

Value recur::ir::keepFirst(Expansion &e, Value isChosen, int64_t most) {
  return most < 0 ? isChosen : keepFirst(e, isChosen, e.scalar(double(most), e.i64()));
}

Choices Choices::find(Expansion &e, Value isChosen) {
  Value places = e.findTrue(e.reshape(isChosen, e.size(-1)));
  return {places, divideWithRemainder(e, places, e.dim(isChosen, 1)).first};
}

Value Choices::pick(Expansion &e, Value values) const { return e.gather(e.reshape(values, e.size(-1)), places, 0); }
