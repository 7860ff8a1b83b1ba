// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// What may fail stays although nothing uses it; what cannot fail goes.

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<?x4xf32>, %n: tensor<1xi64>) {
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %step = ov.constant dense<1> : tensor<1xi64>
  // CHECK: ov.split %arg0, %{{.*}} {num_splits = 2
  // CHECK-NEXT: ov.variadic_split
  // CHECK-NEXT: ov.slice %arg0, %arg1, %arg1, %arg1
  // CHECK-NEXT: ov.strided_slice %arg0, %arg1, %arg1 {{.*}}shrink_axis_mask
  // CHECK-NEXT: return
  %0:2 = ov.split %x, %zero {num_splits = 2} : (tensor<?x4xf32>, tensor<i64>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %1:2 = ov.split %x, %one {num_splits = 2} : (tensor<?x4xf32>, tensor<i64>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %2 = ov.variadic_split %x, %one, %n : (tensor<?x4xf32>, tensor<i64>, tensor<1xi64>) -> tensor<?x?xf32>
  %3 = ov.slice %x, %n, %n, %n : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  %4 = ov.slice %x, %n, %n, %step : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  %5 = ov.strided_slice %x, %n, %n {begin_mask = array<i64>, end_mask = array<i64>, shrink_axis_mask = array<i64: 1>} : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  %6 = ov.strided_slice %x, %n, %n {begin_mask = array<i64>, end_mask = array<i64>} : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: @greater
func.func @greater(%x: tensor<?x4xf32>, %n: tensor<2xi64>, %i: tensor<i64>, %v: tensor<f32>, %lengths: tensor<?xi64>) {
  %pads = ov.constant dense<1> : tensor<2xi64>
  %columns = ov.constant dense<[0, 1]> : tensor<2xi64>
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK: ov.tile %arg0, %arg1
  // CHECK-NEXT: ov.pad %{{.*}} {pad_mode = "edge"}
  // CHECK-NEXT: ov.range %arg2
  // CHECK-NEXT: ov.one_hot %arg1, %arg2
  // CHECK-NEXT: ov.reverse_sequence
  // CHECK-NEXT: return
  %0 = ov.tile %x, %n : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = ov.tile %x, %pads : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %2 = ov.pad %x, %pads, %pads {pad_mode = "edge"} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  %3 = ov.pad %x, %columns, %columns {pad_mode = "edge"} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  %4 = ov.pad %x, %pads, %pads {pad_mode = "constant"} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  %5 = ov.range %i, %three, %three {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %6 = ov.one_hot %n, %i, %v, %v {axis = 0} : (tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x2xf32>
  %7 = ov.one_hot %n, %three, %v, %v {axis = 0} : (tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<3x2xf32>
  %8 = ov.reverse_sequence %x, %lengths : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: @indexing
func.func @indexing(%x: tensor<4x3xf32>, %i: tensor<4x1xi64>, %u: tensor<4x1xf32>, %rows: tensor<4x3xf32>, %row: tensor<1x3xf32>) {
  %inside = ov.constant dense<[[0], [-4], [3], [1]]> : tensor<4x1xi64>
  %beyond = ov.constant dense<[4]> : tensor<1xi64>
  %first = ov.constant dense<[0]> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.gather_elements
  // CHECK-NEXT: ov.gather_nd
  // CHECK-NEXT: ov.scatter_update
  // CHECK-NEXT: ov.scatter_elements_update
  // CHECK-NEXT: ov.scatter_nd_update
  // CHECK-NEXT: return
  %0 = ov.gather_elements %x, %i {axis = 1} : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  %1 = ov.gather_nd %x, %i : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
  %2 = ov.gather_nd %x, %inside : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
  %3 = ov.scatter_update %x, %beyond, %row, %axis : (tensor<4x3xf32>, tensor<1xi64>, tensor<1x3xf32>, tensor<i64>) -> tensor<4x3xf32>
  %4 = ov.scatter_update %x, %first, %row, %axis : (tensor<4x3xf32>, tensor<1xi64>, tensor<1x3xf32>, tensor<i64>) -> tensor<4x3xf32>
  %5 = ov.scatter_elements_update %x, %i, %u, %axis : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x1xf32>, tensor<i64>) -> tensor<4x3xf32>
  %6 = ov.scatter_elements_update %x, %inside, %u, %axis : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x1xf32>, tensor<i64>) -> tensor<4x3xf32>
  %7 = ov.scatter_nd_update %x, %i, %rows : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %8 = ov.scatter_nd_update %x, %inside, %rows : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<?x4x9xf32>, %y: tensor<1x4x?xf32>, %w: tensor<5x4x3xf32>) {
  // CHECK-NEXT: ov.convolution %arg1
  // CHECK-NEXT: return
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<?x4x9xf32>, tensor<5x4x3xf32>) -> tensor<?x5x7xf32>
  %1 = ov.convolution %y, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x4x?xf32>, tensor<5x4x3xf32>) -> tensor<1x5x?xf32>
  return
}
