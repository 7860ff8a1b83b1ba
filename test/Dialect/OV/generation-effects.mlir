// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @range
func.func @range(%i: tensor<i64>) {
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK: ov.range %arg0
  // CHECK-NEXT: return
  %0 = ov.range %i, %three, %three {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// CHECK-LABEL: @philox
func.func @philox(%n: tensor<i64>) {
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK: ov.philox %arg0
  // CHECK-NEXT: return
  %0 = ov.philox %n, %n {key = 1, counter = 2} : (tensor<i64>, tensor<i64>) -> tensor<?x4xui32>
  %1 = ov.philox %three, %n {key = 1, counter = 2} : (tensor<i64>, tensor<i64>) -> tensor<3x4xui32>
  return
}

// CHECK-LABEL: @mersenne_twister
func.func @mersenne_twister(%n: tensor<i64>) {
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK: ov.mersenne_twister %arg0
  // CHECK-NEXT: return
  %0 = ov.mersenne_twister %n {seed = 1} : (tensor<i64>) -> tensor<?xui32>
  %1 = ov.mersenne_twister %three {seed = 1} : (tensor<i64>) -> tensor<3xui32>
  return
}
