// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize --split-input-file | FileCheck %s

// Weights with a zero point and a scale become one constant. The factors may be any constants, on either side.

// CHECK-LABEL: @quantized
// CHECK: %[[W:.*]] = ov.constant #ov.weights<0, tensor<64x32xui8>, [#ov.convert<f32>,
// CHECK-SAME: #ov.arithmetic<subtract, dense<1.280000e+02> : tensor<1xf32>>,
// CHECK-SAME: #ov.arithmetic<multiply, #ov.weights<2048, tensor<64x8xf16>, [#ov.convert<f32>, #ov.extract<1, 0, 1>]> : tensor<64x1xf32>>]>
// CHECK-NEXT: return %[[W]]
func.func @quantized() -> tensor<64x32xf32> {
  %q = ov.constant #ov.weights<0, tensor<64x32xui8>> : tensor<64x32xui8>
  %zero = ov.constant dense<128.0> : tensor<1xf32>
  %scale = ov.constant #ov.weights<2048, tensor<64x8xf16>, [#ov.convert<f32>, #ov.extract<1, 0, 1>]> : tensor<64x1xf32>
  %real = ov.convert %q : tensor<64x32xui8> to tensor<64x32xf32>
  %moved = ov.subtract %real, %zero : (tensor<64x32xf32>, tensor<1xf32>) -> tensor<64x32xf32>
  %w = ov.multiply %scale, %moved : (tensor<64x1xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %w : tensor<64x32xf32>
}

// -----

// A difference from a constant, 16-bit numbers, whose ops round, and a constant that becomes larger.

// CHECK-LABEL: @others
// CHECK: ov.subtract
// CHECK: ov.multiply
// CHECK: ov.multiply
func.func @others() -> (tensor<64x32xf32>, tensor<64x32xf16>, tensor<2x64x32xf32>) {
  %w = ov.constant #ov.weights<0, tensor<64x32xf32>> : tensor<64x32xf32>
  %h = ov.constant #ov.weights<0, tensor<64x32xf16>> : tensor<64x32xf16>
  %c = ov.constant dense<128.0> : tensor<1xf32>
  %d = ov.constant dense<128.0> : tensor<1xf16>
  %e = ov.constant dense<128.0> : tensor<2x1x1xf32>
  %0 = ov.subtract %c, %w : (tensor<1xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = ov.multiply %h, %d : (tensor<64x32xf16>, tensor<1xf16>) -> tensor<64x32xf16>
  %2 = ov.multiply %w, %e : (tensor<64x32xf32>, tensor<2x1x1xf32>) -> tensor<2x64x32xf32>
  return %0, %1, %2 : tensor<64x32xf32>, tensor<64x32xf16>, tensor<2x64x32xf32>
}
