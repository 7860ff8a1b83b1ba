// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>, %c: tensor<?x2x3xf32>, %d: tensor<?x3x2xf32>) {
  // CHECK-NEXT: ov.matmul %arg1, %arg0
  // CHECK-NEXT: ov.matmul %arg2, %arg3
  // CHECK-NEXT: return
  %0 = ov.matmul %a, %b : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
  %1 = ov.matmul %b, %a : (tensor<3x?xf32>, tensor<?x3xf32>) -> tensor<3x3xf32>
  %2 = ov.matmul %c, %d : (tensor<?x2x3xf32>, tensor<?x3x2xf32>) -> tensor<?x2x2xf32>
  %3 = ov.matmul %c, %b : (tensor<?x2x3xf32>, tensor<3x?xf32>) -> tensor<?x2x?xf32>
  return
}
