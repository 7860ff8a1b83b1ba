// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @shape_of
func.func @shape_of(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) -> (tensor<2xi32>, tensor<2xi64>) {
  // CHECK-DAG: %[[DIMS:.*]] = ov.constant dense<[2, 3]> : tensor<2xi32>
  // CHECK: %[[SHAPE:.*]] = ov.shape_of %arg1
  // CHECK: return %[[DIMS]], %[[SHAPE]]
  %0 = ov.shape_of %x {output_type = i32} : (tensor<2x3xf32>) -> tensor<2xi32>
  %1 = ov.shape_of %y {output_type = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
  return %0, %1 : tensor<2xi32>, tensor<2xi64>
}

// CHECK-LABEL: @reshape
func.func @reshape(%x: tensor<2x3xf32>, %y: tensor<?x4xf32>) -> (tensor<2x3xf32>, tensor<3x2xi32>, tensor<1x2x3xf32>, tensor<?x4xf32>, tensor<32x128xf32>) {
  %n0 = ov.constant dense<[2, -1]> : tensor<2xi64>
  %n1 = ov.constant dense<[3, 2]> : tensor<2xi64>
  %n2 = ov.constant dense<[6]> : tensor<1xi64>
  %n3 = ov.constant dense<[1, 2, 3]> : tensor<3xi64>
  %n4 = ov.constant dense<[-1, 4]> : tensor<2xi64>
  %n5 = ov.constant dense<[32, 128]> : tensor<2xi64>
  %c = ov.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %w = ov.constant #ov.weights<8, tensor<64x64xf32>> : tensor<64x64xf32>
  // CHECK-DAG: %[[N3:.*]] = ov.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK-DAG: %[[C:.*]] = ov.constant dense<{{\[}}[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<8, tensor<64x64xf32>, [#ov.reshape<[32, 128]>]> : tensor<32x128xf32>
  // CHECK: %[[MERGED:.*]] = ov.reshape %arg0, %[[N3]] : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
  // CHECK: return %arg0, %[[C]], %[[MERGED]], %arg1, %[[W]]
  %0 = ov.reshape %x, %n0 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = ov.reshape %c, %n1 : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  %2 = ov.reshape %x, %n2 : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  %3 = ov.reshape %2, %n3 : (tensor<6xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
  %4 = ov.reshape %y, %n4 : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %5 = ov.reshape %w, %n5 : (tensor<64x64xf32>, tensor<2xi64>) -> tensor<32x128xf32>
  return %0, %1, %3, %4, %5 : tensor<2x3xf32>, tensor<3x2xi32>, tensor<1x2x3xf32>, tensor<?x4xf32>, tensor<32x128xf32>
}

// A special zero copies a dim of the inner reshape's result. A reshape that may fail must stay.
// CHECK-LABEL: @reshape_stays
func.func @reshape_stays(%x: tensor<2x3xf32>, %y: tensor<?x4xf32>) -> (tensor<1x6xf32>, tensor<8xf32>) {
  %n0 = ov.constant dense<[1, 6]> : tensor<2xi64>
  %n1 = ov.constant dense<[0, -1]> : tensor<2xi64>
  %n2 = ov.constant dense<[2, 4]> : tensor<2xi64>
  %n3 = ov.constant dense<[-1]> : tensor<1xi64>
  // CHECK: %[[INNER:.*]] = ov.reshape %arg1, %{{.*}} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  // CHECK: ov.reshape %[[INNER]]
  %1 = ov.reshape %x, %n0 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<1x6xf32>
  %2 = ov.reshape %1, %n1 {special_zero = true} : (tensor<1x6xf32>, tensor<2xi64>) -> tensor<1x6xf32>
  %3 = ov.reshape %y, %n2 : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %4 = ov.reshape %3, %n3 : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %2, %4 : tensor<1x6xf32>, tensor<8xf32>
}

// CHECK-LABEL: @squeeze_unsqueeze
func.func @squeeze_unsqueeze(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1x64x64xf32>) {
  %none = ov.constant dense<> : tensor<0xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %c0 = ov.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %c1 = ov.constant dense<[1, 2]> : tensor<2xi32>
  %w = ov.constant #ov.weights<8, tensor<64x64xf32>> : tensor<64x64xf32>
  // CHECK-DAG: %[[C1:.*]] = ov.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK-DAG: %[[C0:.*]] = ov.constant dense<{{\[}}[1, 2]]> : tensor<1x2xi32>
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<8, tensor<64x64xf32>, [#ov.reshape<[1, 64, 64]>]> : tensor<1x64x64xf32>
  // CHECK: return %arg0, %[[C1]], %[[C0]], %[[W]]
  %0 = ov.squeeze %x, %none : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<2x3xf32>
  %1 = ov.squeeze %c0, %axis : (tensor<1x2xi32>, tensor<i64>) -> tensor<2xi32>
  %2 = ov.unsqueeze %c1, %axis : (tensor<2xi32>, tensor<i64>) -> tensor<1x2xi32>
  %3 = ov.unsqueeze %w, %axis : (tensor<64x64xf32>, tensor<i64>) -> tensor<1x64x64xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1x64x64xf32>
}

// A tensor without elements has any number of rows that the target says.
// CHECK-LABEL: @reshape_without_elements
func.func @reshape_without_elements(%x: tensor<?x0xf32>, %n: tensor<1xi64>) -> tensor<?x0xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %target = ov.concat %n, %zero {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  // CHECK: %[[R:.*]] = ov.reshape
  // CHECK: return %[[R]]
  %r = ov.reshape %x, %target : (tensor<?x0xf32>, tensor<2xi64>) -> tensor<?x0xf32>
  return %r : tensor<?x0xf32>
}
