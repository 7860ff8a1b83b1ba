// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @range_c1(%x: tensor<2xi64>, %n: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element, but got 'tensor<2xi64>'}}
  %0 = ov.range %x, %n, %n {output_type = i64} : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_rank(%x: tensor<1x1xi64>, %n: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected stop of rank 0 to 1, but got 'tensor<1x1xi64>'}}
  %0 = ov.range %n, %x, %n {output_type = i64} : (tensor<i64>, tensor<1x1xi64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_output_type(%n: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected output_type that is a number, but got 'i1'}}
  %0 = ov.range %n, %n, %n {output_type = i1} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_c2(%n: tensor<i64>) {
  %s = ov.constant dense<0.0> : tensor<f32>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected a step other than 0}}
  %0 = ov.range %n, %n, %s {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<f32>) -> tensor<?xi64>
  return
}

// -----

// The number of elements of a range of constant real numbers is known.
func.func @range_reals() {
  %a = ov.constant dense<0.0> : tensor<f32>
  %b = ov.constant dense<1.0> : tensor<f32>
  %s = ov.constant dense<0.3> : tensor<f32>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  %0 = ov.range %a, %b, %s {output_type = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @range_empty() {
  %a = ov.constant dense<0.0> : tensor<f32>
  %b = ov.constant dense<1.0> : tensor<f32>
  %s = ov.constant dense<-0.3> : tensor<f32>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{op inferred type(s) 'tensor<0xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  %0 = ov.range %a, %b, %s {output_type = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// As integers the bounds are truncated first: from 0 to 7 by 2.
func.func @range_cut() {
  %a = ov.constant dense<0.9> : tensor<f32>
  %b = ov.constant dense<7.9> : tensor<f32>
  %s = ov.constant dense<2.9> : tensor<f32>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{op inferred type(s) 'tensor<4xi32>' are incompatible with return type(s) of operation 'tensor<5xi32>'}}
  %0 = ov.range %a, %b, %s {output_type = i32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<5xi32>
  return
}

// -----

func.func @philox_c2() {
  %n = ov.constant dense<-1> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected 0 blocks or more, but got -1}}
  %0 = ov.philox %n, %n {key = 1, counter = 2} : (tensor<i64>, tensor<i64>) -> tensor<?x4xui32>
  return
}

// -----

func.func @mersenne_twister_c2() {
  %n = ov.constant dense<-1> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected 0 words or more, but got -1}}
  %0 = ov.mersenne_twister %n {seed = 1} : (tensor<i64>) -> tensor<?xui32>
  return
}
