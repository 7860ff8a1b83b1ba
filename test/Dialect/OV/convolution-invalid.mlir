// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @convolution_c1(%x: tensor<2x4xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected data of rank 3 to 5, but got 'tensor<2x4xf32>'}}
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @group_convolution_filters(%x: tensor<2x4x9xf32>, %w: tensor<5x4x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected filters of rank 4, but got 'tensor<5x4x3xf32>'}}
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x4x9xf32>, tensor<5x4x3xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

func.func @convolution_element_type(%x: tensor<2x4x9xf32>, %w: tensor<5x4x3xf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type, but got 'f32' and 'f16'}}
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x4x9xf32>, tensor<5x4x3xf16>) -> tensor<2x5x7xf32>
  return
}

// -----

func.func @convolution_c2(%x: tensor<2x4x9xf32>, %w: tensor<5x4x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected 1 positive strides and dilations, and as many pads that are not negative}}
  %0 = ov.convolution %x, %w {strides = array<i64: 0>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x4x9xf32>, tensor<5x4x3xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

func.func @convolution_c2_auto(%x: tensor<2x4x9xf32>, %w: tensor<5x4x3xf32>) {
  // expected-error @+2 {{expected one of [explicit, valid, same_upper, same_lower]}}
  // expected-error @+1 {{failed to parse OV_AutoPadAttr parameter 'value'}}
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, auto_pad = #ov.auto_pad<full>} : (tensor<2x4x9xf32>, tensor<5x4x3xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

func.func @convolution_c3(%x: tensor<2x3x9xf32>, %w: tensor<5x4x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected channels that agree}}
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x3x9xf32>, tensor<5x4x3xf32>) -> tensor<2x5x7xf32>
  return
}

// -----

func.func @group_convolution_c3(%x: tensor<2x4x2xf32>, %w: tensor<2x3x2x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected a kernel that fits the padded data}}
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x4x2xf32>, tensor<2x3x2x4xf32>) -> tensor<2x6x?xf32>
  return
}
