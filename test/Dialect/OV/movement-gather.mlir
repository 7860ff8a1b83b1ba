// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<2x?x1xf32>, %i: tensor<4xi32>) {
  %axis = ov.constant dense<1> : tensor<i64>
  // CHECK: ov.gather %{{.*}}, %{{.*}}, %{{.*}} {version = 1 : i64} : (tensor<2x?x1xf32>, tensor<4xi32>, tensor<i64>) -> tensor<2x4x1xf32>
  %0 = ov.gather %x, %i, %axis {version = 1} : (tensor<2x?x1xf32>, tensor<4xi32>, tensor<i64>) -> tensor<2x4x1xf32>
  return
}

// CHECK-LABEL: @indexing
func.func @indexing(%x: tensor<4x3xf32>, %i: tensor<4x2xi64>, %one: tensor<4x1xi64>) {
  // CHECK: ov.gather_elements %arg0, %arg1 {axis = 1 : i64} : {{.*}} -> tensor<4x2xf32>
  %0 = ov.gather_elements %x, %i {axis = 1} : (tensor<4x3xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  // CHECK: ov.gather_nd %arg0, %arg2 {batch_dims = 1 : i64, version = 5 : i64} : {{.*}} -> tensor<4xf32>
  %1 = ov.gather_nd %x, %one {batch_dims = 1, version = 5} : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @gather_tree
func.func @gather_tree(%s: tensor<?x2x3xi32>, %p: tensor<5x2x3xi32>, %n: tensor<2xi32>, %e: tensor<i32>) {
  // CHECK: ov.gather_tree %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : {{.*}} -> tensor<5x2x3xi32>
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<?x2x3xi32>, tensor<5x2x3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5x2x3xi32>
  return
}
