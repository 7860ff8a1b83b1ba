// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

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
