// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementUnique.cpp - Unique ----------------------------------------===//
//
// Unique sorts the slices, so that equal ones are neighbours. A slice that differs from its predecessor begins a group.
// Slices of several elements are sorted by one element after the other, from the last to the first; each sort keeps the
// order of equal elements.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// The order in which the rows of `rows` [count, length] are sorted, an i64 tensor of shape [count].
static Value sortRows(Expansion &e, Value rows) {
  Size count = e.dim(rows, 0), length = e.dim(rows, 1);
  auto sortBy = [&](Value order, Value column) -> Value {
    Value keys = e.reshape(e.gather(e.gather(rows, column, 1), order, 0), e.size(-1));
    SmallVector<Value> sorted = e.sort(keys, count);
    return e.gather(order, sorted[1], 0);
  };
  Value order = e.range(count, e.i64());
  if (typeOf(rows).getDimSize(1) == 1)
    return sortBy(order, e.size(0));
  Size last = e.subtract(length, 1);
  SmallVector<Value> sorted = e.loop(length, order, [&](Value iteration, ValueRange carried) -> SmallVector<Value> {
    return {sortBy(carried[0], e.subtract(last, iteration))};
  });
  return sorted[0];
}

/// Puts the entries of `values` to the positions `positions`, a permutation.
static Value permute(Expansion &e, Value values, Value positions) {
  Value zeros = e.broadcast(e.scalar(0, e.i64()), e.shapeOf(values));
  return e.make<ov::ScatterElementsUpdateOp>({zeros, positions, values, e.scalar(0, e.i64())});
}

LogicalResult recur::ir::expandUnique(Expansion &e) {
  Value data = e.operand(0);
  int64_t axis = 0;
  if (e.operand(1)) {
    FailureOr<SmallVector<int64_t>> given = e.expectConstant(1);
    if (failed(given) || failed(e.expectOneElement(1)))
      return failure();
    FailureOr<int64_t> normalized = e.normalizeAxis("axis", given->front(), rankOf(data));
    if (failed(normalized))
      return failure();
    axis = *normalized;
  } else {
    data = e.reshape(data, e.size(-1));
  }
  Type indexType = e.type("index_element_type"), countType = e.type("count_element_type"), i64 = e.i64();
  for (Type type : {indexType, countType})
    if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
      return e.error("expected 'index_element_type' and 'count_element_type' to be i32 or i64, but got " + spell(type));

  // Rows [count, length]: the slices, flattened. An empty slice has no element to infer its length from.
  Value rows = data;
  if (axis != 0) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(data)));
    order.erase(order.begin() + axis);
    order.insert(order.begin(), axis);
    rows = e.transpose(data, order);
  }
  Size count = e.dim(data, axis), length = e.size(1);
  for (int64_t i : llvm::seq(rankOf(data)))
    if (i != axis)
      length = e.multiply(length, e.dim(data, i));
  rows = e.reshape(rows, {count, length});
  if (elementOf(rows).isInteger(1))
    rows = e.convert(rows, IntegerType::get(i64.getContext(), 8, IntegerType::Unsigned));
  Value order = sortRows(e, rows), numbers = e.range(count, i64), sorted = e.gather(rows, order, 0);

  // A row begins a group if it is the first, or differs from the row before.
  Value before = e.gather(sorted, e.maximum(e.subtract(numbers, 1), 0), 0);
  Value differs = e.reduce<ov::ReduceLogicalOrOp>(e.make<ov::NotEqualOp>({sorted, before}), {1}, /*keepDims=*/false);
  Value isNew = e.make<ov::LogicalOrOp>({differs, e.equal(numbers, e.scalar(0, i64))});
  Value starts = e.findTrue(isNew);
  Value groups = e.subtract(e.make<ov::CumSumOp>({e.convert(isNew, i64), e.scalar(0, i64)}), 1);
  Size found = e.dim(starts, 0);
  Value ends = e.concat({e.slice(starts, 0, e.size(1), found), e.slice(count, 0, e.size(0), e.minimum(found, 1))}, 0);
  Value counts = e.subtract(ends, starts);
  Value first = e.gather(order, starts, 0);
  Value reverse = permute(e, groups, order);
  if (!e.flag("sorted")) {
    // The groups in the order of their first rows, and the new number of each group.
    SmallVector<Value> again = e.sort(first, found);
    first = again[0];
    counts = e.gather(counts, again[1], 0);
    reverse = e.gather(permute(e, e.range(found, i64), again[1]), reverse, 0);
  }
  return e.replace({e.gather(data, first, axis), e.convert(first, indexType), e.convert(reverse, indexType),
                    e.convert(counts, countType)});
}
