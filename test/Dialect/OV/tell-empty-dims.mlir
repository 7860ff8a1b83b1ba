// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-tell-empty-dims | FileCheck %s
// RUN: ir-opt %s --ov-tell-empty-dims --ov-tell-empty-dims | FileCheck %s

// The dim of a value from outside, and one that changes in each iteration. The axis does not count.
// CHECK-LABEL: @outside
// CHECK-SAME: (%[[N:.*]]: tensor<i64>, %[[X:.*]]: tensor<1x?x?xf32>)
func.func @outside(%n: tensor<i64>, %x: tensor<1x?x?xf32>) -> tensor<?x?x?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  // CHECK: %[[SHAPE:.*]] = ov.shape_of %[[X]]
  // CHECK: %[[TWO:.*]] = ov.constant dense<2> : tensor<1xi64>
  // CHECK: %[[DIM:.*]] = ov.gather %[[SHAPE]], %[[TWO]]
  // CHECK: %[[DIMS:.*]] = ov.concat %{{.*}}, %[[DIM]] {axis = 0 : i64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<3xi64>
  // CHECK: ov.loop {{.*}} empty(%[[DIMS]] : tensor<3xi64>) {
  %0:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %x : tensor<1x?x?xf32>)
      concats(along 0 : tensor<?x?x?xf32>) {
    %next = ov.concat %s, %x {axis = 1} : (tensor<1x?x?xf32>, tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
    ov.yield while(%true : tensor<i1>) next(%next : tensor<1x?x?xf32>) concat(%next : tensor<1x?x?xf32>)
  }
  return %0#1 : tensor<?x?x?xf32>
}

// What a body computes of values from outside is computed in front of the loop too, unless it can fail.
// CHECK-LABEL: @invariant
func.func @invariant(%n: tensor<i64>, %x: tensor<7xf32>, %d: tensor<1xi64>) -> (tensor<1x?xi64>, tensor<?xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[OPEN:.*]] = ov.non_zero %arg1
  // CHECK: %[[SHAPE:.*]] = ov.shape_of %[[OPEN]]
  // CHECK: %[[DIM:.*]] = ov.gather %[[SHAPE]]
  // CHECK: %[[DIMS:.*]] = ov.concat %{{.*}}, %[[DIM]]
  // CHECK: %[[UNKNOWN:.*]] = ov.constant dense<0> : tensor<1xi64>
  // CHECK: ov.loop {{.*}} empty(%[[DIMS]] : tensor<2xi64>, %[[UNKNOWN]] : tensor<1xi64>) {
  %0:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) last(tensor<1x?xi64>, tensor<?xf32>) {
    %places = ov.non_zero %x {output_type = i64} : (tensor<7xf32>) -> tensor<1x?xi64>
    %length = ov.divide %d, %d : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %f = ov.constant dense<1.0> : tensor<f32>
    %values = ov.broadcast %f, %length : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
    ov.yield while(%true : tensor<i1>) last(%places, %values : tensor<1x?xi64>, tensor<?xf32>)
  }
  return %0#0, %0#1 : tensor<1x?xi64>, tensor<?xf32>
}

// Nothing is open where types tell the dims, or where the loop runs.
// CHECK-LABEL: @none
func.func @none(%n: tensor<i64>, %x: tensor<1x4xf32>, %y: tensor<1x?xf32>) -> (tensor<?x4xf32>, tensor<?x?xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK-NOT: empty(
  // CHECK: return
  %0 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<?x4xf32>) {
    ov.yield while(%true : tensor<i1>) concat(%x : tensor<1x4xf32>)
  }
  %1 = ov.loop trip(%three : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<?x?xf32>) {
    ov.yield while(%true : tensor<i1>) concat(%y : tensor<1x?xf32>)
  }
  return %0, %1 : tensor<?x4xf32>, tensor<?x?xf32>
}

// What another loop has in its body cannot be read from here: its result can.
// CHECK-LABEL: @another
func.func @another(%n: tensor<i64>, %x: tensor<?x2xi64>, %c: tensor<i1>) -> tensor<?x?x2xi64> {
  %true = ov.constant dense<true> : tensor<i1>
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK: %[[FIRST:.*]] = ov.loop
  %0 = ov.loop trip(%three : tensor<i64>) while(%true : tensor<i1>) last(tensor<?x2xi64>) {
    %if = ov.if %c : tensor<i1> -> tensor<?x2xi64> {
      %y = ov.negative %x : tensor<?x2xi64>
      ov.result %y : tensor<?x2xi64>
    } else {
      %z = ov.concat %x, %x {axis = 0 : i64} : (tensor<?x2xi64>, tensor<?x2xi64>) -> tensor<?x2xi64>
      ov.result %z : tensor<?x2xi64>
    }
    ov.yield while(%true : tensor<i1>) last(%if : tensor<?x2xi64>)
  }
  // CHECK: ov.shape_of %[[FIRST]]
  // CHECK: ov.loop
  // CHECK: return
  %1 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) concats(along 0 : tensor<?x?x2xi64>) {
    %zero = ov.constant dense<0> : tensor<1xi64>
    %part = ov.unsqueeze %0, %zero : (tensor<?x2xi64>, tensor<1xi64>) -> tensor<1x?x2xi64>
    ov.yield while(%true : tensor<i1>) concat(%part : tensor<1x?x2xi64>)
  }
  return %1 : tensor<?x?x2xi64>
}
