// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Normalization.td - Normalization --------------------*- tablegen -*-===//
//
// Layers that shift and scale elements by statistics of a group of elements, or by given ones. The importer expands all
// of them into reductions and arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_NORMALIZATION_TD
#define RECUR_DIALECT_OV_IR_NORMALIZATION_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Normalization : OV_Family<"Normalization">;

def OV_BatchNormInference : OV_ExpandedLayer<"BatchNormInference", OV_Normalization> {
  let semantics = "`(data - mean) / sqrt(variance + epsilon) * gamma + beta`, for each channel (dim 1). Before opset5 "
                  "the operands come in the order gamma, beta, data, mean, variance.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"gamma", "Real">, OV_LayerOperand<"beta", "Real">,
                  OV_LayerOperand<"mean", "Real">, OV_LayerOperand<"variance", "Real">];
  let layerAttributes = [OV_LayerAttribute<"epsilon", "Number", true>];
}

def OV_MVN : OV_ExpandedLayer<"MVN", OV_Normalization> {
  let semantics = "Subtracts the mean along the axes, and with `normalize_variance` divides by the square root of the "
                  "variance. `eps` is added to the variance (inside_sqrt) or to its root (outside_sqrt). Before opset6 "
                  "the axes are the spatial ones, with `across_channels` the channels too, and `eps` is inside the "
                  "root. An empty list of axes means that each element is its own mean.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_OptionalLayerOperand<"axes", "Index">];
  let layerAttributes = [OV_DefaultLayerAttribute<"across_channels", "Boolean", "false">,
                         OV_DefaultLayerAttribute<"normalize_variance", "Boolean", "true">,
                         OV_DefaultLayerAttribute<"eps", "Number", "1e-9">,
                         OV_ChoiceLayerAttribute<"eps_mode", ["inside_sqrt", "outside_sqrt"], "inside_sqrt", 6>];
}

def OV_NormalizeL2 : OV_ExpandedLayer<"NormalizeL2", OV_Normalization> {
  let semantics = "Divides by the square root of the sum of squares along the axes, to which `eps` is added, or which "
                  "is at least `eps` (max). An empty list of axes means that each element is its own sum.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"axes", "Index">];
  let layerAttributes = [OV_LayerAttribute<"eps", "Number", true>, OV_ChoiceLayerAttribute<"eps_mode", ["add", "max"]>];
}

def OV_GroupNormalization : OV_ExpandedLayer<"GroupNormalization", OV_Normalization> {
  let opset = 12;
  let semantics = "Normalizes mean and variance of each of `num_groups` groups of channels (dim 1), then scales and "
                  "shifts each channel. `epsilon` is added to the variance.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"scale", "Real">, OV_LayerOperand<"bias", "Real">];
  let layerAttributes = [OV_LayerAttribute<"num_groups", "Integer", true>,
                         OV_LayerAttribute<"epsilon", "Number", true>];
}

def OV_LRN : OV_ExpandedLayer<"LRN", OV_Normalization> {
  let semantics = "`data / (bias + alpha / size^n * s)^beta`, where s is the sum of squares in a window of `size` "
                  "elements along each of the n axes. The window begins (size - 1) / 2 elements before the element, "
                  "rounded down, and is cut at the ends of the tensor.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"axes", "Index">];
  let layerAttributes = [OV_LayerAttribute<"alpha", "Number", true>, OV_LayerAttribute<"beta", "Number", true>,
                         OV_LayerAttribute<"bias", "Number", true>, OV_LayerAttribute<"size", "Integer", true>];
}

def OV_GRN : OV_ExpandedLayer<"GRN", OV_Normalization> {
  let semantics = "Divides by the square root of `bias` plus the sum of squares along dim 1.";
  let operands = [OV_LayerOperand<"data", "Real">];
  let layerAttributes = [OV_LayerAttribute<"bias", "Number", true>];
}

#endif // RECUR_DIALECT_OV_IR_NORMALIZATION_TD
