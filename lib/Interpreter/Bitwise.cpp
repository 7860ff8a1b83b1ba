// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bitwise.cpp - operations on bits -----------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

static Scalar bitwiseAnd(Scalar a, Scalar b) { return Scalar::of(a.integer & b.integer); }
static Scalar bitwiseOr(Scalar a, Scalar b) { return Scalar::of(a.integer | b.integer); }
static Scalar bitwiseXor(Scalar a, Scalar b) { return Scalar::of(a.integer ^ b.integer); }

static MaybeTensor bitwiseNot(Machine &machine, ov::BitwiseNotOp, Operands operands) {
  recur_element_type type = operands[0]->getType();
  return mapUnary(machine, *operands[0], type,
                  [&](Scalar x) { return Scalar::of(type == RECUR_BOOLEAN ? Integer(x.integer == 0) : ~x.integer); });
}

/// Shifts one bit after the other. No element has more than 64.
template <typename Op>
static MaybeTensor shift(Machine &machine, Op op, Operands operands, llvm::function_ref<Integer(Integer)> shiftOnce) {
  return mapBinary(machine, *operands[0], *operands[1], operands[0]->getType(), op.getAutoBroadcast(),
                   [&](Scalar a, Scalar b) -> std::optional<Scalar> {
                     Integer result = a.integer, count = b.integer < 0 || b.integer > 64 ? 64 : b.integer;
                     for (; count != 0; --count)
                       result = shiftOnce(result);
                     return Scalar::of(result);
                   });
}

static MaybeTensor leftShift(Machine &machine, ov::BitwiseLeftShiftOp op, Operands operands) {
  return shift(machine, op, operands, [](Integer x) { return Integer(uint64_t(x) << 1); });
}

static MaybeTensor rightShift(Machine &machine, ov::BitwiseRightShiftOp op, Operands operands) {
  return shift(machine, op, operands, [](Integer x) { return x < 0 ? -((1 - x) / 2) : x / 2; });
}

void addBitwise(Handlers &handlers) {
  addBinary<ov::BitwiseAndOp>(handlers, bitwiseAnd);
  addBinary<ov::BitwiseOrOp>(handlers, bitwiseOr);
  addBinary<ov::BitwiseXorOp>(handlers, bitwiseXor);
  addHandler<ov::BitwiseLeftShiftOp>(handlers, leftShift);
  addHandler<ov::BitwiseNotOp>(handlers, bitwiseNot);
  addHandler<ov::BitwiseRightShiftOp>(handlers, rightShift);
}

} // namespace recur::interpreter
