// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @non_zero
func.func @non_zero(%x: tensor<2x?xf32>) {
  // CHECK-NEXT: return
  %0 = ov.non_zero %x {output_type = i64} : (tensor<2x?xf32>) -> tensor<2x?xi64>
  return
}
