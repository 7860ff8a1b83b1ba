// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --verify-diagnostics

func.func @constant() {
  // expected-error @+1 {{expected a value that is dense or #ov.weights}}
  %0 = ov.constant dense_resource<r> : tensor<2xf32>
  return
}

// -----

func.func @binary_c1(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'ov.add' op expected operands of one element type, but got 'f32' and 'i32'}}
  %0 = ov.add %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @binary_c2(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected shapes that broadcast, but got 'tensor<2xf32>' and 'tensor<3xf32>'}}
  %0 = ov.maximum %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @binary_c2_none(%a: tensor<2xf32>, %b: tensor<1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected shapes that agree}}
  %0 = ov.less %a, %b {auto_broadcast = "none"} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @binary_auto_broadcast(%a: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected auto_broadcast "numpy" or "none", but got "pdpd"}}
  %0 = ov.add %a, %a {auto_broadcast = "pdpd"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @declared_result(%a: tensor<?xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  %0 = ov.add %a, %b : (tensor<?xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

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

func.func @clamp_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected min that is not greater than max, but got 2}}
  %0 = ov.clamp %a {min = 2.0, max = 1.0} : tensor<2xf32>
  return
}

// -----

func.func @matmul_c1(%a: tensor<f32>, %b: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected operands of rank at least 1}}
  %0 = ov.matmul %a, %b : (tensor<f32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected contracted dims that are equal, but got 3 and 2}}
  %0 = ov.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<2x3x3xf32>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected batch dims that broadcast}}
  %0 = ov.matmul %a, %b : (tensor<2x3x3xf32>, tensor<4x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @cell_c1(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 0 of W to be 4, but got 'tensor<3x2xf32>'}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 4, activations = ["tanh"], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c2(%x: tensor<1x2xf32>, %h: tensor<5x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 0 of a state to be 1, but got 'tensor<5x3xf32>'}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = ["tanh"], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<5x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c3_count(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected 1 activations, but got 2}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = ["tanh", "tanh"], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c3_name(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected activations of sigmoid, tanh, relu and hardsigmoid, but got "softsign"}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = ["softsign"], activations_alpha = [],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c3_alpha(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected activations_alpha and activations_beta with no entry or 1, but got 2}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = ["hardsigmoid"], activations_alpha = [0.2, 0.3],
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @cell_c4(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected clip that is not negative, but got -1}}
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = ["tanh"], activations_alpha = [], clip = -1.0,
    activations_beta = []} : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<6xf32>, %n: tensor<?xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected target_shape of rank 1 and static length}}
  %0 = ov.reshape %x, %n : (tensor<6xf32>, tensor<?xi64>) -> tensor<6xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<6xf32>) {
  %n = ov.constant dense<[-1, 4]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected the other dims to divide the number of elements, but got 'tensor<6xf32>' and target_shape [-1, 4]}}
  %0 = ov.reshape %x, %n : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return
}

// -----

func.func @reshape_c2_two(%x: tensor<6xf32>) {
  %n = ov.constant dense<[-1, -1]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dims that are not negative and at most one -1}}
  %0 = ov.reshape %x, %n : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_c2_zero(%x: tensor<6xf32>) {
  %n = ov.constant dense<[1, 0]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected an input dim for each special zero}}
  %0 = ov.reshape %x, %n {special_zero = true} : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @squeeze_c1(%x: tensor<?x1xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axes that are constant, in range and without repetition}}
  %0 = ov.squeeze %x : (tensor<?x1xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @squeeze_c2(%x: tensor<2x1xf32>) {
  %n = ov.constant dense<0> : tensor<i64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dim 0 to be 1, but got 'tensor<2x1xf32>'}}
  %0 = ov.squeeze %x, %n : (tensor<2x1xf32>, tensor<i64>) -> tensor<1xf32>
  return
}

// -----

func.func @unsqueeze_c1(%x: tensor<2xf32>) {
  %n = ov.constant dense<[0, -3]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected axes that are constant, in range and without repetition}}
  %0 = ov.unsqueeze %x, %n : (tensor<2xf32>, tensor<2xi64>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<2x3xf32>) {
  %n = ov.constant dense<[0]> : tensor<1xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected input_order that is constant, and a permutation of the axes or empty}}
  %0 = ov.transpose %x, %n : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @concat_c1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected an axis of 'tensor<2x3xf32>', but got -3}}
  %0 = ov.concat %x, %x {axis = -3} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected dims that agree, but along axis 0}}
  %0 = ov.concat %x, %y {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

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
  %0 = ov.broadcast %x, %n {mode = "explicit"} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

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

func.func @reduce_c1(%x: tensor<2x3xf32>) {
  %a = ov.constant dense<[1, -1]> : tensor<2xi64>
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected reduction_axes that are constant, in range and without repetition}}
  %0 = ov.reduce_max %x, %a : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected an axis of 'tensor<3xf32>', but got 1}}
  %0 = ov.softmax %x {axis = 1} : tensor<3xf32>
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
  // expected-error @+1 {{expected step_ids and parent_ids of rank 3 and one shape}}
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @gather_tree_c3(%s: tensor<4x2x3xi32>, %n: tensor<3xi32>, %e: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected max_seq_len of rank 1 with BATCH_SIZE elements}}
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @gather_tree_c4(%s: tensor<4x2x3xi32>, %n: tensor<2xi32>, %e: tensor<1xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expected end_token that is a scalar, but got 'tensor<1xi32>'}}
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<2xi32>, tensor<1xi32>) -> tensor<4x2x3xi32>
  return
}
