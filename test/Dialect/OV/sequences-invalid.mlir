// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @sequence_c1(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected a positive hidden_size, but got 0}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 0, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c1_states(%x: tensor<2x5x2xf32>, %h: tensor<2x1x4xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected dim 2 of a state to be 3, but got 'tensor<2x1x4xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x4xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c1_weights(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x4x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected dim 1 of W to be 3, but got 'tensor<1x4x2xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x4x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c1_bias(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x4xf32>) {
  // expected-error @+1 {{expected dim 1 of B to be 3, but got 'tensor<1x4xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x4xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_rank(%x: tensor<5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected X of rank 3, but got 'tensor<5x2xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_batch(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<3xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected dim 0 of sequence_lengths to be 2, but got 'tensor<3xi64>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<3xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_directions(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected dim 1 of a state to be 2, but got 'tensor<2x1x3xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "bidirectional", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_input(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x4xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected dim 2 of W to be 2, but got 'tensor<1x3x4xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x4xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_empty(%x: tensor<2x0x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected a sequence that is not empty, but got 'tensor<2x0x2xf32>'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x0x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c2_element(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf16>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected operands of one element type, but got 'f32' and 'f16'}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf16>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c3(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected 1 activations, but got 2}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh", "tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c3_name(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected activations of sigmoid, tanh, relu and hardsigmoid, but got "elu"}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["elu"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c3_alpha(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected activations_alpha and activations_beta with no entry or 1, but got 2}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [1.0, 2.0], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c4(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected clip that is not negative, but got -1}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "forward", activations = ["tanh"],
    activations_alpha = [], activations_beta = [], clip = -1.0} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @sequence_c5(%x: tensor<2x5x2xf32>, %h: tensor<2x1x3xf32>, %n: tensor<2xi64>, %w: tensor<1x3x2xf32>,
    %r: tensor<1x3x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+1 {{expected direction "forward", "reverse" or "bidirectional", but got "backward"}}
  %0, %1 = ov.rnn_sequence %x, %h, %n, %w, %r, %b {hidden_size = 3, direction = "backward", activations = ["tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<2x5x2xf32>, tensor<2x1x3xf32>, tensor<2xi64>,
    tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<2x1x5x3xf32>, tensor<2x1x3xf32>)
  return
}
