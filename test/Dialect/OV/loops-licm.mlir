// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --loop-invariant-code-motion | FileCheck %s

// An op that cannot fail leaves a loop that may never run; an op that can fail stays in it.

// CHECK-LABEL: @loop
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[I:[^:]*]]: tensor<2xi64>, %[[D:[^:]*]]: tensor<i32>, %[[A:[^:]*]]: tensor<?xf32>, %[[B:[^:]*]]: tensor<?xf32>
func.func @loop(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>, %i: tensor<2xi64>, %d: tensor<i32>,
                %a: tensor<?xf32>, %b: tensor<?xf32>, %s0: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>, tensor<?xf32>) {
  %zero = ov.constant dense<0> : tensor<i64>
  %near = ov.constant dense<[1, -1]> : tensor<2xi64>
  %two = ov.constant dense<2> : tensor<i32>
  // CHECK: %[[PURE:.*]] = ov.exp %[[X]]
  // CHECK: %[[SAFE:.*]] = ov.gather %[[PURE]]
  // CHECK: ov.divide %[[D]], %{{.*}}
  // CHECK: ov.loop
  %r:3 = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%s = %s0 : tensor<2xf32>)
      last(tensor<i32>, tensor<?xf32>) {
    %pure = ov.exp %x : tensor<4xf32>
    %safe = ov.gather %pure, %near, %zero : (tensor<4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2xf32>
    %half = ov.divide %d, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    // CHECK: ov.gather %[[PURE]], %[[I]]
    %faulting = ov.gather %pure, %i, %zero : (tensor<4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2xf32>
    // CHECK: ov.divide %{{.*}}, %[[D]]
    %quotient = ov.divide %half, %d : (tensor<i32>, tensor<i32>) -> tensor<i32>
    // CHECK: ov.add %[[A]], %[[B]]
    %clash = ov.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %m = ov.add %s, %safe : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %t = ov.add %m, %faulting : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    // CHECK: ov.yield
    ov.yield while(%c : tensor<i1>) next(%t : tensor<2xf32>) last(%quotient, %clash : tensor<i32>, tensor<?xf32>)
  }
  return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<i32>, tensor<?xf32>
}

// An inner loop stays, whether its body can fail or not. Loop-invariant ops leave all loops.

// CHECK-LABEL: @nested
// CHECK-SAME: (%{{.*}}: tensor<4xf32>, %[[Y:[^:]*]]: tensor<3xf32>, %[[D:[^:]*]]: tensor<1xi32>
func.func @nested(%x: tensor<4xf32>, %y: tensor<3xf32>, %d: tensor<1xi32>, %s0: tensor<1xf32>)
    -> (tensor<1xf32>, tensor<1xi32>) {
  // CHECK: %[[E:.*]] = ov.exp %[[Y]]
  // CHECK: ov.tensor_iterator
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<1xf32>) last(tensor<1xi32>) {
    // CHECK: ov.tensor_iterator slices(%[[B:.*]] = %[[E]] along
    %e = ov.exp %y : tensor<3xf32>
    %q:2 = ov.tensor_iterator slices(%b = %e along 0 [0:-1:1] part 1 : tensor<3xf32> to tensor<1xf32>)
        carried(%t = %s : tensor<1xf32>, %u = %d : tensor<1xi32>) {
      // CHECK: ov.add %[[B]]
      %v = ov.add %b, %t : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      // CHECK: ov.divide %[[D]], %[[D]]
      %w = ov.divide %d, %d : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      ov.yield next(%v, %w : tensor<1xf32>, tensor<1xi32>)
    }
    %n = ov.add %a, %q#0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    ov.yield next(%n : tensor<1xf32>) last(%q#1 : tensor<1xi32>)
  }
  return %r#0, %r#1 : tensor<1xf32>, tensor<1xi32>
}
