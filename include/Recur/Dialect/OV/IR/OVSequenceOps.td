// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVSequenceOps.td - LSTM, GRU and RNN over a sequence -*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_OVSEQUENCEOPS_TD
#define RECUR_DIALECT_OV_IR_OVSEQUENCEOPS_TD

include "Recur/Dialect/OV/IR/OVAttrs.td"

class OV_SequenceOp<string mnemonic> : OV_InferOp<mnemonic, [OV_Faulting]> {
  code sequenceDeclaration = [{
    bool canFault();
    /// 2 if bidirectional, else 1.
    int64_t getNumDirections() { return getDirection() == "bidirectional" ? 2 : 1; }
  }];
  let extraClassDeclaration = sequenceDeclaration;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def OV_LSTMSequenceOp : OV_SequenceOp<"lstm_sequence"> {
  let summary = "LSTMSequence operation";
  let description = [{
    `ov.lstm_cell` at each place of a sequence. D is 2 where `direction` is "bidirectional", else 1: `X` is [N, T, I],
    `sequence_lengths` is [N], states are [N, D, H], `W` is [D, 4H, I], `R` is [D, 4H, H], `B` is [D, 4H]; the results are
    `Y` [N, D, T, H] and the final states. Direction 1 of two, and "reverse", run from the last place to the first; what
    is computed at a place stands at that place of `Y`.

    Only the first `sequence_lengths[n]` places of sequence n count: at the others the states stay and `Y` is zero.
    Lengths above T are T, negative ones 0. A T that turns out to be 0 is a fault.

    Constraints:
    * C1. `hidden_size` is positive and is H of states, W, R and B.
    * C2. N, D, T, I agree wherever they stand, T is not 0; all element types but that of the lengths are equal.
    * C3. There are three activations, of sigmoid, tanh, relu, hardsigmoid; alpha and beta have one entry for each
      activation, or none.
    * C4. `clip` is not negative.
    * C5. `direction` is "forward", "reverse" or "bidirectional".
  }];
  let arguments = (ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_FloatTensor:$initial_cell_state,
    OV_IndexTensor:$sequence_lengths, OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B, I64Attr:$hidden_size,
    StrAttr:$direction, StrArrayAttr:$activations, F64ArrayAttr:$activations_alpha, F64ArrayAttr:$activations_beta,
    DefaultValuedAttr<F64Attr, "0.0">:$clip);
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho, OV_FloatTensor:$Co);
}

def OV_GRUSequenceOp : OV_SequenceOp<"gru_sequence"> {
  let summary = "GRUSequence operation";
  let description = [{
    `ov.gru_cell` at each place of a sequence, as `ov.lstm_sequence` does it: `W` is [D, 3H, I], `R` is [D, 3H, H], `B` is
    [D, 3H], or [D, 4H] with `linear_before_reset`.

    Constraints: C1 to C5 as of `ov.lstm_sequence`, with two activations.
  }];
  let arguments = (ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_IndexTensor:$sequence_lengths,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B, I64Attr:$hidden_size, StrAttr:$direction,
    StrArrayAttr:$activations, F64ArrayAttr:$activations_alpha, F64ArrayAttr:$activations_beta,
    DefaultValuedAttr<F64Attr, "0.0">:$clip, DefaultValuedAttr<BoolAttr, "false">:$linear_before_reset);
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho);
}

def OV_RNNSequenceOp : OV_SequenceOp<"rnn_sequence"> {
  let summary = "RNNSequence operation";
  let description = [{
    `ov.rnn_cell` at each place of a sequence, as `ov.lstm_sequence` does it: `W` is [D, H, I], `R` is [D, H, H], `B` is
    [D, H].

    Constraints: C1 to C5 as of `ov.lstm_sequence`, with one activation.
  }];
  let arguments = (ins OV_FloatTensor:$X, OV_FloatTensor:$initial_hidden_state, OV_IndexTensor:$sequence_lengths,
    OV_FloatTensor:$W, OV_FloatTensor:$R, OV_FloatTensor:$B, I64Attr:$hidden_size, StrAttr:$direction,
    StrArrayAttr:$activations, F64ArrayAttr:$activations_alpha, F64ArrayAttr:$activations_beta,
    DefaultValuedAttr<F64Attr, "0.0">:$clip);
  let results = (outs OV_FloatTensor:$Y, OV_FloatTensor:$Ho);
}

#endif // RECUR_DIALECT_OV_IR_OVSEQUENCEOPS_TD
