// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse | FileCheck %s

// The dims of a last value are known only inside the loop: its buffer grows, and its dims are carried and start at 0.

// CHECK-LABEL: @last_of_unknown_dims
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4xi64>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[CELL:.*]] = memref.alloc() : memref<1x2xi64>
// CHECK: %[[DIM:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[C0]]) -> (index)
// CHECK: %[[VALUE:.*]] = ov.broadcast
// CHECK: %[[NEXT:.*]] = tensor.dim %[[VALUE]], %[[C0]]
// CHECK: rt.reserve growing %{{.*}} keeping %[[C0]] in %{{.*}} to memref<?xi8>
// CHECK: bufferization.materialize_in_destination %[[VALUE]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[HELD:.*]] = rt.held
// CHECK: memref.view %[[HELD]][%[[C0]]][%[[DIM]]] : memref<?xi8> to memref<?xf32>
func.func @last_of_unknown_dims(%x: tensor<4xi64>, %k: tensor<f32>) -> tensor<?xf32> {
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xi64> to tensor<1xi64>)
      last(tensor<?xf32>) {
    %b = ov.broadcast %k, %a : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
    ov.yield last(%b : tensor<?xf32>)
  }
  return %r : tensor<?xf32>
}

// A last value whose dims are known in advance has them without an iteration too, and is then zeros.

// CHECK-LABEL: @last_of_a_loop_that_may_not_run
// CHECK-SAME: (%[[N:[^:]*]]: tensor<i64>, %[[K:.*]]: tensor<?xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[COUNT:.*]] = rt.check {{.*}} "a loop without a trip count, slices or a condition never ends"
// CHECK: %[[RAN:.*]] = arith.cmpi sgt, %[[COUNT]], %[[C0]]
// CHECK: %[[DIM:.*]] = tensor.dim %[[K]], %[[C0]]
// CHECK: memref.alloc(%[[DIM]]) : memref<?xf32>
// CHECK: scf.if %[[RAN]]
// CHECK: else
// CHECK: ov.broadcast
// CHECK-NOT: rt.reserve
func.func @last_of_a_loop_that_may_not_run(%n: tensor<i64>, %k: tensor<?xf32>) -> tensor<?xf32> {
  %true = ov.constant dense<true> : tensor<i1>
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) last(tensor<?xf32>) {
    %b = ov.exp %k : tensor<?xf32>
    ov.yield while(%true : tensor<i1>) last(%b : tensor<?xf32>)
  }
  return %r : tensor<?xf32>
}

// Parts of different length: one buffer holds them in a row, another one their lengths; they are joined at the end.

// CHECK-LABEL: @parts_of_unknown_dims
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[PARTS:.*]] = memref.alloc() : memref<2xi64>
// CHECK-DAG: %[[LENGTHS:.*]] = memref.alloc() : memref<2xi64>
// CHECK: %[[SUM:.*]]:3 = scf.for %{{.*}} iter_args(%[[BYTES:.*]] = %[[C0]], %[[LENGTH:.*]] = %[[C0]], %[[OTHER:.*]] = %[[C0]])
// CHECK: rt.check %{{.*}}, shape, "parts with a dim of {0} and of {1} do not make up a concatenation"
// CHECK: rt.reserve
// CHECK: rt.reserve
// CHECK: scf.yield
// CHECK: %[[ALL:.*]] = memref.alloc(%[[SUM]]#2, %[[SUM]]#1) : memref<?x?xf32>
// CHECK: scf.for
// CHECK: memref.subview %[[ALL]]
// CHECK: bufferization.materialize_in_destination
func.func @parts_of_unknown_dims(%x: tensor<4x2xi64>, %k: tensor<f32>) -> tensor<?x?xf32> {
  %axis = ov.constant dense<0> : tensor<1xi64>
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4x2xi64> to tensor<1x2xi64>)
      concats(along 1 : tensor<?x?xf32>) {
    %s = ov.squeeze %a, %axis : (tensor<1x2xi64>, tensor<1xi64>) -> tensor<2xi64>
    %b = ov.broadcast %k, %s : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    ov.yield concat(%b : tensor<?x?xf32>)
  }
  return %r : tensor<?x?xf32>
}

// The size of a slice is not known in advance, although no attribute says so.

// CHECK-LABEL: @slice_of_unknown_length
// CHECK: scf.for
// CHECK: %[[PART:.*]] = ov.slice
// CHECK: tensor.dim %[[PART]]
// CHECK: rt.reserve
func.func @slice_of_unknown_length(%x: tensor<4x1xi64>, %k: tensor<3x5xf32>) -> tensor<?x5xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4x1xi64> to tensor<1x1xi64>)
      concats(along 0 : tensor<?x5xf32>) {
    %stop = ov.squeeze %a, %zero : (tensor<1x1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %b = ov.slice %k, %zero, %stop, %one, %zero : (tensor<3x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x5xf32>
    ov.yield concat(%b : tensor<?x5xf32>)
  }
  return %r : tensor<?x5xf32>
}
