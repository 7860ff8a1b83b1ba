// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @transpose_c1(%x: tensor<2x3xf32>) {
  %n = ov.constant dense<[0]> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected input_order that is constant, and a permutation of the axes or empty}}
  %0 = ov.transpose %x, %n : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @concat_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis to be an axis of 'tensor<2x3xf32>', but got -3}}
  %0 = ov.concat %x, %x {axis = -3} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_none() {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected at least one operand in inputs, but got none}}
  %0 = "ov.concat"() {axis = 0} : () -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_element_type(%x: tensor<2x3xf32>, %y: tensor<2x3xf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type, but got 'f32' and 'f16'}}
  %0 = ov.concat %x, %y {axis = 0} : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dims that agree except along axis 0}}
  %0 = ov.concat %x, %y {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @reverse_sequence_c1(%x: tensor<4x3xf32>, %n: tensor<4xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected batch_axis and seq_axis that are different axes}}
  %0 = ov.reverse_sequence %x, %n {batch_axis = 1, seq_axis = -1} : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @reverse_sequence_c2(%x: tensor<4x3xf32>, %n: tensor<3xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected seq_lengths with a length for each batch of 'tensor<4x3xf32>'}}
  %0 = ov.reverse_sequence %x, %n : (tensor<4x3xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @reverse_sequence_c2_rank(%x: tensor<4x3xf32>, %n: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected seq_lengths of rank 1, but got 'tensor<i64>'}}
  %0 = ov.reverse_sequence %x, %n : (tensor<4x3xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @reverse_sequence_axes(%x: tensor<4x3xf32>, %n: tensor<4xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected seq_axis to be an axis of 'tensor<4x3xf32>', but got 2}}
  %0 = ov.reverse_sequence %x, %n {seq_axis = 2} : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return
}
