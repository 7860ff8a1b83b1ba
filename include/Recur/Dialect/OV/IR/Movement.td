// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.td - Concatenation, transposition, reversal ---*- tablegen -*-===//
//
// Operations that move elements and do not change them: transposition, concatenation and reversal. Layers that split
// and merge dims are expanded into these by the importer. The files Movement*.td have the rest of the family.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_MOVEMENT_TD
#define RECUR_DIALECT_OV_IR_MOVEMENT_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Movement : OV_Family<"Movement">;
let opDocGroup = OV_Movement in {

def OV_TransposeOp : OV_InferOp<"transpose", [Pure, OV_MapsAxes]> {
  let layerType = "Transpose";
  let importer = "importTranspose";
  let semantics = "Permutes dims: result dim i is dim `input_order[i]`; an empty `input_order` reverses the dims.";
  let rules = [
    OV_Rule<"`input_order` is constant, and a permutation of the axes or empty.",
            "expectPermutation(report, \"input_order\", $input_order, $arg)">
  ];
  let example = [{
    func.func @example(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %order = ov.constant dense<[1, 0]> : tensor<2xi64>
      %0 = ov.transpose %x, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$arg, OV_IndexTensor:$input_order);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$arg `,` $input_order attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_ConcatOp : OV_FaultingOp<"concat", [OV_KnowsElements, OV_MapsAxes]> {
  let layerType = "Concat";
  let semantics = "Puts tensors one after the other along `axis` (negative: from the end).";
  let rules = [
    OV_SameElementTypes<"inputs">,
    OV_Axis<"axis", "inputs.front()">,
    OV_Rule<"All dims but the axis agree. (If known only at run time, a violation is a fault.)">
  ];
  let example = OV_Example<"%a: tensor<2x3xf32>, %b: tensor<1x3xf32>",
                           "%0 = ov.concat %a, %b {axis = 0} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>",
                           "tensor<3x3xf32>">.text;
  let arguments = (ins Variadic<OV_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def OV_ReverseSequenceOp : OV_FaultingOp<"reverse_sequence", [OV_MapsAxes]> {
  let layerType = "ReverseSequence";
  let semantics = [{
    For index i of `batch_axis`, the first `seq_lengths[i]` elements along `seq_axis` are put in reverse order; the
    others stay. A length that is negative or greater than the dim is a fault. Fractional lengths are truncated.}];
  let rules = [
    OV_Axis<"batch_axis", "data">, OV_Axis<"seq_axis", "data">,
    OV_Rule<"The axes differ.">,
    OV_Rank<"seq_lengths", 1>,
    OV_Rule<"There is a length for each index of the batch axis. (If known only at run time, a violation is a "
            "fault.)">
  ];
  let example = [{
    func.func @example(%x: tensor<2x5xf32>, %lengths: tensor<2xi32>) -> tensor<2x5xf32> {
      %0 = ov.reverse_sequence %x, %lengths {batch_axis = 0, seq_axis = 1} : (tensor<2x5xf32>, tensor<2xi32>)
          -> tensor<2x5xf32>
      return %0 : tensor<2x5xf32>
    }
  }];
  let arguments = (ins OV_Tensor:$data, OV_NumberTensor:$seq_lengths, DefaultValuedAttr<I64Attr, "0">:$batch_axis,
    DefaultValuedAttr<I64Attr, "1">:$seq_axis);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

def OV_DepthToSpace : OV_ExpandedLayer<"DepthToSpace", OV_Movement> {
  let isWidened = false;
  let semantics = "Moves blocks of the depth (dim 1) into the spatial dims. The depth is divided by `block_size`^k.";
  let operands = [OV_LayerOperand<"data">];
  let layerAttributes = [OV_ChoiceLayerAttribute<"mode", ["blocks_first", "depth_first"], "blocks_first">,
                         OV_DefaultLayerAttribute<"block_size", "Integer", "1">];
}

def OV_SpaceToDepth : OV_ExpandedLayer<"SpaceToDepth", OV_Movement> {
  let isWidened = false;
  let semantics = "Moves blocks of the spatial dims into the depth (dim 1), the inverse of DepthToSpace.";
  let operands = [OV_LayerOperand<"data">];
  let layerAttributes = [OV_ChoiceLayerAttribute<"mode", ["blocks_first", "depth_first"], "blocks_first">,
                         OV_DefaultLayerAttribute<"block_size", "Integer", "1">];
}

def OV_Reverse : OV_ExpandedLayer<"Reverse", OV_Movement> {
  let isWidened = false;
  let semantics = "Reverses the order along the axes. `axes` are their numbers (index), or a boolean for each (mask).";
  let operands = [OV_LayerOperand<"data">, OV_OptionalLayerOperand<"axes">];
  let layerAttributes = [OV_ChoiceLayerAttribute<"mode", ["index", "mask"]>];
}

def OV_Roll : OV_ExpandedLayer<"Roll", OV_Movement> {
  let opset = 7;
  let isWidened = false;
  let semantics = "Shifts elements by `shift` along each of the axes; those that leave at the end come in at the "
                  "front. Shifts along an axis that is given more than once add up.";
  let operands = [OV_LayerOperand<"data">, OV_LayerOperand<"shift", "Index">, OV_LayerOperand<"axes", "Index">];
}

def OV_BatchToSpace : OV_ExpandedLayer<"BatchToSpace", OV_Movement> {
  let opset = 2;
  let isWidened = false;
  let semantics = "Moves blocks of the batch (dim 0) into the other dims, and crops these.";
  let operands = [OV_LayerOperand<"data">, OV_LayerOperand<"block_shape", "Index">,
                  OV_LayerOperand<"crops_begin", "Index">, OV_LayerOperand<"crops_end", "Index">];
}

def OV_SpaceToBatch : OV_ExpandedLayer<"SpaceToBatch", OV_Movement> {
  let opset = 2;
  let isWidened = false;
  let semantics = "Pads with zeros, and moves blocks of the other dims into the batch (dim 0).";
  let operands = [OV_LayerOperand<"data">, OV_LayerOperand<"block_shape", "Index">,
                  OV_LayerOperand<"pads_begin", "Index">, OV_LayerOperand<"pads_end", "Index">];
}

def OV_ShuffleChannels : OV_ExpandedLayer<"ShuffleChannels", OV_Movement> {
  let isWidened = false;
  let semantics = "Splits the dim `axis` into `group` groups, and interleaves them.";
  let operands = [OV_LayerOperand<"data">];
  let layerAttributes = [OV_DefaultLayerAttribute<"axis", "Integer", "1">,
                         OV_DefaultLayerAttribute<"group", "Integer", "1">];
}

def OV_Unique : OV_ExpandedLayer<"Unique", OV_Movement> {
  let opset = 10;
  let isWidened = false;
  let semantics = "The different elements of the flattened data, or the different slices along `axis`; their first "
                  "indices; for each element or slice the index of its equal in the first output; and how often each "
                  "occurs. They are sorted (slices element by element, in row-major order), or in the order in which "
                  "they occur first. A NaN equals nothing.";
  let operands = [OV_LayerOperand<"data">, OV_OptionalLayerOperand<"axis", "Index">];
  let layerAttributes = [OV_DefaultLayerAttribute<"sorted", "Boolean", "true">,
                         OV_DefaultLayerAttribute<"index_element_type", "Type", "i64">,
                         OV_DefaultLayerAttribute<"count_element_type", "Type", "i64">];
}

#endif // RECUR_DIALECT_OV_IR_MOVEMENT_TD
