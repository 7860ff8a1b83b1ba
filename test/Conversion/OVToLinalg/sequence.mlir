// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @one_hot(
func.func @one_hot(%i: tensor<4xi64>, %on: tensor<f32>, %off: tensor<f32>) -> tensor<4x3xf32> {
  %depth = ov.constant dense<3> : tensor<i64>
  // CHECK: linalg.index 1
  // CHECK: arith.cmpi eq
  // CHECK: arith.select
  %0 = ov.one_hot %i, %depth, %on, %off {axis = 1} : (tensor<4xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
