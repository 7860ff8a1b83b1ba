// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// One index gives a slice of the data, without a copy.
// CHECK-LABEL: func.func @row(
// CHECK-SAME: %[[X:.*]]: tensor<10x64xf32>, %[[I:.*]]: tensor<i64>)
func.func @row(%x: tensor<10x64xf32>, %i: tensor<i64>) -> tensor<64xf32> {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[E:.*]] = tensor.extract %[[I]][]
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[E]]
  // CHECK: %[[END:.*]] = arith.addi %[[INDEX]], %c10
  // CHECK: %[[NEG:.*]] = arith.cmpi slt, %[[INDEX]], %c0
  // CHECK: %[[AT:.*]] = arith.select %[[NEG]], %[[END]], %[[INDEX]]
  // CHECK: %[[OK:.*]] = arith.cmpi ult, %[[AT]], %c10
  // CHECK: %[[G:.*]] = rt.check %[[OK]], index, "index {0} is out of range for {1} elements"
  // CHECK-SAME: guards(%[[AT]] : index)
  // CHECK: tensor.extract_slice %[[X]][%[[G]], 0] [1, 64] [1, 1] : tensor<10x64xf32> to tensor<64xf32>
  // CHECK-NOT: scf.for
  %0 = ov.gather %x, %i, %axis : (tensor<10x64xf32>, tensor<i64>, tensor<i64>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Before opset 8, a negative index is out of range.
// CHECK-LABEL: @element
func.func @element(%x: tensor<10xf32>, %i: tensor<1xi32>) -> tensor<1xf32> {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK-NOT: arith.select
  // CHECK: %[[G:.*]] = rt.check
  // CHECK: %[[E:.*]] = tensor.extract %arg0[%[[G]]]
  // CHECK: tensor.from_elements %[[E]]
  %0 = ov.gather %x, %i, %axis {version = 7} : (tensor<10xf32>, tensor<1xi32>, tensor<i64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>, %[[I:.*]]: tensor<?xi64>)
func.func @rows(%x: tensor<?x64xf32>, %i: tensor<?xi64>) -> tensor<?x64xf32> {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: %[[N:.*]] = tensor.dim %[[I]], %c0
  // CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]])
  // CHECK: scf.for %[[K:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[ACC:.*]] = %[[EMPTY]])
  // CHECK: %[[G:.*]] = rt.check
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][%[[G]], 0] [1, 64] [1, 1]
  // CHECK: tensor.insert_slice %[[S]] into %[[ACC]][%[[K]], 0] [1, 64] [1, 1]
  %0 = ov.gather %x, %i, %axis : (tensor<?x64xf32>, tensor<?xi64>, tensor<i64>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @batch(
// CHECK-SAME: %[[X:.*]]: tensor<?x5xf32>, %[[I:.*]]: tensor<2x3xi64>)
func.func @batch(%x: tensor<?x5xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
  %axis = ov.constant dense<1> : tensor<i64>
  // CHECK: %[[B:.*]]:2 = rt.check %{{.*}}, shape, "dims {0} and {1} do not agree"
  // CHECK: %[[TIED:.*]] = tensor.extract_slice %[[X]][%[[B]]#1, 0] [2, 5] [1, 1]
  // CHECK: scf.for %[[P:.*]] = %c0 to %c2
  // CHECK: scf.for %[[Q:.*]] = %c0 to %c3
  // CHECK: tensor.extract %[[I]][%[[P]], %[[Q]]]
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, index
  // CHECK: tensor.extract %[[TIED]][%[[P]], %[[G]]]
  %0 = ov.gather %x, %i, %axis {batch_dims = 1} : (tensor<?x5xf32>, tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @constant_index
func.func @constant_index(%x: tensor<10x64xi1>) -> tensor<1x64xi1> {
  %axis = ov.constant dense<0> : tensor<i64>
  %i = ov.constant dense<[-1]> : tensor<1xi64>
  // CHECK-NOT: rt.check
  // CHECK: tensor.extract_slice %arg0[9, 0] [1, 64] [1, 1]
  %0 = ov.gather %x, %i, %axis : (tensor<10x64xi1>, tensor<1xi64>, tensor<i64>) -> tensor<1x64xi1>
  return %0 : tensor<1x64xi1>
}

// CHECK-LABEL: func.func @gather_elements(
func.func @gather_elements(%x: tensor<4x3xf32>, %i: tensor<4x2xi64>) -> tensor<4x2xf32> {
  // CHECK: scf.for %[[P:.*]] = %c0 to %c4
  // CHECK: scf.for %[[Q:.*]] = %c0 to %c2
  // CHECK: tensor.extract %arg1[%[[P]], %[[Q]]]
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, index, "index {0} is out of range for {1} elements"
  // CHECK: tensor.extract %arg0[%[[P]], %[[G]]]
  %0 = ov.gather_elements %x, %i {axis = 1} : (tensor<4x3xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @gather_nd(
func.func @gather_nd(%x: tensor<2x3x5xf32>, %i: tensor<2x4x1xi64>) -> tensor<2x4x5xf32> {
  // CHECK: scf.for %[[P:.*]] = %c0 to %c2
  // CHECK: scf.for %[[Q:.*]] = %c0 to %c4
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, index
  // CHECK: tensor.extract_slice %arg0[%[[P]], %[[G]], 0] [1, 1, 5] [1, 1, 1]
  %0 = ov.gather_nd %x, %i {batch_dims = 1} : (tensor<2x3x5xf32>, tensor<2x4x1xi64>) -> tensor<2x4x5xf32>
  return %0 : tensor<2x4x5xf32>
}
