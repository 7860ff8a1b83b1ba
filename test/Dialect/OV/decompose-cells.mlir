// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-decompose-cells --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rnn(
// CHECK-SAME: %[[X:.*]]: tensor<1x2xf32>, %[[H:.*]]: tensor<1x3xf32>, %[[W:.*]]: tensor<3x2xf32>, %[[R:.*]]: tensor<3x3xf32>, %[[B:.*]]: tensor<3xf32>)
func.func @rnn(%x: tensor<1x2xf32>, %h0: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3xf32> {
  // CHECK: %[[XW:.*]] = ov.matmul %[[X]], %[[W]] {transpose_b = true}
  // CHECK: %[[XWB:.*]] = ov.add %[[XW]], %[[B]] : (tensor<1x3xf32>, tensor<3xf32>)
  // CHECK: %[[HR:.*]] = ov.matmul %[[H]], %[[R]] {transpose_b = true}
  // CHECK: %[[SUM:.*]] = ov.add %[[XWB]], %[[HR]] {auto_broadcast = #ov.auto_broadcast<none>}
  // CHECK: %[[OUT:.*]] = ov.tanh %[[SUM]]
  // CHECK: return %[[OUT]]
  %h = ov.rnn_cell %x, %h0, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []}
    : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return %h : tensor<1x3xf32>
}

// -----

// CHECK-LABEL: func.func @lstm(
// CHECK-SAME: %[[H:[^:]*]]: tensor<?x3xf16>, %[[C:[^:]*]]: tensor<?x3xf16>
func.func @lstm(%h0: tensor<?x3xf16>, %c0: tensor<?x3xf16>, %x: tensor<?x2xf16>, %w: tensor<12x2xf16>, %r: tensor<12x3xf16>, %b: tensor<12xf16>) -> (tensor<?x3xf16>, tensor<?x3xf16>) {
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[H]], %c0
  // CHECK: ov.matmul
  // CHECK: ov.matmul
  // CHECK: %[[SUM:.*]] = ov.add %{{.*}} {auto_broadcast = #ov.auto_broadcast<none>}
  // CHECK: %[[CLIP:.*]] = ov.clamp %[[SUM]] {max = 5.000000e-01 : f64, min = -5.000000e-01 : f64}
  // CHECK: %[[F0:.*]] = tensor.extract_slice %[[CLIP]][0, 0] [%[[N]], 3] [1, 1]
  // CHECK: %[[F:.*]] = ov.sigmoid %[[F0]]
  // CHECK: %[[I0:.*]] = tensor.extract_slice %[[CLIP]][0, 3]
  // CHECK: %[[I:.*]] = ov.sigmoid %[[I0]]
  // CHECK: %[[G0:.*]] = tensor.extract_slice %[[CLIP]][0, 6]
  // CHECK: %[[G:.*]] = ov.relu %[[G0]]
  // CHECK: %[[O0:.*]] = tensor.extract_slice %[[CLIP]][0, 9]
  // CHECK: %[[O:.*]] = ov.sigmoid %[[O0]]
  // CHECK-DAG: %[[FC:.*]] = ov.multiply %[[F]], %[[C]] {auto_broadcast = #ov.auto_broadcast<none>}
  // CHECK-DAG: %[[IG:.*]] = ov.multiply %[[I]], %[[G]]
  // CHECK: %[[NEXT:.*]] = ov.add %[[FC]], %[[IG]]
  // CHECK: %[[T:.*]] = ov.tanh %[[NEXT]]
  // CHECK: %[[OUT:.*]] = ov.multiply %[[O]], %[[T]]
  // CHECK: return %[[OUT]], %[[NEXT]]
  %h, %c = ov.lstm_cell %x, %h0, %c0, %w, %r, %b {hidden_size = 3,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<relu>, #ov.cell_activation<tanh>], clip = 0.5,
    activations_alpha = [], activations_beta = []} : (tensor<?x2xf16>, tensor<?x3xf16>, tensor<?x3xf16>,
    tensor<12x2xf16>, tensor<12x3xf16>, tensor<12xf16>) -> (tensor<?x3xf16>, tensor<?x3xf16>)
  return %h, %c : tensor<?x3xf16>, tensor<?x3xf16>
}

// -----

// Values computed from x have as many rows as x, whatever the state has: the first sum compares them.
// CHECK-LABEL: func.func @gru_dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x2xf32>, %[[H:[^:]*]]: tensor<?x3xf32>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK: %[[INPUT:.*]] = tensor.extract_slice %{{.*}}[0, 0] [%[[ROWS]], 6]
// CHECK: ov.add %[[INPUT]], %{{.*}} {auto_broadcast = #ov.auto_broadcast<none>}
// CHECK: %[[INNER:.*]] = tensor.extract_slice %{{.*}}[0, 6] [%[[ROWS]], 3]
// CHECK: ov.add %[[INNER]], %{{.*}} {auto_broadcast = #ov.auto_broadcast<none>}
func.func @gru_dynamic(%x: tensor<?x2xf32>, %h0: tensor<?x3xf32>, %w: tensor<9x2xf32>, %r: tensor<9x3xf32>, %b: tensor<9xf32>) -> tensor<?x3xf32> {
  %h = ov.gru_cell %x, %h0, %w, %r, %b {hidden_size = 3,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>], activations_alpha = [],
    activations_beta = []} : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<9x2xf32>, tensor<9x3xf32>, tensor<9xf32>) -> tensor<?x3xf32>
  return %h : tensor<?x3xf32>
}

// -----

// The product of the last gate needs the reset gate, so R is split, by a layout step if it is constant.
// CHECK-LABEL: func.func @gru(
// CHECK-SAME: %[[X:.*]]: tensor<1x2xf32>, %[[H:.*]]: tensor<1x3xf32>, %[[W:.*]]: tensor<9x2xf32>, %[[B:.*]]: tensor<9xf32>)
func.func @gru(%x: tensor<1x2xf32>, %h0: tensor<1x3xf32>, %w: tensor<9x2xf32>, %b: tensor<9xf32>) -> tensor<1x3xf32> {
  // CHECK: %[[XW:.*]] = ov.matmul %[[X]], %[[W]]
  // CHECK: %[[R01:.*]] = ov.constant #ov.weights<0, tensor<9x3xf32>, [#ov.extract<0, 0, 6>]> : tensor<6x3xf32>
  // CHECK: %[[HR:.*]] = ov.matmul %[[H]], %[[R01]]
  // CHECK: %[[BOTH:.*]] = ov.add %{{.*}}, %[[HR]] {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<1x6xf32>, tensor<1x6xf32>)
  // CHECK: %[[Z0:.*]] = tensor.extract_slice %[[BOTH]][0, 0] [1, 3]
  // CHECK: %[[Z:.*]] = ov.sigmoid %[[Z0]]
  // CHECK: %[[RESET0:.*]] = tensor.extract_slice %[[BOTH]][0, 3] [1, 3]
  // CHECK: %[[RESET:.*]] = ov.sigmoid %[[RESET0]]
  // CHECK: %[[R2:.*]] = ov.constant #ov.weights<0, tensor<9x3xf32>, [#ov.extract<0, 6, 3>]> : tensor<3x3xf32>
  // CHECK: %[[RH:.*]] = ov.multiply %[[RESET]], %[[H]]
  // CHECK: %[[P:.*]] = ov.matmul %[[RH]], %[[R2]]
  // CHECK: %[[SUM:.*]] = ov.add %{{.*}}, %[[P]]
  // CHECK: %[[G:.*]] = ov.tanh %[[SUM]]
  // CHECK: %[[NOT_Z:.*]] = ov.subtract %{{.*}}, %[[Z]]
  // CHECK-DAG: ov.multiply %[[NOT_Z]], %[[G]]
  // CHECK-DAG: ov.multiply %[[Z]], %[[H]]
  %r = ov.constant #ov.weights<0, tensor<9x3xf32>> : tensor<9x3xf32>
  %h = ov.gru_cell %x, %h0, %w, %r, %b {hidden_size = 3,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<9x2xf32>, tensor<9x3xf32>, tensor<9xf32>) -> tensor<1x3xf32>
  return %h : tensor<1x3xf32>
}

// -----

// CHECK-LABEL: func.func @gru_run_time_weights(
// CHECK-SAME: %[[R:[^:]*]]: tensor<9x3xf32>
func.func @gru_run_time_weights(%r: tensor<9x3xf32>, %x: tensor<1x2xf32>, %h0: tensor<1x3xf32>, %w: tensor<9x2xf32>, %b: tensor<9xf32>) -> tensor<1x3xf32> {
  // CHECK-DAG: tensor.extract_slice %[[R]][0, 0] [6, 3] [1, 1]
  // CHECK-DAG: tensor.extract_slice %[[R]][6, 0] [3, 3] [1, 1]
  %h = ov.gru_cell %x, %h0, %w, %r, %b {hidden_size = 3,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<9x2xf32>, tensor<9x3xf32>, tensor<9xf32>) -> tensor<1x3xf32>
  return %h : tensor<1x3xf32>
}

// -----

// One product of the state serves all gates; the fourth part of B belongs to it.
// CHECK-LABEL: func.func @gru_linear_before_reset(
// CHECK-SAME: %[[H:[^:]*]]: tensor<1x1xf32>, %[[R:[^:]*]]: tensor<3x1xf32>
func.func @gru_linear_before_reset(%h0: tensor<1x1xf32>, %r: tensor<3x1xf32>, %x: tensor<1x2xf32>, %w: tensor<3x2xf32>) -> tensor<1x1xf32> {
  // CHECK: ov.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
  // CHECK: %[[HR:.*]] = ov.matmul %[[H]], %[[R]]
  // CHECK: %[[LAST:.*]] = tensor.extract_slice %[[HR]][0, 2] [1, 1]
  // CHECK: %[[B3:.*]] = ov.constant dense<4.000000e+00> : tensor<1xf32>
  // CHECK: %[[LINEAR:.*]] = ov.add %[[LAST]], %[[B3]]
  // CHECK: ov.multiply %{{.*}}, %[[LINEAR]]
  %b = ov.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %h = ov.gru_cell %x, %h0, %w, %r, %b {hidden_size = 1,
    activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>], activations_alpha = [],
    activations_beta = [], linear_before_reset = true} : (tensor<1x2xf32>, tensor<1x1xf32>, tensor<3x2xf32>, tensor<3x1xf32>, tensor<4xf32>) -> tensor<1x1xf32>
  return %h : tensor<1x1xf32>
}

// -----

// CHECK-LABEL: @hardsigmoid
func.func @hardsigmoid(%x: tensor<1x2xf32>, %h0: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3xf32> {
  // CHECK: %[[ALPHA:.*]] = ov.constant dense<2.500000e-01> : tensor<f32>
  // CHECK: %[[P:.*]] = ov.multiply %{{.*}}, %[[ALPHA]]
  // CHECK: %[[BETA:.*]] = ov.constant dense<5.000000e-01> : tensor<f32>
  // CHECK: %[[S:.*]] = ov.add %[[P]], %[[BETA]]
  // CHECK: ov.clamp %[[S]] {max = 1.000000e+00 : f64, min = 0.000000e+00 : f64}
  %h = ov.rnn_cell %x, %h0, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<hardsigmoid>],
    activations_alpha = [0.25], activations_beta = []}
    : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return %h : tensor<1x3xf32>
}
