// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Comparison.td - Comparisons of elements -------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_COMPARISON_TD
#define RECUR_DIALECT_OV_IR_COMPARISON_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Comparison : OV_Family<"Comparison">;
let opDocGroup = OV_Comparison in {

class OV_CompareOp<string mnemonic, string type, string text> : OV_BinaryOp<mnemonic, OV_Tensor, OV_BoolTensor> {
  let layerType = type;
  let semantics = text;
}

def OV_EqualOp : OV_CompareOp<"equal", "Equal", "`a == b`.">;
def OV_NotEqualOp : OV_CompareOp<"not_equal", "NotEqual", "`a != b`; true where either is NaN.">;
def OV_LessOp : OV_CompareOp<"less", "Less", "`a < b`.">;
def OV_LessEqualOp : OV_CompareOp<"less_equal", "LessEqual", "`a <= b`.">;
def OV_GreaterOp : OV_CompareOp<"greater", "Greater", "`a > b`.">;
def OV_GreaterEqualOp : OV_CompareOp<"greater_equal", "GreaterEqual", "`a >= b`.">;

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_COMPARISON_TD
