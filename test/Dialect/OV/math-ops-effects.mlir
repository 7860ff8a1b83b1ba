// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// What may fail stays although nothing uses it; what cannot fail goes.

// CHECK-LABEL: @mod
func.func @mod(%i: tensor<2xi32>, %f: tensor<2xf32>, %d: tensor<?xf32>) {
  %zero = ov.constant dense<[1, 0]> : tensor<2xi32>
  %safe = ov.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: ov.mod %arg0, %arg0
  // CHECK: ov.floor_mod %arg0, %{{.*}}
  // CHECK-NEXT: ov.mod %arg1, %arg2
  // CHECK-NEXT: return
  %0 = ov.mod %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %1 = ov.floor_mod %i, %zero : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %2 = ov.mod %i, %safe : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %3 = ov.floor_mod %f, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = ov.mod %f, %d : (tensor<2xf32>, tensor<?xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%x: tensor<?xf32>, %y: tensor<?xf32>, %b: tensor<2xi1>, %c: tensor<?xi1>) {
  // CHECK-NEXT: ov.squared_difference %arg0, %arg1
  // CHECK-NEXT: ov.logical_or %arg2, %arg3
  // CHECK-NEXT: return
  %0 = ov.squared_difference %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = ov.squared_difference %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = ov.logical_or %b, %c : (tensor<2xi1>, tensor<?xi1>) -> tensor<2xi1>
  %3 = ov.logical_xor %b, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %4 = ov.erf %x : tensor<?xf32>
  return
}

// CHECK-LABEL: @prelu
func.func @prelu(%x: tensor<?x3x4xf32>, %y: tensor<2x?x4xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>, %one: tensor<1xf32>) {
  // CHECK-NEXT: ov.prelu %arg1, %arg2
  // CHECK-NEXT: return
  %0 = ov.prelu %x, %c : (tensor<?x3x4xf32>, tensor<3xf32>) -> tensor<?x3x4xf32>
  %1 = ov.prelu %x, %d : (tensor<?x3x4xf32>, tensor<4xf32>) -> tensor<?x3x4xf32>
  %2 = ov.prelu %y, %c : (tensor<2x?x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %3 = ov.prelu %y, %one : (tensor<2x?x4xf32>, tensor<1xf32>) -> tensor<2x?x4xf32>
  return
}

// CHECK-LABEL: @scans
func.func @scans(%x: tensor<2x3xf32>, %y: tensor<2x?xf32>, %k: tensor<i64>) {
  %two = ov.constant dense<2> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.topk %arg0, %arg2
  // CHECK-NEXT: ov.topk %arg1, %{{.*}}
  // CHECK-NEXT: return
  %0, %1 = ov.topk %x, %k {axis = 1, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  %2, %3 = ov.topk %y, %two {axis = 1, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x?xf32>, tensor<i64>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %4, %5 = ov.topk %x, %two {axis = 1, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %6, %7 = ov.topk %y, %zero {axis = 1, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x?xf32>, tensor<i64>) -> (tensor<2x0xf32>, tensor<2x0xi32>)
  %8 = ov.cum_sum %y : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %9 = ov.non_zero %y {output_type = i64} : (tensor<2x?xf32>) -> tensor<2x?xi64>
  return
}
