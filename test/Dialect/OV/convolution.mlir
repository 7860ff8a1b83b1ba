// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<?x4x9xf32>, %w: tensor<5x4x3xf32>, %g: tensor<2x3x2x3xf32>) {
  // CHECK: ov.convolution %arg0, %arg1 {dilations = array<i64: 2>, pads_begin = array<i64: 1>, pads_end = array<i64: 0>, strides = array<i64: 2>} : {{.*}} -> tensor<?x5x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 1>, pads_end = array<i64: 0>, dilations = array<i64: 2>} : (tensor<?x4x9xf32>, tensor<5x4x3xf32>) -> tensor<?x5x3xf32>
  // CHECK: ov.group_convolution %arg0, %arg2 {auto_pad = #ov.auto_pad<same_upper>, {{.*}} -> tensor<?x6x5xf32>
  %1 = ov.group_convolution %x, %g {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, auto_pad = #ov.auto_pad<same_upper>} : (tensor<?x4x9xf32>, tensor<2x3x2x3xf32>) -> tensor<?x6x5xf32>
  return
}
