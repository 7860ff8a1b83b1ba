// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-to-llvm | FileCheck %s

// The loop runs twice, so the concatenation has 8 columns, and 8 and 5 do not broadcast. The compiler finds that out after
// it made code that would repeat a single column. That code stays valid, and the model is a fault.

// CHECK: rt.faults = {{.*}}dims {0} and {1} do not broadcast
func.func @f(%x: tensor<5xf32> {ov.name = "x"}, %y: tensor<4x5x4xf64> {ov.name = "y"}) -> (tensor<4x5x5xf64> {ov.name = "z"}) {
  %start = ov.constant dense<-1> : tensor<i64>
  %true = ov.constant dense<true> : tensor<1xi1>
  %one = ov.constant dense<1> : tensor<i64>
  %r:2 = ov.loop trip(%start : tensor<i64>) while(%true : tensor<1xi1>) carried(%n = %start : tensor<i64>)
      concats(along 2 : tensor<4x5x?xf64>) {
    %next = ov.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %more = ov.less %next, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.yield while(%more : tensor<i1>) next(%next : tensor<i64>) concat(%y : tensor<4x5x4xf64>)
  }
  %zero = ov.constant dense<0.0> : tensor<f32>
  %less = ov.less %x, %zero : (tensor<5xf32>, tensor<f32>) -> tensor<5xi1>
  %z = ov.select %less, %r#1, %r#1 : (tensor<5xi1>, tensor<4x5x?xf64>, tensor<4x5x?xf64>) -> tensor<4x5x5xf64>
  return %z : tensor<4x5x5xf64>
}
