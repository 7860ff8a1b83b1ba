// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @clamp_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected min that is not greater than max, but got 2}}
  %0 = ov.clamp %a {min = 2.0, max = 1.0} : tensor<2xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected axis to be an axis of 'tensor<3xf32>', but got 1}}
  %0 = ov.softmax %x {axis = 1} : tensor<3xf32>
  return
}

// -----

func.func @gelu_c1(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected one of [erf, tanh]}}
  // expected-error @+1 {{failed to parse OV_GeluApproximationAttr parameter 'value'}}
  %0 = ov.gelu %x {approximation_mode = #ov.gelu_approximation<none>} : tensor<2xf32>
  return
}

// -----

func.func @parametric_c1(%x: tensor<2xf32>, %p: tensor<f64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'ov.swish' op expected operands of one element type, but got 'f32' and 'f64'}}
  %0 = ov.swish %x, %p : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

func.func @parametric_c2(%x: tensor<2xf32>, %p: tensor<f32>, %q: tensor<?xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected lambda of one element, but got 'tensor<?xf32>'}}
  %0 = ov.selu %x, %p, %q : (tensor<2xf32>, tensor<f32>, tensor<?xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @parametric_c2_three(%x: tensor<2xf32>, %p: tensor<f32>, %q: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected beta of one element, but got 'tensor<2xf32>'}}
  %0 = ov.hard_sigmoid %x, %p, %q : (tensor<2xf32>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @prelu_c1(%x: tensor<2xf32>, %p: tensor<2xf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'ov.prelu' op expected operands of one element type, but got 'f32' and 'f16'}}
  %0 = ov.prelu %x, %p : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

func.func @prelu_c2(%x: tensor<1x3x4xf32>, %p: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected a slope that broadcasts to data, but got 'tensor<2xf32>' and 'tensor<1x3x4xf32>'}}
  %0 = ov.prelu %x, %p : (tensor<1x3x4xf32>, tensor<2xf32>) -> tensor<1x3x4xf32>
  return
}

// -----

// Data does not broadcast to the slope.
func.func @prelu_c2_data(%x: tensor<1x3x1xf32>, %p: tensor<2x3x1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected a slope that broadcasts to data}}
  %0 = ov.prelu %x, %p : (tensor<1x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  return
}

// -----

func.func @prelu_c2_rank(%x: tensor<3xf32>, %p: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected a slope that broadcasts to data}}
  %0 = ov.prelu %x, %p : (tensor<3xf32>, tensor<1x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected axis to be an axis of 'tensor<2x3xf32>', but got 2}}
  %0 = ov.log_softmax %x {axis = 2} : tensor<2x3xf32>
  return
}
