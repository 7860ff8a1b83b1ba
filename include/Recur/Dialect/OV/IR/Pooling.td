// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pooling.td - Pooling --------------------------------*- tablegen -*-===//
//
// Layers that combine the elements of a window that moves over the spatial dims. The importer expands them: a window of
// several dims is one window after the other along each dim.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_POOLING_TD
#define RECUR_DIALECT_OV_IR_POOLING_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Pooling : OV_Family<"Pooling">;

/// The attributes of a window. `floor` leaves out a last window that does not fit; `ceil` keeps it; `ceil_torch` keeps
/// it if it begins before the padding at the end.
class OV_PoolingLayer<string type> : OV_ExpandedLayer<type, OV_Pooling> {
  list<OV_LayerAttribute> windowAttributes = [
    OV_LayerAttribute<"strides", "Integers", true>, OV_DefaultLayerAttribute<"pads_begin", "Integers", "0...">,
    OV_DefaultLayerAttribute<"pads_end", "Integers", "0...">, OV_LayerAttribute<"kernel", "Integers", true>,
    OV_ChoiceLayerAttribute<"rounding_type", ["floor", "ceil", "ceil_torch"], "floor">,
    OV_ChoiceLayerAttribute<"auto_pad", ["explicit", "valid", "same_upper", "same_lower"], "explicit">];
}

def OV_MaxPool : OV_PoolingLayer<"MaxPool"> {
  let isWidened = false;
  let semantics = "The maximum of each window; NaN if an element is NaN. Since opset8 a second output has the "
                  "indices of the maxima, the least of equal ones, in the flattened dims from `axis` on. A window "
                  "that lies in the padding gives the least value of the type, and the index 0.";
  let operands = [OV_LayerOperand<"data", "Number">];
  let layerAttributes = windowAttributes # [
    OV_DefaultLayerAttribute<"dilations", "Integers", "1...", 8>,
    OV_DefaultLayerAttribute<"index_element_type", "Type", "i64", 8>,
    OV_DefaultLayerAttribute<"axis", "Integer", "0", 8>];
}

def OV_AvgPool : OV_PoolingLayer<"AvgPool"> {
  let semantics = "The mean of each window. With `exclude-pad`, or if no dim is padded, only elements of the data "
                  "count; otherwise all elements of the window do, with zeros outside the data. A window without "
                  "elements gives 0. The mean of integers is rounded, halves to the even integer.";
  let operands = [OV_LayerOperand<"data", "Number">];
  let layerAttributes = windowAttributes # [
    OV_DefaultLayerAttribute<"exclude-pad", "Boolean", "true">,
    OV_DefaultLayerAttribute<"dilations", "Integers", "1...", 16>];
}

class OV_AdaptivePoolLayer<string type> : OV_ExpandedLayer<type, OV_Pooling> {
  let opset = 8;
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"output_shape", "Index">];
}

def OV_AdaptiveAvgPool : OV_AdaptivePoolLayer<"AdaptiveAvgPool"> {
  let semantics = "The means of windows that cover each spatial dim: of n elements, window i of m has those from "
                  "floor(i * n / m) to ceil((i + 1) * n / m).";
}

def OV_AdaptiveMaxPool : OV_AdaptivePoolLayer<"AdaptiveMaxPool"> {
  let isWidened = false;
  let semantics = "The maxima of the windows of AdaptiveAvgPool; NaN if an element is NaN. The second output has "
                  "their indices, the least of equal ones, in the flattened spatial dims.";
  let layerAttributes = [OV_DefaultLayerAttribute<"index_element_type", "Type", "i64">];
}

#endif // RECUR_DIALECT_OV_IR_POOLING_TD
