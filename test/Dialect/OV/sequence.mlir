// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @cells
func.func @cells(%x: tensor<?x2xf32>, %h: tensor<?x3xf32>, %w4: tensor<12x2xf32>, %r4: tensor<12x3xf32>,
                 %b4: tensor<12xf32>, %w3: tensor<9x2xf32>, %r3: tensor<9x3xf32>, %w1: tensor<3x2xf32>,
                 %r1: tensor<3x3xf32>, %b1: tensor<3xf32>) {
  // CHECK: ov.lstm_cell
  %0, %1 = ov.lstm_cell %x, %h, %h, %w4, %r4, %b4 {hidden_size = 3,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>, #ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x3xf32>,
    tensor<12x2xf32>, tensor<12x3xf32>, tensor<12xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  // CHECK: ov.gru_cell {{.*}}linear_before_reset = true
  %2 = ov.gru_cell %x, %h, %w3, %r3, %b4 {hidden_size = 3,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>], activations_alpha = [],
    activations_beta = [], linear_before_reset = true} : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<9x2xf32>,
    tensor<9x3xf32>, tensor<12xf32>) -> tensor<?x3xf32>
  // CHECK: ov.rnn_cell
  %3 = ov.rnn_cell %x, %h, %w1, %r1, %b1 {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []}
    : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>)
    -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func.func @sequences(
func.func @sequences(%x: tensor<?x?x2xf32>, %h: tensor<?x1x3xf32>, %h2: tensor<?x2x3xf32>, %n: tensor<?xi32>,
                     %w4: tensor<1x12x2xf32>, %r4: tensor<1x12x3xf32>, %b4: tensor<1x12xf32>, %w3: tensor<2x9x2xf32>,
                     %r3: tensor<2x9x3xf32>, %b3: tensor<2x12xf32>, %w1: tensor<1x3x2xf32>, %r1: tensor<1x3x3xf32>,
                     %b1: tensor<1x3xf32>) {
  // CHECK: ov.lstm_sequence {{.*}}direction = #ov.sequence_direction<forward>{{.*}} -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>, tensor<?x1x3xf32>)
  %0:3 = ov.lstm_sequence %x, %h, %h, %n, %w4, %r4, %b4 {hidden_size = 3, direction = #ov.sequence_direction<forward>,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>, #ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []} : (tensor<?x?x2xf32>,
    tensor<?x1x3xf32>, tensor<?x1x3xf32>, tensor<?xi32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x12xf32>)
    -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>, tensor<?x1x3xf32>)
  // CHECK: ov.gru_sequence {{.*}}direction = #ov.sequence_direction<bidirectional>{{.*}}linear_before_reset = true
  %1:2 = ov.gru_sequence %x, %h2, %n, %w3, %r3, %b3 {hidden_size = 3, direction = #ov.sequence_direction<bidirectional>,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>], activations_alpha = [],
    activations_beta = [], linear_before_reset = true}
    : (tensor<?x?x2xf32>, tensor<?x2x3xf32>, tensor<?xi32>, tensor<2x9x2xf32>, tensor<2x9x3xf32>, tensor<2x12xf32>)
    -> (tensor<?x2x?x3xf32>, tensor<?x2x3xf32>)
  // CHECK: ov.rnn_sequence {{.*}}clip = 5.000000e-01 : f64, direction = #ov.sequence_direction<reverse>
  %2:2 = ov.rnn_sequence %x, %h, %n, %w1, %r1, %b1 {hidden_size = 3, direction = #ov.sequence_direction<reverse>, clip = 0.5,
    activations = [#ov.cell_activation<relu>], activations_alpha = [], activations_beta = []}
    : (tensor<?x?x2xf32>, tensor<?x1x3xf32>, tensor<?xi32>, tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>)
    -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>)
  return
}

// CHECK-LABEL: @one_hot
func.func @one_hot(%n: tensor<2xi64>, %i: tensor<i64>, %v: tensor<f32>) {
  // CHECK: ov.one_hot %arg0, %arg1, %arg2, %arg2 {axis = 0 : i64} : {{.*}} -> tensor<?x2xf32>
  %0 = ov.one_hot %n, %i, %v, %v {axis = 0} : (tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x2xf32>
  // CHECK: ov.one_hot {{.*}} {axis = 0 : i64, negative_indices_mode = #ov.negative_indices_mode<normalize>} :
  %1 = ov.one_hot %n, %i, %v, %v {axis = 0, negative_indices_mode = #ov.negative_indices_mode<normalize>} : (tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x2xf32>
  return
}
