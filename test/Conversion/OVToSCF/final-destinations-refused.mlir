// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse | FileCheck %s

// A state has no final destination if the last iteration is not known in advance, or if parts have another layout.

// CHECK-LABEL: @refused
// CHECK: scf.for
// CHECK: scf.while
// CHECK-NOT: arith.select {{.*}} memref
// CHECK: scf.for
// CHECK-NOT: arith.select {{.*}} memref
// CHECK: return
func.func @refused(%x: tensor<3x5x4xf32>, %y: tensor<2x5x4xf32>, %s0: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<2x3x4xf32>) {
  %shape = ov.constant dense<4> : tensor<1xi64>
  %sizes = ov.constant dense<[2, 4]> : tensor<2xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %n = ov.constant dense<7> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %axes = ov.constant dense<0> : tensor<1xi64>
  %zero = ov.constant dense<0.0> : tensor<f32>
  %zeros = ov.constant dense<0.0> : tensor<2x4xf32>
  %r:2 = ov.tensor_iterator slices(%p = %x along 0 [0:-1:1] part 1 : tensor<3x5x4xf32> to tensor<1x5x4xf32>)
      carried(%s = %s0 : tensor<4xf32>) concats(along 1 : tensor<2x3x4xf32>) {
    %q = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%t = %s : tensor<4xf32>) {
      %next = ov.exp %t : tensor<4xf32>
      %sum = ov.reduce_sum %next, %axes {keep_dims = false} : (tensor<4xf32>, tensor<1xi64>) -> tensor<f32>
      %more = ov.greater %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      ov.yield while(%more : tensor<i1>) next(%next : tensor<4xf32>)
    }
    %w = ov.tensor_iterator slices(%e = %y along 1 [0:-1:1] part 1 : tensor<2x5x4xf32> to tensor<2x1x4xf32>)
        carried(%t = %zeros : tensor<2x4xf32>) {
      %rows = ov.reshape %e, %sizes : (tensor<2x1x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
      %next = ov.subtract %rows, %t : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      ov.yield next(%next : tensor<2x4xf32>)
    }
    %part = ov.unsqueeze %w, %one : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
    ov.yield next(%q : tensor<4xf32>) concat(%part : tensor<2x1x4xf32>)
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<2x3x4xf32>
}
