// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<?x4xf32>, %y: tensor<3x4xf32>, %i: tensor<2xi64>) {
  %zero = ov.constant dense<0> : tensor<i64>
  %near = ov.constant dense<[0, -3]> : tensor<2xi64>
  // CHECK: ov.gather %arg1, %arg2
  // CHECK-NEXT: ov.gather %arg0
  // CHECK-NEXT: return
  %0 = ov.gather %y, %i, %zero : (tensor<3x4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x4xf32>
  %1 = ov.gather %y, %near, %zero : (tensor<3x4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x4xf32>
  %2 = ov.gather %x, %near, %zero : (tensor<?x4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: @indexing
func.func @indexing(%x: tensor<4x3xf32>, %i: tensor<4x1xi64>) {
  %inside = ov.constant dense<[[0], [-4], [3], [1]]> : tensor<4x1xi64>
  // CHECK: ov.gather_elements
  // CHECK-NEXT: ov.gather_nd
  // CHECK-NEXT: return
  %0 = ov.gather_elements %x, %i {axis = 1} : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  %1 = ov.gather_nd %x, %i : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
  %2 = ov.gather_nd %x, %inside : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: @gather_tree
func.func @gather_tree(%s: tensor<4x2x3xi32>, %n: tensor<2xi32>, %e: tensor<i32>) {
  // CHECK-NEXT: ov.gather_tree
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}
