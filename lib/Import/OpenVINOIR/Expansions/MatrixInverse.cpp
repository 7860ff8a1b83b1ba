// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MatrixInverse.cpp - The inverse of a matrix ------------------------===//
//
// This file expands Inverse by Gauss-Jordan elimination: a loop over the columns turns the matrix into the identity,
// and the identity beside it into the inverse. The pivot of a column is its element of the greatest absolute value.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

LogicalResult recur::ir::expandInverse(Expansion &e) {
  if (failed(e.expectRank(0, 2)))
    return failure();
  Value data = e.operand(0);
  int64_t rank = rankOf(data);
  Type element = elementOf(data), i64 = e.i64();
  Size size = e.dim(data, rank - 1);
  SmallVector<Size> batchDims;
  for (int64_t i = 0; i != rank - 2; ++i)
    batchDims.push_back(e.dim(data, i));
  Size batch = e.product(batchDims);
  Value places = e.range(size, i64), rows = e.unsqueeze(places, {1});
  Value identity = e.convert(e.make<ov::EqualOp>({rows, places}), element);
  Value matrices = e.reshape(data, {batch, size, size});
  Size twice = e.multiply(size, 2);
  Value shape = e.concat({batch, size, twice}, 0);
  Value both = e.reshape(e.concat({matrices, e.broadcast(identity, e.concat({batch, size, size}, 0))}, 2), shape);

  SmallVector<Value> result = e.loop(size, both, [&](Value step, ValueRange carried) -> SmallVector<Value> {
    Value current = carried[0];
    // The rows above are done.
    Value column = e.make<ov::AbsOp>(e.gather(current, step, 2));
    Value isLeft = e.make<ov::GreaterEqualOp>({places, step});
    column = e.select(isLeft, column, e.scalar(-1, element));
    Value greatest = e.reduce<ov::ReduceMaxOp>(column, {1}, /*keepDims=*/true);
    Value found = e.select(e.make<ov::EqualOp>({column, greatest}), places, size);
    // A column with NaN has no greatest element, so any row will do.
    Value pivotRow = e.minimum(e.reduce<ov::ReduceMinOp>(found, {1}, /*keepDims=*/true), e.subtract(size, 1));
    // The row of the pivot and that of the step change places.
    Value isStep = e.make<ov::EqualOp>({places, step}), isPivot = e.make<ov::EqualOp>({places, pivotRow});
    Value order = e.select(isStep, pivotRow, e.select(isPivot, step, places));
    Value indices = e.broadcast(e.unsqueeze(order, {2}), shape);
    Value swapped = e.make<ov::GatherElementsOp>({current, indices}, e.attribute("axis", int64_t(1)));
    Value own = e.unsqueeze(e.gather(swapped, step, 1), {1}), factors = e.unsqueeze(e.gather(swapped, step, 2), {2});
    Value pivot = e.unsqueeze(e.gather(own, step, 2), {2});
    Value scaled = e.divide(own, pivot);
    Value isOwn = e.unsqueeze(isStep, {1});
    return {e.select(isOwn, scaled, e.subtract(swapped, e.multiply(factors, scaled)))};
  });
  Value inverse = e.slice(result[0], 2, size, twice);
  if (e.flag("adjoint"))
    inverse = e.transpose(inverse, {0, 2, 1});
  return e.replace(e.reshape(inverse, e.shapeOf(data)));
}
