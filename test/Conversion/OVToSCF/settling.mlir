// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Dims that are known before the loop need no growing buffer: they are followed through ops, through shapes that are
// data, and through inner loops.

// CHECK-LABEL: @traced
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x?x3xf32>
// CHECK-NOT: rt.reserve
// CHECK: memref.alloc
// CHECK-NOT: rt.reserve
// CHECK: return
func.func @traced(%x: tensor<?x?x3xf32>, %h: tensor<?x4xf32>, %w: tensor<3x4xf32>) -> (tensor<?x?x4xf32>, tensor<?x4xf32>) {
  %axis = ov.constant dense<0> : tensor<1xi64>
  %scalar = ov.constant dense<0> : tensor<i64>
  %four = ov.constant dense<4> : tensor<1xi64>
  %any = ov.constant dense<[-1, 4]> : tensor<2xi64>
  %zero = ov.constant dense<0.0> : tensor<f32>
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<?x?x3xf32> to tensor<1x?x3xf32>)
      carried(%s = %h : tensor<?x4xf32>) concats(along 0 : tensor<?x?x4xf32>) {
    %row = ov.squeeze %a, %axis : (tensor<1x?x3xf32>, tensor<1xi64>) -> tensor<?x3xf32>
    %p = ov.matmul %row, %w : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
    %shape = ov.shape_of %row {output_type = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
    %n = ov.gather %shape, %axis, %scalar : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
    %target = ov.concat %n, %four {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %zeros = ov.broadcast %zero, %target : (tensor<f32>, tensor<2xi64>) -> tensor<?x4xf32>
    %sum = ov.add %p, %zeros : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %flat = ov.reshape %sum, %any {special_zero = false} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
    %next = ov.add %flat, %s {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %inner = ov.tensor_iterator slices(%k = %flat along 1 [0:-1:1] part 1 : tensor<?x4xf32> to tensor<?x1xf32>)
        carried(%t = %next : tensor<?x4xf32>) {
      %m = ov.maximum %t, %k {auto_broadcast = #ov.auto_broadcast<numpy>} : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
      %q = ov.add %m, %t {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      ov.yield next(%q : tensor<?x4xf32>)
    }
    %part = ov.unsqueeze %flat, %axis : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x?x4xf32>
    ov.yield next(%next : tensor<?x4xf32>) concat(%part : tensor<1x?x4xf32>)
  }
  return %r#1, %r#0 : tensor<?x?x4xf32>, tensor<?x4xf32>
}

// -----

// The state may broadcast to the dims of %x in the first iteration, which then stands in front of the loop. Its buffer
// has the dims that it keeps. (A softmax along the dim does not work row by row: %h can't be broadcast before the loop.)

// CHECK-LABEL: @broadcasts
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x2xf32>, %[[H:[^:]*]]: tensor<?x2xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[NX:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK-DAG: %[[NH:.*]] = tensor.dim %[[H]], %[[C0]]
// CHECK: %[[BOTH:.*]] = arith.select
// CHECK: %[[SOME:.*]] = arith.maxui %[[BOTH]], %{{.*}}
// CHECK: %[[STATE:.*]] = memref.alloc(%[[SOME]]) : memref<2x?x2xf32>
// CHECK: %[[DIFFERS:.*]] = arith.cmpi ne, %[[NH]], %[[BOTH]]
// CHECK: %[[START:.*]] = arith.select %[[DIFFERS]], %[[C1]], %[[C0]]
// CHECK: scf.if %[[DIFFERS]] {
// CHECK: ov.add %[[H]], %[[X]]
// CHECK: ov.softmax
// CHECK: } else {
// CHECK: materialize_in_destination %[[H]]
// CHECK: scf.for %{{.*}} = %[[START]] to
// CHECK-NOT: rt.reserve
func.func @broadcasts(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>, %y: tensor<5xf32>) -> tensor<?x2xf32> {
  %r = ov.tensor_iterator slices(%a = %y along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>)
      carried(%s = %h : tensor<?x2xf32>) {
    %m = ov.add %s, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    %n = ov.softmax %m {axis = 0 : i64} : tensor<?x2xf32>
    ov.yield next(%n : tensor<?x2xf32>)
  }
  return %r : tensor<?x2xf32>
}

// -----

// If no iteration runs, the result is the initial value, with its own dims.

// CHECK-LABEL: @may_not_run
// CHECK: scf.for
// CHECK: %[[SIZE:.*]] = arith.select
// CHECK: %[[RESULT:.*]] = memref.alloc(%[[SIZE]]) : memref<?x2xf32>
// CHECK: scf.if
// CHECK: materialize_in_destination
// CHECK: else
// CHECK: materialize_in_destination
func.func @may_not_run(%x: tensor<?x2xf32>, %h: tensor<?x2xf32>, %n: tensor<i64>) -> tensor<?x2xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %h : tensor<?x2xf32>) {
    %m = ov.add %s, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    ov.yield while(%true : tensor<i1>) next(%m : tensor<?x2xf32>)
  }
  return %r : tensor<?x2xf32>
}
