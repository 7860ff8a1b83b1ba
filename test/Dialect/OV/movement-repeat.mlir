// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @broadcast
func.func @broadcast(%i: tensor<4xi32>, %n: tensor<2xi64>) {
  %axis = ov.constant dense<1> : tensor<i64>
  // CHECK: ov.broadcast %{{.*}}, %{{.*}}, %{{.*}} {mode = #ov.broadcast_mode<explicit>}
  %0 = ov.broadcast %i, %n, %axis {mode = #ov.broadcast_mode<explicit>} : (tensor<4xi32>, tensor<2xi64>, tensor<i64>) -> tensor<?x4xi32>
  return
}

// CHECK-LABEL: @greater
func.func @greater(%x: tensor<4x?xf32>, %n: tensor<2xi64>, %v: tensor<f32>) {
  // CHECK: ov.tile %arg0, %arg1 : {{.*}} -> tensor<?x?xf32>
  %0 = ov.tile %x, %n : (tensor<4x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: ov.pad %arg0, %arg1, %arg1, %arg2 {pad_mode = #ov.pad_mode<constant>} :
  %1 = ov.pad %x, %n, %n, %v {pad_mode = #ov.pad_mode<constant>} : (tensor<4x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<?x?xf32>
  return
}
