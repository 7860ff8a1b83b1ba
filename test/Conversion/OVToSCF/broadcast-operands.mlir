// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --broadcast-ov-operands --canonicalize --cse --split-input-file | FileCheck %s

// Two dims that are not known to be equal get a common dim. It is computed and checked once, for all ops that use these
// dims.

// CHECK-LABEL: @rows
// CHECK-SAME: (%[[A:[^:]*]]: tensor<?x4xf32>, %[[B:[^:]*]]: tensor<?x4xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[NA:.*]] = tensor.dim %[[A]], %[[C0]]
// CHECK-DAG: %[[NB:.*]] = tensor.dim %[[B]], %[[C0]]
// CHECK: arith.select
// CHECK: rt.check %{{.*}}, shape, "dims {0} and {1} do not broadcast"
// CHECK: %[[N:.*]] = rt.check %{{.*}}, shape, "dims {0} and {1} do not broadcast"
// CHECK-NOT: rt.check
// CHECK-DAG: %[[AN:.*]] = rt.broadcast_dim %[[A]] along 0 to %[[N]]
// CHECK-DAG: %[[BN:.*]] = rt.broadcast_dim %[[B]] along 0 to %[[N]]
// CHECK: %[[SUM:.*]] = ov.add %[[AN]], %[[BN]]
// CHECK: %[[TANH:.*]] = ov.tanh %[[SUM]]
// CHECK-DAG: %[[TN:.*]] = rt.broadcast_dim %[[TANH]] along 0 to %[[N]]
// CHECK: ov.multiply %[[TN]], %[[BN]]
func.func @rows(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = ov.add %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = ov.tanh %0 : tensor<?x4xf32>
  %2 = ov.multiply %1, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// -----

// Dims stay if they are known to be equal, or known not to broadcast.

// CHECK-LABEL: @equal
// CHECK-NOT: rt.broadcast_dim
// CHECK: return
func.func @equal(%a: tensor<?x4xf32>, %b: tensor<1x4xf32>, %c: tensor<f32>) -> tensor<?x4xf32> {
  %0 = ov.tanh %a : tensor<?x4xf32>
  %1 = ov.add %a, %0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = ov.add %1, %b : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %3 = ov.add %2, %c : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}

// -----

// The type of the other operand has the dim, so the dim is static from then on.

// CHECK-LABEL: @fixed
// CHECK: rt.check
// CHECK: %[[WIDE:.*]] = rt.broadcast_dim %{{.*}} along 0 to
// CHECK: %[[CAST:.*]] = tensor.cast %[[WIDE]] : tensor<?x4xf32> to tensor<3x4xf32>
// CHECK: ov.add %[[CAST]], %{{.*}} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
func.func @fixed(%a: tensor<?x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = ov.add %a, %b : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// The batches of matrices broadcast, their rows and columns do not.

// CHECK-LABEL: @batches
// CHECK-SAME: (%[[A:[^:]*]]: tensor<?x?x4xf32>, %[[B:[^:]*]]: tensor<?x4x?xf32>
// CHECK-DAG: rt.broadcast_dim %[[A]] along 0
// CHECK-DAG: rt.broadcast_dim %[[B]] along 0
// CHECK-NOT: rt.broadcast_dim
// CHECK: ov.matmul
func.func @batches(%a: tensor<?x?x4xf32>, %b: tensor<?x4x?xf32>) -> tensor<?x?x?xf32> {
  %0 = ov.matmul %a, %b : (tensor<?x?x4xf32>, tensor<?x4x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// Bodies of loops are left alone, branches are not.

// CHECK-LABEL: @bodies
// CHECK: ov.loop
// CHECK-NOT: rt.broadcast_dim
// CHECK: ov.if
// CHECK: rt.broadcast_dim
func.func @bodies(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %c: tensor<i1>, %n: tensor<i64>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %r = ov.loop trip(%n : tensor<i64>) while(%c : tensor<i1>) carried(%s = %a : tensor<?x4xf32>) {
    %m = ov.add %s, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.yield while(%c : tensor<i1>) next(%m : tensor<?x4xf32>)
  }
  %i = ov.if %c : tensor<i1> -> tensor<?x4xf32> {
    %m = ov.add %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.result %m : tensor<?x4xf32>
  } else {
    ov.result %a : tensor<?x4xf32>
  }
  return %r, %i : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// If the call has only one element along the last dim, a copy repeats it, so that it can be read as a vector like a
// full row.

// CHECK-LABEL: @elements
// CHECK-SAME: (%[[A:[^:]*]]: tensor<4x?xf32>, %[[B:[^:]*]]: tensor<?xf32>
// CHECK: rt.check
// CHECK: %[[CHOICE:.*]] = scf.if {{.*}} -> (tensor<4x?xf32>)
// CHECK: scf.yield %[[A]]
  // CHECK: %[[ONE:.*]] = tensor.extract_slice %[[A]][0, 0] [4, 1] [1, 1] : tensor<4x?xf32> to tensor<4x1xf32>
// CHECK: ov.tile %[[ONE]]
// CHECK: tensor.extract_slice %[[CHOICE]][0, 0] [4, %{{.*}}] [1, 1]
// CHECK: scf.if
// CHECK: scf.yield %[[B]]
// CHECK: ov.add
func.func @elements(%a: tensor<4x?xf32>, %b: tensor<?xf32>) -> tensor<4x?xf32> {
  %0 = ov.add %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// The dim that has no name in the type is known to be 0, and does not broadcast with 2. The check fails in each call, and
// the types stay as they are.

// CHECK-LABEL: @never_fits
// CHECK: rt.check {{.*}}"dims {0} and {1} do not broadcast"
// CHECK: ov.equal {{.*}} : (tensor<1x2xf32>, tensor<1x?xf32>)
func.func @never_fits(%a: tensor<1x2xf32>) -> tensor<1x2xi1> {
  %empty = ov.constant dense<0.0> : tensor<1x0xf32>
  %b = tensor.cast %empty : tensor<1x0xf32> to tensor<1x?xf32>
  %0 = ov.equal %a, %b : (tensor<1x2xf32>, tensor<1x?xf32>) -> tensor<1x2xi1>
  return %0 : tensor<1x2xi1>
}

// -----

// A body that is converted already: the state has the dims of its buffer, whose rows are the common dim of the operands.
// So the sum has the dims of the state.

// CHECK-LABEL: @state
// CHECK-SAME: (%[[BUFFER:[^:]*]]: memref<2x?x4xf32>, %[[B:[^:]*]]: tensor<?x4xf32>
// CHECK: scf.for
// CHECK: %[[S:.*]] = bufferization.to_tensor
// CHECK-DAG: %[[SAME:.*]] = rt.broadcast_dim %[[S]] along 0 to %[[ROWS:.*]] :
// CHECK-DAG: %[[WIDE:.*]] = rt.broadcast_dim %[[B]] along 0 to %[[ROWS]] :
// CHECK: %[[SUM:.*]] = ov.add %[[SAME]], %[[WIDE]]
// CHECK-NOT: rt.broadcast_dim
// CHECK: ov.multiply %[[SUM]], %[[S]]
func.func @state(%buffer: memref<2x?x4xf32>, %b: tensor<?x4xf32>, %n: index, %t: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %b, %c0 : tensor<?x4xf32>
  %is_one = arith.cmpi eq, %n, %c1 : index
  %rows = arith.select %is_one, %dim, %n : index
  scf.for %i = %c0 to %t step %c1 {
    %here = memref.subview %buffer[0, 0, 0] [1, %rows, 4] [1, 1, 1] : memref<2x?x4xf32> to memref<?x4xf32, strided<[4, 1]>>
    %there = memref.subview %buffer[1, 0, 0] [1, %rows, 4] [1, 1, 1] : memref<2x?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
    %s = bufferization.to_tensor %here restrict : memref<?x4xf32, strided<[4, 1]>> to tensor<?x4xf32>
    %0 = ov.add %s, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = ov.multiply %0, %s : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    bufferization.materialize_in_destination %1 in restrict writable %there : (tensor<?x4xf32>, memref<?x4xf32, strided<[4, 1], offset: ?>>) -> ()
  }
  return
}

// -----

// The concatenation fails unless both have the same rows, so the ops after it do not broadcast. One before it does.

// CHECK-LABEL: @agreed
// CHECK-SAME: (%[[A:[^:]*]]: tensor<?x4xf32>, %[[B:[^:]*]]: tensor<?x4xf32>
// CHECK: ov.subtract %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<?x4xf32>)
// CHECK: ov.concat
// CHECK: %[[P:.*]] = ov.multiply %[[A]], %[[B]] {auto_broadcast = #ov.auto_broadcast<none>}
// CHECK-NEXT: ov.add %[[P]], %[[A]] : (tensor<?x4xf32>, tensor<?x4xf32>)
func.func @agreed(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x8xf32>, tensor<?x4xf32>) {
  %d = ov.subtract %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %c = ov.concat %a, %b {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  %p = ov.multiply %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = ov.add %p, %a : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %d, %c, %s : tensor<?x4xf32>, tensor<?x8xf32>, tensor<?x4xf32>
}

// -----

// Rows that agree do not say that columns do.

// CHECK-LABEL: @columns
// CHECK: rt.broadcast_dim
// CHECK: ov.multiply {{.*}} : (tensor<?x?xf32>, tensor<?x?xf32>)
func.func @columns(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c = ov.concat %a, %b {axis = 1 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = ov.multiply %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c, %p : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// The dims of a convolution follow from those of its data: pads that make up for the kernel keep a dim, and ways with
// the same positions have equal dims.

// CHECK-LABEL: @residuals
// CHECK-NOT: rt.broadcast_dim
// CHECK: return
func.func @residuals(%x: tensor<1x8x?xf32>, %w: tensor<8x8x3xf32>, %v: tensor<8x8x1xf32>) -> tensor<1x8x?xf32> {
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 2>, pads_end = array<i64: 2>,
      dilations = array<i64: 2>} : (tensor<1x8x?xf32>, tensor<8x8x3xf32>) -> tensor<1x8x?xf32>
  %1 = ov.add %0, %x : (tensor<1x8x?xf32>, tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  %2 = ov.convolution %1, %w {strides = array<i64: 2>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>,
      dilations = array<i64: 1>} : (tensor<1x8x?xf32>, tensor<8x8x3xf32>) -> tensor<1x8x?xf32>
  %3 = ov.convolution %x, %v {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>,
      dilations = array<i64: 1>} : (tensor<1x8x?xf32>, tensor<8x8x1xf32>) -> tensor<1x8x?xf32>
  %4 = ov.add %2, %3 : (tensor<1x8x?xf32>, tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  return %4 : tensor<1x8x?xf32>
}
