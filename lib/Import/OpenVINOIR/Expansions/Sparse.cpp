// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sparse.cpp - Sums and maxima over lists of rows --------------------===//
//
// This file expands the layers EmbeddingBag and EmbeddingSegmentsSum, SegmentMax and SparseFillEmptyRows. Rows of
// segments of different lengths are scattered: each row goes to the row of the result that its segment has, and the
// rows of a segment are combined. The result has one more row at its end while it is computed, for the rows that belong
// to no segment.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// Appends dims of 1 until `values` has the rank `rank`.
static Value appendDims(Expansion &e, Value values, int64_t rank) {
  if (rank <= rankOf(values))
    return values;
  return e.unsqueeze(values, llvm::to_vector(llvm::seq(rankOf(values), rank)));
}

/// Rows like those of `data`, `count` of them, whose elements are all `value`.
static Value makeRows(Expansion &e, Value data, Size count, Value value) {
  SmallVector<Size> sizes{count};
  for (int64_t i : llvm::seq<int64_t>(1, rankOf(data)))
    sizes.push_back(e.dim(data, i));
  return e.broadcast(value, e.concat(sizes, 0));
}

/// The rows `indices` of the table, each times its weight, if there are weights. Only rows that are taken are widened,
/// because a table is large.
static Value takeRows(Expansion &e, Value indices, Value weights) {
  Value taken = e.convert(e.gather(e.given(0), indices, 0), elementOf(e.operand(0)));
  if (!weights)
    return taken;
  return e.multiply(taken, appendDims(e, weights, rankOf(taken)));
}

/// The sum, or the mean, that was summed up over `count` elements. The mean of none is 0.
static Value meanOf(Expansion &e, Value sum, Value count) {
  Value divisor = e.maximum(e.convert(count, elementOf(sum)), 1);
  return e.make<ov::DivideOp>({sum, divisor}, e.attribute("m_pythondiv", false));
}

static bool isMean(Expansion &e) { return e.has("reduction") && e.text("reduction") == "mean"; }

/// The attributes and operands that both forms of EmbeddingBag check.
static LogicalResult checkBag(Expansion &e, unsigned weights) {
  if (failed(e.expectRank(0, 1)))
    return failure();
  if (isMean(e) && e.operand(weights))
    return e.error("expected no 'per_sample_weights' for the reduction 'mean'");
  if (e.given(weights) && elementOf(e.given(weights)) != elementOf(e.given(0)))
    return e.error("expected 'per_sample_weights' and 'emb_table' to have the same element type, but got " +
                   spell(typeOf(e.given(weights))) + " and " + spell(typeOf(e.given(0))));
  return success();
}

static LogicalResult expandPacked(Expansion &e) {
  if (failed(checkBag(e, 2)) || failed(e.expectRank(1, 2, 2)))
    return failure();
  Value rows = takeRows(e, e.operand(1), e.operand(2));
  Value sum = e.reduce<ov::ReduceSumOp>(rows, {1}, /*keepDims=*/false);
  return e.replace(isMean(e) ? meanOf(e, sum, e.dim(e.operand(1), 1)) : sum);
}

LogicalResult recur::ir::expandEmbeddingBagPackedSum(Expansion &e) { return expandPacked(e); }
LogicalResult recur::ir::expandEmbeddingBagPacked(Expansion &e) { return expandPacked(e); }

/// Sums up the rows `indices` of the table for each of `count` segments; `segments` has the segment of each index, or
/// `count` for none. Operand `other` is the index of the row of empty segments, operand `weights` the weights.
static LogicalResult sumSegments(Expansion &e, Value segments, Size count, unsigned other, unsigned weights) {
  Value table = e.given(0), indices = e.operand(1);
  Type element = elementOf(e.operand(0)), i64 = e.i64();
  Value rows = takeRows(e, indices, e.operand(weights));
  Size all = e.add(count, 1);
  Value none = makeRows(e, rows, all, e.scalar(0, element));
  Value sum = e.slice(e.scatterRows(none, segments, rows), 0, e.size(0), count);
  if (!isMean(e) && !e.operand(other))
    return e.replace(sum);
  Value ones = e.broadcast(e.scalar(1, i64), e.shapeOf(indices));
  Value counts = e.slice(e.scatterRows(e.broadcast(e.scalar(0, i64), all), segments, ones), 0, e.size(0), count);
  counts = appendDims(e, counts, rankOf(table));
  if (isMean(e))
    sum = meanOf(e, sum, counts);
  if (e.operand(other)) {
    // A negative index gives zeros. Then no row is read, because the table may have none.
    Value index = e.reshape(e.operand(other), e.size(1));
    Value isGiven = e.make<ov::GreaterEqualOp>({index, e.size(0)});
    Value zeros = makeRows(e, table, e.size(1), e.scalar(0, elementOf(table)));
    Value read = e.convert(e.gather(e.concat({zeros, table}, 0), e.maximum(e.add(index, 1), 0), 0), element);
    Value isEmpty = e.equal(counts, e.scalar(0, i64));
    sum = e.select(e.make<ov::LogicalAndOp>({isEmpty, appendDims(e, isGiven, rankOf(table))}), read, sum);
  }
  return e.replace(sum);
}

static LogicalResult expandOffsets(Expansion &e) {
  if (failed(checkBag(e, 4)) || failed(e.expectRank(1, 1, 1)) || failed(e.expectRank(2, 1, 1)) ||
      (e.operand(3) && failed(e.expectOneElement(3))))
    return failure();
  Value offsets = e.operand(2);
  // The bag of position i is the last one that begins at i or before. Positions before the first bag have none.
  Size count = e.dim(offsets, 0);
  Value positions = e.unsqueeze(e.range(e.dim(e.operand(1), 0), e.i64()), {1});
  Value begins = e.convert(e.make<ov::LessEqualOp>({e.unsqueeze(offsets, {0}), positions}), e.i64());
  Value bags = e.subtract(e.reduce<ov::ReduceSumOp>(begins, {1}, /*keepDims=*/false), 1);
  bags = e.select(e.less(bags, e.size(0)), count, bags);
  return sumSegments(e, bags, count, 3, 4);
}

LogicalResult recur::ir::expandEmbeddingBagOffsetsSum(Expansion &e) { return expandOffsets(e); }
LogicalResult recur::ir::expandEmbeddingBagOffsets(Expansion &e) { return expandOffsets(e); }

LogicalResult recur::ir::expandEmbeddingSegmentsSum(Expansion &e) {
  if (failed(checkBag(e, 5)) || failed(e.expectRank(1, 1, 1)) || failed(e.expectRank(2, 1, 1)) ||
      failed(e.expectOneElement(3)) || (e.operand(4) && failed(e.expectOneElement(4))))
    return failure();
  Size count = e.reshape(e.operand(3), e.size(1));
  if (failed(e.requireSizes("'num_segments'", count)))
    return failure();
  return sumSegments(e, e.minimum(e.operand(2), count), count, 4, 5);
}

/// The least finite number of an element type, as a scalar.
static Value lowest(Expansion &e, Type element) {
  auto real = dyn_cast<FloatType>(element);
  return real ? e.scalar(llvm::APFloat::getLargest(real.getFloatSemantics(), /*Negative=*/true).convertToDouble(), real)
              : e.least(element);
}

LogicalResult recur::ir::expandSegmentMax(Expansion &e) {
  if (failed(e.expectRank(0, 1)) || failed(e.expectRank(1, 1, 1)) || (e.operand(2) && failed(e.expectOneElement(2))))
    return failure();
  Value data = e.operand(0), segments = e.operand(1);
  Type element = elementOf(data), i64 = e.i64();
  Size count = e.operand(2) ? e.reshape(e.operand(2), e.size(1))
                            : e.add(e.reduce<ov::ReduceMaxOp>(e.concat({segments, e.size(-1)}, 0), {0}, true), 1);
  if (e.operand(2) && failed(e.requireSizes("'num_segments'", count)))
    return failure();
  segments = e.minimum(segments, count);
  Size all = e.add(count, 1);
  Value rows = makeRows(e, data, all, e.least(element));
  Value maxima = e.slice(e.scatterRows(rows, segments, data, ov::ScatterNDReduction::Max), 0, e.size(0), count);
  Value ones = e.broadcast(e.scalar(1, i64), e.shapeOf(segments));
  Value counts = e.slice(e.scatterRows(e.broadcast(e.scalar(0, i64), all), segments, ones), 0, e.size(0), count);
  Value isEmpty = e.equal(appendDims(e, counts, rankOf(data)), e.scalar(0, i64));
  Value fill = e.text("fill_mode") == "zero" ? e.scalar(0, element) : lowest(e, element);
  return e.replace(e.select(isEmpty, fill, maxima));
}

LogicalResult recur::ir::expandSparseFillEmptyRows(Expansion &e) {
  if (failed(e.expectRank(0, 1, 1)) || failed(e.expectRank(1, 1, 1)) || failed(e.expectRank(2, 2, 2)) ||
      failed(e.expectOneElement(3)))
    return failure();
  Value values = e.operand(0), indices = e.operand(2);
  if (elementOf(values) != elementOf(e.operand(3)))
    return e.error("expected 'values' and 'default_value' to have the same element type, but got " +
                   spell(typeOf(values)) + " and " + spell(typeOf(e.operand(3))));
  Type i64 = e.i64();
  Size rows = e.gather(e.operand(1), e.size(0), 0);
  Value own = e.gather(indices, e.scalar(0, i64), 1), columns = e.gather(indices, e.scalar(1, i64), 1);
  Value ones = e.broadcast(e.scalar(1, i64), e.shapeOf(own));
  Value counts = e.scatterRows(e.broadcast(e.scalar(0, i64), rows), own, ones);
  Value isEmpty = e.equal(counts, e.scalar(0, i64));
  Value empty = e.findTrue(isEmpty);
  Value shape = e.shapeOf(empty);
  Value allRows = e.concat({own, empty}, 0);
  SmallVector<Value> sorted = e.sort(allRows, e.dim(allRows, 0));
  Value allColumns = e.concat({columns, e.broadcast(e.scalar(0, i64), shape)}, 0);
  Value allValues = e.concat({values, e.broadcast(e.reshape(e.operand(3), e.integers({})), shape)}, 0);
  Value pairs = e.concat({e.unsqueeze(sorted[0], {1}), e.unsqueeze(e.gather(allColumns, sorted[1], 0), {1})}, 1);
  return e.replace({pairs, e.gather(allValues, sorted[1], 0), isEmpty});
}
