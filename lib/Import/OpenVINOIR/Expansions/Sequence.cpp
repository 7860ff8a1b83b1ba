// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sequence.cpp - Attention -------------------------------------------===//
//
// This file expands ScaledDotProductAttention: softmax(query * transpose(key) * scale + mask) * value.
//
// The query may have several heads for each head of the key and the value. Such heads are a group. In the products, the
// rows of all heads of a group are those of one head.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// The dim of heads counted from the end.
static constexpr int64_t kHeads = 3;

/// Dim `kHeads` of a tensor, if it is known.
static std::optional<int64_t> countHeads(Value value) {
  int64_t dim = typeOf(value).getDimSize(rankOf(value) - kHeads);
  return ShapedType::isDynamic(dim) ? std::nullopt : std::optional(dim);
}

/// The number of heads of the query for each head of the key and the value, or null if they have as many heads or
/// broadcast. A batch without a dim of heads (rank 3) has no groups.
static Size getGroupSize(Expansion &e, Value query, Value key, Value value) {
  int64_t rank = rankOf(query), dim = rank - kHeads;
  if (rank <= kHeads || rankOf(key) != rank || rankOf(value) != rank)
    return {};
  std::optional<int64_t> own = countHeads(query), ofKey = countHeads(key), ofValue = countHeads(value);
  bool isShared = ofKey == 1 && ofValue == 1;
  // Without a whole number of heads for each, the product of the query and the key reports their shapes.
  int64_t known = std::max(ofKey.value_or(0), ofValue.value_or(0));
  bool hasNoGroups = own && ofKey && ofValue && (*own <= known || known == 0 || *own % known != 0);
  if (own == 1 || isShared || hasNoGroups)
    return {};
  // A query of fewer heads than the key broadcasts to them. Where there are no heads, there are no groups of them.
  Size heads = e.maximum(e.dim(key, dim), e.dim(value, dim));
  Size size = e.maximum(e.divide(e.dim(query, dim), e.maximum(heads, 1)), 1);
  return e.select(e.equal(heads, e.size(0)), e.size(1), size);
}

/// Reshapes [..., heads, rows, columns] to [..., heads / size, rows * size, columns], where the rows of a group of
/// heads follow each other. With `isReverse`, does the reverse.
static Value joinGroups(Expansion &e, Value value, Size size, bool isReverse = false) {
  int64_t heads = rankOf(value) - kHeads, rows = heads + 1;
  SmallVector<Size> dims;
  for (int64_t i : llvm::seq(rankOf(value)))
    dims.push_back(e.dim(value, i));
  dims[heads] = isReverse ? e.multiply(dims[heads], size) : e.divide(dims[heads], size);
  dims[rows] = isReverse ? e.divide(dims[rows], size) : e.multiply(dims[rows], size);
  return e.reshape(value, dims);
}

LogicalResult recur::ir::expandScaledDotProductAttention(Expansion &e) {
  for (unsigned i : {0, 1, 2})
    if (failed(e.expectRank(i, 2)))
      return failure();
  Value query = e.operand(0);
  Type element = elementOf(query);
  Value key = e.convert(e.operand(1), element);
  Value value = e.convert(e.operand(2), element), mask = e.operand(3), scale = e.convert(e.operand(4), element);
  if (mask && !elementOf(mask).isInteger(1))
    mask = e.convert(mask, element);
  if (scale && rankOf(scale) > 0)
    scale = e.reshape(scale, e.integers({}));
  if (!scale) {
    Value width = e.squeeze(e.convert(e.dim(query, rankOf(query) - 1), element), {0});
    scale = e.divide(e.scalar(1, element), e.squareRoot(width));
  }
  Size group = getGroupSize(e, query, key, value);
  Value scaled = e.multiply(query, scale);
  if (group)
    scaled = joinGroups(e, scaled, group);
  Value scores = e.make<ov::MatMulOp>({scaled, key}, e.attribute("transpose_b", true));
  if (group)
    scores = joinGroups(e, scores, group, /*isReverse=*/true);
  Value masked = e.scalar(-std::numeric_limits<double>::infinity(), element);
  Value kept;
  if (e.flag("causal")) {
    Type i64 = elementOf(e.size(0));
    Value row = e.unsqueeze(e.range(e.dim(query, rankOf(query) - 2), i64), {1});
    Value column = e.unsqueeze(e.range(e.dim(key, rankOf(key) - 2), i64), {0});
    kept = e.make<ov::LessEqualOp>({column, row});
  } else if (mask && elementOf(mask).isInteger(1)) {
    kept = mask;
  } else if (mask) {
    scores = e.add(scores, mask);
  }
  if (kept)
    scores = e.select(kept, scores, masked);
  Value weights = e.make<ov::SoftmaxOp>(scores, e.attribute("axis", int64_t(-1)));
  if (group)
    weights = joinGroups(e, weights, group);
  Value result = e.make<ov::MatMulOp>({weights, value});
  return e.replace(group ? joinGroups(e, result, group, /*isReverse=*/true) : result);
}
