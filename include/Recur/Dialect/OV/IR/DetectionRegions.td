// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionRegions.td - Regions of images -------------*- tablegen -*-===//
//
// Layers that pool regions of images. The importer expands them: the elements of all regions are gathered at once.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_DETECTIONREGIONS_TD
#define RECUR_DIALECT_OV_IR_DETECTIONREGIONS_TD

include "Recur/Dialect/OV/IR/Detection.td"

/// The number of bins along the height and the width of a region, and the factor that makes its corners positions in
/// the image.
class OV_RegionLayer<string type> : OV_ExpandedLayer<type, OV_Detection> {
  list<OV_LayerAttribute> regionAttributes = [
    OV_LayerAttribute<"pooled_h", "Integer", true>, OV_LayerAttribute<"pooled_w", "Integer", true>,
    OV_LayerAttribute<"spatial_scale", "Number", true>];
}

def OV_ROIAlign : OV_RegionLayer<"ROIAlign"> {
  let opset = 3;
  let semantics = "Pools `sampling_ratio` bilinear samples along the height and the width of each bin, or as many as "
                  "the bin has elements if it is 0. A sample more than an element outside of the image is 0. The "
                  "maximum is 0 if all samples are below 0. A bin without samples gives 0.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"rois", "Real">,
                  OV_LayerOperand<"batch_indices", "Index">];
  let layerAttributes = regionAttributes # [
    OV_LayerAttribute<"sampling_ratio", "Integer", true>, OV_ChoiceLayerAttribute<"mode", ["avg", "max"]>,
    OV_ChoiceLayerAttribute<"aligned_mode", ["asymmetric", "half_pixel_for_nn", "half_pixel"], "asymmetric", 9>];
}

def OV_ROIAlignRotated : OV_RegionLayer<"ROIAlignRotated"> {
  let opset = 15;
  let semantics = "As ROIAlign with the mode `avg`, of regions that are turned. Each one is the position of its "
                  "middle, its width, its height and an angle in radians, which is clockwise unless `clockwise_mode` "
                  "is false. Whole positions are the middles of elements. A region may be smaller than an element.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"rois", "Real">,
                  OV_LayerOperand<"batch_indices", "Index">];
  let layerAttributes = regionAttributes # [
    OV_LayerAttribute<"sampling_ratio", "Integer", true>, OV_LayerAttribute<"clockwise_mode", "Boolean", true>];
}

def OV_ExperimentalDetectronROIFeatureExtractor
    : OV_ExpandedLayer<"ExperimentalDetectronROIFeatureExtractor", OV_Detection> {
  let opset = 6;
  let semantics = "ROIAlign with the mode `avg`. The size of a region decides which one of the images it reads: the "
                  "third one if it is about 224 elements wide and high, and one further each time that it doubles. A "
                  "region without an area gives zeros. The second result is `rois`.";
  let operands = [OV_LayerOperand<"rois", "Real">, OV_VariadicLayerOperand<"features", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"output_size", "Integer", true>, OV_LayerAttribute<"sampling_ratio", "Integer", true>,
    OV_LayerAttribute<"pyramid_scales", "Integers", true>, OV_DefaultLayerAttribute<"aligned", "Boolean", "false">];
}

def OV_ROIPooling : OV_RegionLayer<"ROIPooling"> {
  let semantics = "Each region is an image index and two corners. `max` is the maximum of the elements of each bin, "
                  "or 0 if it has none. `bilinear` reads one position for each bin, or 0 outside the image; its "
                  "corners are parts of the image's size.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"rois", "Real">];
  let layerAttributes = regionAttributes # [
    OV_ChoiceLayerAttribute<"method", ["max", "bilinear"], "max">,
    // OpenVINO writes the numbers of bins thrice.
    OV_DefaultLayerAttribute<"output_size", "Integers", "">, OV_DefaultLayerAttribute<"output_roi", "Integers", "">];
}

def OV_PSROIPooling : OV_ExpandedLayer<"PSROIPooling", OV_Detection> {
  let semantics = "Each region is an image index and two corners. `average` is the mean of the elements of each bin, "
                  "which has channels of its own, or 0 if it has no elements. `bilinear` is the mean of one position "
                  "for each part of the region, which has channels of its own; a position outside of the image is 0.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"rois", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"output_dim", "Integer", true>, OV_DefaultLayerAttribute<"group_size", "Integer", "1">,
    OV_LayerAttribute<"spatial_scale", "Number", true>,
    OV_ChoiceLayerAttribute<"mode", ["average", "bilinear"], "average">,
    OV_DefaultLayerAttribute<"spatial_bins_x", "Integer", "1">,
    OV_DefaultLayerAttribute<"spatial_bins_y", "Integer", "1">];
}

def OV_DeformablePSROIPooling : OV_ExpandedLayer<"DeformablePSROIPooling", OV_Detection> {
  let semantics = "Each region is an image index and two corners. A bin has channels of its own, and is moved by "
                  "`trans_std` times an entry of `offsets`, a part of the region's size. The result is the mean of the "
                  "bilinear samples of a bin that are in the image, or 0 if it has none. An image index below 0 gives "
                  "zeros.";
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"rois", "Real">,
                  OV_OptionalLayerOperand<"offsets", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"output_dim", "Integer", true>, OV_LayerAttribute<"spatial_scale", "Number", true>,
    OV_DefaultLayerAttribute<"group_size", "Integer", "1">,
    OV_ChoiceLayerAttribute<"mode", ["bilinear_deformable"], "bilinear_deformable">,
    OV_DefaultLayerAttribute<"spatial_bins_x", "Integer", "1">,
    OV_DefaultLayerAttribute<"spatial_bins_y", "Integer", "1">,
    OV_DefaultLayerAttribute<"trans_std", "Number", "1">, OV_DefaultLayerAttribute<"part_size", "Integer", "1">];
}

#endif // RECUR_DIALECT_OV_IR_DETECTIONREGIONS_TD
