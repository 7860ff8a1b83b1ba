// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sequence.td - Recurrent cells and sequences, OneHot ---*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_SEQUENCE_TD
#define RECUR_DIALECT_OV_IR_SEQUENCE_TD

include "Recur/Dialect/OV/IR/OVBase.td"

def OV_Sequence : OV_Family<"Sequence">;

def OV_CellActivation : OV_Enum<"CellActivation", "activation function of a recurrent cell",
  ["Sigmoid", "Tanh", "Relu", "HardSigmoid"], ["sigmoid", "tanh", "relu", "hardsigmoid"]>;
def OV_CellActivationAttr : OV_EnumAttr<OV_CellActivation, "cell_activation">;
def OV_CellActivations : TypedArrayAttrBase<OV_CellActivationAttr, "activation functions">;

/// There are `count` activations.
class OV_Activations<int count> : OV_Rule<
  "`activations` has " # !if(!eq(count, 1), "one entry", "" # count # " entries")
    # "; `activations_alpha` and `activations_beta` have as many, or none.",
  "expectActivations(report, " # count # ", $activations, $activations_alpha, $activations_beta)">;
def OV_HiddenSize : OV_Rule<"`hidden_size` is positive.", "expectHiddenSize(report, $hidden_size)">;

/// What the attributes of all cells are. `defaults` are the activations of a layer that names none.
class OV_CellAttributes<string defaults> {
  dag arguments = (ins I64Attr:$hidden_size,
    Arg<OV_CellActivations, "", [OV_LayerDefault<defaults>]>:$activations,
    Arg<F64ArrayAttr, "", [OV_LayerDefault<"">]>:$activations_alpha,
    Arg<F64ArrayAttr, "", [OV_LayerDefault<"">]>:$activations_beta,
    DefaultValuedAttr<F64Attr, "0.0">:$clip);
}

/// What the first versions of LSTMs have, and later ones have not.
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

class OV_CellOp<string mnemonic, string type, list<string> states, int activations> : OV_FaultingOp<mnemonic> {
  let layerType = type;
  let rules = !listconcat([
    OV_SameElementType<!listconcat(["X"], states, ["W", "R", "B"])>, OV_Rank<"X", 2>],
    !foreach(state, states, OV_Rank<state, 2>), [
    OV_Rank<"W", 2>, OV_Rank<"R", 2>, OV_Rank<"B", 1>, OV_HiddenSize,
    OV_Rule<"`hidden_size` is H of states, W, R and B; N of X and states agree, and so do I of X and W. (A fault where known "
            "only at run time.)">,
    OV_Activations<activations>, OV_NotNegative<"clip">]);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_LSTMCellOp : OV_CellOp<"lstm_cell", "LSTMCell", ["initial_hidden_state", "initial_cell_state"], 3> {
  let layerInputs = [5, 7];
  let layerAttributes = OV_FirstLSTM<>.attributes;
  let importer = "importLSTMCell";
  let semantics = [{
    One step of an LSTM: `X` is [N, I], states are [N, H], `W` is [4H, I], `R` is [4H, H], `B` is [4H]; gates in the order
    f, i, c, o. `f = a0(Xf)`, `i = a0(Xi)`, `c = a1(Xc)`, `o = a0(Xo)`, `C' = f*C + i*c`, `H' = o * a2(C')`. `clip` bounds the
    arguments of the gate activations where it is not 0. (LSTMCell-1 with peepholes or another weights format, and the
    five-input spelling, become this on import.)}];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$initial_cell_state,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B), OV_CellAttributes<"sigmoid,tanh,tanh">.arguments);
  let results = (outs OV_FloatTensor:$Ho, OV_FloatTensor:$Co);
}

def OV_GRUCellOp : OV_CellOp<"gru_cell", "GRUCell", ["initial_hidden_state"], 2> {
  let opset = 3;
  let semantics = [{
    One step of a GRU: gates z, r, h; W is [3H, I], R is [3H, H], B is [3H], or [4H] with `linear_before_reset` (z, r, h of
    X, h of H). `H' = (1 - z) * h + z * H`. Otherwise as `ov.lstm_cell`.}];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$W,
    OV_FloatTensor:$R, OV_FloatTensor:$B), OV_CellAttributes<"sigmoid,tanh">.arguments,
    (ins DefaultValuedAttr<BoolAttr, "false">:$linear_before_reset));
  let results = (outs OV_FloatTensor:$Ho);
}

def OV_RNNCellOp : OV_CellOp<"rnn_cell", "RNNCell", ["initial_hidden_state"], 1> {
  let semantics = [{
    One step of a plain RNN: `H' = a(clip(X*W^T + H*R^T + B))`; W is [H, I], R is [H, H], B is [H]. Otherwise as
    `ov.lstm_cell`.}];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$W,
    OV_FloatTensor:$R, OV_FloatTensor:$B), OV_CellAttributes<"tanh">.arguments);
  let results = (outs OV_FloatTensor:$Ho);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

class OV_SequenceOp<string mnemonic, string type, list<string> states, int activations> : OV_FaultingOp<mnemonic> {
  let layerType = type;
  let rules = !listconcat([
    OV_SameElementType<!listconcat(["X"], states, ["W", "R", "B"])>, OV_Rank<"X", 3>],
    !foreach(state, states, OV_Rank<state, 3>), [
    OV_Rank<"sequence_lengths", 1>, OV_Rank<"W", 3>, OV_Rank<"R", 3>, OV_Rank<"B", 2>, OV_HiddenSize,
    OV_Rule<"`hidden_size` is H of states, W, R and B; N, D, T, I agree wherever they stand; T is not 0. (A fault where known "
            "only at run time.)">,
    OV_Activations<activations>, OV_NotNegative<"clip">]);
  let moreDeclarations = [{
    /// 2 if bidirectional, else 1.
    int64_t getNumDirections() { return getDirection() == SequenceDirection::Bidirectional ? 2 : 1; }
  }];
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def OV_LSTMSequenceOp
    : OV_SequenceOp<"lstm_sequence", "LSTMSequence", ["initial_hidden_state", "initial_cell_state"], 3> {
  let layerInputs = [7, 8];
  let layerAttributes = OV_FirstLSTM<>.attributes;
  let importer = "importLSTMSequence";
  let semantics = [{
    `ov.lstm_cell` at each place of a sequence. D is 2 where `direction` is "bidirectional", else 1: `X` is [N, T, I],
    `sequence_lengths` is [N], states are [N, D, H], `W` is [D, 4H, I], `R` is [D, 4H, H], `B` is [D, 4H]; the results are
    `Y` [N, D, T, H] and the final states. Direction 1 of two, and "reverse", run from the last place to the first; what
    is computed at a place stands at that place of `Y`.

    Only the first `sequence_lengths[n]` places of sequence n count: at the others the states stay and `Y` is zero.
    Lengths above T are T, negative ones 0. A T that turns out to be 0 is a fault.}];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$initial_cell_state,
    OV_IndexTensor:$sequence_lengths, OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B,
    OV_SequenceDirectionAttr:$direction), OV_CellAttributes<"sigmoid,tanh,tanh">.arguments);
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho, OV_FloatTensor:$Co);
}

def OV_GRUSequenceOp : OV_SequenceOp<"gru_sequence", "GRUSequence", ["initial_hidden_state"], 2> {
  let opset = 5;
  let semantics = [{
    `ov.gru_cell` at each place of a sequence, as `ov.lstm_sequence` does it: `W` is [D, 3H, I], `R` is [D, 3H, H], `B` is
    [D, 3H], or [D, 4H] with `linear_before_reset`.}];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_IndexTensor:$sequence_lengths,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B, OV_SequenceDirectionAttr:$direction),
    OV_CellAttributes<"sigmoid,tanh">.arguments, (ins DefaultValuedAttr<BoolAttr, "false">:$linear_before_reset));
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho);
}

def OV_RNNSequenceOp : OV_SequenceOp<"rnn_sequence", "RNNSequence", ["initial_hidden_state"], 1> {
  let opset = 5;
  let semantics = [{
    `ov.rnn_cell` at each place of a sequence, as `ov.lstm_sequence` does it: `W` is [D, H, I], `R` is [D, H, H], `B` is
    [D, H].}];
  let arguments = !con((ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_IndexTensor:$sequence_lengths,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B, OV_SequenceDirectionAttr:$direction),
    OV_CellAttributes<"tanh">.arguments);
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho);
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

def OV_OneHotOp : OV_FaultingOp<"one_hot"> {
  let layerType = "OneHot";
  let semantics = [{
    A new dim of `depth` elements at `axis` (negative: from the end of the result): `on_value` at the index that stands in
    `indices`, `off_value` elsewhere. An index out of range gives `off_value` alone, as does a negative one, unless
    `negative_indices_mode` is "normalize": then it counts from `depth`.}];
  let rules = [
    OV_Rank<"depth", 0>,
    OV_Rule<"`depth` is not negative. (A fault where known only at run time.)">,
    OV_SameElementType<["on_value", "off_value"]>, OV_Rank<"on_value", 0>, OV_Rank<"off_value", 0>,
    OV_Axis<"axis", "indices", 1>
  ];
  let arguments = (ins OV_IntegerTensor:$indices, OV_IndexTensor:$depth, OV_Tensor:$on_value, OV_Tensor:$off_value,
    I64Attr:$axis, Arg<DefaultValuedAttr<OV_NegativeIndicesModeAttr,
                       "::recur::ov::NegativeIndicesMode::IgnoreNegative">, "", [OV_Since<16>]>:$negative_indices_mode);
  let results = (outs OV_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

} // opDocGroup

#endif // RECUR_DIALECT_OV_IR_SEQUENCE_TD
