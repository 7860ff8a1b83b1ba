// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<2xi64>, tensor<768x1024xf32>) {
  // CHECK: ov.constant dense<[1, 2]> : tensor<2xi64>
  %0 = ov.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: ov.constant #ov.weights<16, tensor<1024x768xf32>, [#ov.transpose<[1, 0]>]> : tensor<768x1024xf32>
  %1 = ov.constant #ov.weights<16, tensor<1024x768xf32>, [#ov.transpose<[1, 0]>]> : tensor<768x1024xf32>
  return %0, %1 : tensor<2xi64>, tensor<768x1024xf32>
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%x: tensor<2x?xf32>, %y: tensor<3xf32>, %c: tensor<1xi1>, %u: tensor<4xui8>) -> tensor<2x3xf32> {
  // CHECK: ov.add %{{.*}}, %{{.*}} : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = ov.add %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.subtract %{{.*}}, %{{.*}} {auto_broadcast = "none"}
  %1 = ov.subtract %0, %0 {auto_broadcast = "none"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.divide %{{.*}}, %{{.*}} {m_pythondiv = false}
  %2 = ov.divide %1, %y {m_pythondiv = false} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.less %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %3 = ov.less %2, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: ov.logical_and %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<1xi1>) -> tensor<2x3xi1>
  %4 = ov.logical_and %3, %c : (tensor<2x3xi1>, tensor<1xi1>) -> tensor<2x3xi1>
  // CHECK: ov.select
  %5 = ov.select %4, %2, %y : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.tanh %{{.*}} : tensor<2x3xf32>
  %6 = ov.tanh %5 : tensor<2x3xf32>
  // CHECK: ov.clamp %{{.*}} {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64} : tensor<2x3xf32>
  %7 = ov.clamp %6 {min = 0.0, max = 6.0} : tensor<2x3xf32>
  // CHECK: ov.convert %{{.*}} : tensor<4xui8> to tensor<4xf32>
  %8 = ov.convert %u : tensor<4xui8> to tensor<4xf32>
  return %7 : tensor<2x3xf32>
}

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<5x2x3xf32>, %b: tensor<4x3xf32>, %v: tensor<3xf32>) {
  // CHECK: ov.matmul %{{.*}}, %{{.*}} {transpose_b = true} : (tensor<5x2x3xf32>, tensor<4x3xf32>) -> tensor<5x2x4xf32>
  %0 = ov.matmul %a, %b {transpose_b = true} : (tensor<5x2x3xf32>, tensor<4x3xf32>) -> tensor<5x2x4xf32>
  // CHECK: ov.matmul %{{.*}}, %{{.*}} : (tensor<5x2x3xf32>, tensor<3xf32>) -> tensor<5x2xf32>
  %1 = ov.matmul %a, %v : (tensor<5x2x3xf32>, tensor<3xf32>) -> tensor<5x2xf32>
  // CHECK: ov.matmul %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %2 = ov.matmul %v, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @cells
func.func @cells(%x: tensor<?x2xf32>, %h: tensor<?x3xf32>, %w4: tensor<12x2xf32>, %r4: tensor<12x3xf32>,
                 %b4: tensor<12xf32>, %w3: tensor<9x2xf32>, %r3: tensor<9x3xf32>, %w1: tensor<3x2xf32>,
                 %r1: tensor<3x3xf32>, %b1: tensor<3xf32>) {
  // CHECK: ov.lstm_cell
  %0, %1 = ov.lstm_cell %x, %h, %h, %w4, %r4, %b4 {hidden_size = 3, activations = ["sigmoid", "tanh", "tanh"],
    activations_alpha = [], activations_beta = []} : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x3xf32>,
    tensor<12x2xf32>, tensor<12x3xf32>, tensor<12xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  // CHECK: ov.gru_cell {{.*}}linear_before_reset = true
  %2 = ov.gru_cell %x, %h, %w3, %r3, %b4 {hidden_size = 3, activations = ["sigmoid", "tanh"], activations_alpha = [],
    activations_beta = [], linear_before_reset = true} : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<9x2xf32>,
    tensor<9x3xf32>, tensor<12xf32>) -> tensor<?x3xf32>
  // CHECK: ov.rnn_cell
  %3 = ov.rnn_cell %x, %h, %w1, %r1, %b1 {hidden_size = 3, activations = ["tanh"], activations_alpha = [],
    activations_beta = []} : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>)
    -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<2x?x1xf32>, %n: tensor<2xi64>, %i: tensor<4xi32>) {
  %axes = ov.constant dense<[-1]> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64>
  %order = ov.constant dense<[2, 0, 1]> : tensor<3xi64>
  // CHECK: ov.shape_of %{{.*}} {output_type = i64} : (tensor<2x?x1xf32>) -> tensor<3xi64>
  %0 = ov.shape_of %x {output_type = i64} : (tensor<2x?x1xf32>) -> tensor<3xi64>
  // CHECK: ov.reshape %{{.*}}, %{{.*}} {special_zero = true} : (tensor<2x?x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = ov.reshape %x, %n {special_zero = true} : (tensor<2x?x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: ov.squeeze %{{.*}}, %{{.*}} : (tensor<2x?x1xf32>, tensor<1xi64>) -> tensor<2x?xf32>
  %2 = ov.squeeze %x, %axes : (tensor<2x?x1xf32>, tensor<1xi64>) -> tensor<2x?xf32>
  // CHECK: ov.unsqueeze %{{.*}}, %{{.*}} : (tensor<2x?x1xf32>, tensor<1xi64>) -> tensor<2x?x1x1xf32>
  %3 = ov.unsqueeze %x, %axes : (tensor<2x?x1xf32>, tensor<1xi64>) -> tensor<2x?x1x1xf32>
  // CHECK: ov.transpose %{{.*}}, %{{.*}} : (tensor<2x?x1xf32>, tensor<3xi64>) -> tensor<1x2x?xf32>
  %4 = ov.transpose %x, %order : (tensor<2x?x1xf32>, tensor<3xi64>) -> tensor<1x2x?xf32>
  // CHECK: ov.concat %{{.*}}, %{{.*}} {axis = -1 : i64} : (tensor<2x?x1xf32>, tensor<2x?x1xf32>) -> tensor<2x?x2xf32>
  %5 = ov.concat %x, %x {axis = -1} : (tensor<2x?x1xf32>, tensor<2x?x1xf32>) -> tensor<2x?x2xf32>
  // CHECK: ov.broadcast %{{.*}}, %{{.*}}, %{{.*}} {mode = "explicit"}
  %6 = ov.broadcast %i, %n, %axis {mode = "explicit"} : (tensor<4xi32>, tensor<2xi64>, tensor<i64>) -> tensor<?x4xi32>
  // CHECK: ov.gather %{{.*}}, %{{.*}}, %{{.*}} {version = 1 : i64} : (tensor<2x?x1xf32>, tensor<4xi32>, tensor<i64>) -> tensor<2x4x1xf32>
  %7 = ov.gather %x, %i, %axis {version = 1} : (tensor<2x?x1xf32>, tensor<4xi32>, tensor<i64>) -> tensor<2x4x1xf32>
  // CHECK: ov.reduce_sum %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<2x?x1xf32>, tensor<i64>) -> tensor<2x1x1xf32>
  %8 = ov.reduce_sum %x, %axis {keep_dims = true} : (tensor<2x?x1xf32>, tensor<i64>) -> tensor<2x1x1xf32>
  // CHECK: ov.softmax %{{.*}} {axis = -1 : i64} : tensor<2x?x1xf32>
  %9 = ov.softmax %x {axis = -1} : tensor<2x?x1xf32>
  return
}

// CHECK-LABEL: @gather_tree
func.func @gather_tree(%s: tensor<?x2x3xi32>, %p: tensor<5x2x3xi32>, %n: tensor<2xi32>, %e: tensor<i32>) {
  // CHECK: ov.gather_tree %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : {{.*}} -> tensor<5x2x3xi32>
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<?x2x3xi32>, tensor<5x2x3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5x2x3xi32>
  return
}
