// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --split-input-file --verify-diagnostics

func.func @huge(%p: tensor<2x4xf32>) -> tensor<?x4xf32> {
  %n = ov.constant dense<9223372036854775807> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  // expected-error @+1 {{expected a concatenation of fewer than 2^63 elements}}
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<?x4xf32>) {
    ov.yield while(%true : tensor<i1>) concat(%p : tensor<2x4xf32>)
  }
  return %r : tensor<?x4xf32>
}

// -----
func.func @declared_dims(%p: tensor<1x4xf32>) -> tensor<5x4xf32> {
  %n = ov.constant dense<3> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  // expected-error @+1 {{expected parts that make up a concatenation of type 'tensor<5x4xf32>', but dim 0 would be 3}}
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<5x4xf32>) {
    ov.yield while(%true : tensor<i1>) concat(%p : tensor<1x4xf32>)
  }
  return %r : tensor<5x4xf32>
}
