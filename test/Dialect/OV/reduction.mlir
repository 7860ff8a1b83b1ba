// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<2x?x4xf32>, %i: tensor<3x2xi8>, %b: tensor<3x2xi1>) {
  %middle = ov.constant dense<1> : tensor<i64>
  %axis = ov.constant dense<-1> : tensor<i64>
  // CHECK: ov.reduce_sum %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x1x4xf32>
  %0 = ov.reduce_sum %x, %middle {keep_dims = true} : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x1x4xf32>
  // CHECK: ov.reduce_mean %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x?x1xf32>
  %1 = ov.reduce_mean %x, %axis {keep_dims = true} : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x?x1xf32>
  // CHECK: ov.reduce_max %{{.*}} : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  %2 = ov.reduce_max %i, %axis : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  // CHECK: ov.reduce_min %{{.*}} : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  %3 = ov.reduce_min %i, %axis : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  // CHECK: ov.reduce_prod
  %4 = ov.reduce_prod %i, %axis : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  // CHECK: ov.reduce_l1
  %5 = ov.reduce_l1 %i, %axis : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  // CHECK: ov.reduce_l2
  %6 = ov.reduce_l2 %x, %axis : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x?xf32>
  // CHECK: ov.reduce_logical_and
  %7 = ov.reduce_logical_and %b, %axis : (tensor<3x2xi1>, tensor<i64>) -> tensor<3xi1>
  // CHECK: ov.reduce_logical_or
  %8 = ov.reduce_logical_or %b, %axis : (tensor<3x2xi1>, tensor<i64>) -> tensor<3xi1>
  return
}
