// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sequence.td - Recurrent cells and sequences, OneHot ---*- tablegen -*-===//
//
// LSTM, GRU and RNN as one step (a cell) and over all steps of a sequence, and OneHot. The compiler expands a sequence
// into a loop over cells, and a cell into products and element-wise ops.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_SEQUENCE_TD
#define RECUR_DIALECT_OV_IR_SEQUENCE_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Sequence : OV_Family<"Sequence">;

def OV_CellActivation : OV_Enum<"CellActivation", "activation function of a recurrent cell",
  ["Sigmoid", "Tanh", "Relu", "HardSigmoid"], ["sigmoid", "tanh", "relu", "hardsigmoid"]>;
def OV_CellActivationAttr : OV_EnumAttr<OV_CellActivation, "cell_activation">;
def OV_CellActivations : TypedArrayAttrBase<OV_CellActivationAttr, "activation functions">;

/// `activations` has `count` entries, and each list of parameters has `count` entries or none.
class OV_Activations<int count> : OV_Rule<
  "`activations` has " # !if(!eq(count, 1), "one entry", "" # count # " entries")
    # "; `activations_alpha` and `activations_beta` have as many, or none.",
  "expectActivations(report, " # count # ", $activations, $activations_alpha, $activations_beta)">;
/// The same for a sequence. A bidirectional one may have entries for both directions, those of direction 0 first.
class OV_ActivationsOfDirections<int count> : OV_Rule<
  "`activations` has " # !if(!eq(count, 1), "one entry", "" # count # " entries")
    # ", or as many for each direction; `activations_alpha` and `activations_beta` have as many, or none.",
  "expectActivationsOfDirections(report, " # count # ", $direction, $activations, $activations_alpha, "
    # "$activations_beta)">;
def OV_HiddenSize : OV_Rule<"`hidden_size` is positive.", "expectHiddenSize(report, $hidden_size)">;

/// The attributes that all cells and sequences have. `defaults` are the activations of a layer that names none.
class OV_CellAttributes<string defaults> {
  dag arguments = (ins I64Attr:$hidden_size,
    Arg<OV_CellActivations, "", [OV_LayerDefault<defaults>]>:$activations,
    Arg<F64ArrayAttr, "", [OV_LayerDefault<"">]>:$activations_alpha,
    Arg<F64ArrayAttr, "", [OV_LayerDefault<"">]>:$activations_beta,
    DefaultValuedAttr<F64Attr, "0.0">:$clip);
}

/// Attributes of layers that the first versions of LSTMs have and later versions do not.
class OV_FirstLSTM {
  list<OV_LayerAttribute> attributes = [
    OV_OnlyLayerAttribute<"input_forget", "Boolean", "false", "coupled input and forget gates are not supported">,
    OV_OnlyLayerAttribute<"weights_format", "String", "fico", "other orders of the gates are not supported">
  ];
}

def OV_SequenceDirection : OV_Enum<"SequenceDirection", "direction of a sequence",
  ["Forward", "Reverse", "Bidirectional"], ["forward", "reverse", "bidirectional"]>;
def OV_SequenceDirectionAttr : OV_EnumAttr<OV_SequenceDirection, "sequence_direction">;

def OV_NegativeIndicesMode : OV_Enum<"NegativeIndicesMode", "meaning of a negative index",
  ["IgnoreNegative", "Normalize"], ["ignore_negative", "normalize"]>;
def OV_NegativeIndicesModeAttr : OV_EnumAttr<OV_NegativeIndicesMode, "negative_indices_mode">;

let opDocGroup = OV_Sequence in {

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// The base class of recurrent cells. `states` are the names of the state operands, `activations` the number of
/// activation functions.
class OV_CellOp<string mnemonic, string type, list<string> states, int activations>
    : OV_FaultingOp<mnemonic, [OV_WeightsOpInterface, OV_AxesOpInterface]> {
  let layerType = type;
  let importer = "importCell";
  let moreDeclarations = [{
    ::llvm::SmallVector<Weights> getWeights() { return {{&getWMutable(), {1}}, {&getRMutable(), {1}}}; }
    /// The batch is the first axis of X and of the states.
    ::std::optional<int64_t> mapAxis(unsigned operand, unsigned, int64_t axis) {
      return operand < 1 + (*this)->getNumResults() && axis == 0 ? ::std::optional<int64_t>(0) : ::std::nullopt;
    }
  }];
  let rules = !listconcat([
    OV_SameElementType<!listconcat(["X"], states, ["W", "R", "B"])>, OV_Rank<"X", 2>],
    !foreach(state, states, OV_Rank<state, 2>), [
    OV_Rank<"W", 2>, OV_Rank<"R", 2>, OV_Rank<"B", 1>, OV_HiddenSize,
    OV_Rule<"`hidden_size` is H of states, W, R and B; N of X and states agree, and so do I of X and W. (If known "
            "only at run time, a violation is a fault.)">,
    OV_Activations<activations>, OV_NotNegative<"clip">]);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_LSTMCellOp : OV_CellOp<"lstm_cell", "LSTMCell", ["initial_hidden_state", "initial_cell_state"], 3> {
  let layerInputs = [5, 7];
  let layerAttributes = OV_FirstLSTM<>.attributes;
  let importer = "importLSTMCell";
  let writtenOpset = 4;
  let semantics = [{
    One step of an LSTM. `X` is [N, I], the states are [N, H], `W` is [4H, I], `R` is [4H, H], and `B` is [4H]; the
    gates are in the order f, i, c, o. `f = a0(Xf)`, `i = a0(Xi)`, `c = a1(Xc)`, `o = a0(Xo)`, `C' = f*C + i*c`,
    `H' = o * a2(C')`. If `clip` is not 0, the arguments of the gate activations are clamped to [-clip, clip].
    On import, the five-input spelling of LSTMCell-1 becomes this op too, and so does one with peephole weights if these
    are constant zeros. The only supported weights format is "fico".}];
  let example = [{
    func.func @example(%x: tensor<2x4xf32>, %h: tensor<2x3xf32>, %c: tensor<2x3xf32>, %w: tensor<12x4xf32>,
        %r: tensor<12x3xf32>, %b: tensor<12xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
      %0:2 = ov.lstm_cell %x, %h, %c, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<sigmoid>,
          #ov.cell_activation<tanh>, #ov.cell_activation<tanh>], activations_alpha = [], activations_beta = []}
          : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<12x4xf32>, tensor<12x3xf32>, tensor<12xf32>)
          -> (tensor<2x3xf32>, tensor<2x3xf32>)
      return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xf32>
    }
  }];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$initial_cell_state,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B), OV_CellAttributes<"sigmoid,tanh,tanh">.arguments);
  let results = (outs OV_FloatTensor:$Ho, OV_FloatTensor:$Co);
}

def OV_GRUCellOp : OV_CellOp<"gru_cell", "GRUCell", ["initial_hidden_state"], 2> {
  let opset = 3;
  let importer = "importCell";
  let semantics = [{
    One step of a GRU. The gates are z, r, h; `W` is [3H, I], `R` is [3H, H], and `B` is [3H], or [4H] with
    `linear_before_reset` (z, r and h of X, then h of H). `H' = (1 - z) * h + z * H`. The rest is as in
    `ov.lstm_cell`.}];
  let example = [{
    func.func @example(%x: tensor<2x4xf32>, %h: tensor<2x3xf32>, %w: tensor<9x4xf32>, %r: tensor<9x3xf32>,
        %b: tensor<9xf32>) -> tensor<2x3xf32> {
      %0 = ov.gru_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<sigmoid>,
          #ov.cell_activation<tanh>], activations_alpha = [], activations_beta = []} : (tensor<2x4xf32>,
          tensor<2x3xf32>, tensor<9x4xf32>, tensor<9x3xf32>, tensor<9xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
  }];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$W,
    OV_FloatTensor:$R, OV_FloatTensor:$B), OV_CellAttributes<"sigmoid,tanh">.arguments,
    (ins DefaultValuedAttr<BoolAttr, "false">:$linear_before_reset));
  let results = (outs OV_FloatTensor:$Ho);
}

def OV_RNNCellOp : OV_CellOp<"rnn_cell", "RNNCell", ["initial_hidden_state"], 1> {
  let importer = "importCell";
  let semantics = [{
    One step of a plain RNN: `H' = a(clip(X*W^T + H*R^T + B))`. `W` is [H, I], `R` is [H, H], and `B` is [H]. The
    rest is as in `ov.lstm_cell`.}];
  let example = [{
    func.func @example(%x: tensor<2x4xf32>, %h: tensor<2x3xf32>, %w: tensor<3x4xf32>, %r: tensor<3x3xf32>,
        %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
          activations_alpha = [], activations_beta = []} : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<3x4xf32>,
          tensor<3x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
  }];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$W,
    OV_FloatTensor:$R, OV_FloatTensor:$B), OV_CellAttributes<"tanh">.arguments);
  let results = (outs OV_FloatTensor:$Ho);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// The base class of recurrent sequences, with the parameters of OV_CellOp.
class OV_SequenceOp<string mnemonic, string type, list<string> states, int activations>
    : OV_FaultingOp<mnemonic, [OV_WeightsOpInterface, OV_AxesOpInterface]> {
  let layerType = type;
  let importer = "importCell";
  let rules = !listconcat([
    OV_SameElementType<!listconcat(["X"], states, ["W", "R", "B"])>, OV_Rank<"X", 3>],
    !foreach(state, states, OV_Rank<state, 3>), [
    OV_Rank<"sequence_lengths", 1>, OV_Rank<"W", 3>, OV_Rank<"R", 3>, OV_Rank<"B", 2>, OV_HiddenSize,
    OV_Rule<"`hidden_size` is H of states, W, R and B; N, D, T, I agree wherever they stand. (If known only at "
            "run time, a violation is a fault.)">,
    OV_ActivationsOfDirections<activations>, OV_NotNegative<"clip">]);
  let moreDeclarations = [{
    /// 2 if bidirectional, else 1.
    int64_t getNumDirections() { return getDirection() == SequenceDirection::Bidirectional ? 2 : 1; }
    ::llvm::SmallVector<Weights> getWeights() { return {{&getWMutable(), {2}}, {&getRMutable(), {2}}}; }
    /// The batch is the first axis of X, of the states, which are as many as the results but Y, and of the lengths.
    ::std::optional<int64_t> mapAxis(unsigned operand, unsigned, int64_t axis) {
      return operand < 1 + (*this)->getNumResults() && axis == 0 ? ::std::optional<int64_t>(0) : ::std::nullopt;
    }
  }];
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_LSTMSequenceOp
    : OV_SequenceOp<"lstm_sequence", "LSTMSequence", ["initial_hidden_state", "initial_cell_state"], 3> {
  let layerInputs = [7, 8];
  let layerAttributes = OV_FirstLSTM<>.attributes;
  let importer = "importLSTMSequence";
  let writtenOpset = 5;
  let semantics = [{
    Runs `ov.lstm_cell` at each time step of a sequence. `X` is [N, T, I], `sequence_lengths` is [N], the states are
    [N, D, H], `W` is [D, 4H, I], `R` is [D, 4H, H], and `B` is [D, 4H]. D is 2 if `direction` is "bidirectional",
    else 1. The results are `Y` [N, D, T, H] and the final states. Direction 1 of "bidirectional", and the direction
    "reverse", run from the last time step to the first. The result of time step t is stored at index t of `Y`.

    Only the first `sequence_lengths[n]` time steps of sequence n count: at the others, the states keep their values and
    `Y` is zero. A length above T means T, a negative length means 0. If T is 0, `Y` is empty and the final states
    are the initial ones. `activations` has entries for both directions, or those for direction 0 serve both.}];
  let example = [{
    func.func @example(%x: tensor<2x5x4xf32>, %h: tensor<2x1x3xf32>, %c: tensor<2x1x3xf32>, %n: tensor<2xi64>,
        %w: tensor<1x12x4xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x12xf32>)
        -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>) {
      %0:3 = ov.lstm_sequence %x, %h, %c, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
          activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>, #ov.cell_activation<tanh>],
          activations_alpha = [], activations_beta = []} : (tensor<2x5x4xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>,
          tensor<2xi64>, tensor<1x12x4xf32>, tensor<1x12x3xf32>, tensor<1x12xf32>)
          -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>)
      return %0#0, %0#1, %0#2 : tensor<2x1x5x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>
    }
  }];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$initial_cell_state,
    OV_IndexTensor:$sequence_lengths, OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B,
    OV_SequenceDirectionAttr:$direction), OV_CellAttributes<"sigmoid,tanh,tanh">.arguments);
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho, OV_FloatTensor:$Co);
}

def OV_GRUSequenceOp : OV_SequenceOp<"gru_sequence", "GRUSequence", ["initial_hidden_state"], 2> {
  let importer = "importSequence";
  let opset = 5;
  let semantics = [{
    Runs `ov.gru_cell` at each time step of a sequence, as `ov.lstm_sequence` does. `W` is [D, 3H, I], `R` is
    [D, 3H, H], `B` is [D, 3H], or [D, 4H] with `linear_before_reset`.}];
  let example = [{
    func.func @example(%x: tensor<2x5x4xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x9x4xf32>,
        %r: tensor<1x9x3xf32>, %b: tensor<1x9xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>) {
      %0:2 = ov.gru_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<reverse>,
          activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>], activations_alpha = [],
          activations_beta = []} : (tensor<2x5x4xf32>, tensor<2x1x3xf32>, tensor<2xi64>, tensor<1x9x4xf32>,
          tensor<1x9x3xf32>, tensor<1x9xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
      return %0#0, %0#1 : tensor<2x1x5x3xf32>, tensor<2x1x3xf32>
    }
  }];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_IndexTensor:$sequence_lengths,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B, OV_SequenceDirectionAttr:$direction),
    OV_CellAttributes<"sigmoid,tanh">.arguments, (ins DefaultValuedAttr<BoolAttr, "false">:$linear_before_reset));
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho);
}

def OV_RNNSequenceOp : OV_SequenceOp<"rnn_sequence", "RNNSequence", ["initial_hidden_state"], 1> {
  let importer = "importSequence";
  let opset = 5;
  let semantics = [{
    Runs `ov.rnn_cell` at each time step of a sequence, as `ov.lstm_sequence` does. `W` is [D, H, I], `R` is [D, H, H],
    `B` is [D, H].}];
  let example = [{
    func.func @example(%x: tensor<2x5x4xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x4xf32>,
        %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>) {
      %0:2 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
          activations = [#ov.cell_activation<tanh>], activations_alpha = [], activations_beta = []}
          : (tensor<2x5x4xf32>, tensor<2x1x3xf32>, tensor<2xi64>, tensor<1x3x4xf32>, tensor<1x3x3xf32>,
          tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
      return %0#0, %0#1 : tensor<2x1x5x3xf32>, tensor<2x1x3xf32>
    }
  }];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_IndexTensor:$sequence_lengths,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B, OV_SequenceDirectionAttr:$direction),
    OV_CellAttributes<"tanh">.arguments);
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho);
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

def OV_OneHotOp : OV_FaultingOp<"one_hot", [OV_MapsAxes]> {
  let layerType = "OneHot";
  let semantics = [{
    Inserts a new dim of `depth` elements at `axis` (negative: from the end of the result). Along it, the element at the
    index given by `indices` is `on_value`, the others are `off_value`. For an index that is too large, all are
    `off_value`. The same holds for a negative index, unless `negative_indices_mode` is "normalize": then it counts from
    `depth`.}];
  let rules = [
    OV_Rank<"depth", 0>,
    OV_Rule<"`depth` is not negative. (If known only at run time, a violation is a fault.)">,
    OV_SameElementType<["on_value", "off_value"]>, OV_Rank<"on_value", 0>, OV_Rank<"off_value", 0>,
    OV_Axis<"axis", "indices", 1>
  ];
  let example = [{
    func.func @example(%i: tensor<2xi64>, %on: tensor<f32>, %off: tensor<f32>) -> tensor<2x5xf32> {
      %depth = ov.constant dense<5> : tensor<i64>
      %0 = ov.one_hot %i, %depth, %on, %off {axis = -1} : (tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<f32>)
          -> tensor<2x5xf32>
      return %0 : tensor<2x5xf32>
    }
  }];
  let arguments = (ins OV_IntegerTensor:$indices, OV_IndexTensor:$depth, OV_Tensor:$on_value, OV_Tensor:$off_value,
    I64Attr:$axis, Arg<DefaultValuedAttr<OV_NegativeIndicesModeAttr,
                       "::recur::ov::NegativeIndicesMode::IgnoreNegative">, "", [OV_Since<16>]>:$negative_indices_mode);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

def OV_ScaledDotProductAttention : OV_ExpandedLayer<"ScaledDotProductAttention", OV_Sequence> {
  let opset = 13;
  let semantics = "`softmax(query * key^T * scale + mask) * value`. The scale is by default 1 / sqrt of the last dim "
                  "of the query. A boolean mask keeps the positions that are true. With `causal` the mask is not read, "
                  "and query i sees the keys 0 to i. A row whose positions are all masked is NaN. A query of rank 4 "
                  "or more may have several heads for each head of the key and the value; those follow each other.";
  let operands = [OV_LayerOperand<"query", "Real">, OV_LayerOperand<"key", "Real">, OV_LayerOperand<"value", "Real">,
                  OV_OptionalLayerOperand<"attention_mask">, OV_OptionalLayerOperand<"scale", "Real">];
  let layerAttributes = [OV_DefaultLayerAttribute<"causal", "Boolean", "false">];
}

def OV_CTCGreedyDecoder : OV_ExpandedLayer<"CTCGreedyDecoder", OV_Sequence> {
  let isWidened = false;
  let semantics = [{
    The best class of each step, without repetitions (unless `ctc_merge_repeated` is false) and without blanks, which
    are the last class. -1 follows the last class of a sequence. A sequence ends at the first 0 of its mask.}];
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"sequence_mask", "Real">];
  let layerAttributes = [OV_DefaultLayerAttribute<"ctc_merge_repeated", "Boolean", "true">];
}

def OV_CTCGreedyDecoderSeqLen : OV_ExpandedLayer<"CTCGreedyDecoderSeqLen", OV_Sequence> {
  let opset = 6;
  let isWidened = false;
  let semantics = [{
    The best class of each step below the length of the sequence, without blanks and, with `merge_repeated`, without
    repetitions. -1 follows the last class. Without `blank_index`, blanks are the last class. The second result has the
    numbers of classes.}];
  let operands = [OV_LayerOperand<"data", "Real">, OV_LayerOperand<"sequence_length", "Index">,
                  OV_OptionalLayerOperand<"blank_index", "Index">];
  let layerAttributes = [OV_DefaultLayerAttribute<"merge_repeated", "Boolean", "true">,
                         OV_DefaultLayerAttribute<"classes_index_type", "Type", "i32">,
                         OV_DefaultLayerAttribute<"sequence_length_type", "Type", "i32">];
}

def OV_CTCLoss : OV_ExpandedLayer<"CTCLoss", OV_Sequence> {
  let opset = 4;
  let semantics = [{
    The negative logarithm of the probability of the labels, summed over all alignments with the logits. Infinity if
    there is none. A loop over the steps adds up the alignments that end in each place of the labels.}];
  let operands = [OV_LayerOperand<"logits", "Real">, OV_LayerOperand<"logit_length", "Index">,
                  OV_LayerOperand<"labels", "Index">, OV_LayerOperand<"label_length", "Index">,
                  OV_OptionalLayerOperand<"blank_index", "Index">];
  let layerAttributes = [OV_DefaultLayerAttribute<"preprocess_collapse_repeated", "Boolean", "false">,
                         OV_DefaultLayerAttribute<"ctc_merge_repeated", "Boolean", "true">,
                         OV_DefaultLayerAttribute<"unique", "Boolean", "false">];
}

#endif // RECUR_DIALECT_OV_IR_SEQUENCE_TD
