// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Image.td - Images -----------------------------------*- tablegen -*-===//
//
// Layers that read images at positions between elements. The importer expands them: the positions along an axis, and
// the weights of the elements around them, are vectors that are computed from sizes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_IMAGE_TD
#define RECUR_DIALECT_OV_IR_IMAGE_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Image : OV_Family<"Image">;

/// An attribute whose value is one of `texts`, and that some opsets require.
class OV_SometimesChoice<string attribute, list<string> texts> : OV_ChoiceLayerAttribute<attribute, texts> {
  let isRequired = false;
}

def OV_Interpolate : OV_ExpandedLayer<"Interpolate", OV_Image> {
  let layerInputs = [2, 4];
  let semantics = "Resizes the axes. Since opset11 one operand has the sizes or the scales; since opset4 both are "
                  "there, and `shape_calculation_mode` says which one counts. Before, the operand has the sizes, and "
                  "`axes` and `align_corners` are attributes. Elements of weight 0 do not count. Integer results are "
                  "rounded (linear and Pillow's modes) or truncated (linear_onnx and cubic).";
  let operands = [OV_LayerOperand<"data", "Number">, OV_LayerOperand<"sizes_or_scales">,
                  OV_OptionalLayerOperand<"scales_or_axes">, OV_OptionalLayerOperand<"axes">];
  let layerAttributes = [
    OV_ChoiceLayerAttribute<"mode", ["nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"]>,
    OV_SometimesChoice<"shape_calculation_mode", ["sizes", "scales"]>,
    OV_ChoiceLayerAttribute<"coordinate_transformation_mode",
      ["half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"], "half_pixel">,
    OV_ChoiceLayerAttribute<"nearest_mode",
      ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"], "round_prefer_floor">,
    OV_DefaultLayerAttribute<"antialias", "Boolean", "false">,
    OV_DefaultLayerAttribute<"pads_begin", "Integers", "">, OV_DefaultLayerAttribute<"pads_end", "Integers", "">,
    OV_DefaultLayerAttribute<"cube_coeff", "Number", "-0.75">,
    OV_DefaultLayerAttribute<"axes", "Integers", "">, OV_DefaultLayerAttribute<"align_corners", "Boolean", "true">];
}

def OV_GridSample : OV_ExpandedLayer<"GridSample", OV_Image> {
  let opset = 9;
  let semantics = "Reads an image [N, C, H, W] at the positions of a grid [N, h, w, 2], which are from -1 to 1 along "
                  "W and H. A position outside reads 0 (zeros), the nearest element (border), or is reflected.";
  let operands = [OV_LayerOperand<"data">, OV_LayerOperand<"grid", "Real">];
  let layerAttributes = [OV_DefaultLayerAttribute<"align_corners", "Boolean", "false">,
                         OV_ChoiceLayerAttribute<"mode", ["bilinear", "bicubic", "nearest"], "bilinear">,
                         OV_ChoiceLayerAttribute<"padding_mode", ["zeros", "border", "reflection"], "zeros">];
}

/// A layer that makes pixels of three colours out of planes of brightness (Y) and of colour (U, V). Each element of the
/// colour planes is that of two rows and two columns.
class OV_ColorLayer<string type> : OV_ExpandedLayer<type, OV_Image> {
  let opset = 8;
  string colors = "The result is [N, H, W, 3], with the colours in the order of the layer's name. Integers are "
                  "rounded, and all results are from 0 to 255. H and W are even.";
}

class OV_NV12Layer<string type> : OV_ColorLayer<type> {
  let layerInputs = [1, 2];
  let semantics = "One operand has both planes: [N, 3 * H / 2, W, 1]. Of two, the first one is Y, [N, H, W, 1], and "
                  "the second one has U and V in turns, [N, H / 2, W / 2, 2]. " # colors;
  let operands = [OV_LayerOperand<"y", "Number">, OV_OptionalLayerOperand<"uv", "Number">];
}
def OV_NV12toRGB : OV_NV12Layer<"NV12toRGB">;
def OV_NV12toBGR : OV_NV12Layer<"NV12toBGR">;

class OV_I420Layer<string type> : OV_ColorLayer<type> {
  let layerInputs = [1, 3];
  let semantics = "One operand has the three planes, one after the other: [N, 3 * H / 2, W, 1]. Of three, the first "
                  "one is Y, [N, H, W, 1], and the others are U and V, [N, H / 2, W / 2, 1]. " # colors;
  let operands = [OV_LayerOperand<"y", "Number">, OV_OptionalLayerOperand<"u", "Number">,
                  OV_OptionalLayerOperand<"v", "Number">];
}
def OV_I420toRGB : OV_I420Layer<"I420toRGB">;
def OV_I420toBGR : OV_I420Layer<"I420toBGR">;

#endif // RECUR_DIALECT_OV_IR_IMAGE_TD
