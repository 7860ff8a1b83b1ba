// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @matmul_c1(%a: tensor<f32>, %b: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected a of rank 1 or more, but got 'tensor<f32>'}}
  %0 = ov.matmul %a, %b : (tensor<f32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_c1_b(%a: tensor<2xf32>, %b: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected b of rank 1 or more, but got 'tensor<f32>'}}
  %0 = ov.matmul %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_element_type(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type, but got 'f32' and 'i32'}}
  %0 = ov.matmul %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected contracted dims that are equal, but got 3 and 2}}
  %0 = ov.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<2x3x3xf32>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected batch dims that broadcast}}
  %0 = ov.matmul %a, %b : (tensor<2x3x3xf32>, tensor<4x3x3xf32>) -> tensor<2x3x3xf32>
  return
}
