// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Type.td - Conversions of the element type -----------*- tablegen -*-===//
//
// These ops convert the elements of a tensor to another element type and keep its shape.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_TYPE_TD
#define RECUR_DIALECT_OV_IR_TYPE_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Type : OV_Family<"Type">;
let opDocGroup = OV_Type in {

def OV_ConvertOp : OV_Op<"convert", [
    Pure, Elementwise, SameOperandsAndResultShape, OV_KnowsElements, OV_AxesOpInterface]> {
  let layerType = "Convert";
  let importer = "importConvert";
  let exporter = "exportConvert";
  let hasOwnLayerAttributes = true;
  let layerAttributes = [OV_LayerAttribute<"destination_type", "Type", /*required=*/true>];
  let semantics = [{
    Changes the element type to that of the result (`destination_type` in OpenVINO's IR). A float that becomes an
    integer is truncated and saturated; NaN becomes 0. An integer that becomes a narrower integer wraps. A value that
    becomes a boolean is true if it is not 0. A boolean that becomes a number is 0 or 1.}];
  let example = OV_Example<"%x: tensor<2xf32>", "%0 = ov.convert %x : tensor<2xf32> to tensor<2xi64>",
                           "tensor<2xi64>">.text;
  let arguments = (ins OV_Tensor:$input);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
}

def OV_ConvertLikeOp : OV_InferOp<"convert_like", [Pure, OV_MapsAxes]> {
  let layerType = "ConvertLike";
  let semantics = "As `ov.convert`, to the element type of `like`. The elements of `like` are not read.";
  let example = OV_Example<"%x: tensor<2xf32>, %y: tensor<3x4xi64>",
                           "%0 = ov.convert_like %x, %y : (tensor<2xf32>, tensor<3x4xi64>) -> tensor<2xi64>",
                           "tensor<2xi64>">.text;
  let arguments = (ins OV_Tensor:$data, OV_Tensor:$like);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data `,` $like attr-dict `:` functional-type(operands, results)";
  let hasCanonicalizer = 1;
}

} // opDocGroup

def OV_ConvertPromoteTypes : OV_ExpandedLayer<"ConvertPromoteTypes", OV_Type> {
  let opset = 14;
  let isWidened = false;
  let semantics = "Converts both operands to one type: that of a number if one is boolean, the real one if one is an "
                  "integer, the wider one of two real or two integer types, f32 for f16 and bf16. A signed and an "
                  "unsigned integer become a signed one that holds both, or `u64_integer_promotion_target` if none "
                  "does. With `pytorch_scalar_promotion`, a scalar counts only if its kind (boolean, integer, real) is "
                  "above that of the other operand. Without `promote_unsafe`, a promotion that may lose digits is "
                  "refused.";
  let operands = [OV_LayerOperand<"input_0">, OV_LayerOperand<"input_1">];
  let layerAttributes = [OV_DefaultLayerAttribute<"promote_unsafe", "Boolean", "false">,
                         OV_DefaultLayerAttribute<"pytorch_scalar_promotion", "Boolean", "false">,
                         OV_DefaultLayerAttribute<"u64_integer_promotion_target", "Type", "f32">];
}

#endif // RECUR_DIALECT_OV_IR_TYPE_TD
