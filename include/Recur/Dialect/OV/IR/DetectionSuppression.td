// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionSuppression.td - Choice of boxes that overlap little ------===//
//
// Layers that choose the best boxes, and drop or weaken those that overlap with better ones. The importer expands them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_DETECTIONSUPPRESSION_TD
#define RECUR_DIALECT_OV_IR_DETECTIONSUPPRESSION_TD

include "Recur/Dialect/OV/IR/Detection.td"

def OV_MatrixNms : OV_ExpandedLayer<"MatrixNms", OV_Detection> {
  let opset = 8;
  let semantics = "Weakens the score of each box by its overlaps with the boxes of better scores of its class, and "
                  "chooses those above `post_threshold`. Among equal scores the first box is the best. Outputs have as "
                  "many rows as boxes are chosen.";
  let operands = [OV_LayerOperand<"boxes", "Real">, OV_LayerOperand<"scores", "Real">];
  let layerAttributes = [
    OV_ChoiceLayerAttribute<"sort_result_type", ["classid", "score", "none"], "none">,
    OV_DefaultLayerAttribute<"sort_result_across_batch", "Boolean", "false">,
    OV_DefaultLayerAttribute<"output_type", "Type", "i64">,
    OV_DefaultLayerAttribute<"score_threshold", "Number", "0">,
    OV_DefaultLayerAttribute<"nms_top_k", "Integer", "-1">, OV_DefaultLayerAttribute<"keep_top_k", "Integer", "-1">,
    OV_DefaultLayerAttribute<"background_class", "Integer", "-1">,
    OV_DefaultLayerAttribute<"normalized", "Boolean", "true">,
    OV_ChoiceLayerAttribute<"decay_function", ["gaussian", "linear"], "linear">,
    OV_DefaultLayerAttribute<"gaussian_sigma", "Number", "2">,
    OV_DefaultLayerAttribute<"post_threshold", "Number", "0">];
}

def OV_MulticlassNms : OV_ExpandedLayer<"MulticlassNms", OV_Detection> {
  let opset = 8;
  let semantics = "Chooses boxes greedily by their scores, for each image and class. A box of a score of at least "
                  "`score_threshold` is a candidate; it is dropped if its overlap with a chosen box is at least "
                  "`iou_threshold`. Among equal scores the first box is the best. Outputs have as many rows as boxes "
                  "are chosen.";
  let operands = [OV_LayerOperand<"boxes", "Real">, OV_LayerOperand<"scores", "Real">,
                  OV_OptionalLayerOperand<"roisnum", "Index">];
  let layerAttributes = [
    OV_ChoiceLayerAttribute<"sort_result_type", ["classid", "score", "none"], "none">,
    OV_DefaultLayerAttribute<"sort_result_across_batch", "Boolean", "false">,
    OV_DefaultLayerAttribute<"output_type", "Type", "i64">,
    OV_DefaultLayerAttribute<"iou_threshold", "Number", "0">,
    OV_DefaultLayerAttribute<"score_threshold", "Number", "0">,
    OV_DefaultLayerAttribute<"nms_top_k", "Integer", "-1">, OV_DefaultLayerAttribute<"keep_top_k", "Integer", "-1">,
    OV_DefaultLayerAttribute<"background_class", "Integer", "-1">,
    OV_DefaultLayerAttribute<"normalized", "Boolean", "true">, OV_DefaultLayerAttribute<"nms_eta", "Number", "1">];
}

def OV_NMSRotated : OV_ExpandedLayer<"NMSRotated", OV_Detection> {
  let opset = 13;
  let isWidened = false;
  let semantics = "Chooses rotated boxes greedily by their scores, for each image and class. A box is a candidate if "
                  "its score is above the threshold, and is dropped if its overlap with a chosen box is above the "
                  "threshold. Among equal scores the first box is the best. A box without a positive area overlaps "
                  "with none. Outputs have as many rows as boxes are chosen. The scores of an output have the type of "
                  "`score_threshold`.";
  let operands = [OV_LayerOperand<"boxes", "Real">, OV_LayerOperand<"scores", "Real">,
                  OV_LayerOperand<"max_output_boxes_per_class", "Index">, OV_LayerOperand<"iou_threshold", "Real">,
                  OV_LayerOperand<"score_threshold", "Real">];
  let layerAttributes = [
    OV_DefaultLayerAttribute<"sort_result_descending", "Boolean", "true">,
    OV_DefaultLayerAttribute<"output_type", "Type", "i64">, OV_DefaultLayerAttribute<"clockwise", "Boolean", "true">];
}

def OV_ExperimentalDetectronDetectionOutput
    : OV_ExpandedLayer<"ExperimentalDetectronDetectionOutput", OV_Detection> {
  let opset = 6;
  let semantics = "Moves the regions by the deltas of each class but class 0, and chooses boxes greedily, for each "
                  "class. The best `max_detections_per_image` of them remain. Rows beyond the number of boxes are "
                  "zeros. Sides and overlaps count a pixel more than the difference of corners.";
  let operands = [OV_LayerOperand<"input_rois", "Real">, OV_LayerOperand<"input_deltas", "Real">,
                  OV_LayerOperand<"input_scores", "Real">, OV_LayerOperand<"input_im_info", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"score_threshold", "Number", true>, OV_LayerAttribute<"nms_threshold", "Number", true>,
    OV_LayerAttribute<"num_classes", "Integer", true>, OV_LayerAttribute<"post_nms_count", "Integer", true>,
    OV_LayerAttribute<"max_detections_per_image", "Integer", true>,
    OV_DefaultLayerAttribute<"class_agnostic_box_regression", "Boolean", "false">,
    OV_LayerAttribute<"max_delta_log_wh", "Number", true>, OV_LayerAttribute<"deltas_weights", "Numbers", true>];
}

def OV_ExperimentalDetectronGenerateProposalsSingleImage
    : OV_ExpandedLayer<"ExperimentalDetectronGenerateProposalsSingleImage", OV_Detection> {
  let opset = 6;
  let semantics = "Moves the anchors by the deltas, and chooses boxes greedily among the `pre_nms_count` best ones. "
                  "Boxes with a side below `min_size` have the score 0. Rows beyond the number of boxes are zeros.";
  let operands = [OV_LayerOperand<"im_info", "Real">, OV_LayerOperand<"anchors", "Real">,
                  OV_LayerOperand<"deltas", "Real">, OV_LayerOperand<"scores", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"min_size", "Number", true>, OV_LayerAttribute<"nms_threshold", "Number", true>,
    OV_LayerAttribute<"pre_nms_count", "Integer", true>, OV_LayerAttribute<"post_nms_count", "Integer", true>];
}

def OV_GenerateProposals : OV_ExpandedLayer<"GenerateProposals", OV_Detection> {
  let opset = 9;
  let semantics = "Moves the anchors by the deltas, and chooses boxes greedily among the `pre_nms_count` best ones, "
                  "for each image. Boxes with a side below `min_size` are never chosen. Outputs have as many rows as "
                  "boxes are chosen in all images.";
  let operands = [OV_LayerOperand<"im_info", "Real">, OV_LayerOperand<"anchors", "Real">,
                  OV_LayerOperand<"deltas", "Real">, OV_LayerOperand<"scores", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"min_size", "Number", true>, OV_LayerAttribute<"nms_threshold", "Number", true>,
    OV_LayerAttribute<"pre_nms_count", "Integer", true>, OV_LayerAttribute<"post_nms_count", "Integer", true>,
    OV_DefaultLayerAttribute<"normalized", "Boolean", "true">, OV_DefaultLayerAttribute<"nms_eta", "Number", "1">,
    OV_DefaultLayerAttribute<"roi_num_type", "Type", "i64">];
}

def OV_Proposal : OV_ExpandedLayer<"Proposal", OV_Detection> {
  let semantics = "Moves anchors of the sizes of `ratio` and `scale` at all places by the deltas, and chooses boxes "
                  "greedily among the `pre_nms_topn` best ones, for each image. Boxes with a side below `min_size` "
                  "have the score 0. The first row behind the chosen boxes of an image begins with -1, and the others "
                  "are zeros.";
  let operands = [OV_LayerOperand<"class_probs", "Real">, OV_LayerOperand<"bbox_deltas", "Real">,
                  OV_LayerOperand<"image_shape", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"base_size", "Integer", true>, OV_LayerAttribute<"pre_nms_topn", "Integer", true>,
    OV_LayerAttribute<"post_nms_topn", "Integer", true>, OV_LayerAttribute<"nms_thresh", "Number", true>,
    OV_LayerAttribute<"feat_stride", "Integer", true>, OV_LayerAttribute<"min_size", "Integer", true>,
    OV_LayerAttribute<"ratio", "Numbers", true>, OV_LayerAttribute<"scale", "Numbers", true>,
    OV_DefaultLayerAttribute<"clip_before_nms", "Boolean", "true">,
    OV_DefaultLayerAttribute<"clip_after_nms", "Boolean", "false">,
    OV_DefaultLayerAttribute<"normalize", "Boolean", "false">,
    OV_DefaultLayerAttribute<"box_size_scale", "Number", "1">,
    OV_DefaultLayerAttribute<"box_coordinate_scale", "Number", "1">,
    OV_LayerAttribute<"framework", "String">];
}

def OV_DetectionOutput : OV_ExpandedLayer<"DetectionOutput", OV_Detection> {
  let semantics = "Moves priors by what is predicted, and chooses boxes greedily, for each image and class. The best "
                  "`keep_top_k` of an image remain; of equal scores, the first box does. With `decrease_label_id` a "
                  "box has its best class only. The first row behind the chosen boxes begins with -1, and the others "
                  "are zeros.";
  let operands = [OV_LayerOperand<"box_logits", "Real">, OV_LayerOperand<"class_preds", "Real">,
                  OV_LayerOperand<"proposals", "Real">, OV_OptionalLayerOperand<"aux_class_preds", "Real">,
                  OV_OptionalLayerOperand<"aux_box_preds", "Real">];
  let layerAttributes = [
    OV_LayerAttribute<"num_classes", "Integer">, OV_DefaultLayerAttribute<"background_label_id", "Integer", "0">,
    OV_DefaultLayerAttribute<"top_k", "Integer", "-1">,
    OV_DefaultLayerAttribute<"variance_encoded_in_target", "Boolean", "false">,
    OV_LayerAttribute<"keep_top_k", "Integers", true>,
    OV_ChoiceLayerAttribute<"code_type", ["caffe.priorboxparameter.corner", "caffe.priorboxparameter.center_size"],
                            "caffe.priorboxparameter.corner">,
    OV_DefaultLayerAttribute<"share_location", "Boolean", "true">, OV_LayerAttribute<"nms_threshold", "Number", true>,
    OV_DefaultLayerAttribute<"confidence_threshold", "Number", "0">,
    OV_DefaultLayerAttribute<"clip_after_nms", "Boolean", "false">,
    OV_DefaultLayerAttribute<"clip_before_nms", "Boolean", "false">,
    OV_DefaultLayerAttribute<"decrease_label_id", "Boolean", "false">,
    OV_DefaultLayerAttribute<"normalized", "Boolean", "false">,
    OV_DefaultLayerAttribute<"input_height", "Integer", "1">, OV_DefaultLayerAttribute<"input_width", "Integer", "1">,
    OV_DefaultLayerAttribute<"objectness_score", "Number", "0">];
}

#endif // RECUR_DIALECT_OV_IR_DETECTIONSUPPRESSION_TD
