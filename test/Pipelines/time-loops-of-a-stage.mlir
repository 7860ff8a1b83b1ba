// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-simplify --ov-loops --ov-linalg --ov-schedule --ov-bufferize -o %t.mlir
// RUN: not ir-run %s --random-inputs=1 --check-time-loops 2>&1 | FileCheck %s
// RUN: not ir-run %t.mlir --random-inputs=1 --check-time-loops 2>&1 | FileCheck %s

// The check sees the same, also where the text has passed the stage that checks already.

// CHECK: error: expected no allocation in a time loop
func.func @grow(%x: tensor<1xf32> {ov.name = "x"}) -> (tensor<?xf32> {ov.name = "y"}) {
  %n = ov.constant dense<3> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %init = tensor.cast %x : tensor<1xf32> to tensor<?xf32>
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %init : tensor<?xf32>) {
    %next = ov.concat %s, %s {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ov.yield while(%true : tensor<i1>) next(%next : tensor<?xf32>)
  }
  return %r : tensor<?xf32>
}
