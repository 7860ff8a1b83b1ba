// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Activation.td - Activation functions ----------------*- tablegen -*-===//
//
// Functions of one tensor that networks apply between layers. Most work element by element; Softmax and LogSoftmax
// normalize along an axis. Some take their parameters as operands of one element.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_ACTIVATION_TD
#define RECUR_DIALECT_OV_IR_ACTIVATION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Activation : OV_Family<"Activation">;

def OV_GeluApproximation : OV_Enum<"GeluApproximation", "formula of the Gaussian error linear unit",
  ["Erf", "Tanh"], ["erf", "tanh"]>;
def OV_GeluApproximationAttr : OV_EnumAttr<OV_GeluApproximation, "gelu_approximation">;

let opDocGroup = OV_Activation in {

//===----------------------------------------------------------------------===//
// With one operand
//===----------------------------------------------------------------------===//

/// An element-wise activation function without parameters; `text` is its formula.
class OV_ActivationOp<string mnemonic, string type, string text, Type elements = OV_FloatTensor>
    : OV_UnaryOp<mnemonic, elements> {
  let layerType = type;
  let semantics = text;
}

def OV_ExpOp : OV_ActivationOp<"exp", "Exp", "`e^x`, within 2.5 ulp in f32.">;
def OV_SigmoidOp : OV_ActivationOp<"sigmoid", "Sigmoid", "`1 / (1 + e^-x)`, within 2.5 ulp in f32.">;
def OV_ReluOp : OV_ActivationOp<"relu", "Relu", "`max(x, 0)`; NaN stays NaN.", OV_NumberTensor>;
def OV_SoftPlusOp : OV_ActivationOp<"softplus", "SoftPlus", "`log(1 + e^x)`, without overflow."> {
  let opset = 4;
}
def OV_HSwishOp : OV_ActivationOp<"hswish", "HSwish", "`x * min(max(x + 3, 0), 6) / 6`; NaN stays NaN."> {
  let opset = 4;
}
def OV_HSigmoidOp : OV_ActivationOp<"hsigmoid", "HSigmoid", "`min(max(x + 3, 0), 6) / 6`; NaN stays NaN."> {
  let opset = 5;
}

def OV_SoftSignOp : OV_ActivationOp<"softsign", "SoftSign", "`x / (1 + |x|)`; NaN for an infinite `x`."> {
  let opset = 9;
}

def OV_MishOp : OV_ActivationOp<"mish", "Mish", "`x * tanh(log(1 + e^x))`, without overflow; NaN for minus infinity."> {
  let opset = 4;
}

/// An element-wise activation function whose parameters are attributes.
class OV_ActivationWithAttributesOp<string mnemonic, string type, Type elements, dag attributes>
    : OV_CheckedOp<mnemonic, [Pure, Elementwise, SameOperandsAndResultType, OV_AxesOpInterface]> {
  let layerType = type;
  let arguments = !con((ins elements:$data), attributes);
  let results = (outs elements:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
}

def OV_ClampOp : OV_ActivationWithAttributesOp<"clamp", "Clamp", OV_NumberTensor, (ins F64Attr:$min, F64Attr:$max)> {
  let semantics = "`min(max(x, min), max)`; NaN stays NaN. For integers `min` is rounded up and `max` down.";
  let rules = [OV_Rule<"`min` is not greater than `max`.", "expectOrder(report, \"min\", $min, \"max\", $max)">];
  let example = OV_Example<"%x: tensor<2xf32>", "%0 = ov.clamp %x {min = 0.0, max = 6.0} : tensor<2xf32>",
                           "tensor<2xf32>">.text;
}

def OV_EluOp : OV_ActivationWithAttributesOp<"elu", "Elu", OV_FloatTensor, (ins F64Attr:$alpha)> {
  let semantics = "`x` if `x > 0`, else `alpha * (e^x - 1)`; NaN stays NaN.";
  let example = OV_Example<"%x: tensor<2xf32>", "%0 = ov.elu %x {alpha = 1.0} : tensor<2xf32>", "tensor<2xf32>">.text;
}

def OV_GeluOp : OV_ActivationWithAttributesOp<"gelu", "Gelu", OV_FloatTensor, (ins
    Arg<DefaultValuedAttr<OV_GeluApproximationAttr, "::recur::ov::GeluApproximation::Erf">, "",
        [OV_Since<7>]>:$approximation_mode)> {
  let opset = 2;
  let semantics = [{
    `x / 2 * (1 + erf(x / sqrt 2))`, or `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))` if `approximation_mode`
    is "tanh".}];
  let example = OV_Example<"%x: tensor<2xf32>",
                           "%0 = ov.gelu %x {approximation_mode = #ov.gelu_approximation<tanh>} : tensor<2xf32>",
                           "tensor<2xf32>">.text;
}

//===----------------------------------------------------------------------===//
// With parameters that are operands
//===----------------------------------------------------------------------===//

/// An element-wise activation function whose parameters are operands of one element each. The result has the type of
/// the first operand.
class OV_ParametricOp<string mnemonic, string type, string text, dag operands, list<string> parameters>
    : OV_InferOp<mnemonic, [Pure, OV_AxesOpInterface]> {
  let layerType = type;
  let semantics = text;
  let rules = [OV_SameElementType<!listconcat(["data"], parameters)>, OV_OneElement<parameters>];
  let arguments = operands;
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let moreDefinitions = OV_InferFirstType;
}

def OV_SeluOp : OV_ParametricOp<"selu", "Selu",
  "`lambda * x` if `x > 0`, else `lambda * alpha * (e^x - 1)`; NaN stays NaN.",
  (ins OV_FloatTensor:$data, OV_FloatTensor:$alpha, OV_FloatTensor:$lambda), ["alpha", "lambda"]> {
  let example = [{
    func.func @example(%x: tensor<2xf32>, %alpha: tensor<1xf32>, %lambda: tensor<1xf32>) -> tensor<2xf32> {
      %0 = ov.selu %x, %alpha, %lambda : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  }];
}
def OV_HardSigmoidOp : OV_ParametricOp<"hard_sigmoid", "HardSigmoid",
  "`max(0, min(1, alpha * x + beta))`; NaN stays NaN.",
  (ins OV_FloatTensor:$data, OV_FloatTensor:$alpha, OV_FloatTensor:$beta), ["alpha", "beta"]> {
  let example = [{
    func.func @example(%x: tensor<2xf32>, %alpha: tensor<f32>, %beta: tensor<f32>) -> tensor<2xf32> {
      %0 = ov.hard_sigmoid %x, %alpha, %beta : (tensor<2xf32>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  }];
}
def OV_SwishOp : OV_ParametricOp<"swish", "Swish", "`x / (1 + e^(-beta * x))`; `beta` is 1 if it is absent.",
  (ins OV_FloatTensor:$data, Optional<OV_FloatTensor>:$beta), ["beta"]> {
  let opset = 4;
  let example = OV_Example<"%x: tensor<2xf32>, %beta: tensor<f32>",
                           "%0 = ov.swish %x, %beta : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
                           "tensor<2xf32>">.text;
}

def OV_PReluOp : OV_FaultingOp<"prelu", [OV_MapsAxes]> {
  let layerType = "PReLU";
  let semantics = [{
    `x` if `x` is not negative, else `slope * x`; NaN stays NaN. A `slope` of rank 1 and more than one element applies
    along dim 1 of `data`, if that has as many elements. Otherwise `slope` broadcasts to `data` by NumPy's rules.}];
  let rules = [
    OV_SameElementType<["data", "slope"]>,
    OV_Rule<"Each dim of `slope` is 1 or that of `data`. (If known only at run time, a violation is a fault.)">
  ];
  let example = OV_Example<"%x: tensor<2x3x4xf32>, %slope: tensor<3xf32>",
                           "%0 = ov.prelu %x, %slope : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>",
                           "tensor<2x3x4xf32>">.text;
  let arguments = (ins OV_FloatTensor:$data, OV_FloatTensor:$slope);
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "$data `,` $slope attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

/// A softmax along one axis; `text` is its formula.
class OV_SoftmaxOpBase<string mnemonic, string type, string text>
    : OV_CheckedOp<mnemonic, [Pure, SameOperandsAndResultType, OV_MapsAxes]> {
  let layerType = type;
  let semantics = text;
  let rules = [OV_Axis<"axis", "data">];
  let example = OV_Example<"%x: tensor<2x3xf32>", "%0 = ov." # mnemonic # " %x {axis = -1} : tensor<2x3xf32>",
                           "tensor<2x3xf32>">.text;
  let arguments = (ins OV_FloatTensor:$data, DefaultValuedAttr<I64Attr, "1">:$axis);
  let results = (outs OV_FloatTensor:$result);
  let assemblyFormat = "$data attr-dict `:` type($result)";
  let moreDefinitions = [{
    ::std::optional<int64_t> $cppClass::mapAxis(unsigned, unsigned, int64_t axis) {
      return ::recur::ov::keepUnless(::recur::ov::normalizeAxis(getAxis(), getType().getRank()), axis);
    }
  }];
}

def OV_SoftmaxOp : OV_SoftmaxOpBase<"softmax", "Softmax",
    "`e^(x - max) / sum(e^(x - max))` along `axis` (negative: from the end)."> {
  let importer = "importSoftmax";
  let writtenOpset = 8;
}
def OV_LogSoftmaxOp : OV_SoftmaxOpBase<"log_softmax", "LogSoftmax",
    "`x - max - log(sum(e^(x - max)))` along `axis` (negative: from the end)."> {
  let opset = 5;
}

} // opDocGroup

def OV_Identity : OV_LayerWithoutOp<"Identity", OV_Activation, "its input"> {
  let opset = 16;
  let importer = "importIdentity";
}

#endif // RECUR_DIALECT_OV_IR_ACTIVATION_TD
