// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<4x?xf32>, %n: tensor<2xi64>, %axis: tensor<i64>) {
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.split %arg0, %{{.*}} {num_splits = 2 : i64} : (tensor<4x?xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  %0:2 = ov.split %x, %zero {num_splits = 2} : (tensor<4x?xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  %lengths = ov.constant dense<[1, -1]> : tensor<2xi64>
  // CHECK: ov.variadic_split %arg0, %{{.*}}, %{{.*}} : {{.*}} -> (tensor<1x?xf32>, tensor<3x?xf32>)
  %1:2 = ov.variadic_split %x, %zero, %lengths : (tensor<4x?xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<1x?xf32>, tensor<3x?xf32>)
  // CHECK: ov.slice %arg0, %arg1, %arg1, %arg1 : {{.*}} -> tensor<?x?xf32>
  %2 = ov.slice %x, %n, %n, %n : (tensor<4x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: ov.strided_slice %arg0, %arg1, %arg1 {begin_mask = array<i64: 0, 1>, end_mask = array<i64: 0, 1>, shrink_axis_mask = array<i64: 1>} : {{.*}} -> tensor<?xf32>
  %3 = ov.strided_slice %x, %n, %n {begin_mask = array<i64: 0, 1>, end_mask = array<i64: 0, 1>, shrink_axis_mask = array<i64: 1>} : (tensor<4x?xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @greater
func.func @greater(%x: tensor<4x?xf32>, %n: tensor<2xi64>, %i: tensor<i64>, %v: tensor<f32>) {
  // CHECK: ov.tile %arg0, %arg1 : {{.*}} -> tensor<?x?xf32>
  %0 = ov.tile %x, %n : (tensor<4x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: ov.pad %arg0, %arg1, %arg1, %arg3 {pad_mode = "constant"} :
  %1 = ov.pad %x, %n, %n, %v {pad_mode = "constant"} : (tensor<4x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<?x?xf32>
  // CHECK: ov.range %arg2, %arg2, %arg2 {output_type = f16} : {{.*}} -> tensor<?xf16>
  %2 = ov.range %i, %i, %i {output_type = f16} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xf16>
  // CHECK: ov.one_hot %arg1, %arg2, %arg3, %arg3 {axis = 0 : i64} : {{.*}} -> tensor<?x2xf32>
  %3 = ov.one_hot %n, %i, %v, %v {axis = 0} : (tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x2xf32>
  // CHECK: ov.reverse_sequence %arg0, %arg1 {batch_axis = 1 : i64, seq_axis = 0 : i64} : {{.*}} -> tensor<4x2xf32>
  %4 = ov.reverse_sequence %x, %n {batch_axis = 1, seq_axis = 0} : (tensor<4x?xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: @indexing
func.func @indexing(%x: tensor<4x3xf32>, %i: tensor<4x2xi64>, %row: tensor<3xf32>, %at: tensor<i64>, %u: tensor<4x2xf32>,
                    %rows: tensor<4x3xf32>, %one: tensor<4x1xi64>, %e: tensor<4xf32>) {
  // CHECK: ov.gather_elements %arg0, %arg1 {axis = 1 : i64} : {{.*}} -> tensor<4x2xf32>
  %0 = ov.gather_elements %x, %i {axis = 1} : (tensor<4x3xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  // CHECK: ov.gather_nd %arg0, %arg6 {batch_dims = 1 : i64, version = 5 : i64} : {{.*}} -> tensor<4xf32>
  %1 = ov.gather_nd %x, %one {batch_dims = 1, version = 5} : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.scatter_update %arg0, %arg3, %arg2, %{{.*}} : {{.*}} -> tensor<4x3xf32>
  %2 = ov.scatter_update %x, %at, %row, %axis : (tensor<4x3xf32>, tensor<i64>, tensor<3xf32>, tensor<i64>) -> tensor<4x3xf32>
  // CHECK: ov.scatter_elements_update %{{.*}} {reduction = "mean", use_init_val = false} :
  %3 = ov.scatter_elements_update %2, %i, %u, %axis {reduction = "mean", use_init_val = false} : (tensor<4x3xf32>, tensor<4x2xi64>, tensor<4x2xf32>, tensor<i64>) -> tensor<4x3xf32>
  // CHECK: ov.scatter_nd_update %{{.*}}, %arg6, %arg5 {reduction = "sub"} :
  %4 = ov.scatter_nd_update %3, %one, %rows {reduction = "sub"} : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<?x4x9xf32>, %w: tensor<5x4x3xf32>, %g: tensor<2x3x2x3xf32>) {
  // CHECK: ov.convolution %arg0, %arg1 {dilations = array<i64: 2>, pads_begin = array<i64: 1>, pads_end = array<i64: 0>, strides = array<i64: 2>} : {{.*}} -> tensor<?x5x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 1>, pads_end = array<i64: 0>, dilations = array<i64: 2>} : (tensor<?x4x9xf32>, tensor<5x4x3xf32>) -> tensor<?x5x3xf32>
  // CHECK: ov.group_convolution %arg0, %arg2 {auto_pad = "same_upper", {{.*}} -> tensor<?x6x5xf32>
  %1 = ov.group_convolution %x, %g {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, auto_pad = "same_upper"} : (tensor<?x4x9xf32>, tensor<2x3x2x3xf32>) -> tensor<?x6x5xf32>
  return
}
