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
  // expected-error @+1 {{expected split_lengths of rank 1 and static length, but got 'tensor<?xi64>'}}
  %0 = ov.variadic_split %x, %a, %n : (tensor<4xf32>, tensor<i64>, tensor<?xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @variadic_split_c2_many(%x: tensor<4xf32>, %n: tensor<65537xi64>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected split_lengths from 0 to 65536, but got 65537}}
  %0 = ov.variadic_split %x, %a, %n : (tensor<4xf32>, tensor<i64>, tensor<65537xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @variadic_split_c2_most_dynamic(%x: tensor<4xf32>, %n: tensor<1025xi64>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected at most 1024 split_lengths that are no constants, but got 1025}}
  %0 = ov.variadic_split %x, %a, %n : (tensor<4xf32>, tensor<i64>, tensor<1025xi64>) -> tensor<4xf32>
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
  // expected-error @+1 {{expected axes of static length that are in range and without repetition, one for each bound}}
  %0 = ov.slice %x, %n, %n, %n, %a : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_c2_lengths(%x: tensor<4x4xf32>, %n: tensor<1xi64>, %a: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axes of static length that are in range and without repetition, one for each bound}}
  %0 = ov.slice %x, %n, %n, %n, %a : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @slice_c2_scalar(%x: tensor<4x4xf32>, %n: tensor<1xi64>, %a: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axes of static length that are in range and without repetition, one for each bound}}
  %0 = ov.slice %x, %n, %n, %n, %a : (tensor<4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<i64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @slice_c3_any_axes(%x: tensor<4xf32>, %n: tensor<1xi64>) {
  %s = ov.constant dense<0> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected steps other than 0}}
  %0 = ov.slice %x, %n, %n, %s, %n : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
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
