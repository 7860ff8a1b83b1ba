// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @topk
func.func @topk(%x: tensor<2x3xf32>, %y: tensor<2x?xf32>, %k: tensor<i64>) {
  %two = ov.constant dense<2> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.topk %arg0, %arg2
  // CHECK-NEXT: ov.topk %arg1, %{{.*}}
  // CHECK-NEXT: return
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  %2, %3 = ov.topk %y, %two {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x?xf32>, tensor<i64>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %4, %5 = ov.topk %x, %two {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %6, %7 = ov.topk %y, %zero {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x?xf32>, tensor<i64>) -> (tensor<2x0xf32>, tensor<2x0xi32>)
  return
}

// CHECK-LABEL: @select_boxes
func.func @select_boxes(%x: tensor<1x9x4xf32>, %y: tensor<1x2x9xf32>, %z: tensor<1x2x?xf32>, %n: tensor<i64>, %r: tensor<f32>) {
  // CHECK-NEXT: ov.select_boxes %arg0, %arg2
  // CHECK-NEXT: return
  %0:2 = ov.select_boxes %x, %y, %n, %r, %r, %r : (tensor<1x9x4xf32>, tensor<1x2x9xf32>, tensor<i64>, tensor<f32>,
      tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?xf32>)
  %1:2 = ov.select_boxes %x, %z, %n, %r, %r, %r : (tensor<1x9x4xf32>, tensor<1x2x?xf32>, tensor<i64>, tensor<f32>,
      tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?xf32>)
  return
}
