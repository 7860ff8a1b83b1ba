// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVMathOps.td - More arithmetic on tensors ------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_OVMATHOPS_TD
#define RECUR_DIALECT_OV_IR_OVMATHOPS_TD

include "Recur/Dialect/OV/IR/OVTensorOps.td"

//===----------------------------------------------------------------------===//
// Element-wise, one operand
//===----------------------------------------------------------------------===//

def OV_FloorOp : OV_UnaryOp<"floor", OV_NumberTensor, "Floor", "The greatest integer that is not above `x`.">;
def OV_CeilingOp : OV_UnaryOp<"ceiling", OV_NumberTensor, "Ceiling", "The least integer that is not below `x`.">;
def OV_SignOp : OV_UnaryOp<"sign", OV_NumberTensor, "Sign", "-1, 0 or 1; NaN stays NaN.">;
def OV_LogOp : OV_UnaryOp<"log", OV_FloatTensor, "Log",
  "The natural logarithm, within 1 ulp in f32; NaN for negative values, minus infinity for 0.">;
def OV_SinOp : OV_UnaryOp<"sin", OV_FloatTensor, "Sin",
  "The sine, in f32 within 1 ulp where `|x| <= 2^20`, and beyond with an error below `2^-50 |x|`.">;
def OV_CosOp : OV_UnaryOp<"cos", OV_FloatTensor, "Cos", "The cosine, as good as `ov.sin`.">;
def OV_ErfOp : OV_UnaryOp<"erf", OV_FloatTensor, "Erf", "The error function, within 2.5 ulp in f32.">;
def OV_SoftPlusOp : OV_UnaryOp<"softplus", OV_FloatTensor, "SoftPlus", "`log(1 + e^x)`, without overflow.">;
def OV_HSwishOp : OV_UnaryOp<"hswish", OV_FloatTensor, "HSwish", "`x * min(max(x + 3, 0), 6) / 6`; NaN stays NaN.">;
def OV_HSigmoidOp : OV_UnaryOp<"hsigmoid", OV_FloatTensor, "HSigmoid", "`min(max(x + 3, 0), 6) / 6`; NaN stays NaN.">;

def OV_RoundOp : OV_Op<"round", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "Round operation";
  let description = [{
    The nearest integer; of two that are as near, the even one, or the one that is further from 0, as `mode` says.
    A zero keeps the sign of what was rounded.

    Constraints:
    * C1. `mode` is "half_to_even" or "half_away_from_zero".
  }];
  let arguments = (ins OV_NumberTensor:$data, DefaultValuedStrAttr<StrAttr, "half_to_even">:$mode);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def OV_EluOp : OV_Op<"elu", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "ELU operation";
  let description = "`x` where `x > 0`, else `alpha * (e^x - 1)`; NaN stays NaN.";
  let arguments = (ins OV_FloatTensor:$data, F64Attr:$alpha);
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
}

def OV_GeluOp : OV_Op<"gelu", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "GELU operation";
  let description = [{
    `x / 2 * (1 + erf(x / sqrt 2))`, or `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))` if `approximation_mode`
    is "tanh".

    Constraints:
    * C1. `approximation_mode` is "erf" or "tanh".
  }];
  let arguments = (ins OV_FloatTensor:$data, DefaultValuedStrAttr<StrAttr, "erf">:$approximation_mode);
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Element-wise, with parameters
//===----------------------------------------------------------------------===//

/// The parameters are operands that have one element each; the result has the type of the first operand.
class OV_ParametricOp<string mnemonic, string opset, string semantics, dag operands> : OV_InferOp<mnemonic, [Pure]> {
  let summary = opset # " operation";
  let description = semantics # [{

    Constraints:
    * C1. All operands have the same element type.
    * C2. All but the first are known to have one element.
  }];
  let arguments = operands;
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_SeluOp : OV_ParametricOp<"selu", "SELU",
  "`lambda * x` where `x > 0`, else `lambda * alpha * (e^x - 1)`; NaN stays NaN.",
  (ins OV_FloatTensor:$data, OV_FloatTensor:$alpha, OV_FloatTensor:$lambda)>;
def OV_HardSigmoidOp : OV_ParametricOp<"hard_sigmoid", "HardSigmoid",
  "`max(0, min(1, alpha * x + beta))`; NaN stays NaN.",
  (ins OV_FloatTensor:$data, OV_FloatTensor:$alpha, OV_FloatTensor:$beta)>;
def OV_SwishOp : OV_ParametricOp<"swish", "Swish", "`x / (1 + e^(-beta * x))`; `beta` is 1 where it is absent.",
  (ins OV_FloatTensor:$data, Optional<OV_FloatTensor>:$beta)>;

def OV_PReluOp : OV_InferOp<"prelu", [OV_Faulting]> {
  let summary = "PReLU operation";
  let description = [{
    `x` where `x` is not negative, else `slope * x`; NaN stays NaN. `slope` of rank 1 belongs to dim 1 of `data`, if `data`
    has one and they may agree; else `slope` broadcasts to `data` by NumPy's rules.

    Constraints:
    * C1. The operands have the same element type.
    * C2. Each dim of `slope` is 1 or that of `data`. (A fault where known only at run time.)

    Example: `%0 = ov.prelu %x, %slope : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>`.
  }];
  let arguments = (ins OV_FloatTensor:$data, OV_FloatTensor:$slope);
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "$data `,` $slope attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}

//===----------------------------------------------------------------------===//
// Element-wise, two operands
//===----------------------------------------------------------------------===//

def OV_SquaredDifferenceOp : OV_ArithOp<"squared_difference", OV_NumberTensor, "SquaredDifference",
  "`(a - b)^2`; integers wrap.">;
def OV_ModOp : OV_ArithOp<"mod", OV_NumberTensor, "Mod",
  "What is left of `a` when it is divided by `b` and the quotient truncated, exactly, with the sign of `a` (C's fmod). "
  "Integers: a divisor of 0 is a fault; the rest of a division by -1 is 0.">;
def OV_FloorModOp : OV_ArithOp<"floor_mod", OV_NumberTensor, "FloorMod",
  "What is left of `a` when it is divided by `b` and the quotient floored, with the sign of `b` (Python's %). Integers: a "
  "divisor of 0 is a fault.">;
def OV_LogicalOrOp : OV_ArithOp<"logical_or", OV_BoolTensor, "LogicalOr", "`a or b`.">;
def OV_LogicalXorOp : OV_ArithOp<"logical_xor", OV_BoolTensor, "LogicalXor", "`a != b`.">;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def OV_ReduceMeanOp : OV_ReduceOp<"reduce_mean", "ReduceMean",
  "The mean over `reduction_axes`; NaN of nothing. Integers: the sum, of 64 bits, divided by their number and truncated; "
  "0 of nothing.">;
def OV_ReduceMinOp : OV_ReduceOp<"reduce_min", "ReduceMin",
  "The least over `reduction_axes`; NaN if any is; the greatest value of the type of nothing.">;
def OV_ReduceProdOp : OV_ReduceOp<"reduce_prod", "ReduceProd",
  "The product over `reduction_axes`; integers wrap; 1 of nothing.">;
def OV_ReduceL1Op : OV_ReduceOp<"reduce_l1", "ReduceL1",
  "The sum of `|x|` over `reduction_axes`; integers wrap; 0 of nothing.">;
def OV_ReduceL2Op : OV_ReduceOp<"reduce_l2", "ReduceL2",
  "The root of the sum of `x^2` over `reduction_axes`; 0 of nothing.", OV_FloatTensor>;
def OV_ReduceLogicalAndOp : OV_ReduceOp<"reduce_logical_and", "ReduceLogicalAnd",
  "True if all over `reduction_axes` are; true of nothing.", OV_BoolTensor>;
def OV_ReduceLogicalOrOp : OV_ReduceOp<"reduce_logical_or", "ReduceLogicalOr",
  "True if any over `reduction_axes` is; false of nothing.", OV_BoolTensor>;

def OV_LogSoftmaxOp : OV_Op<"log_softmax", [Pure, SameOperandsAndResultType]> {
  let summary = "LogSoftmax operation";
  let description = [{
    `x - max - log(sum(e^(x - max)))` along `axis` (negative: from the end).

    Constraints:
    * C1. `axis` is in range.
  }];
  let arguments = (ins OV_FloatTensor:$data, DefaultValuedAttr<I64Attr, "1">:$axis);
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Scans and selections
//===----------------------------------------------------------------------===//

def OV_CumSumOp : OV_InferOp<"cum_sum", [Pure]> {
  let summary = "CumSum operation";
  let description = [{
    Sums along `axis` (0 where it is absent) up to each element, without it if `exclusive`; from the end if `reverse`. The
    elements are added one after the other; integers wrap.

    Constraints:
    * C1. `axis` is constant, has one element and is in range.

    Example: `%0 = ov.cum_sum %x, %axis {reverse = true} : (tensor<2x?xf32>, tensor<i64>) -> tensor<2x?xf32>`.
  }];
  let arguments = (ins OV_NumberTensor:$data, Optional<OV_IndexTensor>:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$exclusive, DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "$data (`,` $axis^)? attr-dict `:` functional-type(operands, results)";
}

def OV_TopKOp : OV_InferOp<"topk", [OV_Faulting]> {
  let summary = "TopK operation";
  let description = [{
    The `k` greatest (`mode` "max") or least ("min") elements along `axis` (negative: from the end), and their indices.
    NaN counts as greater than any number. Of equal elements the one with the lower index comes first and is taken first,
    whatever `stable` says. With `sort` "value" the best element is first, with "index" the one that is first in `data`;
    "none" leaves the order open (it is that of "value"). A `k` below 0 or above the length of the axis is a fault.

    Constraints:
    * C1. `axis` is in range.
    * C2. `k` is known to have one element, which is in [0, the length of the axis]. (A fault where known only at run time.)
    * C3. `mode` is "max" or "min", `sort` "value", "index" or "none".
    * C4. `index_element_type` is i32 or i64.

    Example: `%v, %i = ov.topk %x, %k {axis = 1, mode = "max", sort = "value", index_element_type = i32} : ...`.
  }];
  let arguments = (ins OV_NumberTensor:$data, OV_IndexTensor:$k, I64Attr:$axis, StrAttr:$mode, StrAttr:$sort,
    DefaultValuedAttr<BoolAttr, "false">:$stable, TypeAttr:$index_element_type);
  let results = (outs OV_NumberTensor:$values, OV_IndexTensor:$indices);
  let assemblyFormat = "$data `,` $k attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{ bool canFault(); }];
}

def OV_NonZeroOp : OV_InferOp<"non_zero", [Pure]> {
  let summary = "NonZero operation";
  let description = [{
    The places of the elements that are not 0 (NaN is not), in row-major order: entry [d, i] is the index along dim d of
    the i-th of them. How many there are is known only when they have been counted.

    Constraints:
    * C1. `output_type` is i32 or i64.

    Example: `%0 = ov.non_zero %x {output_type = i64} : (tensor<2x3xf32>) -> tensor<2x?xi64>`.
  }];
  let arguments = (ins OV_Tensor:$data, TypeAttr:$output_type);
  let results = (outs OV_IndexTensor:$result);
  let assemblyFormat = "$data attr-dict `:` functional-type(operands, results)";
}

#endif // RECUR_DIALECT_OV_IR_OVMATHOPS_TD
