// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Logical.cpp - Lowering of logic on booleans ------------------------===//
//
// Each op is a payload of the element-wise pattern (Elementwise.h). Payloads compute on i1; the pattern
// converts from and to the i8 that memory holds.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace recur::ov {

template <typename Op, typename ArithOp>
static Value buildBinary(LoweringBuilder &b, Op, ValueRange args) {
  return ArithOp::create(b, args[0], args[1]);
}

/// Not is an exclusive or with true.
static Value buildNot(LoweringBuilder &b, LogicalNotOp, ValueRange args) {
  return arith::XOrIOp::create(b, args[0], oneOf(b, args[0].getType()));
}

void populateLogicalPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  addElementwise<LogicalAndOp, buildBinary<LogicalAndOp, arith::AndIOp>>(converter, patterns);
  addElementwise<LogicalNotOp, buildNot>(converter, patterns);
  addElementwise<LogicalOrOp, buildBinary<LogicalOrOp, arith::OrIOp>>(converter, patterns);
  addElementwise<LogicalXorOp, buildBinary<LogicalXorOp, arith::XOrIOp>>(converter, patterns);
}

} // namespace recur::ov
