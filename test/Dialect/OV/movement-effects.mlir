// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @concat
func.func @concat(%x: tensor<?x4xf32>, %y: tensor<3x4xf32>) {
  // CHECK-NEXT: ov.concat %arg0, %arg1 {axis = 1 : i64}
  // CHECK-NEXT: return
  %0 = ov.concat %x, %y {axis = 0} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %1 = ov.concat %x, %y {axis = 1} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  return
}

// CHECK-LABEL: @reverse_sequence
func.func @reverse_sequence(%x: tensor<?x4xf32>, %lengths: tensor<?xi64>) {
  // CHECK-NEXT: ov.reverse_sequence
  // CHECK-NEXT: return
  %0 = ov.reverse_sequence %x, %lengths : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return
}
