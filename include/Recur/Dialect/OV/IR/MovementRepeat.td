// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementRepeat.td - Movement: Broadcast, Tile and Pad ---*- tablegen -*-===//
//
// Operations whose result has more elements than the data: repeated ones, or padding.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_MOVEMENTREPEAT_TD
#define RECUR_DIALECT_OV_IR_MOVEMENTREPEAT_TD

include "Recur/Dialect/OV/IR/Movement.td"

def OV_BroadcastMode : OV_Enum<"BroadcastMode", "rule for the place of a dim in the result",
  ["Numpy", "Explicit", "Bidirectional"], ["numpy", "explicit", "bidirectional"]>;
def OV_BroadcastModeAttr : OV_EnumAttr<OV_BroadcastMode, "broadcast_mode">;
def OV_PadMode : OV_Enum<"PadMode", "rule for the elements in the pads",
  ["Constant", "Edge", "Reflect", "Symmetric"], ["constant", "edge", "reflect", "symmetric"]>;
def OV_PadModeAttr : OV_EnumAttr<OV_PadMode, "pad_mode">;

let opDocGroup = OV_Movement in {

def OV_BroadcastOp : OV_FaultingOp<"broadcast", [OV_MapsAxes]> {
  let layerType = "Broadcast";
  let importer = "importBroadcast";
  let writtenOpset = 3;
  let semantics = [{
    Repeats elements until the tensor has the shape `target_shape`. `mode` is "numpy" (dims aligned at the end),
    "explicit" (`axes_mapping[i]` is the result dim of dim i) or "bidirectional" (the shapes broadcast to each
    other).}];
  let rules = [
    OV_IntegerList<["target_shape"]>,
    OV_Rule<"Dims agree or are 1. (If known only at run time, a violation is a fault.)">,
    OV_Rule<"\"explicit\" has constant `axes_mapping`, one for each dim, increasing; other modes have none.">
  ];
  let example = OV_Example<"%x: tensor<3xf32>, %shape: tensor<2xi64>",
                           "%0 = ov.broadcast %x, %shape : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>",
                           "tensor<?x3xf32>">.text;
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$target_shape, Optional<OV_IndexTensor>:$axes_mapping,
    DefaultValuedAttr<OV_BroadcastModeAttr, "::recur::ov::BroadcastMode::Numpy">:$mode);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$data `,` $target_shape (`,` $axes_mapping^)? attr-dict `:` functional-type(operands, results)";
}

def OV_TileOp : OV_FaultingOp<"tile", [OV_MapsAxes]> {
  let layerType = "Tile";
  let semantics = [{
    Repeats the tensor `repeats[i]` times along dim i. Dims and repeats are aligned at the end; missing dims and missing
    repeats are 1. A negative repeat means 0.}];
  let rules = [OV_IntegerList<["repeats"]>];
  let example = [{
    func.func @example(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
      %repeats = ov.constant dense<[1, 2]> : tensor<2xi64>
      %0 = ov.tile %x, %repeats : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x6xf32>
      return %0 : tensor<2x6xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$repeats);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_PadOp : OV_FaultingOp<"pad", [OV_MapsAxes]> {
  let layerType = "Pad";
  let writtenOpset = 12;
  let semantics = [{
    Adds elements in front of and behind each dim. They are `pad_value` (0 if it is absent) in mode "constant", the
    element at the edge in mode "edge", and the mirrored tensor in modes "reflect" (without the element at the edge) and
    "symmetric" (with it). Negative pads remove elements.}];
  let rules = [
    OV_IntegerList<["pads_begin", "pads_end"]>,
    OV_Rule<"`pads_begin` and `pads_end` have an entry for each dim.">,
    OV_SameElementType<["data", "pad_value"]>, OV_Rank<"pad_value", 0>,
    OV_Rule<"No dim of the result is negative; \"edge\" has an element to repeat, pads of \"reflect\" are less than "
            "the dim, those of \"symmetric\" not greater. (If known only at run time, a violation is a fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<2x3xf32>, %value: tensor<f32>) -> tensor<2x4xf32> {
      %begin = ov.constant dense<[0, 1]> : tensor<2xi64>
      %end = ov.constant dense<0> : tensor<2xi64>
      %0 = ov.pad %x, %begin, %end, %value {pad_mode = #ov.pad_mode<constant>} : (tensor<2x3xf32>, tensor<2xi64>,
          tensor<2xi64>, tensor<f32>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_IndexTensor:$pads_begin, OV_IndexTensor:$pads_end,
    Optional<OV_Tensor>:$pad_value, Arg<OV_PadModeAttr, "", [OV_LayerDefault<"constant">]>:$pad_mode);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_MOVEMENTREPEAT_TD
