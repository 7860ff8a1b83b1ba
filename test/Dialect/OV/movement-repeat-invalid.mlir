// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_c2(%x: tensor<2xf32>) {
  %n = ov.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dims that agree with target_shape or are 1, but got 'tensor<2xf32>' and [2, 3]}}
  %0 = ov.broadcast %x, %n : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c3(%x: tensor<2xf32>) {
  %n = ov.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axes_mapping with mode "explicit", and only there}}
  %0 = ov.broadcast %x, %n {mode = #ov.broadcast_mode<explicit>} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<2xf32>, %n: tensor<1x1xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected target_shape of rank 1 and static length, but got 'tensor<1x1xi64>'}}
  %0 = ov.broadcast %x, %n : (tensor<2xf32>, tensor<1x1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @broadcast_mode(%x: tensor<2xf32>, %n: tensor<2xi64>) {
  // expected-error @+2 {{expected one of [numpy, explicit, bidirectional]}}
  // expected-error @+1 {{failed to parse OV_BroadcastModeAttr parameter 'value'}}
  %0 = ov.broadcast %x, %n {mode = #ov.broadcast_mode<pdpd>} : (tensor<2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @tile_c1(%x: tensor<4xf32>, %n: tensor<?xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected repeats of rank 1 and static length}}
  %0 = ov.tile %x, %n : (tensor<4xf32>, tensor<?xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @tile_size(%x: tensor<4xf32>) {
  %n = ov.constant dense<4611686018427387904> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected a result of fewer than 2^63 elements}}
  %0 = ov.tile %x, %n : (tensor<4xf32>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<4xf32>, %n: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pads_begin and pads_end with an entry for each dim}}
  %0 = ov.pad %x, %n, %n {pad_mode = #ov.pad_mode<edge>} : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_lists(%x: tensor<4xf32>, %n: tensor<1xi64>, %m: tensor<?xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pads_end of rank 1 and static length, but got 'tensor<?xi64>'}}
  %0 = ov.pad %x, %n, %m {pad_mode = #ov.pad_mode<edge>} : (tensor<4xf32>, tensor<1xi64>, tensor<?xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4xf32>, %n: tensor<1xi64>) {
  // expected-error @+2 {{expected one of [constant, edge, reflect, symmetric]}}
  // expected-error @+1 {{failed to parse OV_PadModeAttr parameter 'value'}}
  %0 = ov.pad %x, %n, %n {pad_mode = #ov.pad_mode<wrap>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c2_value(%x: tensor<4xf32>, %n: tensor<1xi64>, %v: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type, but got 'f32' and 'i32'}}
  %0 = ov.pad %x, %n, %n, %v {pad_mode = #ov.pad_mode<constant>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c2_scalar(%x: tensor<4xf32>, %n: tensor<1xi64>, %v: tensor<1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pad_value of rank 0, but got 'tensor<1xf32>'}}
  %0 = ov.pad %x, %n, %n, %v {pad_mode = #ov.pad_mode<constant>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4xf32>) {
  %n = ov.constant dense<4> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pads in mode "reflect" of at most 3, but got 4 and 4}}
  %0 = ov.pad %x, %n, %n {pad_mode = #ov.pad_mode<reflect>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<12xf32>
  return
}

// -----

func.func @pad_c3_negative(%x: tensor<4xf32>) {
  %n = ov.constant dense<-3> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pads that make a dim from 0 to 2^63}}
  %0 = ov.pad %x, %n, %n {pad_mode = #ov.pad_mode<constant>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}
