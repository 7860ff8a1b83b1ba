// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @cells
func.func @cells(%x: tensor<?x2xf32>, %h: tensor<?x3xf32>, %x1: tensor<1x2xf32>, %h1: tensor<1x3xf32>, %w: tensor<3x2xf32>, %r: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // CHECK-NEXT: ov.rnn_cell %arg0
  // CHECK-NEXT: return
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []}
    : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %1 = ov.rnn_cell %x1, %h1, %w, %r, %b {hidden_size = 3, activations = [#ov.cell_activation<tanh>],
    activations_alpha = [], activations_beta = []}
    : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// CHECK-LABEL: @one_hot
func.func @one_hot(%n: tensor<2xi64>, %i: tensor<i64>, %v: tensor<f32>) {
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK-NEXT: ov.one_hot %arg0, %arg1
  // CHECK-NEXT: return
  %0 = ov.one_hot %n, %i, %v, %v {axis = 0} : (tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x2xf32>
  %1 = ov.one_hot %n, %three, %v, %v {axis = 0} : (tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<3x2xf32>
  return
}
