// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sparse.td - Sums and maxima over lists of rows ------*- tablegen -*-===//
//
// Layers that combine rows of a table. A list says which rows belong together. The importer expands them into gathers
// and scatters.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_SPARSE_TD
#define RECUR_DIALECT_OV_IR_SPARSE_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Sparse : OV_Family<"Sparse">;

class OV_EmbeddingLayer<string type, int first> : OV_ExpandedLayer<type, OV_Sparse> {
  let opset = first;
  OV_LayerAttribute reduction = OV_ChoiceLayerAttribute<"reduction", ["sum", "mean"], "sum", 15>;
}

class OV_EmbeddingBagPackedLayer<string type, int first> : OV_EmbeddingLayer<type, first> {
  let operands = [OV_LayerOperand<"emb_table", "Number">, OV_LayerOperand<"indices", "Index">,
                  OV_OptionalLayerOperand<"per_sample_weights", "Number">];
}
def OV_EmbeddingBagPackedSum : OV_EmbeddingBagPackedLayer<"EmbeddingBagPackedSum", 3> {
  let semantics = "Row b is the sum of the rows `indices[b]` of the table, each times its weight.";
}
def OV_EmbeddingBagPacked : OV_EmbeddingBagPackedLayer<"EmbeddingBagPacked", 15> {
  let semantics = "EmbeddingBagPackedSum, or the mean. A mean of integers is truncated; that of no rows is 0.";
  let layerAttributes = [reduction];
}

class OV_EmbeddingBagOffsetsLayer<string type, int first> : OV_EmbeddingLayer<type, first> {
  let operands = [OV_LayerOperand<"emb_table", "Number">, OV_LayerOperand<"indices", "Index">,
                  OV_LayerOperand<"offsets", "Index">, OV_OptionalLayerOperand<"default_index", "Index">,
                  OV_OptionalLayerOperand<"per_sample_weights", "Number">];
}
def OV_EmbeddingBagOffsetsSum : OV_EmbeddingBagOffsetsLayer<"EmbeddingBagOffsetsSum", 3> {
  let semantics = "Row b is the sum of the rows `indices[offsets[b]]` to `indices[offsets[b + 1] - 1]` of the table, "
                  "each times its weight. If there are none, it is the row `default_index`, or zeros if that is "
                  "negative or absent.";
}
def OV_EmbeddingBagOffsets : OV_EmbeddingBagOffsetsLayer<"EmbeddingBagOffsets", 15> {
  let semantics = "EmbeddingBagOffsetsSum, or the mean. A mean of integers is truncated.";
  let layerAttributes = [reduction];
}

def OV_EmbeddingSegmentsSum : OV_EmbeddingLayer<"EmbeddingSegmentsSum", 3> {
  let semantics = "Row s is the sum of the rows `indices[i]` of the table with `segment_ids[i] == s`, each times its "
                  "weight. If there are none, it is the row `default_index`, or zeros if that is negative or absent. "
                  "Segments that are not below `num_segments` are dropped.";
  let operands = [OV_LayerOperand<"emb_table", "Number">, OV_LayerOperand<"indices", "Index">,
                  OV_LayerOperand<"segment_ids", "Index">, OV_LayerOperand<"num_segments", "Index">,
                  OV_OptionalLayerOperand<"default_index", "Index">,
                  OV_OptionalLayerOperand<"per_sample_weights", "Number">];
}

def OV_SegmentMax : OV_ExpandedLayer<"SegmentMax", OV_Sparse> {
  let opset = 16;
  let isWidened = false;
  let semantics = "Row s is the maximum of the rows i of `data` with `segment_ids[i] == s`; NaN if one is NaN. An "
                  "empty segment has zeros, or the least finite number of the type. Without `num_segments`, the last "
                  "id is that of the last segment. Segments that are not below `num_segments` are dropped.";
  let operands = [OV_LayerOperand<"data", "Number">, OV_LayerOperand<"segment_ids", "Index">,
                  OV_OptionalLayerOperand<"num_segments", "Index">];
  let layerAttributes = [OV_ChoiceLayerAttribute<"fill_mode", ["zero", "lowest"]>];
}

def OV_SparseFillEmptyRows : OV_ExpandedLayer<"SparseFillEmptyRows", OV_Sparse> {
  let opset = 16;
  let isWidened = false;
  let semantics = "Gives each empty row of a sparse matrix one element, `default_value` in column 0. The elements are "
                  "sorted by rows; those of a row keep their order. The last output tells which rows were empty.";
  let operands = [OV_LayerOperand<"values">, OV_LayerOperand<"dense_shape", "Index">,
                  OV_LayerOperand<"indices", "Index">, OV_LayerOperand<"default_value">];
}

#endif // RECUR_DIALECT_OV_IR_SPARSE_TD
