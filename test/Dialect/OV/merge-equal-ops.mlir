// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-merge-equal-ops | FileCheck %s

// The second of two equal ops fails only if the first one does.

// CHECK-LABEL: func.func @twice
// CHECK: %[[G:.*]] = ov.gather
// CHECK-NOT: ov.gather
// CHECK: %[[T:.*]] = ov.tanh %[[G]]
// CHECK-NOT: ov.tanh
// CHECK: return %[[T]], %[[T]]
func.func @twice(%x: tensor<?xf32>, %i: tensor<1xi64>) -> (tensor<1xf32>, tensor<1xf32>) {
  %axis = ov.constant dense<0> : tensor<i64>
  %0 = ov.gather %x, %i, %axis : (tensor<?xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
  %1 = ov.gather %x, %i, %axis : (tensor<?xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
  %2 = ov.tanh %0 : tensor<1xf32>
  %3 = ov.tanh %1 : tensor<1xf32>
  return %2, %3 : tensor<1xf32>, tensor<1xf32>
}

// Loops with equal bodies are equal too.

// CHECK-LABEL: func.func @loops
// CHECK: %[[L:.*]] = ov.loop
// CHECK-NOT: ov.loop
// CHECK: return %[[L]], %[[L]]
func.func @loops(%n: tensor<i64>, %c: tensor<i1>, %s0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<4xf32>) {
    %t = ov.exp %s : tensor<4xf32>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<4xf32>)
  }
  %1 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<4xf32>) {
    %t = ov.exp %s : tensor<4xf32>
    ov.yield while(%c : tensor<i1>) next(%t : tensor<4xf32>)
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// An op of a body is one with an op before the loop, but not with one of another body: that loop may not run.

// CHECK-LABEL: func.func @bodies
// CHECK: %[[G:.*]] = ov.gather
// CHECK: ov.if
// CHECK-NEXT: ov.squeeze
// CHECK: ov.squeeze
// CHECK-NEXT: ov.add %{{.*}}, %[[G]]
func.func @bodies(%x: tensor<?xf32>, %i: tensor<1xi64>, %c: tensor<i1>) -> (tensor<?xf32>, tensor<1xf32>) {
  %axis = ov.constant dense<0> : tensor<i64>
  %axes = ov.constant dense<0> : tensor<1xi64>
  %0 = ov.gather %x, %i, %axis : (tensor<?xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
  %1 = ov.if %c : tensor<i1> -> tensor<?xf32> {
    %2 = ov.squeeze %x, %axes : (tensor<?xf32>, tensor<1xi64>) -> tensor<f32>
    %3 = ov.add %x, %2 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    ov.result %3 : tensor<?xf32>
  } else {
    %2 = ov.squeeze %x, %axes : (tensor<?xf32>, tensor<1xi64>) -> tensor<f32>
    %3 = ov.gather %x, %i, %axis : (tensor<?xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    %4 = ov.add %x, %3 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.result %4 : tensor<?xf32>
  }
  return %1, %0 : tensor<?xf32>, tensor<1xf32>
}
