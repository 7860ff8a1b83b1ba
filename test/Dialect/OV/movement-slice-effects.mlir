// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<?x4xf32>, %n: tensor<1xi64>) {
  %zero = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  %step = ov.constant dense<1> : tensor<1xi64>
  // CHECK: ov.split %arg0, %{{.*}} {num_splits = 2
  // CHECK-NEXT: ov.variadic_split
  // CHECK-NEXT: ov.slice %arg0, %arg1, %arg1, %arg1 :
  // CHECK-NEXT: ov.slice %arg0, %arg1, %arg1, %{{.*}}, %arg1 :
  // CHECK-NEXT: ov.strided_slice %arg0, %arg1, %arg1 {{.*}}shrink_axis_mask
  // CHECK-NEXT: return
  %0:2 = ov.split %x, %zero {num_splits = 2} : (tensor<?x4xf32>, tensor<i64>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %1:2 = ov.split %x, %one {num_splits = 2} : (tensor<?x4xf32>, tensor<i64>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %2 = ov.variadic_split %x, %one, %n : (tensor<?x4xf32>, tensor<i64>, tensor<1xi64>) -> tensor<?x?xf32>
  %3 = ov.slice %x, %n, %n, %n : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  %4 = ov.slice %x, %n, %n, %step : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  %7 = ov.slice %x, %n, %n, %step, %n : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %5 = ov.strided_slice %x, %n, %n {begin_mask = array<i64>, end_mask = array<i64>, shrink_axis_mask = array<i64: 1>} : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  %6 = ov.strided_slice %x, %n, %n {begin_mask = array<i64>, end_mask = array<i64>} : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  return
}
