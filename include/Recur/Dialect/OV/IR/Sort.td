// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.td - Sorting and maximization ------------------*- tablegen -*-===//
//
// The family has one op, TopK, which finds the greatest or the least elements along one axis. The order is defined in
// all cases: equal elements keep their order, and NaN is greater than every number.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_SORT_TD
#define RECUR_DIALECT_OV_IR_SORT_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Sort : OV_Family<"Sort">;

def OV_TopKMode : OV_Enum<"TopKMode", "choice of elements", ["Max", "Min"], ["max", "min"]>;
def OV_TopKModeAttr : OV_EnumAttr<OV_TopKMode, "topk_mode">;
def OV_TopKSort : OV_Enum<"TopKSort", "order of the chosen elements",
  ["Value", "Index", "None"], ["value", "index", "none"]>;
def OV_TopKSortAttr : OV_EnumAttr<OV_TopKSort, "topk_sort">;

let opDocGroup = OV_Sort in {

def OV_TopKOp : OV_FaultingOp<"topk", [OV_MapsAxes]> {
  let layerType = "TopK";
  let writtenOpset = 3;
  let semantics = [{
    The `k` greatest (`mode` "max") or least ("min") elements along `axis` (negative: from the end), and their indices.
    NaN is greater than any number. If elements are equal, the one with the lower index is taken first and comes first,
    for both values of `stable`. With `sort` "value", the greatest or least element comes first; with "index", the
    elements keep the order they have in `data`; "none" leaves the order open (it is the same as for "value"). A `k`
    below 0 or above the length of the axis is a fault.}];
  let rules = [
    OV_Axis<"axis", "data">,
    OV_OneElement<["k"]>,
    OV_Rule<"`k` is in [0, the length of the axis]. (If known only at run time, a violation is a fault.)">,
    OV_IndexType<"index_element_type">
  ];
  let example = [{
    func.func @example(%x: tensor<9xf32>, %k: tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>) {
      %0:2 = ov.topk %x, %k {axis = 0, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>,
          index_element_type = i32} : (tensor<9xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi32>)
      return %0#0, %0#1 : tensor<?xf32>, tensor<?xi32>
    }
  }];
  let arguments = (ins OV_NumberTensor:$data, OV_IndexTensor:$k, I64Attr:$axis, OV_TopKModeAttr:$mode,
    OV_TopKSortAttr:$sort, Arg<DefaultValuedAttr<BoolAttr, "false">, "", [OV_Since<11>]>:$stable,
    Arg<TypeAttr, "", [OV_LayerDefault<"i32">]>:$index_element_type);
  let results = (outs OV_NumberTensor:$values, OV_IndexTensor:$indices);
  let assemblyFormat = "$data `,` $k attr-dict `:` functional-type(operands, results)";
}

def OV_SelectBoxesOp : OV_FaultingOp<"select_boxes"> {
  let summary = "greedy choice of boxes that overlap little";
  let semantics = [{
    The core of NonMaxSuppression. `boxes` is [batches, boxes, 4] with `y1 <= y2` and `x1 <= x2` in the order y1, x1,
    y2, x2; `scores` is [batches, classes, boxes]. For each batch and class, the box with the greatest score above
    `score_threshold` is chosen (the first of equal ones), until `max_boxes` are chosen or none is left. After each
    choice the other scores are multiplied by `e^(-iou^2 / (2 * sigma))`, where `iou` is the overlap with the chosen
    box, the area of the intersection over that of the union (0 if a box has no area). Boxes whose `iou` is above
    `iou_threshold` are dropped if `sigma` is not above 0 or `drops` holds. If `sigma` is not above 0 the scores stay.
    `indices` are the batch, the class and the box of each choice, and `chosen_scores` its score when it was chosen, in
    the order of batches, classes and choices. A score that is NaN is never chosen. The number of choices is known only
    after they have been made.}];
  let rules = [
    OV_SameElementType<["boxes", "scores", "iou_threshold", "score_threshold", "sigma"]>,
    OV_Rank<"boxes", 3>, OV_Rank<"scores", 3>,
    OV_OneElement<["max_boxes", "iou_threshold", "score_threshold", "sigma"]>,
    OV_Rule<"The last dim of `boxes` is 4; batches and boxes agree. (If known only at run time, a violation is a "
            "fault.)">
  ];
  let example = [{
    func.func @example(%boxes: tensor<1x9x4xf32>, %scores: tensor<1x2x9xf32>, %most: tensor<i64>, %iou: tensor<f32>,
        %score: tensor<f32>, %sigma: tensor<f32>) -> (tensor<?x3xi64>, tensor<?xf32>) {
      %0:2 = ov.select_boxes %boxes, %scores, %most, %iou, %score, %sigma : (tensor<1x9x4xf32>, tensor<1x2x9xf32>,
          tensor<i64>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?xf32>)
      return %0#0, %0#1 : tensor<?x3xi64>, tensor<?xf32>
    }
  }];
  let arguments = (ins OV_FloatTensor:$boxes, OV_FloatTensor:$scores, OV_IndexTensor:$max_boxes,
    OV_FloatTensor:$iou_threshold, OV_FloatTensor:$score_threshold, OV_FloatTensor:$sigma,
    DefaultValuedAttr<BoolAttr, "false">:$drops);
  let results = (outs RankedTensorOf<[I64]>:$indices, OV_FloatTensor:$chosen_scores);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

def OV_NonMaxSuppression : OV_ExpandedLayer<"NonMaxSuppression", OV_Sort> {
  let isWidened = false;
  let semantics = [{
    Chooses boxes greedily by their scores, for each batch and class. A box is a candidate if its score is above the
    threshold, and is dropped if its overlap with a chosen box is above the threshold. Since opset9 soft suppression
    drops none. The results have as many rows as boxes are chosen, in all versions. The scores of a result have the type
    of the thresholds, or that of `scores` if there is none.}];
  let operands = [OV_LayerOperand<"boxes", "Real">, OV_LayerOperand<"scores", "Real">,
                  OV_OptionalLayerOperand<"max_output_boxes_per_class", "Index">,
                  OV_OptionalLayerOperand<"iou_threshold", "Real">, OV_OptionalLayerOperand<"score_threshold", "Real">,
                  OV_OptionalLayerOperand<"soft_nms_sigma", "Real">];
  let layerAttributes = [OV_ChoiceLayerAttribute<"box_encoding", ["corner", "center"], "corner">,
                         OV_DefaultLayerAttribute<"sort_result_descending", "Boolean", "true">,
                         OV_DefaultLayerAttribute<"output_type", "Type", "i64", 3>];
}

def OV_SearchSorted : OV_ExpandedLayer<"SearchSorted", OV_Sort> {
  let opset = 15;
  let isWidened = false;
  let semantics = "The number of elements of a row of `sorted_sequence` that are less than a value, or not greater "
                  "than it if `right_mode` is true. For NaN it is 0, or the number of all elements. A sequence of rank "
                  "1 serves all rows of `values`.";
  let operands = [OV_LayerOperand<"sorted_sequence", "Number">, OV_LayerOperand<"values", "Number">];
  let layerAttributes = [OV_DefaultLayerAttribute<"right_mode", "Boolean", "false">,
                         OV_DefaultLayerAttribute<"output_type", "Type", "i64">];
}

#endif // RECUR_DIALECT_OV_IR_SORT_TD
