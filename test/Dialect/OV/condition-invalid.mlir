// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @select_c1(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type}}
  %0 = ov.select %c, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @select_c2(%c: tensor<3xi1>, %a: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected shapes that broadcast}}
  %0 = ov.select %c, %a, %a : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @non_zero_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected output_type i32 or i64, but got 'ui8'}}
  %0 = ov.non_zero %x {output_type = ui8} : (tensor<2x3xf32>) -> tensor<2x?xi32>
  return
}

// -----

func.func @if_c1(%c: tensor<2xi1>) {
  // expected-error @+1 {{expected a condition with one element, but got 'tensor<2xi1>'}}
  ov.if %c : tensor<2xi1> {
  } else {
  }
  return
}

// -----

func.func @if_c1_type(%c: tensor<i32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<i32>'}}
  ov.if %c : tensor<i32> {
  } else {
  }
  return
}

// -----

func.func @if_c2(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-note @+1 {{these are the types of the results}}
  %0 = ov.if %c : tensor<i1> -> tensor<2xf32> {
    ov.result %x : tensor<2xf32>
  } else {
    // expected-error @+1 {{expected values of types ('tensor<2xf32>'), but got ('tensor<3xf32>')}}
    ov.result %y : tensor<3xf32>
  }
  return
}

// -----

func.func @if_c2_missing(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-note @+1 {{these are the types of the results}}
  %0 = ov.if %c : tensor<i1> -> tensor<2xf32> {
    // expected-error @+1 {{expected values of types ('tensor<2xf32>'), but got ()}}
    ov.result
  } else {
    ov.result %x : tensor<2xf32>
  }
  return
}
