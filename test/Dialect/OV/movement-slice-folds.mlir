// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @split
func.func @split(%x: tensor<6xf32>) -> (tensor<1x2xi64>, tensor<1x2xi64>, tensor<64x16xf32>, tensor<64x48xf32>, tensor<6xf32>) {
  // CHECK-DAG: %[[A:.*]] = ov.constant dense<{{\[\[}}1, 2]]> : tensor<1x2xi64>
  // CHECK-DAG: %[[B:.*]] = ov.constant dense<{{\[\[}}3, 4]]> : tensor<1x2xi64>
  // CHECK-DAG: %[[C:.*]] = ov.constant #ov.weights<0, tensor<64x64xf32>, [#ov.extract<1, 0, 16>]> : tensor<64x16xf32>
  // CHECK-DAG: %[[D:.*]] = ov.constant #ov.weights<0, tensor<64x64xf32>, [#ov.extract<1, 16, 48>]> : tensor<64x48xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %arg0
  %c = ov.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %w = ov.constant #ov.weights<0, tensor<64x64xf32>> : tensor<64x64xf32>
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %lengths = ov.constant dense<[16, -1]> : tensor<2xi64>
  %0:2 = ov.split %c, %zero {num_splits = 2} : (tensor<2x2xi64>, tensor<i64>) -> (tensor<1x2xi64>, tensor<1x2xi64>)
  %1:2 = ov.variadic_split %w, %one, %lengths : (tensor<64x64xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<64x16xf32>, tensor<64x48xf32>)
  %2 = ov.split %x, %zero {num_splits = 1} : (tensor<6xf32>, tensor<i64>) -> tensor<6xf32>
  return %0#0, %0#1, %1#0, %1#1, %2 : tensor<1x2xi64>, tensor<1x2xi64>, tensor<64x16xf32>, tensor<64x48xf32>, tensor<6xf32>
}

// The known entries of a partly known shape fold.
// CHECK-LABEL: @slice
func.func @slice(%x: tensor<?x3x4xf32>, %y: tensor<5x?xf32>) -> (tensor<2xi64>, tensor<i64>, tensor<2xi32>, tensor<1x64xf32>, tensor<64xf32>, tensor<5x?xf32>) {
  // CHECK-DAG: %[[DIMS:.*]] = ov.constant dense<[3, 4]> : tensor<2xi64>
  // CHECK-DAG: %[[LAST:.*]] = ov.constant dense<4> : tensor<i64>
  // CHECK-DAG: %[[BACK:.*]] = ov.constant dense<[4, 2]> : tensor<2xi32>
  // CHECK-DAG: %[[ROW:.*]] = ov.constant #ov.weights<0, tensor<64x64xf32>, [#ov.extract<0, 63, 1>]> : tensor<1x64xf32>
  // CHECK-DAG: %[[DROPPED:.*]] = ov.constant #ov.weights<0, tensor<64x64xf32>, [#ov.extract<0, 63, 1>, #ov.reshape<[64]>]> : tensor<64xf32>
  // CHECK: return %[[DIMS]], %[[LAST]], %[[BACK]], %[[ROW]], %[[DROPPED]], %arg1
  %shape = ov.shape_of %x {output_type = i64} : (tensor<?x3x4xf32>) -> tensor<3xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %zero = ov.constant dense<0> : tensor<1xi64>
  %two = ov.constant dense<-2> : tensor<1xi64>
  %end = ov.constant dense<9223372036854775807> : tensor<1xi64>
  %start = ov.constant dense<-9223372036854775808> : tensor<1xi64>
  %last = ov.constant dense<-1> : tensor<1xi64>
  %0 = ov.slice %shape, %one, %end, %one : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %1 = ov.strided_slice %shape, %last, %zero {begin_mask = array<i64: 0>, end_mask = array<i64: 0>, shrink_axis_mask = array<i64: 1>} : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
  %c = ov.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %2 = ov.slice %c, %end, %start, %two : (tensor<4xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>
  %w = ov.constant #ov.weights<0, tensor<64x64xf32>> : tensor<64x64xf32>
  %3 = ov.slice %w, %last, %end, %one, %zero : (tensor<64x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x64xf32>
  %4 = ov.strided_slice %w, %last, %zero {begin_mask = array<i64: 0>, end_mask = array<i64: 0>, shrink_axis_mask = array<i64: 1>} : (tensor<64x64xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<64xf32>
  %5 = ov.slice %y, %zero, %end, %one : (tensor<5x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5x?xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2xi64>, tensor<i64>, tensor<2xi32>, tensor<1x64xf32>, tensor<64xf32>, tensor<5x?xf32>
}

// A slice of a constant in the weights file may have any step. One of nothing begins nowhere.
// CHECK-LABEL: @backward
func.func @backward() -> (tensor<32x64xf32>, tensor<0x64xf32>) {
  // CHECK-DAG: %[[BACK:.*]] = ov.constant #ov.weights<0, tensor<64x64xf32>, [#ov.extract<0, 63, 32, step -2>]> : tensor<32x64xf32>
  // CHECK-DAG: %[[NONE:.*]] = ov.constant #ov.weights<0, tensor<64x64xf32>, [#ov.extract<0, 0, 0>]> : tensor<0x64xf32>
  // CHECK: return %[[BACK]], %[[NONE]]
  %w = ov.constant #ov.weights<0, tensor<64x64xf32>> : tensor<64x64xf32>
  %zero = ov.constant dense<0> : tensor<1xi64>
  %two = ov.constant dense<-2> : tensor<1xi64>
  %end = ov.constant dense<9223372036854775807> : tensor<1xi64>
  %start = ov.constant dense<-9223372036854775808> : tensor<1xi64>
  %0 = ov.slice %w, %end, %start, %two, %zero : (tensor<64x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<32x64xf32>
  %1 = ov.slice %w, %zero, %end, %two, %zero : (tensor<64x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<0x64xf32>
  return %0, %1 : tensor<32x64xf32>, tensor<0x64xf32>
}
