// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// Booleans are computed as one bit.
// CHECK-LABEL: @not
func.func @not(%a: tensor<4xi1>, %b: tensor<4xi16>) -> (tensor<4xi1>, tensor<4xi16>) {
  // CHECK-DAG: arith.xori %{{.*}}, %c-1_i16 : i16
  // CHECK-DAG: arith.cmpi eq, %{{.*}}, %c0_i8 : i8
  %0 = ov.bitwise_not %a : tensor<4xi1>
  %1 = ov.bitwise_not %b : tensor<4xi16>
  return %0, %1 : tensor<4xi1>, tensor<4xi16>
}

// A count that is too large, or negative, is replaced before the shift, which it would make poison.
// CHECK-LABEL: @shift
func.func @shift(%a: tensor<4xi32>, %u: tensor<4xui32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xui32>) {
  // CHECK: %[[IN:.*]] = arith.cmpi ult, %[[COUNT:.*]], %c32_i32
  // CHECK: %[[SAFE:.*]] = arith.select %[[IN]], %[[COUNT]], %c0_i32
  // CHECK: %[[R:.*]] = arith.shli %{{.*}}, %[[SAFE]]
  // CHECK: arith.select %[[IN]], %[[R]], %c0_i32
  %0 = ov.bitwise_left_shift %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %c31_i32
  // CHECK: arith.shrsi %{{.*}}, %[[SAFE]]
  %1 = ov.bitwise_right_shift %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: arith.shrui
  %2 = ov.bitwise_right_shift %u, %u : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xui32>
}
