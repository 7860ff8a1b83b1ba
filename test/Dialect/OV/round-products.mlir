// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-round-products=precision=bf16 | FileCheck %s
// RUN: ir-opt %s --ov-round-products=precision=bf16 --canonicalize | FileCheck %s --check-prefix=FOLDED
// RUN: ir-opt %s --ov-round-products | FileCheck %s --check-prefix=F32

// F32-NOT: to tensor<{{.*}}xbf16>
module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 65536, hash = 0>} {

// The conversions of a constant become steps of its layout.

// CHECK-LABEL: @product
// FOLDED-LABEL: @product
func.func @product(%x: tensor<1x32xf32>) -> tensor<1x16xf32> {
  %w = ov.constant #ov.weights<0, tensor<32x16xf32>> : tensor<32x16xf32>
  // CHECK-DAG: %[[X:.*]] = ov.convert %arg0 : tensor<1x32xf32> to tensor<1x32xbf16>
  // CHECK-DAG: %[[A:.*]] = ov.convert %[[X]] : tensor<1x32xbf16> to tensor<1x32xf32>
  // CHECK-DAG: %[[W:.*]] = ov.convert %{{.*}} : tensor<32x16xf32> to tensor<32x16xbf16>
  // CHECK-DAG: %[[B:.*]] = ov.convert %[[W]] : tensor<32x16xbf16> to tensor<32x16xf32>
  // CHECK: ov.matmul %[[A]], %[[B]]
  // FOLDED: %[[W:.*]] = ov.constant #ov.weights<0, tensor<32x16xf32>, [#ov.convert<bf16>, #ov.convert<f32>]>
  // FOLDED: ov.matmul %{{.*}}, %[[W]]
  %0 = ov.matmul %x, %w : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}

// Numbers of bf16 are not rounded again. Those of f16 are.

// CHECK-LABEL: @rounded
func.func @rounded(%x: tensor<1x32xbf16>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %w = ov.constant #ov.weights<0, tensor<32x16xbf16>, [#ov.convert<f32>]> : tensor<32x16xf32>
  %v = ov.constant #ov.weights<0, tensor<32x16xf16>, [#ov.convert<f32>]> : tensor<32x16xf32>
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<0, tensor<32x16xbf16>
  // CHECK-DAG: %[[V:.*]] = ov.constant #ov.weights<0, tensor<32x16xf16>
  // CHECK: %[[X:.*]] = ov.convert %arg0
  // CHECK-NEXT: ov.matmul %[[X]], %[[W]]
  // CHECK-NEXT: ov.convert %[[V]] : tensor<32x16xf32> to tensor<32x16xbf16>
  // CHECK-NEXT: %[[B:.*]] = ov.convert
  // CHECK-NEXT: ov.matmul %[[X]], %[[B]]
  %0 = ov.convert %x : tensor<1x32xbf16> to tensor<1x32xf32>
  %1 = ov.matmul %0, %w : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32>
  %2 = ov.matmul %0, %v : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32>
  return %1, %2 : tensor<1x16xf32>, tensor<1x16xf32>
}

// Products of other types, those of weights that are integers, those of computed tensors, and convolutions stay as they
// are.

// CHECK-LABEL: @others
func.func @others(%x: tensor<1x32xf64>, %y: tensor<1x32xf32>, %z: tensor<1x4x8x8xf32>)
    -> (tensor<1x1xf64>, tensor<1x32xf32>, tensor<1x16x6x6xf32>, tensor<1x1xf32>) {
  // CHECK-NOT: = ov.convert
  %w = ov.constant #ov.weights<0, tensor<32x32xi8>, [#ov.convert<f32>]> : tensor<32x32xf32>
  %f = ov.constant #ov.weights<0, tensor<16x4x3x3xf32>> : tensor<16x4x3x3xf32>
  %0 = ov.matmul %x, %x {transpose_b = true} : (tensor<1x32xf64>, tensor<1x32xf64>) -> tensor<1x1xf64>
  %1 = ov.matmul %y, %w : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
  %2 = ov.convolution %z, %f {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x6x6xf32>
  %3 = ov.matmul %y, %y {transpose_b = true} : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x1xf32>
  return %0, %1, %2, %3 : tensor<1x1xf64>, tensor<1x32xf32>, tensor<1x16x6x6xf32>, tensor<1x1xf32>
}
}
