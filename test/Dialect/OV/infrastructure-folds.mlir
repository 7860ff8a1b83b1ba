// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// A tensor without elements folds to a constant, whatever op makes it. An op that may fail stays.

// CHECK-LABEL: func.func @empty_is_constant
func.func @empty_is_constant(%x: tensor<0x3xf32>, %y: tensor<?xi32>) -> (tensor<0x3xf32>, tensor<0xi32>) {
  // CHECK-DAG: %[[F:.*]] = ov.constant dense<> : tensor<0x3xf32>
  // CHECK-DAG: %[[I:.*]] = ov.constant dense<> : tensor<0xi32>
  // CHECK-NOT: ov.exp
  // CHECK: ov.reshape
  // CHECK: return %[[F]], %[[I]]
  %0 = ov.exp %x : tensor<0x3xf32>
  %shape = ov.constant dense<0> : tensor<1xi64>
  %1 = ov.reshape %y, %shape {special_zero = false} : (tensor<?xi32>, tensor<1xi64>) -> tensor<0xi32>
  return %0, %1 : tensor<0x3xf32>, tensor<0xi32>
}
