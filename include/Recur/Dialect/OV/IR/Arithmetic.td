// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arithmetic.td - Arithmetic on elements --------------*- tablegen -*-===//
//
// Element-wise functions of one and of two tensors, and CumSum. Two operands broadcast by `auto_broadcast`. Integers
// wrap; division by 0 is a fault for integers and follows IEEE 754 for reals.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_ARITHMETIC_TD
#define RECUR_DIALECT_OV_IR_ARITHMETIC_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Arithmetic : OV_Family<"Arithmetic">;

def OV_RoundMode : OV_Enum<"RoundMode", "rule for numbers halfway between two integers",
  ["HalfToEven", "HalfAwayFromZero"], ["half_to_even", "half_away_from_zero"]>;
def OV_RoundModeAttr : OV_EnumAttr<OV_RoundMode, "round_mode">;

let opDocGroup = OV_Arithmetic in {

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// An element-wise op with one operand; `text` is its formula.
class OV_ArithmeticUnaryOp<string mnemonic, string type, Type elements, string text> : OV_UnaryOp<mnemonic, elements> {
  let layerType = type;
  let semantics = text;
}

def OV_NegativeOp : OV_ArithmeticUnaryOp<"negative", "Negative", OV_NumberTensor, "`-x`; integers wrap.">;
def OV_AbsOp : OV_ArithmeticUnaryOp<"abs", "Abs", OV_NumberTensor, "`|x|`; integers wrap.">;
def OV_SqrtOp : OV_ArithmeticUnaryOp<"sqrt", "Sqrt", OV_FloatTensor, "The square root; NaN for negative values.">;
def OV_TanhOp : OV_ArithmeticUnaryOp<"tanh", "Tanh", OV_FloatTensor,
  "The hyperbolic tangent, within 2.5 ulp in f32.">;
def OV_FloorOp : OV_ArithmeticUnaryOp<"floor", "Floor", OV_NumberTensor,
  "The greatest integer that is not above `x`.">;
def OV_CeilingOp : OV_ArithmeticUnaryOp<"ceiling", "Ceiling", OV_NumberTensor,
  "The least integer that is not below `x`.">;
def OV_SignOp : OV_ArithmeticUnaryOp<"sign", "Sign", OV_NumberTensor, "-1, 0 or 1; NaN stays NaN.">;
def OV_LogOp : OV_ArithmeticUnaryOp<"log", "Log", OV_FloatTensor,
  "The natural logarithm, within 1 ulp in f32; NaN for negative values, minus infinity for 0.">;
def OV_SinOp : OV_ArithmeticUnaryOp<"sin", "Sin", OV_FloatTensor,
  "The sine, in f32 within 1 ulp where `|x| <= 2^20`, and beyond with an error below `2^-50 |x|`.">;
def OV_CosOp : OV_ArithmeticUnaryOp<"cos", "Cos", OV_FloatTensor, "The cosine, with the accuracy of `ov.sin`.">;
def OV_TanOp : OV_ArithmeticUnaryOp<"tan", "Tan", OV_FloatTensor, "The tangent, with the accuracy of `ov.sin`.">;
def OV_AsinOp : OV_ArithmeticUnaryOp<"asin", "Asin", OV_FloatTensor,
  "The arc sine, within 1 ulp in f32; NaN for `|x| > 1`.">;
def OV_AcosOp : OV_ArithmeticUnaryOp<"acos", "Acos", OV_FloatTensor,
  "The arc cosine, within 1 ulp in f32; NaN for `|x| > 1`.">;
def OV_AtanOp : OV_ArithmeticUnaryOp<"atan", "Atan", OV_FloatTensor, "The arc tangent, within 1 ulp in f32.">;
def OV_SinhOp : OV_ArithmeticUnaryOp<"sinh", "Sinh", OV_FloatTensor, "The hyperbolic sine, within 1 ulp in f32.">;
def OV_CoshOp : OV_ArithmeticUnaryOp<"cosh", "Cosh", OV_FloatTensor, "The hyperbolic cosine, within 1 ulp in f32.">;
def OV_AsinhOp : OV_ArithmeticUnaryOp<"asinh", "Asinh", OV_FloatTensor, "The inverse of sinh, within 1 ulp in f32."> {
  let opset = 4;
}
def OV_AcoshOp : OV_ArithmeticUnaryOp<"acosh", "Acosh", OV_FloatTensor,
  "The inverse of cosh that is not negative, within 1 ulp in f32; NaN for `x < 1`."> {
  let opset = 4;
}
def OV_AtanhOp : OV_ArithmeticUnaryOp<"atanh", "Atanh", OV_FloatTensor,
  "The inverse of tanh, within 1 ulp in f32; NaN for `|x| > 1`."> {
  let opset = 4;
}
def OV_ErfOp : OV_ArithmeticUnaryOp<"erf", "Erf", OV_FloatTensor, "The error function, within 2.5 ulp in f32.">;

def OV_RoundOp : OV_Op<"round", [Pure, Elementwise, SameOperandsAndResultType, OV_AxesOpInterface]> {
  let layerType = "Round";
  let opset = 5;
  let semantics = [{
    The nearest integer. If two integers are equally near, `mode` decides: the even one, or the one that is further from
    0. A result of zero has the sign of the operand.}];
  let example = OV_Example<"%x: tensor<2xf32>",
                           "%0 = ov.round %x {mode = #ov.round_mode<half_away_from_zero>} : tensor<2xf32>",
                           "tensor<2xf32>">.text;
  let arguments = (ins OV_NumberTensor:$data,
    DefaultValuedAttr<OV_RoundModeAttr, "::recur::ov::RoundMode::HalfToEven">:$mode);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// An element-wise op with two operands; `text` is its formula.
class OV_ArithmeticBinaryOp<string mnemonic, string type, string text, list<Trait> traits = []>
    : OV_BinaryOp<mnemonic, OV_NumberTensor, OV_NumberTensor, traits> {
  let layerType = type;
  let semantics = text;
}

def OV_AddOp : OV_ArithmeticBinaryOp<"add", "Add", "`a + b`; integers wrap.", [OV_KnowsElements]>;
def OV_SubtractOp : OV_ArithmeticBinaryOp<"subtract", "Subtract", "`a - b`; integers wrap."> {
  let hasFolder = 1;
}
def OV_MultiplyOp : OV_ArithmeticBinaryOp<"multiply", "Multiply", "`a * b`; integers wrap.", [OV_KnowsElements]> {
  let hasFolder = 1;
}
def OV_MaximumOp : OV_ArithmeticBinaryOp<"maximum", "Maximum", "The greater of `a` and `b`; NaN if either is.">;
def OV_MinimumOp : OV_ArithmeticBinaryOp<"minimum", "Minimum", "The smaller of `a` and `b`; NaN if either is.">;
def OV_PowerOp : OV_ArithmeticBinaryOp<"power", "Power",
  "`a` to the power of `b`, as C's pow, in f32 within 4 ulp. Integers wrap. An integer to a negative power is the "
  "truncated inverse, and 0 if `a` is 0.">;
def OV_SquaredDifferenceOp : OV_ArithmeticBinaryOp<"squared_difference", "SquaredDifference",
  "`(a - b)^2`; integers wrap.">;

/// A division. For integers, a divisor of 0 is a fault.
class OV_ArithmeticDivisionOp<string mnemonic, string type, string text>
    : OV_ArithmeticBinaryOp<mnemonic, type, text> {
  let fault = "::recur::ov::canDivideByZero(getRhs())";
}

def OV_DivideOp : OV_ArithmeticDivisionOp<"divide", "Divide",
    "`a / b`. A quotient of integers is floored if `m_pythondiv` is true, else truncated. An integer divisor of 0 is a "
    "fault. The least integer divided by -1 wraps."> {
  let arguments = (ins OV_NumberTensor:$lhs, OV_NumberTensor:$rhs,
    DefaultValuedAttr<OV_AutoBroadcastAttr, "::recur::ov::AutoBroadcast::Numpy">:$auto_broadcast,
    DefaultValuedAttr<BoolAttr, "true">:$m_pythondiv);
  let importer = "importDivide";
}
def OV_ModOp : OV_ArithmeticDivisionOp<"mod", "Mod",
  "The exact remainder of `a / b` with a truncated quotient. It has the sign of `a` (C's fmod). An integer divisor of "
  "0 is a fault. The remainder of an integer division by -1 is 0.">;
def OV_FloorModOp : OV_ArithmeticDivisionOp<"floor_mod", "FloorMod",
  "The remainder of `a / b` with a floored quotient. It has the sign of `b` (Python's %). An integer divisor of 0 is a "
  "fault.">;

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

def OV_CumSumOp : OV_FaultingOp<"cum_sum", [OV_MapsAxes]> {
  let layerType = "CumSum";
  let opset = 3;
  let semantics = [{
    The running sum along `axis` (0 if it is absent). Each result is the sum of the elements up to its position, without
    the element at that position if `exclusive`. With `reverse` the sum runs from the end. The elements are added one
    after the other; integers wrap.}];
  let rules = [OV_AtLeastRank<"data", 1>, OV_AxisOperand<"axis", "data">];
  let example = [{
    func.func @example(%x: tensor<2x?xf32>, %axis: tensor<i64>) -> tensor<2x?xf32> {
      %0 = ov.cum_sum %x, %axis {reverse = true} : (tensor<2x?xf32>, tensor<i64>) -> tensor<2x?xf32>
      return %0 : tensor<2x?xf32>
    }
  }];
  let arguments = (ins OV_NumberTensor:$data, Optional<OV_IndexTensor>:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$exclusive, DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs OV_NumberTensor:$result);
  let assemblyFormat = "$data (`,` $axis^)? attr-dict `:` functional-type(operands, results)";
  let moreDefinitions = OV_InferFirstType;
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_ARITHMETIC_TD
