// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bitwise.cpp - Lowering of operations on bits -----------------------===//
//
// Each op is a payload of the element-wise pattern (Elementwise.h). A boolean is computed as an i1.
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

/// Not is an exclusive or with all bits.
static Value buildNot(LoweringBuilder &b, BitwiseNotOp, ValueRange args) {
  Type type = args[0].getType();
  Value all = constantOf(b, type, APInt::getAllOnes(type.getIntOrFloatBitWidth()));
  return arith::XOrIOp::create(b, args[0], all);
}

/// True if `count`, read as an unsigned number, is less than the number of bits of its type. A shift by more is poison.
static Value isInWidth(LoweringBuilder &b, Value count) {
  unsigned width = count.getType().getIntOrFloatBitWidth();
  return compare(b, arith::CmpIPredicate::ult, count, constantOf(b, count.getType(), APInt(width, width)));
}

static Value buildLeftShift(LoweringBuilder &b, BitwiseLeftShiftOp, ValueRange args) {
  Value zero = zeroOf(b, args[0].getType()), isIn = isInWidth(b, args[1]);
  Value shifted = arith::ShLIOp::create(b, args[0], selectValue(b, isIn, args[1], zero));
  return selectValue(b, isIn, shifted, zero);
}

static Value buildRightShift(LoweringBuilder &b, BitwiseRightShiftOp op, ValueRange args) {
  Type type = args[0].getType();
  Value isIn = isInWidth(b, args[1]);
  if (isUnsigned(operandElement(op))) {
    Value zero = zeroOf(b, type);
    Value shifted = arith::ShRUIOp::create(b, args[0], selectValue(b, isIn, args[1], zero));
    return selectValue(b, isIn, shifted, zero);
  }
  // The greatest shift leaves nothing but the sign.
  unsigned width = type.getIntOrFloatBitWidth();
  Value most = constantOf(b, type, APInt(width, width - 1));
  return arith::ShRSIOp::create(b, args[0], selectValue(b, isIn, args[1], most));
}

void populateBitwisePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  addElementwise<BitwiseAndOp, buildBinary<BitwiseAndOp, arith::AndIOp>>(converter, patterns);
  addElementwise<BitwiseLeftShiftOp, buildLeftShift>(converter, patterns);
  addElementwise<BitwiseNotOp, buildNot>(converter, patterns);
  addElementwise<BitwiseOrOp, buildBinary<BitwiseOrOp, arith::OrIOp>>(converter, patterns);
  addElementwise<BitwiseRightShiftOp, buildRightShift>(converter, patterns);
  addElementwise<BitwiseXorOp, buildBinary<BitwiseXorOp, arith::XOrIOp>>(converter, patterns);
}

} // namespace recur::ov
