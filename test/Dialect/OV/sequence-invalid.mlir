// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @cell_c1(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 0 of W to be 4, but got 'tensor<3x2xf32>'}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 4, activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []}
    : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c2(%x: tensor<1x2xf32>, %h: tensor<5x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 0 of a state to be 1, but got 'tensor<5x3xf32>'}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []}
    : (tensor<1x2xf32>, tensor<5x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c3_count(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected 1 activations, but got 2}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3,
    activations = [#ov.cell_activation<tanh>, #ov.cell_activation<tanh>], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c3_name(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{expected one of [sigmoid, tanh, relu, hardsigmoid]}}
  // expected-error @+1 {{failed to parse OV_CellActivationAttr parameter 'value'}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<softsign>],
    activations_alpha = [], activations_beta = []}
    : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_activation_kind(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{attribute 'activations' failed to satisfy constraint: activation functions}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = ["tanh"], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c3_alpha(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected activations_alpha and activations_beta with no entry or 1, but got 2}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<hardsigmoid>],
    activations_alpha = [0.2, 0.3], activations_beta = []}
    : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c4(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected clip that is not negative, but got -1}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], clip = -1.0,
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @one_hot_c1(%i: tensor<3xi64>, %v: tensor<f32>) {
  %d = ov.constant dense<-2> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected depth that is not negative, but got -2}}
  %0 = ov.one_hot %i, %d, %v, %v {axis = 0} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_c2(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>, %w: tensor<1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected off_value of rank 0, but got 'tensor<1xf32>'}}
  %0 = ov.one_hot %i, %d, %v, %w {axis = 0} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<1xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_on_value(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<1xf32>, %w: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected on_value of rank 0, but got 'tensor<1xf32>'}}
  %0 = ov.one_hot %i, %d, %v, %w {axis = 0} : (tensor<3xi64>, tensor<i64>, tensor<1xf32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_element_type(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>, %w: tensor<f16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type, but got 'f32' and 'f16'}}
  %0 = ov.one_hot %i, %d, %v, %w {axis = 0} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f16>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_depth(%i: tensor<3xi64>, %d: tensor<1xi64>, %v: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected depth of rank 0, but got 'tensor<1xi64>'}}
  %0 = ov.one_hot %i, %d, %v, %v {axis = 0} : (tensor<3xi64>, tensor<1xi64>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_c4(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>) {
  // expected-error @+2 {{expected one of [ignore_negative, normalize]}}
  // expected-error @+1 {{failed to parse OV_NegativeIndicesModeAttr parameter 'value'}}
  %0 = ov.one_hot %i, %d, %v, %v {axis = 0, negative_indices_mode = #ov.negative_indices_mode<wrap>} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_c3(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis to be an axis of a result of rank 2, but got 2}}
  %0 = ov.one_hot %i, %d, %v, %v {axis = 2} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @sequence_c1(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected a positive hidden_size, but got 0}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 0, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c1_states(%x: tensor<2x5x2xf32>, %h: tensor<2x1x4xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 2 of a state to be 3, but got 'tensor<2x1x4xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x4xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c1_weights(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x4x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 1 of W to be 3, but got 'tensor<1x4x2xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x4x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c1_bias(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 1 of B to be 3, but got 'tensor<1x4xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x4xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_rank(%x: tensor<5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected X of rank 3, but got 'tensor<5x2xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_batch(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<3xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 0 of sequence_lengths to be 2, but got 'tensor<3xi64>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<3xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_directions(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 1 of a state to be 2, but got 'tensor<2x1x3xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<bidirectional>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_input(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x4xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 2 of W to be 2, but got 'tensor<1x3x4xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x4xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

// Lists for both directions have twice the entries, and only a bidirectional sequence has them.

func.func @sequence_activations_of_one_direction(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>,
    %w: tensor<1x3x2xf32>, %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected 1 activations, but got 2}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>, #ov.cell_activation<relu>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_activations_of_both_directions(%x: tensor<2x5x2xf32>, %h: tensor<2x2x3xf32>, %n: tensor<2xi64>,
    %w: tensor<2x9x2xf32>, %r: tensor<2x9x3xf32>, %b: tensor<2x9xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected 2 activations, or 4 for both directions, but got 3}}
  %0, %1 = ov.gru_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<bidirectional>,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>, #ov.cell_activation<relu>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x2x3xf32>, tensor<2xi64>,
    tensor<2x9x2xf32>, tensor<2x9x3xf32>, tensor<2x9xf32>) -> (tensor<2x2x5x3xf32>, tensor<2x2x3xf32>)
  return
}

// -----

func.func @sequence_parameters_of_both_directions(%x: tensor<2x5x2xf32>, %h: tensor<2x2x3xf32>, %n: tensor<2xi64>,
    %w: tensor<2x9x2xf32>, %r: tensor<2x9x3xf32>, %b: tensor<2x9xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected activations_alpha and activations_beta with no entry, 2 or 4, but got 3}}
  %0, %1 = ov.gru_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<bidirectional>,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>],
    activations_alpha = [0.1, 0.2, 0.3], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x2x3xf32>, tensor<2xi64>,
    tensor<2x9x2xf32>, tensor<2x9x3xf32>, tensor<2x9xf32>) -> (tensor<2x2x5x3xf32>, tensor<2x2x3xf32>)
  return
}

// -----

func.func @sequence_c2_element(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf16>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type, but got 'f32' and 'f16'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf16>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c3(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected 1 activations, but got 2}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>, #ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c3_name(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+3 {{expected one of [sigmoid, tanh, relu, hardsigmoid]}}
  // expected-error @+2 {{failed to parse OV_CellActivationAttr parameter 'value'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<elu>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c3_alpha(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected activations_alpha and activations_beta with no entry or 1, but got 2}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [1.0, 2.0], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c4(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected clip that is not negative, but got -1}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = [], clip = -1.0} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c5(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{expected one of [forward, reverse, bidirectional]}}
  // expected-error @+1 {{failed to parse OV_SequenceDirectionAttr parameter 'value'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = #ov.sequence_direction<backward>,
    activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}
