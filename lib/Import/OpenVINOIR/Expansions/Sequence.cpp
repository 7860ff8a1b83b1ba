// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sequence.cpp - Attention -------------------------------------------===//
//
// This file expands ScaledDotProductAttention: softmax(query * transpose(key) * scale + mask) * value.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::ir;

LogicalResult recur::ir::expandScaledDotProductAttention(Expansion &e) {
  for (unsigned i : {0, 1, 2})
    if (failed(e.expectRank(i, 2)))
      return failure();
  // Narrow types are computed in f32, and rounded once.
  Type given = elementOf(e.operand(0)),
       element = given.getIntOrFloatBitWidth() < 32 ? Float32Type::get(given.getContext()) : given;
  Value query = e.convert(e.operand(0), element), key = e.convert(e.operand(1), element);
  Value value = e.convert(e.operand(2), element), mask = e.operand(3), scale = e.convert(e.operand(4), element);
  if (mask && !elementOf(mask).isInteger(1))
    mask = e.convert(mask, element);
  if (scale && rankOf(scale) > 0)
    scale = e.reshape(scale, e.integers({}));
  if (!scale) {
    Value width = e.squeeze(e.convert(e.dim(query, rankOf(query) - 1), element), {0});
    scale = e.divide(e.scalar(1, element), e.squareRoot(width));
  }
  Value scores = e.make<ov::MatMulOp>({e.multiply(query, scale), key}, e.attribute("transpose_b", true));
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
  return e.replace(e.convert(e.make<ov::MatMulOp>({weights, value}), given));
}
