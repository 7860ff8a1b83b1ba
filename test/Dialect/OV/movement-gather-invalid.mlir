// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1(%x: tensor<2x3xf32>, %i: tensor<2xi64>, %a: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis that is constant, one element and in range}}
  %0 = ov.gather %x, %i, %a : (tensor<2x3xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<2x3xf32>, %i: tensor<2xi64>) {
  %a = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected batch_dims that is neither greater than the axis nor than the rank of indices, but got 1}}
  %0 = ov.gather %x, %i, %a {batch_dims = 1} : (tensor<2x3xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_tree_c1(%s: tensor<4x2x3xi32>, %n: tensor<2xi64>, %e: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of one element type}}
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<2xi64>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @gather_tree_c2(%s: tensor<4x2x3xi32>, %p: tensor<4x2x4xi32>, %n: tensor<2xi32>, %e: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected step_ids and parent_ids of one shape}}
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @gather_tree_rank(%s: tensor<4x2xi32>, %n: tensor<2xi32>, %e: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected step_ids of rank 3, but got 'tensor<4x2xi32>'}}
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4x2xi32>
  return
}

// -----

func.func @gather_tree_rank_parents(%s: tensor<4x2x3xi32>, %p: tensor<4x2xi32>, %n: tensor<2xi32>, %e: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected parent_ids of rank 3, but got 'tensor<4x2xi32>'}}
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<4x2x3xi32>, tensor<4x2xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @gather_tree_c3(%s: tensor<4x2x3xi32>, %n: tensor<3xi32>, %e: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected max_seq_len with BATCH_SIZE elements}}
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @gather_tree_c3_rank(%s: tensor<4x2x3xi32>, %n: tensor<2x1xi32>, %e: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected max_seq_len of rank 1, but got 'tensor<2x1xi32>'}}
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<2x1xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @gather_tree_c4(%s: tensor<4x2x3xi32>, %n: tensor<2xi32>, %e: tensor<1xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected end_token of rank 0, but got 'tensor<1xi32>'}}
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<2xi32>, tensor<1xi32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @gather_elements_c1(%x: tensor<4x3xf32>, %n: tensor<4x3xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axis to be an axis of 'tensor<4x3xf32>', but got 2}}
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
  // expected-error @+1 {{expected indices with a static last dim, but got 'tensor<3x?xi64>'}}
  %0 = ov.gather_nd %x, %n : (tensor<4x3xf32>, tensor<3x?xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c1_rank(%x: tensor<4x3xf32>, %n: tensor<i64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected indices of rank 1 or more, but got 'tensor<i64>'}}
  %0 = ov.gather_nd %x, %n : (tensor<4x3xf32>, tensor<i64>) -> tensor<3xf32>
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
