// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @gather
func.func @gather() -> (tensor<2x2xi32>, tensor<2x1xi32>, tensor<i32>) {
  %one = ov.constant dense<1> : tensor<i64>
  %data = ov.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = ov.constant dense<[2, -3]> : tensor<2xi64>
  %j = ov.constant dense<[[1], [2]]> : tensor<2x1xi64>
  %far = ov.constant dense<9> : tensor<i64>
  %row = ov.constant dense<[7, 8]> : tensor<2xi32>
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK-DAG: %[[A:.*]] = ov.constant dense<{{\[}}[3, 1], [6, 4]]> : tensor<2x2xi32>
  // CHECK-DAG: %[[B:.*]] = ov.constant dense<{{\[}}[2], [6]]> : tensor<2x1xi32>
  // CHECK: %[[FAULT:.*]] = ov.gather
  // CHECK: return %[[A]], %[[B]], %[[FAULT]]
  %0 = ov.gather %data, %i, %one : (tensor<2x3xi32>, tensor<2xi64>, tensor<i64>) -> tensor<2x2xi32>
  %1 = ov.gather %data, %j, %one {batch_dims = 1} : (tensor<2x3xi32>, tensor<2x1xi64>, tensor<i64>) -> tensor<2x1xi32>
  %2 = ov.gather %row, %far, %zero : (tensor<2xi32>, tensor<i64>, tensor<i64>) -> tensor<i32>
  return %0, %1, %2 : tensor<2x2xi32>, tensor<2x1xi32>, tensor<i32>
}

// A static dim of a shape that is not static.
// CHECK-LABEL: @gather_of_shape
func.func @gather_of_shape(%x: tensor<?x3xf32>) -> (tensor<2xi64>, tensor<i64>) {
  %axis = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  // CHECK-DAG: %[[DIM:.*]] = ov.constant dense<3> : tensor<i64>
  // CHECK: %[[SHAPE:.*]] = ov.shape_of %arg0
  // CHECK: return %[[SHAPE]], %[[DIM]]
  %0 = ov.shape_of %x {output_type = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
  %1 = ov.gather %0, %one, %axis : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0, %1 : tensor<2xi64>, tensor<i64>
}
