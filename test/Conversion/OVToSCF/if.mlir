// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --split-input-file | FileCheck %s

// The dims are known in advance, so both bodies write one buffer. One element is a scalar.
// CHECK-LABEL: func.func @buffer(
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<?x4xf32>)
func.func @buffer(%c: tensor<i1>, %x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<1xi64>) {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]]
  // CHECK: %[[BUFFER:.*]] = memref.alloc(%[[N]]) : memref<?x4xf32>
  // CHECK: %[[FLAG:.*]] = tensor.extract %[[C]][] : tensor<i1>
  // CHECK: %[[S:.*]] = scf.if %[[FLAG]] -> (i64) {
  // CHECK:   %[[E:.*]] = ov.exp %[[X]]
  // CHECK:   bufferization.materialize_in_destination %[[E]] in restrict writable %[[BUFFER]]
  // CHECK:   %[[ONE:.*]] = tensor.extract
  // CHECK:   scf.yield %[[ONE]] : i64
  // CHECK: } else {
  // CHECK:   bufferization.materialize_in_destination %[[X]] in restrict writable %[[BUFFER]]
  // CHECK: }
  // CHECK: %[[R:.*]] = bufferization.to_tensor %[[BUFFER]] restrict
  // CHECK: %[[T:.*]] = tensor.from_elements %[[S]] : tensor<1xi64>
  // CHECK: return %[[R]], %[[T]]
  %0:2 = ov.if %c : tensor<i1> -> tensor<?x4xf32>, tensor<1xi64> {
    %1 = ov.exp %x : tensor<?x4xf32>
    %2 = ov.constant dense<1> : tensor<1xi64>
    ov.result %1, %2 : tensor<?x4xf32>, tensor<1xi64>
  } else {
    %2 = ov.constant dense<2> : tensor<1xi64>
    ov.result %x, %2 : tensor<?x4xf32>, tensor<1xi64>
  }
  return %0#0, %0#1 : tensor<?x4xf32>, tensor<1xi64>
}

// -----

// Dims that differ stay inside the bodies.
// CHECK-LABEL: func.func @differ(
func.func @differ(%c: tensor<1xi1>, %x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<?xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<?xf32>) {
  // CHECK: scf.yield
  // CHECK: } else {
  // CHECK: scf.yield
  // CHECK: return %[[R]]
  %0 = ov.if %c : tensor<1xi1> -> tensor<?xf32> {
    %1 = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
    ov.result %1 : tensor<?xf32>
  } else {
    %1 = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
    ov.result %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Both bodies write the next state to its slot, and nowhere else.
// CHECK-LABEL: func.func @state(
func.func @state(%c: tensor<i1>, %x: tensor<5x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK: %[[STATE:.*]] = memref.alloc() : memref<2x1x4xf32>
  // CHECK: scf.for
  // CHECK:   %[[NEXT:.*]] = memref.subview %[[STATE]][%{{.*}}, 0, 0] [1, 1, 4] [1, 1, 1] : memref<2x1x4xf32> to memref<1x4xf32,
  // CHECK-NOT: memref.alloc
  // CHECK:   scf.if
  // CHECK:     bufferization.materialize_in_destination %{{.*}} in restrict writable
  // CHECK:   } else {
  // CHECK:     bufferization.materialize_in_destination %{{.*}} in restrict writable
  // CHECK:   }
  // CHECK-NOT: materialize_in_destination
  // CHECK: return
  %0 = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<5x4xf32> to tensor<1x4xf32>)
      carried(%s = %s0 : tensor<1x4xf32>) {
    %1 = ov.if %c : tensor<i1> -> tensor<1x4xf32> {
      %2 = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.result %2 : tensor<1x4xf32>
    } else {
      ov.result %s : tensor<1x4xf32>
    }
    ov.yield next(%1 : tensor<1x4xf32>)
  }
  return %0 : tensor<1x4xf32>
}
