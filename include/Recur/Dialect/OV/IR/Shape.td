// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Shape.td - Shapes -----------------------------------*- tablegen -*-===//
//
// ShapeOf reads the dims of a tensor. The others keep the elements in row-major order and change the dims.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_SHAPE_TD
#define RECUR_DIALECT_OV_IR_SHAPE_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Shape : OV_Family<"Shape">;
let opDocGroup = OV_Shape in {

def OV_ShapeOfOp : OV_InferOp<"shape_of", [Pure, OV_KnowsElements]> {
  let layerType = "ShapeOf";
  let semantics = "The dims of the input, as elements of the type `output_type`.";
  let rules = [OV_IndexType<"output_type">];
  let example = OV_Example<"%x: tensor<2x?xf32>",
                           "%0 = ov.shape_of %x {output_type = i64} : (tensor<2x?xf32>) -> tensor<2xi64>",
                           "tensor<2xi64>">.text;
  let arguments = (ins OV_Tensor:$data, Arg<TypeAttr, "", [OV_Since<3>, OV_LayerDefault<"i64">]>:$output_type);
  let results = (outs OV_IndexTensor:$result);
  let assemblyFormat = "$data attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_ReshapeOp : OV_FaultingOp<"reshape", [OV_KnowsElements]> {
  let layerType = "Reshape";
  let semantics = [{
    The same elements in row-major order, with other dims. In `target_shape`, -1 stands for the dim that follows from
    the number of elements. With `special_zero`, 0 stands for the dim of the input at the same position.}];
  let rules = [
    OV_IntegerList<["target_shape"]>,
    OV_Rule<"The number of elements stays; at most one entry is -1. (If known only at run time, a violation is a "
            "fault.)">
  ];
  let example = OV_Example<"%x: tensor<2x3xf32>, %shape: tensor<1xi64>",
                           "%0 = ov.reshape %x, %shape : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>",
                           "tensor<6xf32>">.text;
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$target_shape,
    DefaultValuedAttr<BoolAttr, "false">:$special_zero);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data `,` $target_shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def OV_SqueezeOp : OV_FaultingOp<"squeeze", [OV_KnowsElements, OV_MapsAxes]> {
  let layerType = "Squeeze";
  let importer = "importSqueeze";
  let layerAttributes = [OV_DefaultLayerAttribute<"allow_axis_skip", "Boolean", "false">];
  let semantics = "Drops the unit dims at `axes`, or all unit dims if there is no `axes`.";
  let rules = [
    OV_Rule<"`axes` is constant, in range and without repetition.">,
    OV_Rule<"The dropped dims are 1. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<2x1xf32>) -> tensor<2xf32> {
      %axes = ov.constant dense<1> : tensor<1xi64>
      %0 = ov.squeeze %x, %axes : (tensor<2x1xf32>, tensor<1xi64>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, Optional<OV_IndexTensor>:$axes);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data (`,` $axes^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_UnsqueezeOp : OV_InferOp<"unsqueeze", [Pure, OV_KnowsElements, OV_MapsAxes]> {
  let layerType = "Unsqueeze";
  let importer = "importUnsqueeze";
  let semantics = "Inserts unit dims, so that they stand at `axes` of the result.";
  let rules = [OV_Rule<"`axes` is constant, in range of the result's rank and without repetition.">];
  let example = [{
    func.func @example(%x: tensor<2xf32>) -> tensor<2x1xf32> {
      %axes = ov.constant dense<1> : tensor<1xi64>
      %0 = ov.unsqueeze %x, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<2x1xf32>
      return %0 : tensor<2x1xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$axes);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data `,` $axes attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_SHAPE_TD
