// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Logical.cpp - logical operations -----------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

static Scalar logicalAnd(Scalar a, Scalar b) { return Scalar::of(a.integer & b.integer); }
static Scalar logicalNot(Scalar x) { return Scalar::of(Integer(x.integer == 0)); }
static Scalar logicalOr(Scalar a, Scalar b) { return Scalar::of(a.integer | b.integer); }
static Scalar logicalXor(Scalar a, Scalar b) { return Scalar::of(a.integer ^ b.integer); }

void addLogical(Handlers &handlers) {
  addUnary<ov::LogicalNotOp>(handlers, logicalNot);
  addBinary<ov::LogicalAndOp>(handlers, logicalAnd);
  addBinary<ov::LogicalOrOp>(handlers, logicalOr);
  addBinary<ov::LogicalXorOp>(handlers, logicalXor);
}

} // namespace recur::interpreter
