// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Comparison.cpp - Infinite and finite numbers -----------------------===//
//
// IsFinite and IsInf become comparisons. An infinity is equal to itself alone, and no comparison with a NaN holds.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

LogicalResult recur::ir::expandIsInf(Expansion &e) {
  Value data = e.operand(0);
  Type element = elementOf(data);
  Value isLeast = e.make<ov::EqualOp>({data, e.least(element)});
  Value isGreatest = e.make<ov::EqualOp>({data, e.greatest(element)});
  Value none = e.scalar(0, IntegerType::get(element.getContext(), 1));
  Value negative = e.flag("detect_negative") ? isLeast : e.make<ov::LogicalAndOp>({isLeast, none});
  Value positive = e.flag("detect_positive") ? isGreatest : e.make<ov::LogicalAndOp>({isGreatest, none});
  return e.replace(e.make<ov::LogicalOrOp>({negative, positive}));
}

LogicalResult recur::ir::expandIsFinite(Expansion &e) {
  Value data = e.operand(0);
  return e.replace(e.make<ov::LessOp>({e.make<ov::AbsOp>(data), e.greatest(elementOf(data))}));
}
