// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @split_c1(%x: tensor<4xf32>, %a: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis that is constant, one element and in range}}
  %0 = ov.split %x, %a {num_splits = 1} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @split_c2(%x: tensor<4xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected num_splits from 1 to 65536, but got 0}}
  %0 = ov.split %x, %a {num_splits = 0} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @split_c3(%x: tensor<4xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected num_splits that divides the dim, but got 3 and 4}}
  %0:3 = ov.split %x, %a {num_splits = 3} : (tensor<4xf32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @variadic_split_c1(%x: tensor<4xf32>, %n: tensor<1xi64>) {
  %a = ov.constant dense<1> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis that is constant, one element and in range}}
  %0 = ov.variadic_split %x, %a, %n : (tensor<4xf32>, tensor<i64>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @variadic_split_c2(%x: tensor<4xf32>, %n: tensor<?xi64>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected split_lengths of rank 1 and a static length of at most 65536}}
  %0 = ov.variadic_split %x, %a, %n : (tensor<4xf32>, tensor<i64>, tensor<?xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @variadic_split_c3(%x: tensor<4xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  %n = ov.constant dense<[3, 2]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected split_lengths that make up the dim, but got [3, 2] and 4}}
  %0:2 = ov.variadic_split %x, %a, %n : (tensor<4xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<3xf32>, tensor<2xf32>)
  return
}

// -----

func.func @slice_c1(%x: tensor<4xf32>, %n: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected bounds of rank 1, and of a static length that is not above the rank of data}}
  %0 = ov.slice %x, %n, %n, %n : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_c1_lengths(%x: tensor<4x4xf32>, %n: tensor<2xi64>, %s: tensor<1xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected bounds and steps of rank 1 and one static length}}
  %0 = ov.slice %x, %n, %n, %s : (tensor<4x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<1xi64>) -> tensor<4x4xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4xf32>, %n: tensor<1xi64>) {
  %a = ov.constant dense<1> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axes that are constant, in range and without repetition}}
  %0 = ov.slice %x, %n, %n, %n, %a : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<4xf32>, %n: tensor<1xi64>) {
  %s = ov.constant dense<0> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected steps other than 0}}
  %0 = ov.slice %x, %n, %n, %s : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @strided_slice_c1(%x: tensor<4xf32>, %n: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected no more entries than data has dims}}
  %0 = ov.strided_slice %x, %n, %n {begin_mask = array<i64>, end_mask = array<i64>} : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @strided_slice_c2(%x: tensor<4xf32>, %n: tensor<1xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected masks of 0 and 1}}
  %0 = ov.strided_slice %x, %n, %n {begin_mask = array<i64: 2>, end_mask = array<i64>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @strided_slice_c2_ellipsis(%x: tensor<4xf32>, %n: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected one ellipsis at most}}
  %0 = ov.strided_slice %x, %n, %n {begin_mask = array<i64>, end_mask = array<i64>, ellipsis_mask = array<i64: 1, 1>} : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @strided_slice_c3(%x: tensor<4xf32>, %n: tensor<1xi64>) {
  %s = ov.constant dense<0> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected steps other than 0}}
  %0 = ov.strided_slice %x, %n, %n, %s {begin_mask = array<i64>, end_mask = array<i64>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @strided_slice_shrink(%x: tensor<4xf32>) {
  %n = ov.constant dense<4> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected an index in range of the axis that shrinks}}
  %0 = ov.strided_slice %x, %n, %n {begin_mask = array<i64>, end_mask = array<i64>, shrink_axis_mask = array<i64: 1>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<f32>
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
  %0 = ov.pad %x, %n, %n {pad_mode = "edge"} : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4xf32>, %n: tensor<1xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pad_mode "constant", "edge", "reflect" or "symmetric", but got "wrap"}}
  %0 = ov.pad %x, %n, %n {pad_mode = "wrap"} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c2_value(%x: tensor<4xf32>, %n: tensor<1xi64>, %v: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pad_value that is a scalar of 'f32'}}
  %0 = ov.pad %x, %n, %n, %v {pad_mode = "constant"} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4xf32>) {
  %n = ov.constant dense<4> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pads in mode "reflect" of at most 3, but got 4 and 4}}
  %0 = ov.pad %x, %n, %n {pad_mode = "reflect"} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<12xf32>
  return
}

// -----

func.func @pad_c3_negative(%x: tensor<4xf32>) {
  %n = ov.constant dense<-3> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected pads that make a dim from 0 to 2^63}}
  %0 = ov.pad %x, %n, %n {pad_mode = "constant"} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @range_c1(%x: tensor<2xi64>, %n: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element and rank 0 or 1}}
  %0 = ov.range %x, %n, %n {output_type = i64} : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
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

// The count of constant real numbers is known.
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

// As integers they are cut first: from 0 to 7 by 2.
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

func.func @one_hot_c1(%i: tensor<3xi64>, %v: tensor<f32>) {
  %d = ov.constant dense<-2> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected depth that is not negative, but got -2}}
  %0 = ov.one_hot %i, %d, %v, %v {axis = 0} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_c2(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>, %w: tensor<1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected on_value and off_value that are scalars}}
  %0 = ov.one_hot %i, %d, %v, %w {axis = 0} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<1xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_c4(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected negative_indices_mode "ignore_negative" or "normalize", but got "wrap"}}
  %0 = ov.one_hot %i, %d, %v, %v {axis = 0, negative_indices_mode = "wrap"} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @one_hot_c3(%i: tensor<3xi64>, %d: tensor<i64>, %v: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected an axis of a result of rank 2, but got 2}}
  %0 = ov.one_hot %i, %d, %v, %v {axis = 2} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
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
  // expected-error @+1 {{expected seq_lengths of rank 1 with a length for each batch}}
  %0 = ov.reverse_sequence %x, %n : (tensor<4x3xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_elements_c1(%x: tensor<4x3xf32>, %n: tensor<4x3xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected an axis of}}
  %0 = ov.gather_elements %x, %n {axis = 2} : (tensor<4x3xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_elements_c2(%x: tensor<4x3xf32>, %n: tensor<3x3xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected data and indices of one shape, but along axis 1}}
  %0 = ov.gather_elements %x, %n {axis = 1} : (tensor<4x3xf32>, tensor<3x3xi64>) -> tensor<3x3xf32>
  return
}

// -----

func.func @gather_nd_c1(%x: tensor<4x3xf32>, %n: tensor<3x?xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected indices of rank 1 at least, with a static last dim}}
  %0 = ov.gather_nd %x, %n : (tensor<4x3xf32>, tensor<3x?xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c2(%x: tensor<4x3xf32>, %n: tensor<3x1xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected batch_dims of dims that agree, but got 1}}
  %0 = ov.gather_nd %x, %n {batch_dims = 1} : (tensor<4x3xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c3(%x: tensor<4x3xf32>, %n: tensor<3x3xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected at most 2 coordinates, but got 3}}
  %0 = ov.gather_nd %x, %n : (tensor<4x3xf32>, tensor<3x3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @scatter_update_c1(%x: tensor<4x3xf32>, %i: tensor<i64>, %u: tensor<3xf32>, %a: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis that is constant, one element and in range}}
  %0 = ov.scatter_update %x, %i, %u, %a : (tensor<4x3xf32>, tensor<i64>, tensor<3xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_update_c2(%x: tensor<4x3xf32>, %i: tensor<i64>, %u: tensor<4xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected updates with the dims of}}
  %0 = ov.scatter_update %x, %i, %u, %a : (tensor<4x3xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_elements_update_c1(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  %a = ov.constant dense<-2> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis that is constant, one element and in range}}
  %0 = ov.scatter_elements_update %x, %i, %u, %a : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_update_c2(%x: tensor<4x3xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected indices and updates of one shape that fits}}
  %0 = ov.scatter_elements_update %x, %i, %u, %a : (tensor<4x3xf32>, tensor<2x4xi64>, tensor<2x4xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_elements_update_c3(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected reduction "none", "sum", "prod", "min", "max" or "mean", but got "sub"}}
  %0 = ov.scatter_elements_update %x, %i, %u, %a {reduction = "sub"} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_update_c3_mean(%x: tensor<4xi1>, %i: tensor<2xi64>, %u: tensor<2xi1>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected numbers for reduction "mean"}}
  %0 = ov.scatter_elements_update %x, %i, %u, %a {reduction = "mean"} : (tensor<4xi1>, tensor<2xi64>, tensor<2xi1>, tensor<i64>) -> tensor<4xi1>
  return
}

// -----

func.func @scatter_nd_update_c1(%x: tensor<4xf32>, %i: tensor<2x2xi64>, %u: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected indices of rank 1 at least, with a static last dim that is at most the rank}}
  %0 = ov.scatter_nd_update %x, %i, %u : (tensor<4xf32>, tensor<2x2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_update_c2(%x: tensor<4x3xf32>, %i: tensor<2x1xi64>, %u: tensor<2x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected updates of the places in}}
  %0 = ov.scatter_nd_update %x, %i, %u : (tensor<4x3xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_nd_update_c3(%x: tensor<4xi1>, %i: tensor<2x1xi64>, %u: tensor<2xi1>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected numbers for reduction "sub"}}
  %0 = ov.scatter_nd_update %x, %i, %u {reduction = "sub"} : (tensor<4xi1>, tensor<2x1xi64>, tensor<2xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @convolution_c1(%x: tensor<2x4xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected data of rank 3 to 5 and filters that fit it}}
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
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
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected auto_pad "explicit", "valid", "same_upper" or "same_lower", but got "full"}}
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, auto_pad = "full"} : (tensor<2x4x9xf32>, tensor<5x4x3xf32>) -> tensor<2x5x7xf32>
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
