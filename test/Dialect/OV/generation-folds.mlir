// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @range
func.func @range() -> tensor<3xi32> {
  // CHECK: %[[RANGE:.*]] = ov.constant dense<[7, 5, 3]> : tensor<3xi32>
  // CHECK: return %[[RANGE]]
  %start = ov.constant dense<7> : tensor<i64>
  %stop = ov.constant dense<1> : tensor<i64>
  %step = ov.constant dense<-2> : tensor<i64>
  %0 = ov.range %start, %stop, %step {output_type = i32} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
