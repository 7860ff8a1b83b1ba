// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @cum_sum
func.func @cum_sum(%x: tensor<2x?xf16>) -> tensor<2x?xf16> {
  %axis = ov.constant dense<1> : tensor<i64>
  // CHECK: %[[N:.*]] = tensor.dim
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c2
  // CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[N]] {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}) -> (tensor<2x?xf16>, f32)
  // CHECK: %[[E:.*]] = tensor.extract %{{.*}}[%[[I]], %[[J]]]
  // CHECK: %[[X:.*]] = arith.extf %[[E]]
  // CHECK: %[[SUM:.*]] = arith.addf %[[S]], %[[X]]
  // CHECK: %[[H:.*]] = arith.truncf %[[SUM]]
  // CHECK: %[[R:.*]] = tensor.insert %[[H]] into %[[T]][%[[I]], %[[J]]]
  // CHECK: scf.yield %[[R]], %[[SUM]]
  %0 = ov.cum_sum %x, %axis : (tensor<2x?xf16>, tensor<i64>) -> tensor<2x?xf16>
  return %0 : tensor<2x?xf16>
}

// CHECK-LABEL: @cum_sum_reverse
func.func @cum_sum_reverse(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[S:.*]] = %c0_i32)
  // CHECK: %[[AT:.*]] = arith.subi %c3, %[[I]]
  // CHECK: %[[E:.*]] = tensor.extract %{{.*}}[%[[AT]]]
  // CHECK: %[[SUM:.*]] = arith.addi %[[S]], %[[E]]
  // CHECK: tensor.insert %[[S]] into %[[T]][%[[AT]]]
  %0 = ov.cum_sum %x {exclusive = true, reverse = true} : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// One best element is kept in scalars; where there may be none, the first is read behind the check.
// CHECK-LABEL: @best
func.func @best(%x: tensor<2x?xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>) {
  %k = ov.constant dense<1> : tensor<i64>
  // CHECK: %[[C:.*]]:2 = rt.check %{{.*}}, index, "k is {0}, but the axis has {1} elements"
  // CHECK: scf.for
  // CHECK: %[[E:.*]] = tensor.extract %{{.*}}[%{{.*}}, %[[C]]#1]
  // CHECK: scf.for {{.*}} iter_args(%[[V:.*]] = %[[E]], %{{.*}} = %c0_i32) -> (f32, i32)
  // NaN is greater than any number.
  // CHECK: arith.cmpf ugt, %{{.*}}, %[[V]]
  // CHECK: arith.cmpf ord, %[[V]], %[[V]]
  // CHECK-NOT: scf.while
  // CHECK: return
  %0, %1 = ov.topk %x, %k {axis = 1, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x?xf32>, tensor<i64>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
  return %0, %1 : tensor<2x1xf32>, tensor<2x1xi32>
}

// CHECK-LABEL: @rows
func.func @rows(%x: tensor<3x8xui8>) -> (tensor<3x4xui8>, tensor<3x4xi64>) {
  %k = ov.constant dense<4> : tensor<i64>
  // CHECK-NOT: rt.check
  // CHECK-DAG: tensor.empty() : tensor<3x4xi8>
  // CHECK-DAG: tensor.empty() : tensor<3x4xi64>
  // A place more than there are elements.
  // CHECK-DAG: tensor.empty() : tensor<5xi8>
  // CHECK-DAG: tensor.empty() : tensor<5xi64>
  // CHECK: scf.while
  // CHECK: arith.cmpi ult, %{{.*}} : i8
  %0, %1 = ov.topk %x, %k {axis = 1, mode = "min", sort = "none", index_element_type = i64}
    : (tensor<3x8xui8>, tensor<i64>) -> (tensor<3x4xui8>, tensor<3x4xi64>)
  return %0, %1 : tensor<3x4xui8>, tensor<3x4xi64>
}

// Values and indices of one type must not become one buffer.
// CHECK-LABEL: @by_index
func.func @by_index(%x: tensor<8xi64>, %k: tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>) {
  // CHECK: %[[C:.*]]:2 = rt.check
  // CHECK: tensor.empty(%[[C]]#0)
  // CHECK: bufferization.alloc_tensor(%[[C]]#0)
  // CHECK: %[[P:.*]] = arith.addi %[[C]]#0, %c1
  // CHECK: tensor.empty(%[[P]])
  // CHECK: bufferization.alloc_tensor(%[[P]])
  // CHECK: scf.while
  // CHECK: scf.while
  %0, %1 = ov.topk %x, %k {axis = 0, mode = "min", sort = "index", index_element_type = i64}
    : (tensor<8xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>)
  return %0, %1 : tensor<?xi64>, tensor<?xi64>
}

// CHECK-LABEL: @non_zero
func.func @non_zero(%x: tensor<3x?xi1>) -> tensor<2x?xi32> {
  // CHECK: %[[N:.*]] = scf.for {{.*}} -> (index)
  // CHECK: tensor.empty(%[[N]]) : tensor<2x?xi32>
  // CHECK: scf.for %[[I:.*]] = {{.*}} -> (tensor<2x?xi32>, index)
  // CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%{{.*}}, %[[AT:.*]] = %{{.*}}) -> (tensor<2x?xi32>, index)
  // CHECK: scf.if
  // CHECK: arith.index_cast %[[I]]
  // CHECK: tensor.insert %{{.*}}[%c0, %[[AT]]]
  // CHECK: arith.index_cast %[[J]]
  // CHECK: tensor.insert %{{.*}}[%c1, %[[AT]]]
  %0 = ov.non_zero %x {output_type = i32} : (tensor<3x?xi1>) -> tensor<2x?xi32>
  return %0 : tensor<2x?xi32>
}
