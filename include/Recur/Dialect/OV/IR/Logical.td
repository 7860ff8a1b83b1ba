// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Logical.td - Logic on booleans ----------------------*- tablegen -*-===//
//
// Element-wise operations on booleans. Two operands broadcast by `auto_broadcast`.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_LOGICAL_TD
#define RECUR_DIALECT_OV_IR_LOGICAL_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Logical : OV_Family<"Logical">;
let opDocGroup = OV_Logical in {

/// An element-wise op with two boolean operands; `text` is its formula.
class OV_LogicalBinaryOp<string mnemonic, string type, string text>
    : OV_BinaryOp<mnemonic, OV_BoolTensor, OV_BoolTensor> {
  let layerType = type;
  let semantics = text;
}

def OV_LogicalAndOp : OV_LogicalBinaryOp<"logical_and", "LogicalAnd", "`a and b`.">;
def OV_LogicalOrOp : OV_LogicalBinaryOp<"logical_or", "LogicalOr", "`a or b`.">;
def OV_LogicalXorOp : OV_LogicalBinaryOp<"logical_xor", "LogicalXor", "`a != b`."> {
  let otherLayerTypes = ["Xor"];
}

def OV_LogicalNotOp : OV_UnaryOp<"logical_not", OV_BoolTensor> {
  let layerType = "LogicalNot";
  let semantics = "`not x`.";
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_LOGICAL_TD
