// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bitwise.td - Operations on the bits of integers -----*- tablegen -*-===//
//
// Element-wise operations on the bits of integers in two's complement. A boolean is one bit. Two operands broadcast by
// `auto_broadcast`.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_BITWISE_TD
#define RECUR_DIALECT_OV_IR_BITWISE_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Bitwise : OV_Family<"Bitwise">;
let opDocGroup = OV_Bitwise in {

/// An element-wise op with two operands; `text` is its formula.
class OV_BitwiseBinaryOp<string mnemonic, string type, Type elements, string text>
    : OV_BinaryOp<mnemonic, elements, elements> {
  let layerType = type;
  let opset = 13;
  let semantics = text;
}

def OV_BitwiseAndOp : OV_BitwiseBinaryOp<"bitwise_and", "BitwiseAnd", OV_BitsTensor,
  "The bits that both operands have.">;
def OV_BitwiseOrOp : OV_BitwiseBinaryOp<"bitwise_or", "BitwiseOr", OV_BitsTensor,
  "The bits that one or both operands have.">;
def OV_BitwiseXorOp : OV_BitwiseBinaryOp<"bitwise_xor", "BitwiseXor", OV_BitsTensor,
  "The bits that exactly one operand has.">;

def OV_BitwiseNotOp : OV_UnaryOp<"bitwise_not", OV_BitsTensor> {
  let layerType = "BitwiseNot";
  let opset = 13;
  let semantics = "The bits that `x` does not have.";
}

def OV_BitwiseLeftShiftOp : OV_BitwiseBinaryOp<"bitwise_left_shift", "BitwiseLeftShift", OV_IntegerTensor,
  "`a * 2^b` without the bits that the type does not hold. A shift by less than 0, or by as many bits as the type has, "
  "gives 0."> {
  let opset = 15;
}
def OV_BitwiseRightShiftOp : OV_BitwiseBinaryOp<"bitwise_right_shift", "BitwiseRightShift", OV_IntegerTensor,
  "`a / 2^b`, rounded toward minus infinity. A shift by less than 0, or by as many bits as the type has, gives 0, or "
  "-1 if `a` is negative."> {
  let opset = 15;
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_BITWISE_TD
