// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// The rows of the state and of the parts of %x broadcast against each other. The operand with a single row is repeated
// before the loop, so the body has one dim.

// CHECK-LABEL: @rows
// CHECK-SAME: (%[[X:[^:]*]]: tensor<5x?x2xf32>, %[[H:[^:]*]]: tensor<?x2xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[NX:.*]] = tensor.dim %[[X]], %[[C1]]
// CHECK-DAG: %[[NH:.*]] = tensor.dim %[[H]], %[[C0]]
// CHECK: %[[BOTH:.*]] = arith.select
// CHECK: rt.check %{{.*}}, shape, "dims {0} and {1} do not broadcast"
// CHECK: %[[N:.*]] = rt.check %{{.*}}, shape, "dims {0} and {1} do not broadcast"
// CHECK: %[[XN:.*]] = rt.broadcast_dim %[[X]] along 1 to %[[N]]
// CHECK: %[[HN:.*]] = rt.broadcast_dim %[[H]] along 0 to %[[N]]
// CHECK: materialize_in_destination %[[HN]]
// CHECK: scf.for %{{.*}} = %[[C0]] to
// CHECK: tensor.extract_slice %[[XN]][%{{.*}}, 0, 0] [1, %{{.*}}, 2]
// CHECK-NOT: scf.if
func.func @rows(%x: tensor<5x?x2xf32>, %h: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5x?x2xf32> to tensor<1x?x2xf32>)
      carried(%s = %h : tensor<?x2xf32>) {
    %row = ov.squeeze %a, %axis : (tensor<1x?x2xf32>, tensor<1xi64>) -> tensor<?x2xf32>
    %m = ov.add %s, %row : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    ov.yield next(%m : tensor<?x2xf32>)
  }
  return %r : tensor<?x2xf32>
}

// -----

// A value of fewer rows leaves the body, so nothing may be broadcast.

// CHECK-LABEL: @yielded
// CHECK-NOT: rt.broadcast_dim
func.func @yielded(%x: tensor<5x?x2xf32>, %h: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<5x?x2xf32>) {
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5x?x2xf32> to tensor<1x?x2xf32>)
      carried(%s = %h : tensor<?x2xf32>) concats(along 0 : tensor<5x?x2xf32>) {
    %row = ov.squeeze %a, %axis : (tensor<1x?x2xf32>, tensor<1xi64>) -> tensor<?x2xf32>
    %m = ov.add %s, %row : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %t = ov.tanh %a : tensor<1x?x2xf32>
    ov.yield next(%m : tensor<?x2xf32>) concat(%t : tensor<1x?x2xf32>)
  }
  return %r#0, %r#1 : tensor<?x2xf32>, tensor<5x?x2xf32>
}

// -----

// Rows that must agree do not broadcast.

// CHECK-LABEL: @agreed
// CHECK-NOT: rt.broadcast_dim
func.func @agreed(%x: tensor<5x?x2xf32>, %h: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5x?x2xf32> to tensor<1x?x2xf32>)
      carried(%s = %h : tensor<?x2xf32>) {
    %row = ov.squeeze %a, %axis : (tensor<1x?x2xf32>, tensor<1xi64>) -> tensor<?x2xf32>
    %m = ov.add %s, %row : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %n = ov.add %m, %row {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    ov.yield next(%n : tensor<?x2xf32>)
  }
  return %r : tensor<?x2xf32>
}

// -----

// A loop that may not run returns its initial value, with the dims of that value.

// CHECK-LABEL: @may_not_run
// CHECK-NOT: rt.broadcast_dim
func.func @may_not_run(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>, %n: tensor<i64>) -> tensor<?x2xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %h : tensor<?x2xf32>) {
    %m = ov.add %s, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    ov.yield while(%true : tensor<i1>) next(%m : tensor<?x2xf32>)
  }
  return %r : tensor<?x2xf32>
}

// -----

// A loop of constant trip count runs. Values that the body captures are broadcast too, for the body alone.

// CHECK-LABEL: @captured
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x2xf32>, %[[H:[^:]*]]: tensor<?x2xf32>
// CHECK-DAG: %[[HN:.*]] = rt.broadcast_dim %[[H]] along 0
// CHECK-DAG: %[[XN:.*]] = rt.broadcast_dim %[[X]] along 0
// CHECK: scf.for
// CHECK: ov.add %{{.*}}, %[[XN]]
// CHECK: return %{{.*}}, %[[X]]
func.func @captured(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %true = ov.constant dense<true> : tensor<i1>
  %three = ov.constant dense<3> : tensor<i64>
  %r = ov.loop trip(%three : tensor<i64>) while(%true : tensor<i1>) carried(%s = %h : tensor<?x2xf32>) {
    %m = ov.add %s, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    ov.yield while(%true : tensor<i1>) next(%m : tensor<?x2xf32>)
  }
  return %r, %x : tensor<?x2xf32>, tensor<?x2xf32>
}
