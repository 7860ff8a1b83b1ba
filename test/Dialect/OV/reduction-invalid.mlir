// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @reduce_max_c1(%x: tensor<2x3xf32>) {
  %a = ov.constant dense<[1, -1]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected reduction_axes that are constant, in range and without repetition}}
  %0 = ov.reduce_max %x, %a : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_l2_c1(%x: tensor<2x3xf32>) {
  %axis = ov.constant dense<2> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'ov.reduce_l2' op expected reduction_axes that are constant, in range and without repetition}}
  %0 = ov.reduce_l2 %x, %axis : (tensor<2x3xf32>, tensor<i64>) -> tensor<2xf32>
  return
}
