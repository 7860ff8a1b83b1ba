// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Detection.td - Boxes of objects ---------------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_DETECTION_TD
#define RECUR_DIALECT_OV_IR_DETECTION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Detection : OV_Family<"Detection">;

def OV_ReorgYolo : OV_ExpandedLayer<"ReorgYolo", OV_Detection> {
  let opset = 2;
  let isWidened = false;
  let semantics = "Moves elements of the spatial dims into the channels, in the order of the layer Reorg of YOLO.";
  let operands = [OV_LayerOperand<"data">];
  let layerAttributes = [OV_LayerAttribute<"stride", "Integers", true>];
}

def OV_RegionYolo : OV_ExpandedLayer<"RegionYolo", OV_Detection> {
  let semantics = [{
    The activation functions of the regions of YOLO. Each region has four coordinates, an objectness and the scores of
    the classes. The logistic function applies to the first two coordinates and the objectness, and to the scores unless
    `do_softmax`; with it, softmax applies to the scores.}];
  let operands = [OV_LayerOperand<"data", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"coords", "Integer", true>, OV_LayerAttribute<"classes", "Integer", true>,
    OV_DefaultLayerAttribute<"num", "Integer", "0">, OV_DefaultLayerAttribute<"do_softmax", "Boolean", "true">,
    OV_DefaultLayerAttribute<"mask", "Integers", "">, OV_DefaultLayerAttribute<"anchors", "Numbers", "">,
    OV_LayerAttribute<"axis", "Integer", true>, OV_LayerAttribute<"end_axis", "Integer", true>
  ];
}

#endif // RECUR_DIALECT_OV_IR_DETECTION_TD
