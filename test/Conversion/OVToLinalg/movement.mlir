// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %[[X:.*]]: tensor<2x?xf32>, %[[Y:.*]]: tensor<2x1x3xf32>
func.func @transpose(%x: tensor<2x?xf32>, %y: tensor<2x1x3xf32>) -> (tensor<?x2xf32>, tensor<1x2x3xf32>) {
  %o0 = ov.constant dense<[1, 0]> : tensor<2xi64>
  %o1 = ov.constant dense<[1, 0, 2]> : tensor<3xi64>
  // CHECK: linalg.transpose ins(%[[X]] : tensor<2x?xf32>) outs(%{{.*}} : tensor<?x2xf32>) permutation = [1, 0]
  // If only unit dims move, the op is a no-op.
  // CHECK-NOT: linalg.transpose
  // CHECK: tensor.expand_shape
  %0 = ov.transpose %x, %o0 : (tensor<2x?xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  %1 = ov.transpose %y, %o1 : (tensor<2x1x3xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<1x2x3xf32>
}

// The type of the operand does not have these dims, but the op that made it does.
// CHECK-LABEL: func.func @transpose_cast(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3xf32>
func.func @transpose_cast(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %o = ov.constant dense<[1, 0]> : tensor<2xi64>
  // CHECK: linalg.transpose ins(%[[X]] : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x2xf32>) permutation = [1, 0]
  %0 = tensor.cast %x : tensor<2x3xf32> to tensor<?x?xf32>
  %1 = ov.transpose %0, %o : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @concat(
// CHECK-SAME: %[[X:.*]]: tensor<2x30xf32>, %[[Y:.*]]: tensor<2x40xf32>)
func.func @concat(%x: tensor<2x30xf32>, %y: tensor<2x40xf32>) -> tensor<2x70xf32> {
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x70xf32>
  // CHECK: %[[A:.*]] = tensor.insert_slice %[[X]] into %[[EMPTY]][0, 0] [2, 30] [1, 1]
  // CHECK: tensor.insert_slice %[[Y]] into %[[A]][0, 30] [2, 40] [1, 1]
  %0 = ov.concat %x, %y {axis = -1} : (tensor<2x30xf32>, tensor<2x40xf32>) -> tensor<2x70xf32>
  return %0 : tensor<2x70xf32>
}

// CHECK-LABEL: func.func @concat_dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?x4xf32>)
func.func @concat_dynamic(%x: tensor<?x?xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[G:.*]]:2 = rt.check %{{.*}}, shape, "dims {0} and {1} do not agree"
  // CHECK: %[[TIED:.*]] = tensor.extract_slice %[[X]][0, %[[G]]#1] [%{{.*}}, 4] [1, 1]
  // CHECK: %[[SUM:.*]] = arith.addi
  // CHECK: tensor.empty(%[[SUM]]) : tensor<?x4xf32>
  // CHECK: tensor.insert_slice %[[TIED]]
  %0 = ov.concat %x, %y {axis = 0} : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Many inputs are written to their parts of a buffer.

// CHECK-LABEL: @concat_many
// CHECK: %[[B:.*]] = memref.alloc() : memref<17x4xf32>
// CHECK: %[[FIRST:.*]] = memref.subview %[[B]][0, 0] [1, 4] [1, 1]
// CHECK: %[[LAST:.*]] = memref.subview %[[B]][16, 0] [1, 4] [1, 1]
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[FIRST]]
// CHECK: bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[LAST]]
// CHECK: bufferization.to_tensor %[[B]] restrict
// CHECK-NOT: tensor.insert_slice
func.func @concat_many(%x: tensor<1x4xf32>) -> tensor<17x4xf32> {
  %s = ov.add %x, %x : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %0 = ov.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
      %s {axis = 0} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>,
        tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>,
        tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<17x4xf32>
  return %0 : tensor<17x4xf32>
}

// Short vectors, such as shapes, stay in registers.
// CHECK-LABEL: @concat_shape
func.func @concat_shape(%x: tensor<?x8xf32>, %n: tensor<1xi64>) -> tensor<2xi64> {
  %axis = ov.constant dense<0> : tensor<i64>
  %first = ov.constant dense<[0]> : tensor<1xi64>
  // CHECK-DAG: %[[D:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK-DAG: %[[N:.*]] = tensor.extract %arg1[%c0]
  // CHECK: tensor.from_elements %[[D]], %[[N]] : tensor<2xi64>
  // CHECK-NOT: tensor.insert_slice
  %0 = ov.shape_of %x {output_type = i64} : (tensor<?x8xf32>) -> tensor<2xi64>
  %1 = ov.gather %0, %first, %axis : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %2 = ov.concat %1, %n {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %2 : tensor<2xi64>
}

// The lengths are checked before anything is moved.
// CHECK-LABEL: func.func @reverse_sequence(
func.func @reverse_sequence(%x: tensor<2x5x8xf32>, %n: tensor<2xi32>) -> tensor<2x5x8xf32> {
  // CHECK: scf.for
  // CHECK: rt.check %{{.*}}, index, "sequence {0} has length {1}, but there are {2} elements"
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NOT: rt.check
  // CHECK: tensor.insert_slice
  %0 = ov.reverse_sequence %x, %n : (tensor<2x5x8xf32>, tensor<2xi32>) -> tensor<2x5x8xf32>
  return %0 : tensor<2x5x8xf32>
}

// Of ten dims, the first three share a loop.
// CHECK-LABEL: func.func @many_dims(
func.func @many_dims(%x: tensor<2x3x?x2x2x2x2x2x2x5xf32>, %n: tensor<2xi32>) -> tensor<2x3x?x2x2x2x2x2x2x5xf32> {
  // CHECK: %[[DIM:.*]] = tensor.dim %{{.*}}, %c2 : tensor<2x3x?x
  // CHECK: %[[ALL:.*]] = arith.muli %[[DIM]], %c6 : index
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[ALL]] step
  // CHECK-COUNT-7: scf.for
  // CHECK: %[[LAST:.*]] = arith.remui %[[I]], %[[DIM]] : index
  // CHECK: %[[REST:.*]] = arith.divui %[[I]], %[[DIM]] : index
  // CHECK: %[[SECOND:.*]] = arith.remui %[[REST]], %{{.*}} : index
  // CHECK: %[[FIRST:.*]] = arith.divui %[[REST]], %{{.*}} : index
  // CHECK: tensor.extract %{{.*}}[%[[FIRST]], %[[SECOND]], %[[LAST]], %
  %0 = ov.reverse_sequence %x, %n {batch_axis = 8 : i64, seq_axis = 9 : i64}
      : (tensor<2x3x?x2x2x2x2x2x2x5xf32>, tensor<2xi32>) -> tensor<2x3x?x2x2x2x2x2x2x5xf32>
  return %0 : tensor<2x3x?x2x2x2x2x2x2x5xf32>
}
