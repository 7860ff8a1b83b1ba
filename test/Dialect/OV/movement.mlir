// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<2x?x1xf32>, %y: tensor<4x?xf32>, %n: tensor<2xi64>) {
  %order = ov.constant dense<[2, 0, 1]> : tensor<3xi64>
  // CHECK: ov.transpose %{{.*}}, %{{.*}} : (tensor<2x?x1xf32>, tensor<3xi64>) -> tensor<1x2x?xf32>
  %0 = ov.transpose %x, %order : (tensor<2x?x1xf32>, tensor<3xi64>) -> tensor<1x2x?xf32>
  // CHECK: ov.concat %{{.*}}, %{{.*}} {axis = -1 : i64} : (tensor<2x?x1xf32>, tensor<2x?x1xf32>) -> tensor<2x?x2xf32>
  %1 = ov.concat %x, %x {axis = -1} : (tensor<2x?x1xf32>, tensor<2x?x1xf32>) -> tensor<2x?x2xf32>
  // CHECK: ov.reverse_sequence %arg1, %arg2 {batch_axis = 1 : i64, seq_axis = 0 : i64} : {{.*}} -> tensor<4x2xf32>
  %2 = ov.reverse_sequence %y, %n {batch_axis = 1, seq_axis = 0} : (tensor<4x?xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return
}
