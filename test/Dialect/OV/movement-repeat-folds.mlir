// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @tile
func.func @tile(%x: tensor<3x4xf32>) -> (tensor<2x4xi64>, tensor<3x4xf32>) {
  // CHECK: %[[TILE:.*]] = ov.constant dense<{{\[\[}}1, 2, 1, 2], [1, 2, 1, 2]]> : tensor<2x4xi64>
  // CHECK: return %[[TILE]], %arg0
  %c = ov.constant dense<[1, 2]> : tensor<2xi64>
  %twice = ov.constant dense<2> : tensor<2xi64>
  %once = ov.constant dense<1> : tensor<2xi64>
  %0 = ov.tile %c, %twice : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x4xi64>
  %1 = ov.tile %x, %once : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return %0, %1 : tensor<2x4xi64>, tensor<3x4xf32>
}
