// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @prelu
func.func @prelu(%x: tensor<?x3x4xf32>, %y: tensor<2x?x4xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>, %one: tensor<1xf32>) {
  // CHECK-NEXT: ov.prelu %arg1, %arg2
  // CHECK-NEXT: return
  %0 = ov.prelu %x, %c : (tensor<?x3x4xf32>, tensor<3xf32>) -> tensor<?x3x4xf32>
  %1 = ov.prelu %x, %d : (tensor<?x3x4xf32>, tensor<4xf32>) -> tensor<?x3x4xf32>
  %2 = ov.prelu %y, %c : (tensor<2x?x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %3 = ov.prelu %y, %one : (tensor<2x?x4xf32>, tensor<1xf32>) -> tensor<2x?x4xf32>
  return
}
