// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @bits
func.func @bits(%a: tensor<4xi32>, %b: tensor<?xi32>, %u: tensor<4xui8>, %c: tensor<4xi1>) -> tensor<4xi32> {
  // CHECK: ov.bitwise_and %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<?xi32>) -> tensor<4xi32>
  %0 = ov.bitwise_and %a, %b : (tensor<4xi32>, tensor<?xi32>) -> tensor<4xi32>
  // CHECK: ov.bitwise_not %{{.*}} : tensor<4xui8>
  %1 = ov.bitwise_not %u : tensor<4xui8>
  // CHECK: ov.bitwise_xor %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = ov.bitwise_xor %c, %c : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK: ov.bitwise_left_shift
  %3 = ov.bitwise_left_shift %0, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: ov.bitwise_right_shift
  %4 = ov.bitwise_right_shift %3, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: ov.bitwise_or
  %5 = ov.bitwise_or %4, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %5 : tensor<4xi32>
}
