// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @round_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected mode "half_to_even" or "half_away_from_zero", but got "up"}}
  %0 = ov.round %x {mode = "up"} : tensor<2xf32>
  return
}

// -----

func.func @gelu_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected approximation_mode "erf" or "tanh", but got "none"}}
  %0 = ov.gelu %x {approximation_mode = "none"} : tensor<2xf32>
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
  // expected-error @+1 {{expected parameters of one element, but got 'tensor<?xf32>'}}
  %0 = ov.selu %x, %p, %q : (tensor<2xf32>, tensor<f32>, tensor<?xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @parametric_c2_three(%x: tensor<2xf32>, %p: tensor<f32>, %q: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected parameters of one element, but got 'tensor<2xf32>'}}
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

func.func @binary_c1(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'ov.mod' op expected operands of one element type, but got 'f32' and 'i32'}}
  %0 = ov.mod %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @binary_c2(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected shapes that broadcast}}
  %0 = ov.squared_difference %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c1(%x: tensor<2x3xf32>) {
  %axis = ov.constant dense<2> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'ov.reduce_l2' op expected reduction_axes that are constant, in range and without repetition}}
  %0 = ov.reduce_l2 %x, %axis : (tensor<2x3xf32>, tensor<i64>) -> tensor<2xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected an axis of 'tensor<2x3xf32>', but got 2}}
  %0 = ov.log_softmax %x {axis = 2} : tensor<2x3xf32>
  return
}

// -----

func.func @cum_sum_c1(%x: tensor<2x3xf32>, %axis: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis that is constant, one element and in range, for 'tensor<2x3xf32>'}}
  %0 = ov.cum_sum %x, %axis : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cum_sum_c1_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected data of rank 1 or more where there is no axis, but got 'tensor<f32>'}}
  %0 = ov.cum_sum %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @topk_c1(%x: tensor<2x3xf32>, %k: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected an axis of 'tensor<2x3xf32>', but got -3}}
  %0, %1 = ov.topk %x, %k {axis = -3, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<?x3xf32>, tensor<?x3xi32>)
  return
}

// -----

func.func @topk_c2(%x: tensor<2x3xf32>, %k: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected k of one element, but got 'tensor<2xi64>'}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @topk_c2_range(%x: tensor<2x3xf32>) {
  %k = ov.constant dense<4> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected k in [0, 3], but got 4}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @topk_c3(%x: tensor<2x3xf32>, %k: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected mode "max" or "min", but got "mean"}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = "mean", sort = "value", index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @topk_c3_sort(%x: tensor<2x3xf32>, %k: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected sort "value", "index" or "none", but got "up"}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = "max", sort = "up", index_element_type = i32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @topk_c4(%x: tensor<2x3xf32>, %k: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected index_element_type i32 or i64, but got 'f32'}}
  %0, %1 = ov.topk %x, %k {axis = 1, mode = "max", sort = "value", index_element_type = f32}
    : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return
}

// -----

func.func @non_zero_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected output_type i32 or i64, but got 'ui8'}}
  %0 = ov.non_zero %x {output_type = ui8} : (tensor<2x3xf32>) -> tensor<2x?xi32>
  return
}
