// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Condition.cpp - Positions in sorted rows ---------------------------===//
//
// This file expands Bucketize and SearchSorted. The position of a value in a sorted row is the number of elements
// before it, so no search is needed: all elements are compared, which vectorizes.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// The type in which numbers of both types are compared. It holds the integers of both, or is the wider real type.
static Type getCommonType(Expansion &e, Type a, Type b) {
  if (a == b)
    return a;
  if (isa<FloatType>(a) || isa<FloatType>(b))
    return a.isF64() || b.isF64() ? Type(Float64Type::get(a.getContext())) : e.f32();
  return e.i64();
}

/// The number of elements of `row` (its last dim) that are before each of `values`. A NaN is before all elements, or
/// behind them if `isRight` is true. Then elements that equal the value count, too.
static LogicalResult countBefore(Expansion &e, Value row, Value values, bool isRight, Type output) {
  if (!output.isSignlessInteger(32) && !output.isSignlessInteger(64))
    return e.error("expected 'output_type' to be i32 or i64, but got " + spell(output));
  Type common = getCommonType(e, elementOf(row), elementOf(values));
  row = e.convert(row, common);
  values = e.unsqueeze(e.convert(values, common), {rankOf(values)});
  if (rankOf(row) > 1)
    row = e.unsqueeze(row, {rankOf(row) - 1});
  Value isBefore = isRight ? e.make<ov::LogicalNotOp>(e.make<ov::GreaterOp>({row, values})) : e.less(row, values);
  return e.replace(e.reduce<ov::ReduceSumOp>(e.convert(isBefore, output), {-1}, /*keepDims=*/false));
}

LogicalResult recur::ir::expandBucketize(Expansion &e) {
  if (failed(e.expectRank(1, 1, 1)))
    return failure();
  return countBefore(e, e.operand(1), e.operand(0), !e.flag("with_right_bound"), e.type("output_type"));
}

LogicalResult recur::ir::expandSearchSorted(Expansion &e) {
  int64_t rank = rankOf(e.operand(0)), valuesRank = rankOf(e.operand(1));
  if (failed(e.expectRank(0, 1)))
    return failure();
  if (rank != 1 && rank != valuesRank)
    return e.error("expected 'sorted_sequence' to have rank 1 or that of 'values', but got ranks " + Twine(rank) +
                   " and " + Twine(valuesRank));
  Type output = e.has("output_type") ? e.type("output_type") : e.i64();
  return countBefore(e, e.operand(0), e.operand(1), e.flag("right_mode"), output);
}
