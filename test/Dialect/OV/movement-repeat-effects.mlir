// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<?x4xf32>, %y: tensor<3x4xf32>, %n: tensor<2xi64>) {
  %shape = ov.constant dense<[3, 4]> : tensor<2xi64>
  // CHECK: ov.broadcast %arg0
  // CHECK-NEXT: ov.broadcast %arg1, %arg2
  // CHECK-NEXT: return
  %0 = ov.broadcast %x, %shape : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  %1 = ov.broadcast %y, %n : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  %2 = ov.broadcast %y, %shape : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: @greater
func.func @greater(%x: tensor<?x4xf32>, %n: tensor<2xi64>) {
  %pads = ov.constant dense<1> : tensor<2xi64>
  %columns = ov.constant dense<[0, 1]> : tensor<2xi64>
  // CHECK: ov.tile %arg0, %arg1
  // CHECK-NEXT: ov.pad %{{.*}} {pad_mode = #ov.pad_mode<edge>}
  // CHECK-NEXT: return
  %0 = ov.tile %x, %n : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = ov.tile %x, %pads : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %2 = ov.pad %x, %pads, %pads {pad_mode = #ov.pad_mode<edge>} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  %3 = ov.pad %x, %columns, %columns {pad_mode = #ov.pad_mode<edge>} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  %4 = ov.pad %x, %pads, %pads {pad_mode = #ov.pad_mode<constant>} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  return
}
