// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @add_c1(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'ov.add' op expected operands of one element type, but got 'f32' and 'i32'}}
  %0 = ov.add %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @maximum_c2(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected shapes that broadcast, but got 'tensor<2xf32>' and 'tensor<3xf32>'}}
  %0 = ov.maximum %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @add_auto_broadcast(%a: tensor<2xf32>) {
  // expected-error @+2 {{expected one of [none, numpy]}}
  // expected-error @+1 {{failed to parse OV_AutoBroadcastAttr parameter 'value'}}
  %0 = ov.add %a, %a {auto_broadcast = #ov.auto_broadcast<pdpd>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @add_declared_result(%a: tensor<?xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  %0 = ov.add %a, %b : (tensor<?xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @round_c1(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected one of [half_to_even, half_away_from_zero]}}
  // expected-error @+1 {{failed to parse OV_RoundModeAttr parameter 'value'}}
  %0 = ov.round %x {mode = #ov.round_mode<up>} : tensor<2xf32>
  return
}

// -----

func.func @mod_c1(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'ov.mod' op expected operands of one element type, but got 'f32' and 'i32'}}
  %0 = ov.mod %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @squared_difference_c2(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected shapes that broadcast}}
  %0 = ov.squared_difference %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @cum_sum_c2(%x: tensor<2x3xf32>) {
  %axis = ov.constant dense<-3> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis to be an axis of 'tensor<2x3xf32>', but got -3}}
  %0 = ov.cum_sum %x, %axis : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cum_sum_c2_elements(%x: tensor<2x3xf32>, %axis: tensor<?xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis of one element, but got 'tensor<?xi64>'}}
  %0 = ov.cum_sum %x, %axis : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cum_sum_c1(%x: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected data of rank 1 or more, but got 'tensor<f32>'}}
  %0 = ov.cum_sum %x : (tensor<f32>) -> tensor<f32>
  return
}
