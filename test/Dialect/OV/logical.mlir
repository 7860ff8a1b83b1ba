// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @logical
func.func @logical(%a: tensor<2x3xi1>, %b: tensor<1xi1>, %c: tensor<2xi1>) {
  // CHECK: ov.logical_and %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<1xi1>) -> tensor<2x3xi1>
  %0 = ov.logical_and %a, %b : (tensor<2x3xi1>, tensor<1xi1>) -> tensor<2x3xi1>
  // CHECK: ov.logical_not %{{.*}} : tensor<2x3xi1>
  %1 = ov.logical_not %0 : tensor<2x3xi1>
  // CHECK: ov.logical_or
  %2 = ov.logical_or %c, %c : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  // CHECK: ov.logical_xor
  %3 = ov.logical_xor %c, %c : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
