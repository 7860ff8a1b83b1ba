// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<?x4x9xf32>, %y: tensor<1x4x?xf32>, %w: tensor<5x4x3xf32>) {
  // CHECK-NEXT: ov.convolution %arg1
  // CHECK-NEXT: return
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<?x4x9xf32>, tensor<5x4x3xf32>) -> tensor<?x5x7xf32>
  %1 = ov.convolution %y, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x4x?xf32>, tensor<5x4x3xf32>) -> tensor<1x5x?xf32>
  return
}
