// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @scatter
func.func @scatter(%x: tensor<4x3xf32>, %i: tensor<4x1xi64>, %u: tensor<4x1xf32>, %rows: tensor<4x3xf32>, %row: tensor<1x3xf32>) {
  %inside = ov.constant dense<[[0], [-4], [3], [1]]> : tensor<4x1xi64>
  %beyond = ov.constant dense<[4]> : tensor<1xi64>
  %first = ov.constant dense<[0]> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.scatter_update
  // CHECK-NEXT: ov.scatter_elements_update
  // CHECK-NEXT: ov.scatter_nd_update
  // CHECK-NEXT: return
  %0 = ov.scatter_update %x, %beyond, %row, %axis : (tensor<4x3xf32>, tensor<1xi64>, tensor<1x3xf32>, tensor<i64>) -> tensor<4x3xf32>
  %1 = ov.scatter_update %x, %first, %row, %axis : (tensor<4x3xf32>, tensor<1xi64>, tensor<1x3xf32>, tensor<i64>) -> tensor<4x3xf32>
  %2 = ov.scatter_elements_update %x, %i, %u, %axis : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x1xf32>, tensor<i64>) -> tensor<4x3xf32>
  %3 = ov.scatter_elements_update %x, %inside, %u, %axis : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x1xf32>, tensor<i64>) -> tensor<4x3xf32>
  %4 = ov.scatter_nd_update %x, %i, %rows : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = ov.scatter_nd_update %x, %inside, %rows : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}
