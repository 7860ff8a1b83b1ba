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

// If the axis is known only at run time, each dim has a loop, and the loop over the axis has one iteration.
// CHECK-LABEL: @cum_sum_any_axis
func.func @cum_sum_any_axis(%x: tensor<2x?xf32>, %axis: tensor<i32>) -> tensor<2x?xf32> {
  // CHECK: %[[A:.*]] = rt.check %{{.*}}, index, "axis {0} is out of range for rank {1}"
  // CHECK-DAG: %[[IS0:.*]] = arith.cmpi eq, %[[A]], %c0
  // CHECK-DAG: %[[IS1:.*]] = arith.cmpi eq, %[[A]], %c1
  // CHECK: scf.for %[[I:.*]] = %c0 to
  // CHECK: scf.for %[[J:.*]] = %c0 to
  // CHECK: scf.for %[[K:.*]] = %c0 to {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}) -> (tensor<2x?xf32>, f32)
  // CHECK-DAG: %[[R:.*]] = arith.select %[[IS0]], %[[K]], %[[I]]
  // CHECK-DAG: %[[C:.*]] = arith.select %[[IS1]], %[[K]], %[[J]]
  // CHECK: tensor.extract %arg0[%[[R]], %[[C]]]
  // CHECK: tensor.insert %{{.*}} into %[[T]][%[[R]], %[[C]]]
  %0 = ov.cum_sum %x, %axis : (tensor<2x?xf32>, tensor<i32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
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
