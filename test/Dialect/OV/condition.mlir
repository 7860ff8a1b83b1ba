// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @select
func.func @select(%c: tensor<2x3xi1>, %x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // CHECK: ov.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = ov.select %c, %x, %y : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @non_zero
func.func @non_zero(%x: tensor<2x?x4xf32>) {
  // CHECK: ov.non_zero %{{.*}} {output_type = i32} : (tensor<2x?x4xf32>) -> tensor<3x?xi32>
  %0 = ov.non_zero %x {output_type = i32} : (tensor<2x?x4xf32>) -> tensor<3x?xi32>
  return
}
