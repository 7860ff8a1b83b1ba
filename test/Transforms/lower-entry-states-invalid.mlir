// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-entry --split-input-file --verify-diagnostics

// expected-error @+1 {{expected 'ov.states' to be an array<i64> of 0 and 1}}
module attributes {ov.states = 1 : i64} {
  func.func @main(%x: tensor<f32>, %set: tensor<i1>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

module attributes {ov.states = array<i64: 1>} {
  // expected-error @+1 {{expected two arguments and a result for each of 1 states}}
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

module attributes {ov.states = array<i64: 0>} {
  // expected-error @+1 {{expected a value, a boolean and a result of the value's type for state 0}}
  func.func @main(%x: tensor<f32>, %set: tensor<1xi1>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}
