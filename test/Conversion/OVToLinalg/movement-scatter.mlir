// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// One index writes its slice into the data.
// CHECK-LABEL: func.func @row(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: tensor<i64>, %[[U:.*]]: tensor<4xf32>)
func.func @row(%x: tensor<8x4xf32>, %i: tensor<i64>, %u: tensor<4xf32>) -> tensor<8x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, index, "index {0} is out of range for {1} elements"
  // CHECK: %[[R:.*]] = tensor.insert_slice %[[U]] into %[[X]][%[[G]], 0] [1, 4] [1, 1]
  // CHECK: return %[[R]]
  %0 = ov.scatter_update %x, %i, %u, %axis : (tensor<8x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @rows(
func.func @rows(%x: tensor<?x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: rt.check %{{.*}}, shape, "dims {0} and {1} do not agree"
  // CHECK: scf.for
  // CHECK: rt.check %{{.*}}, index
  // CHECK: tensor.extract_slice
  // CHECK: tensor.insert_slice
  %0 = ov.scatter_update %x, %i, %u, %axis : (tensor<?x4xf32>, tensor<?xi64>, tensor<?x4xf32>, tensor<i64>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// The slice keeps all dims if a unit dim stays, a longer dim is in between, and a dim is dropped.
// CHECK-LABEL: func.func @unit_dims(
func.func @unit_dims(%x: tensor<1x3x?xf32>, %i: tensor<i64>, %u: tensor<1x3xf32>) -> tensor<1x3x?xf32> {
  %axis = ov.constant dense<2> : tensor<i64>
  // CHECK: %[[S:.*]] = tensor.expand_shape {{.*}} : tensor<1x3xf32> into tensor<1x3x1xf32>
  // CHECK: tensor.insert_slice %[[S]] into {{.*}} : tensor<1x3x1xf32> into tensor<1x3x?xf32>
  %0 = ov.scatter_update %x, %i, %u, %axis : (tensor<1x3x?xf32>, tensor<i64>, tensor<1x3xf32>, tensor<i64>) -> tensor<1x3x?xf32>
  return %0 : tensor<1x3x?xf32>
}

// CHECK-LABEL: func.func @elements_mean(
func.func @elements_mean(%x: tensor<4xi32>, %i: tensor<2xi64>, %u: tensor<2xi32>) -> tensor<4xi32> {
  %axis = ov.constant dense<0> : tensor<i64>
  // The places start anew, the sums and counts follow, the means come last.
  // CHECK: scf.for
  // CHECK: tensor.insert %c0_i32
  // CHECK: linalg.fill ins(%c0_i64
  // CHECK: scf.for
  // CHECK: arith.addi
  // CHECK: linalg.generic
  // CHECK: arith.divsi
  %0 = ov.scatter_elements_update %x, %i, %u, %axis {reduction = #ov.scatter_elements_reduction<mean>, use_init_val = false} : (tensor<4xi32>, tensor<2xi64>, tensor<2xi32>, tensor<i64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @nd(
func.func @nd(%x: tensor<4x3xf32>, %i: tensor<1xi64>, %u: tensor<3xf32>) -> tensor<4x3xf32> {
  // CHECK-NOT: scf.for
  // CHECK: tensor.insert_slice %arg2 into %arg0
  %0 = ov.scatter_nd_update %x, %i, %u : (tensor<4x3xf32>, tensor<1xi64>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A cast hides that the rows have 5 elements. The sizes of the slice know it.

// CHECK-LABEL: func.func @nd_of_casts(
func.func @nd_of_casts(%x: tensor<3x5xf32>, %i: tensor<3x1xi64>) -> tensor<3x?xf32> {
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<3x5xf32>
  %c = tensor.cast %x : tensor<3x5xf32> to tensor<3x?xf32>
  %0 = ov.scatter_nd_update %c, %i, %c : (tensor<3x?xf32>, tensor<3x1xi64>, tensor<3x?xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// CHECK-LABEL: func.func @nd_sub(
func.func @nd_sub(%x: tensor<4x3xf32>, %i: tensor<2x1xi64>, %u: tensor<2x3xf32>) -> tensor<4x3xf32> {
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: arith.subf
  // CHECK: tensor.insert
  %0 = ov.scatter_nd_update %x, %i, %u {reduction = #ov.scatter_nd_reduction<sub>} : (tensor<4x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A loop that replaces the whole tensor copies into the tensor that it carries.

// CHECK-LABEL: func.func @scatter_update_whole(
func.func @scatter_update_whole(%x: tensor<1x5x1xi16>, %u: tensor<1x5x2xi16>) -> tensor<1x5x1xi16> {
  %indices = ov.constant dense<-1> : tensor<2xi32>
  %axis = ov.constant dense<2> : tensor<1xi32>
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0)
  // CHECK: %[[S:.*]] = tensor.extract_slice %arg1
  // CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[S]] in %[[A]]
  // CHECK: scf.yield %[[M]]
  %0 = ov.scatter_update %x, %indices, %u, %axis : (tensor<1x5x1xi16>, tensor<2xi32>, tensor<1x5x2xi16>, tensor<1xi32>) -> tensor<1x5x1xi16>
  return %0 : tensor<1x5x1xi16>
}

// If one insertion replaces everything, it is the result, and other ops may still read the data.

// CHECK-LABEL: func.func @scatter_update_whole_once(
// CHECK-NOT: materialize_in_destination
// CHECK: return
func.func @scatter_update_whole_once(%x: tensor<3x1xf32>, %u: tensor<3xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>) {
  %index = ov.constant dense<-1> : tensor<i32>
  %axis = ov.constant dense<1> : tensor<i64>
  %0 = ov.exp %x : tensor<3x1xf32>
  %1 = ov.scatter_update %0, %index, %u, %axis : (tensor<3x1xf32>, tensor<i32>, tensor<3xf32>, tensor<i64>) -> tensor<3x1xf32>
  return %0, %1 : tensor<3x1xf32>, tensor<3x1xf32>
}
