// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @nothing
func.func @nothing(%x: tensor<3x4xf32>, %u: tensor<0x4xf32>) -> tensor<3x4xf32> {
  // CHECK-NOT: ov.scatter_update
  // CHECK: return %arg0
  %none = ov.constant dense<> : tensor<0xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %0 = ov.scatter_update %x, %none, %u, %axis : (tensor<3x4xf32>, tensor<0xi64>, tensor<0x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// An op that may fail does not fold.
// CHECK-LABEL: @faults
func.func @faults(%x: tensor<?xf32>, %u: tensor<0xf32>) -> tensor<?xf32> {
  // CHECK: ov.scatter_update
  %none = ov.constant dense<> : tensor<0xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %0 = ov.scatter_update %x, %none, %u, %axis : (tensor<?xf32>, tensor<0xi64>, tensor<0xf32>, tensor<i64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
