// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementPatches.td - Movement: patches of images ----*- tablegen -*-===//
//
// Layers that take images apart into patches, and put patches together. The importer expands them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_MOVEMENTPATCHES_TD
#define RECUR_DIALECT_OV_IR_MOVEMENTPATCHES_TD

include "Recur/Dialect/OV/IR/Movement.td"

def OV_ExtractImagePatches : OV_ExpandedLayer<"ExtractImagePatches", OV_Movement> {
  let opset = 3;
  let isWidened = false;
  let semantics = "The result [N, rows * columns * C, H, W] has the elements of each patch of `sizes` as channels. "
                  "Elements of the padding are 0.";
  let operands = [OV_LayerOperand<"data">];
  let layerAttributes = [
    OV_LayerAttribute<"sizes", "Integers", true>, OV_LayerAttribute<"strides", "Integers", true>,
    OV_LayerAttribute<"rates", "Integers", true>,
    OV_ChoiceLayerAttribute<"auto_pad", ["valid", "same_upper", "same_lower"]>];
}

def OV_Col2Im : OV_ExpandedLayer<"Col2Im", OV_Movement> {
  let opset = 15;
  let semantics = "Adds up the elements of patches [N, C * rows * columns, patches] in an image [N, C, H, W]. An "
                  "element that no patch has is 0. Sums of integers wrap.";
  let operands = [OV_LayerOperand<"data", "Number">, OV_LayerOperand<"output_size", "Index">,
                  OV_LayerOperand<"kernel_size", "Index">];
  let layerAttributes = [
    OV_DefaultLayerAttribute<"strides", "Integers", "1,1">, OV_DefaultLayerAttribute<"dilations", "Integers", "1,1">,
    OV_DefaultLayerAttribute<"pads_begin", "Integers", "0,0">,
    OV_DefaultLayerAttribute<"pads_end", "Integers", "0,0">];
}

#endif // RECUR_DIALECT_OV_IR_MOVEMENTPATCHES_TD
