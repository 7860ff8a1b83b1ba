// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @reshape_c1(%x: tensor<6xf32>, %n: tensor<?xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected target_shape of rank 1 and static length}}
  %0 = ov.reshape %x, %n : (tensor<6xf32>, tensor<?xi64>) -> tensor<6xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<6xf32>) {
  %n = ov.constant dense<[-1, 4]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected the other dims to divide the number of elements, but got 'tensor<6xf32>' and target_shape [-1, 4]}}
  %0 = ov.reshape %x, %n : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return
}

// -----

func.func @reshape_c2_two(%x: tensor<6xf32>) {
  %n = ov.constant dense<[-1, -1]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dims that are not negative and at most one -1}}
  %0 = ov.reshape %x, %n : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_c2_zero(%x: tensor<6xf32>) {
  %n = ov.constant dense<[1, 0]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected an input dim for each special zero}}
  %0 = ov.reshape %x, %n {special_zero = true} : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @squeeze_c1(%x: tensor<?x1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axes that are constant, in range and without repetition}}
  %0 = ov.squeeze %x : (tensor<?x1xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @squeeze_c2(%x: tensor<2x1xf32>) {
  %n = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 0 to be 1, but got 'tensor<2x1xf32>'}}
  %0 = ov.squeeze %x, %n : (tensor<2x1xf32>, tensor<i64>) -> tensor<1xf32>
  return
}

// -----

func.func @unsqueeze_c1(%x: tensor<2xf32>) {
  %n = ov.constant dense<[0, -3]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axes that are constant, in range and without repetition}}
  %0 = ov.unsqueeze %x, %n : (tensor<2xf32>, tensor<2xi64>) -> tensor<1x1x2xf32>
  return
}
