// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @gather_tree(
// CHECK-SAME: %[[S:.*]]: tensor<4x2x3xi32>, %[[P:.*]]: tensor<4x2x3xi32>, %[[L:.*]]: tensor<2xi32>, %[[E:.*]]: tensor<i32>)
func.func @gather_tree(%s: tensor<4x2x3xi32>, %p: tensor<4x2x3xi32>, %n: tensor<2xi32>, %e: tensor<i32>) -> tensor<4x2x3xi32> {
  // CHECK: %[[END:.*]] = tensor.extract %[[E]][]
  // The lengths, in the range of the steps.
  // CHECK: %[[LENGTHS:.*]] = scf.for %[[B:.*]] = %c0 to %c2
  // CHECK: tensor.extract %[[L]][%[[B]]]
  // CHECK: arith.minsi %{{.*}}, %c4_i64
  // CHECK: arith.maxsi %{{.*}}, %c0_i64
  // Back in time, row by row; chosen beams and first end tokens are scratch.
  // CHECK: linalg.fill ins(%c0_i64 : i64) outs(%{{.*}} : tensor<2x3xi64>)
  // CHECK: linalg.fill ins(%c4_i64 : i64) outs(%{{.*}} : tensor<2x3xi64>)
  // CHECK: scf.for {{.*}} -> (tensor<4x2x3xi32>, tensor<2x3xi64>, tensor<2x3xi64>, i64)
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: tensor.extract %[[P]]
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, index, "parent {0} at time {1}, batch {2}, beam {3} is out of range"
  // CHECK: %[[SOURCE:.*]] = arith.select %{{.*}}, %[[G]]
  // CHECK: %[[AT:.*]] = arith.index_cast %[[SOURCE]]
  // CHECK: tensor.extract %[[S]][%{{.*}}, %{{.*}}, %[[AT]]]
  // CHECK-COUNT-3: tensor.insert
  // CHECK: arith.minsi
  // Forward, from the earliest end token.
  // CHECK: %[[START:.*]] = arith.addi %{{.*}}, %c1
  // CHECK: scf.for %{{.*}} = %[[START]] to %c4
  // CHECK: arith.select %{{.*}}, %[[END]]
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<4x2x3xi32>, tensor<4x2x3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4x2x3xi32>
  return %0 : tensor<4x2x3xi32>
}

// Fractions are truncated. NaN is a fault, as a length and as a parent.
// CHECK-LABEL: @float
func.func @float(%s: tensor<4x2x3xf16>, %n: tensor<2xf16>, %e: tensor<f16>) -> tensor<4x2x3xf16> {
  // CHECK: rt.check %{{.*}}, index, "max_seq_len of batch {0} is NaN"
  // CHECK: arith.fptosi %{{.*}} : f32 to i64
  // CHECK: %[[NUMBER:.*]] = arith.cmpf ord
  // CHECK: arith.fptosi %{{.*}} : f32 to i64
  // CHECK: arith.andi %{{.*}}, %[[NUMBER]]
  // CHECK: rt.check %{{.*}}, index, "parent
  // CHECK: arith.cmpf oeq
  %0 = ov.gather_tree %s, %s, %n, %e : (tensor<4x2x3xf16>, tensor<4x2x3xf16>, tensor<2xf16>, tensor<f16>) -> tensor<4x2x3xf16>
  return %0 : tensor<4x2x3xf16>
}

// CHECK-LABEL: @dynamic
func.func @dynamic(%s: tensor<?x?x?xui8>, %p: tensor<?x?x?xui8>, %n: tensor<?xui8>, %e: tensor<ui8>) -> tensor<?x?x?xui8> {
  // CHECK-COUNT-4: rt.check %{{.*}}, shape, "dims {0} and {1} do not agree"
  // CHECK: arith.extui %{{.*}} : i8 to i64
  // CHECK: arith.minui
  // CHECK-NOT: arith.maxsi
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<?x?x?xui8>, tensor<?x?x?xui8>, tensor<?xui8>, tensor<ui8>) -> tensor<?x?x?xui8>
  return %0 : tensor<?x?x?xui8>
}
