// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --split-input-file | FileCheck %s

// An initial value that takes work is computed in a branch for states that are not set. A constant needs none.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[S:.*]]: tensor<2x4xf32>, %[[SET:.*]]: tensor<i1>
module attributes {ov.states = array<i64: 1>} {
  func.func @computed(%x: tensor<2x4xf32>, %s: tensor<2x4xf32>, %set: tensor<i1>)
      -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    // CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<2x4xf32>
    // CHECK: %[[FLAG:.*]] = tensor.extract %[[SET]][] : tensor<i1>
    // CHECK: scf.if %[[FLAG]] {
    // CHECK:   bufferization.materialize_in_destination %[[S]] in restrict writable %[[BUFFER]]
    // CHECK: } else {
    // CHECK:   %[[E:.*]] = ov.exp %[[X]]
    // CHECK:   %[[T:.*]] = ov.tanh %[[E]]
    // CHECK:   bufferization.materialize_in_destination %[[T]] in restrict writable %[[BUFFER]]
    // CHECK: }
    // CHECK: %[[R:.*]] = bufferization.to_tensor %[[BUFFER]] restrict
    // CHECK: ov.add %[[R]], %[[X]]
    %0 = ov.exp %x : tensor<2x4xf32>
    %1 = ov.tanh %0 : tensor<2x4xf32>
    %2 = ov.select %set, %s, %1 : (tensor<i1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = ov.add %2, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return %3, %3 : tensor<2x4xf32>, tensor<2x4xf32>
  }
}

// -----

// What others need too stays in front of the branch.
// CHECK-LABEL: func.func @shared(
module attributes {ov.states = array<i64: 1>} {
  func.func @shared(%x: tensor<2x4xf32>, %s: tensor<2x4xf32>, %set: tensor<i1>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    // CHECK: %[[E:.*]] = ov.exp
    // CHECK: scf.if
    // CHECK: } else {
    // CHECK-NEXT: ov.tanh %[[E]]
    // CHECK: return %[[E]]
    %0 = ov.exp %x : tensor<2x4xf32>
    %1 = ov.tanh %0 : tensor<2x4xf32>
    %2 = ov.select %set, %s, %1 : (tensor<i1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  }
}

// -----

// What only initial values need, of several states, is computed in a branch unless all of these states are set.
// CHECK-LABEL: func.func @of_several(
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[S:.*]]: tensor<2x4xf32>, %[[SET:.*]]: tensor<i1>, %[[Z:.*]]: tensor<4x2xf32>, %[[ZSET:.*]]: tensor<i1>
module attributes {ov.states = array<i64: 1, 1>} {
  func.func @of_several(%x: tensor<2x4xf32>, %s: tensor<2x4xf32>, %set: tensor<i1>, %z: tensor<4x2xf32>,
                        %zset: tensor<i1>) -> (tensor<2x4xf32>, tensor<4x2xf32>) {
    // CHECK-NOT: ov.exp
    // CHECK: %[[SHARED:.*]] = memref.alloc() : memref<2x4xf32>
    // CHECK-DAG: %[[F:.*]] = tensor.extract %[[SET]][]
    // CHECK-DAG: %[[G:.*]] = tensor.extract %[[ZSET]][]
    // CHECK: %[[BOTH:.*]] = arith.andi {{%.*}}, {{%.*}} : i1
    // CHECK: scf.if %[[BOTH]] {
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   %[[E:.*]] = ov.exp %[[X]]
    // CHECK-NEXT:   %[[T:.*]] = ov.tanh %[[E]]
    // CHECK-NEXT:   bufferization.materialize_in_destination %[[T]] in restrict writable %[[SHARED]]
    // CHECK: %[[R:.*]] = bufferization.to_tensor %[[SHARED]] restrict
    // CHECK: scf.if
    // CHECK: } else {
    // CHECK-NEXT: bufferization.materialize_in_destination %[[R]]
    // CHECK: scf.if
    // CHECK: } else {
    // CHECK: ov.reshape %[[R]]
    // CHECK-NOT: ov.exp
    // CHECK: return
    %shape = ov.constant dense<[4, 2]> : tensor<2xi64>
    %0 = ov.exp %x : tensor<2x4xf32>
    %1 = ov.tanh %0 : tensor<2x4xf32>
    %2 = ov.reshape %1, %shape : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<4x2xf32>
    %3 = ov.select %set, %s, %1 : (tensor<i1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = ov.select %zset, %z, %2 : (tensor<i1>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    return %3, %4 : tensor<2x4xf32>, tensor<4x2xf32>
  }
}

// -----

// Zeros, and what can fault, stay where they are.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT: scf.if
module attributes {ov.states = array<i64: 1, 1>} {
  func.func @stays(%i: tensor<2xi64>, %x: tensor<3x4xf32>, %s: tensor<2x4xf32>, %set: tensor<i1>, %z: tensor<2x4xf32>,
                   %zset: tensor<i1>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    // CHECK: ov.gather
    %axis = ov.constant dense<0> : tensor<i64>
    %0 = ov.gather %x, %i, %axis : (tensor<3x4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x4xf32>
    %1 = ov.select %set, %s, %0 : (tensor<i1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %zeros = ov.constant dense<0.0> : tensor<2x4xf32>
    %2 = ov.select %zset, %z, %zeros : (tensor<i1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  }
}

// -----

// The dims of the initial value follow from those of an input, so they are known in front of the branch.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>, %[[S:.*]]: tensor<?x3xf32>, %[[SET:.*]]: tensor<i1>
module attributes {ov.states = array<i64: 1>} {
  func.func @dynamic(%x: tensor<?x3xf32>, %s: tensor<?x3xf32>, %set: tensor<i1>)
      -> (tensor<?x3xf32>, tensor<?x3xf32>) {
    // CHECK: %[[DIM:.*]] = tensor.dim %[[X]]
    // CHECK: tensor.from_elements
    // CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i64 to index
    // CHECK: %[[BUFFER:.*]] = memref.alloc(%[[N]]) : memref<?x3xf32>
    // CHECK: scf.if
    // CHECK:   bufferization.materialize_in_destination %[[S]] in restrict writable %[[BUFFER]]
    // CHECK: } else {
    // CHECK:   %[[E:.*]] = ov.exp %[[X]]
    // CHECK:   bufferization.materialize_in_destination %[[E]] in restrict writable %[[BUFFER]]
    // CHECK: }
    // CHECK: %[[R:.*]] = bufferization.to_tensor %[[BUFFER]] restrict
    // CHECK: return %[[R]], %[[R]]
    %zero = ov.constant dense<0> : tensor<i64>
    %first = ov.constant dense<0> : tensor<1xi64>
    %one = ov.constant dense<1> : tensor<1xi64>
    %three = ov.constant dense<3> : tensor<1xi64>
    %all = ov.constant dense<-1> : tensor<1xi64>
    %init = ov.exp %x : tensor<?x3xf32>
    %0 = ov.shape_of %s {output_type = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
    %1 = ov.gather %0, %first, %zero : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
    %2 = ov.shape_of %init {output_type = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
    %3 = ov.gather %2, %first, %zero : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
    %4 = ov.select %set, %1, %3 : (tensor<i1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %5 = ov.reshape %s, %all : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<?xf32>
    %6 = ov.reshape %init, %all : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<?xf32>
    %7 = ov.concat %5, %6 {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %8 = ov.multiply %4, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %9 = ov.slice %7, %first, %8, %one, %first : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>,
        tensor<1xi64>) -> tensor<?xf32>
    %10 = ov.concat %4, %three {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %11 = ov.reshape %9, %10 : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x3xf32>
    return %11, %11 : tensor<?x3xf32>, tensor<?x3xf32>
  }
}
