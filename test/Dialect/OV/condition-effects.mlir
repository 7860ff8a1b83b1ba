// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// What may fail stays although nothing uses it; what cannot fail goes.

// CHECK-LABEL: @non_zero
func.func @non_zero(%x: tensor<2x?xf32>) {
  // CHECK-NEXT: return
  %0 = ov.non_zero %x {output_type = i64} : (tensor<2x?xf32>) -> tensor<2x?xi64>
  return
}
