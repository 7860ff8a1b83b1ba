// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Comparison.td - Comparisons of elements -------------*- tablegen -*-===//
//
// Each result element is a boolean. The operands broadcast by `auto_broadcast`. A comparison with a NaN is false, and
// NotEqual is true.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_COMPARISON_TD
#define RECUR_DIALECT_OV_IR_COMPARISON_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Comparison : OV_Family<"Comparison">;
let opDocGroup = OV_Comparison in {

/// An element-wise comparison of two operands; `text` is its formula. The result is boolean.
class OV_CompareOp<string mnemonic, string type, string text> : OV_BinaryOp<mnemonic, OV_Tensor, OV_BoolTensor> {
  let layerType = type;
  let semantics = text;
}

def OV_EqualOp : OV_CompareOp<"equal", "Equal", "`a == b`.">;
def OV_NotEqualOp : OV_CompareOp<"not_equal", "NotEqual", "`a != b`; true if an operand is NaN.">;
def OV_LessOp : OV_CompareOp<"less", "Less", "`a < b`.">;
def OV_LessEqualOp : OV_CompareOp<"less_equal", "LessEqual", "`a <= b`.">;
def OV_GreaterOp : OV_CompareOp<"greater", "Greater", "`a > b`.">;
def OV_GreaterEqualOp : OV_CompareOp<"greater_equal", "GreaterEqual", "`a >= b`.">;

/// An element-wise op with one operand and a boolean result.
class OV_PredicateOp<string mnemonic, string type, Type elements, string text>
    : OV_InferOp<mnemonic, [Pure, Elementwise, SameOperandsAndResultShape, OV_AxesOpInterface]> {
  let layerType = type;
  let semantics = text;
  let example = OV_Example<"%x: tensor<2x3xf32>", "%0 = ov." # mnemonic # " %x : (tensor<2x3xf32>) -> tensor<2x3xi1>",
                           "tensor<2x3xi1>">.text;
  let arguments = (ins elements:$data);
  let results = (outs OV_BoolTensor:$result);
  let assemblyFormat = "$data attr-dict `:` functional-type(operands, results)";
  let moreDefinitions = [{
    ::llvm::LogicalResult $cppClass::inferTypes(const ::recur::ov::Report &, Adaptor adaptor,
                                                ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return addType(types, shapeOf(adaptor.getData()), ::mlir::IntegerType::get(adaptor.getData().getContext(), 1));
    }
    ::std::optional<unsigned> $cppClass::describeDim(::recur::ov::DimSource &dims, unsigned, int64_t dim) {
      return dims.get(getData(), dim);
    }
  }];
}

def OV_IsNaNOp : OV_PredicateOp<"is_nan", "IsNaN", OV_FloatTensor, "True if `x` is NaN."> {
  let opset = 10;
}

} // opDocGroup

def OV_IsInf : OV_ExpandedLayer<"IsInf", OV_Comparison> {
  let opset = 10;
  let isWidened = false;
  let semantics = "True if the element is infinite, of a sign that `detect_negative` or `detect_positive` names.";
  let operands = [OV_LayerOperand<"data", "Real">];
  let layerAttributes = [OV_DefaultLayerAttribute<"detect_negative", "Boolean", "true">,
                         OV_DefaultLayerAttribute<"detect_positive", "Boolean", "true">];
}

def OV_IsFinite : OV_ExpandedLayer<"IsFinite", OV_Comparison> {
  let opset = 10;
  let isWidened = false;
  let semantics = "True if the element is neither infinite nor NaN.";
  let operands = [OV_LayerOperand<"data", "Real">];
}

#endif // RECUR_DIALECT_OV_IR_COMPARISON_TD
