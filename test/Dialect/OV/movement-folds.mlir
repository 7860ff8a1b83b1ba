// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @transpose
func.func @transpose(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<3x2xi32>, tensor<64x32xf32>) {
  %same = ov.constant dense<[0, 1]> : tensor<2xi64>
  %order = ov.constant dense<> : tensor<0xi64>
  %c = ov.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %w = ov.constant #ov.weights<8, tensor<32x64xf32>> : tensor<32x64xf32>
  // CHECK-DAG: %[[C:.*]] = ov.constant dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<8, tensor<32x64xf32>, [#ov.transpose<[1, 0]>]> : tensor<64x32xf32>
  // CHECK: return %arg0, %[[C]], %[[W]]
  %0 = ov.transpose %x, %same : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %1 = ov.transpose %c, %order : (tensor<2x3xi32>, tensor<0xi64>) -> tensor<3x2xi32>
  %2 = ov.transpose %w, %order : (tensor<32x64xf32>, tensor<0xi64>) -> tensor<64x32xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<3x2xi32>, tensor<64x32xf32>
}

// CHECK-LABEL: @concat
func.func @concat(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2x3xi64>) {
  %a = ov.constant dense<[[1], [2]]> : tensor<2x1xi64>
  %b = ov.constant dense<[[3, 4], [5, 6]]> : tensor<2x2xi64>
  // CHECK: %[[C:.*]] = ov.constant dense<{{\[}}[1, 3, 4], [2, 5, 6]]> : tensor<2x3xi64>
  // CHECK: return %arg0, %[[C]]
  %0 = ov.concat %x {axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = ov.concat %a, %b {axis = 1} : (tensor<2x1xi64>, tensor<2x2xi64>) -> tensor<2x3xi64>
  return %0, %1 : tensor<2xf32>, tensor<2x3xi64>
}
