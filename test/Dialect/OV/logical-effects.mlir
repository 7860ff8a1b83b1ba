// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @logical
func.func @logical(%b: tensor<2xi1>, %c: tensor<?xi1>) {
  // CHECK-NEXT: ov.logical_or %arg0, %arg1
  // CHECK-NEXT: return
  %0 = ov.logical_or %b, %c : (tensor<2xi1>, tensor<?xi1>) -> tensor<2xi1>
  %1 = ov.logical_xor %b, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
