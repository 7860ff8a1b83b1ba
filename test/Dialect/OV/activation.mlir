// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<2x?xf32>) {
  // CHECK: ov.relu %{{.*}} : tensor<2x?xf32>
  %0 = ov.relu %x : tensor<2x?xf32>
  // CHECK: ov.sigmoid
  %1 = ov.sigmoid %x : tensor<2x?xf32>
  // CHECK: ov.exp
  %2 = ov.exp %x : tensor<2x?xf32>
  // CHECK: ov.softplus
  %3 = ov.softplus %x : tensor<2x?xf32>
  // CHECK: ov.hswish
  %4 = ov.hswish %x : tensor<2x?xf32>
  // CHECK: ov.hsigmoid
  %5 = ov.hsigmoid %x : tensor<2x?xf32>
  // CHECK: ov.elu %{{.*}} {alpha = 2.000000e+00 : f64} : tensor<2x?xf32>
  %6 = ov.elu %x {alpha = 2.0} : tensor<2x?xf32>
  // CHECK: ov.gelu %{{.*}} {approximation_mode = #ov.gelu_approximation<tanh>} : tensor<2x?xf32>
  %7 = ov.gelu %x {approximation_mode = #ov.gelu_approximation<tanh>} : tensor<2x?xf32>
  // CHECK: ov.clamp %{{.*}} {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64} : tensor<2x?xf32>
  %8 = ov.clamp %x {min = 0.0, max = 6.0} : tensor<2x?xf32>
  // CHECK: ov.mish
  %10 = ov.mish %x : tensor<2x?xf32>
  // CHECK: ov.softsign
  %9 = ov.softsign %x : tensor<2x?xf32>
  return
}

// CHECK-LABEL: @parametric
func.func @parametric(%x: tensor<2x?x4xf32>, %p: tensor<f32>, %q: tensor<1xf32>, %s: tensor<3xf32>) {
  // CHECK: ov.selu %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x?x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?x4xf32>
  %0 = ov.selu %x, %q, %q : (tensor<2x?x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?x4xf32>
  // CHECK: ov.hard_sigmoid %{{.*}}, %{{.*}}, %{{.*}} :
  %1 = ov.hard_sigmoid %x, %p, %p : (tensor<2x?x4xf32>, tensor<f32>, tensor<f32>) -> tensor<2x?x4xf32>
  // CHECK: ov.swish %{{.*}} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %2 = ov.swish %x : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  // CHECK: ov.swish %{{.*}}, %{{.*}} :
  %3 = ov.swish %x, %p : (tensor<2x?x4xf32>, tensor<f32>) -> tensor<2x?x4xf32>
  // CHECK: ov.prelu %{{.*}}, %{{.*}} : (tensor<2x?x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %4 = ov.prelu %x, %s : (tensor<2x?x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  // CHECK: ov.prelu %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
  %5 = ov.prelu %4, %q : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
  return
}

// Only the call tells whether the slope belongs to dim 1 or to the last dim.
// CHECK-LABEL: @prelu_open
func.func @prelu_open(%x: tensor<2x?x?xf32>, %s: tensor<3xf32>, %y: tensor<2x4x?xf32>) {
  // CHECK: ov.prelu %{{.*}}, %{{.*}} : (tensor<2x?x?xf32>, tensor<3xf32>) -> tensor<2x?x?xf32>
  %0 = ov.prelu %x, %s : (tensor<2x?x?xf32>, tensor<3xf32>) -> tensor<2x?x?xf32>
  // CHECK: ov.prelu %{{.*}}, %{{.*}} : (tensor<2x4x?xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  %1 = ov.prelu %y, %s : (tensor<2x4x?xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  return
}

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<2x?x4xf32>) {
  // CHECK: ov.softmax %{{.*}} {axis = -1 : i64} : tensor<2x?x4xf32>
  %0 = ov.softmax %x {axis = -1} : tensor<2x?x4xf32>
  // CHECK: ov.log_softmax %{{.*}} {axis = -1 : i64} : tensor<2x?x4xf32>
  %1 = ov.log_softmax %x {axis = -1} : tensor<2x?x4xf32>
  return
}
