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

#endif // RECUR_DIALECT_OV_IR_DETECTIONREGIONS_TD
