// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementScatter.cpp - SliceScatter ---------------------------------===//
//
// This file expands SliceScatter. The op ov.slice takes the same slice of a tensor that has the number of each element.
// The elements with these numbers are replaced.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

LogicalResult recur::ir::expandSliceScatter(Expansion &e) {
  Value data = e.operand(0), updates = e.operand(1), shape = e.shapeOf(data);
  if (elementOf(data) != elementOf(updates))
    return e.error("expected 'data' and 'updates' to have the same element type");
  if (rankOf(data) != rankOf(updates))
    return e.error("expected 'data' and 'updates' to have the same rank");
  Size flat = e.size(-1);
  Value values = e.reshape(data, flat);
  SmallVector<Value> operands{e.reshape(e.range(e.dim(values, 0), e.i64()), shape), e.operand(2), e.operand(3),
                              e.operand(4)};
  if (e.operand(5))
    operands.push_back(e.operand(5));
  Value numbers = e.make<ov::SliceOp>(operands);
  // The updates must have the dims of the slice, or 1.
  Value given = e.broadcast(updates, e.shapeOf(numbers));
  Value result = e.make<ov::ScatterElementsUpdateOp>(
      {values, e.reshape(numbers, flat), e.reshape(given, flat), e.scalar(0, e.i64())});
  return e.replace(e.reshape(result, shape));
}
