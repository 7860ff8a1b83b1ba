// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @topk_c1(%x: tensor<2x3xf32>, %k: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis to be an axis of 'tensor<2x3xf32>', but got -3}}
  %0, %1 = ov.topk %x, %k {axis = -3, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<?x3xf32>, tensor<?x3xi32>)
  return
}

// -----

func.func @topk_c2(%x: tensor<2x3xf32>, %k: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected k of one element, but got 'tensor<2xi64>'}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @topk_c2_range(%x: tensor<2x3xf32>) {
  %k = ov.constant dense<4> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected k in [0, 3], but got 4}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @topk_c3(%x: tensor<2x3xf32>, %k: tensor<i64>) {
  // expected-error @+2 {{expected one of [max, min]}}
  // expected-error @+1 {{failed to parse OV_TopKModeAttr parameter 'value'}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<mean>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @topk_c3_sort(%x: tensor<2x3xf32>, %k: tensor<i64>) {
  // expected-error @+2 {{expected one of [value, index, none]}}
  // expected-error @+1 {{failed to parse OV_TopKSortAttr parameter 'value'}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<up>, index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @topk_c4(%x: tensor<2x3xf32>, %k: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected index_element_type i32 or i64, but got 'f32'}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = f32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @select_boxes_c5(%x: tensor<1x9x4xf32>, %y: tensor<1x2x8xf32>, %n: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected boxes [batches, boxes, 4] and scores [batches, classes, boxes], but got 'tensor<1x9x4xf32>' and 'tensor<1x2x8xf32>'}}
  %0:2 = ov.select_boxes %x, %y, %n, %r, %r, %r : (tensor<1x9x4xf32>, tensor<1x2x8xf32>, tensor<i64>, tensor<f32>,
      tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?xf32>)
  return
}
