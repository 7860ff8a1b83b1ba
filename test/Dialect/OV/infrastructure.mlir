// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<2xi64>, tensor<768x1024xf32>) {
  // CHECK: ov.constant dense<[1, 2]> : tensor<2xi64>
  %0 = ov.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: ov.constant #ov.weights<16, tensor<1024x768xf32>, [#ov.transpose<[1, 0]>]> : tensor<768x1024xf32>
  %1 = ov.constant #ov.weights<16, tensor<1024x768xf32>, [#ov.transpose<[1, 0]>]> : tensor<768x1024xf32>
  return %0, %1 : tensor<2xi64>, tensor<768x1024xf32>
}
