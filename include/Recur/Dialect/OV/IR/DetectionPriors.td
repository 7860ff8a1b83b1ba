// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionPriors.td - Boxes at all places of an image ---*- tablegen -*-===//
//
// Layers that make boxes around the places of a grid, and a layer that takes the best boxes. The importer expands them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_DETECTIONPRIORS_TD
#define RECUR_DIALECT_OV_IR_DETECTIONPRIORS_TD

include "Recur/Dialect/OV/IR/Detection.td"

def OV_PriorBox : OV_ExpandedLayer<"PriorBox", OV_Detection> {
  let semantics = "Row 0 of the result has the corners of the boxes around all places of a grid, divided by the "
                  "size of the image; row 1 has `variance`, or 0.1. A place has the boxes of `fixed_size`, and then "
                  "those of `min_size`, `max_size` and `aspect_ratio`.";
  let operands = [OV_LayerOperand<"output_size", "Index">, OV_LayerOperand<"image_size", "Index">];
  let layerAttributes = [
    OV_DefaultLayerAttribute<"min_size", "Numbers", "">, OV_DefaultLayerAttribute<"max_size", "Numbers", "">,
    OV_DefaultLayerAttribute<"aspect_ratio", "Numbers", "">, OV_DefaultLayerAttribute<"flip", "Boolean", "false">,
    OV_DefaultLayerAttribute<"clip", "Boolean", "false">, OV_DefaultLayerAttribute<"step", "Number", "0">,
    OV_LayerAttribute<"offset", "Number", true>, OV_DefaultLayerAttribute<"variance", "Numbers", "">,
    OV_DefaultLayerAttribute<"scale_all_sizes", "Boolean", "true">,
    OV_DefaultLayerAttribute<"fixed_ratio", "Numbers", "">, OV_DefaultLayerAttribute<"fixed_size", "Numbers", "">,
    OV_DefaultLayerAttribute<"density", "Numbers", "">,
    OV_DefaultLayerAttribute<"min_max_aspect_ratios_order", "Boolean", "true", 8>];
}

def OV_PriorBoxClustered : OV_ExpandedLayer<"PriorBoxClustered", OV_Detection> {
  let semantics = "As PriorBox, with a box of each entry of `width` and `height`. A step of 0 is the quotient of the "
                  "sizes of the image and of the grid.";
  let operands = [OV_LayerOperand<"output_size", "Index">, OV_LayerOperand<"image_size", "Index">];
  let layerAttributes = [
    OV_DefaultLayerAttribute<"width", "Numbers", "1.0">, OV_DefaultLayerAttribute<"height", "Numbers", "1.0">,
    OV_DefaultLayerAttribute<"clip", "Boolean", "false">, OV_DefaultLayerAttribute<"step", "Number", "0">,
    OV_DefaultLayerAttribute<"step_w", "Number", "0">, OV_DefaultLayerAttribute<"step_h", "Number", "0">,
    OV_LayerAttribute<"offset", "Number", true>, OV_DefaultLayerAttribute<"variance", "Numbers", "">];
}

def OV_ExperimentalDetectronPriorGridGenerator
    : OV_ExpandedLayer<"ExperimentalDetectronPriorGridGenerator", OV_Detection> {
  let opset = 6;
  let semantics = "Moves each box of `priors` to all places of a grid: that of `feature_map`, or `h` and `w`. A "
                  "stride of 0 is the quotient of the sizes of the image and of the grid.";
  let operands = [OV_LayerOperand<"priors", "Real">, OV_LayerOperand<"feature_map">, OV_LayerOperand<"im_data">];
  let layerAttributes = [
    OV_DefaultLayerAttribute<"flatten", "Boolean", "true">, OV_DefaultLayerAttribute<"h", "Integer", "0">,
    OV_DefaultLayerAttribute<"w", "Integer", "0">, OV_DefaultLayerAttribute<"stride_x", "Number", "0">,
    OV_DefaultLayerAttribute<"stride_y", "Number", "0">];
}

def OV_ExperimentalDetectronTopKROIs : OV_ExpandedLayer<"ExperimentalDetectronTopKROIs", OV_Detection> {
  let opset = 6;
  let isWidened = false;
  let semantics = "The `max_rois` regions of the greatest probabilities, the greatest first; of equal ones, the first "
                  "one first. If there are fewer regions, the others are zeros.";
  let operands = [OV_LayerOperand<"input_rois", "Real">, OV_LayerOperand<"rois_probs", "Real">];
  let layerAttributes = [OV_DefaultLayerAttribute<"max_rois", "Integer", "0">];
}

#endif // RECUR_DIALECT_OV_IR_DETECTIONPRIORS_TD
