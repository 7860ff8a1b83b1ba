// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | FileCheck %s

// CHECK-LABEL: func.func @sequences(
func.func @sequences(%x: tensor<?x?x2xf32>, %h: tensor<?x1x3xf32>, %h2: tensor<?x2x3xf32>, %n: tensor<?xi32>,
                     %w4: tensor<1x12x2xf32>, %r4: tensor<1x12x3xf32>, %b4: tensor<1x12xf32>, %w3: tensor<2x9x2xf32>,
                     %r3: tensor<2x9x3xf32>, %b3: tensor<2x12xf32>, %w1: tensor<1x3x2xf32>, %r1: tensor<1x3x3xf32>,
                     %b1: tensor<1x3xf32>) {
  // CHECK: ov.lstm_sequence {{.*}}direction = "forward"{{.*}} -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>, tensor<?x1x3xf32>)
  %0:3 = ov.lstm_sequence %x, %h, %h, %n, %w4, %r4, %b4 {hidden_size = 3, direction = "forward",
    activations = ["sigmoid", "tanh", "tanh"], activations_alpha = [], activations_beta = []} : (tensor<?x?x2xf32>,
    tensor<?x1x3xf32>, tensor<?x1x3xf32>, tensor<?xi32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x12xf32>)
    -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>, tensor<?x1x3xf32>)
  // CHECK: ov.gru_sequence {{.*}}direction = "bidirectional"{{.*}}linear_before_reset = true
  %1:2 = ov.gru_sequence %x, %h2, %n, %w3, %r3, %b3 {hidden_size = 3, direction = "bidirectional",
    activations = ["sigmoid", "tanh"], activations_alpha = [], activations_beta = [], linear_before_reset = true}
    : (tensor<?x?x2xf32>, tensor<?x2x3xf32>, tensor<?xi32>, tensor<2x9x2xf32>, tensor<2x9x3xf32>, tensor<2x12xf32>)
    -> (tensor<?x2x?x3xf32>, tensor<?x2x3xf32>)
  // CHECK: ov.rnn_sequence {{.*}}clip = 5.000000e-01 : f64, direction = "reverse"
  %2:2 = ov.rnn_sequence %x, %h, %n, %w1, %r1, %b1 {hidden_size = 3, direction = "reverse", clip = 0.5,
    activations = ["relu"], activations_alpha = [], activations_beta = []} : (tensor<?x?x2xf32>, tensor<?x1x3xf32>,
    tensor<?xi32>, tensor<1x3x2xf32>, tensor<1x3x3xf32>, tensor<1x3xf32>) -> (tensor<?x1x?x3xf32>, tensor<?x1x3xf32>)
  return
}
