// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @add
func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>, %one: tensor<1xf32>, %three: tensor<3xf32>) {
  // CHECK-NEXT: ov.add %arg0, %arg1
  // CHECK-NEXT: ov.add %arg0, %arg3
  // CHECK-NEXT: ov.add %arg0, %arg2 {auto_broadcast = #ov.auto_broadcast<none>}
  // CHECK-NEXT: return
  %0 = ov.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = ov.add %x, %three : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = ov.add %x, %one {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<?xf32>, tensor<1xf32>) -> tensor<1xf32>
  %3 = ov.add %x, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %4 = ov.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %5 = ov.multiply %three, %one : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @divide
func.func @divide(%i: tensor<2xi32>, %f: tensor<2xf32>) {
  %zero = ov.constant dense<[1, 0]> : tensor<2xi32>
  %safe = ov.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: ov.divide %arg0, %arg0
  // CHECK: ov.divide %arg0, %{{.*}}
  // CHECK-NEXT: return
  %0 = ov.divide %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %1 = ov.divide %i, %zero : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %2 = ov.divide %i, %safe : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %3 = ov.divide %f, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

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

// CHECK-LABEL: @others
func.func @others(%x: tensor<?xf32>, %y: tensor<?xf32>, %axis: tensor<i64>) {
  // CHECK-NEXT: ov.squared_difference %arg0, %arg1
  // CHECK-NEXT: ov.cum_sum %arg0, %arg2
  // CHECK-NEXT: return
  %0 = ov.squared_difference %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = ov.squared_difference %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = ov.erf %x : tensor<?xf32>
  %3 = ov.cum_sum %x : (tensor<?xf32>) -> tensor<?xf32>
  %4 = ov.cum_sum %x, %axis : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32>
  return
}
