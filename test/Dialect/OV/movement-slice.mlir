// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<4x?xf32>, %n: tensor<2xi64>) {
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.split %arg0, %{{.*}} {num_splits = 2 : i64} : (tensor<4x?xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  %0:2 = ov.split %x, %zero {num_splits = 2} : (tensor<4x?xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  %lengths = ov.constant dense<[1, -1]> : tensor<2xi64>
  // CHECK: ov.variadic_split %arg0, %{{.*}}, %{{.*}} : {{.*}} -> (tensor<1x?xf32>, tensor<3x?xf32>)
  %1:2 = ov.variadic_split %x, %zero, %lengths : (tensor<4x?xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<1x?xf32>, tensor<3x?xf32>)
  // CHECK: ov.slice %arg0, %arg1, %arg1, %arg1, %arg1 : {{.*}} -> tensor<?x?xf32>
  %4 = ov.slice %x, %n, %n, %n, %n : (tensor<4x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: ov.slice %arg0, %arg1, %arg1, %arg1 : {{.*}} -> tensor<?x?xf32>
  %2 = ov.slice %x, %n, %n, %n : (tensor<4x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: ov.strided_slice %arg0, %arg1, %arg1 {begin_mask = array<i64: 0, 1>, end_mask = array<i64: 0, 1>, shrink_axis_mask = array<i64: 1>} : {{.*}} -> tensor<?xf32>
  %3 = ov.strided_slice %x, %n, %n {begin_mask = array<i64: 0, 1>, end_mask = array<i64: 0, 1>, shrink_axis_mask = array<i64: 1>} : (tensor<4x?xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}
