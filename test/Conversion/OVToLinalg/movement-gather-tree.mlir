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
  // In vectors of as many lanes as hold the beams. A parent out of range is only noted.
  // CHECK: %[[ROWS:.*]]:5 = scf.for {{.*}} -> (tensor<4x2x3xi32>, tensor<2x4xi32>, tensor<2x4xi32>, vector<4xi1>, vector<4xi32>)
  // CHECK: %[[PARENTS:.*]] = vector.transfer_read %[[P]]
  // Beams are read as lanes of a computed vector, so that LLVM does not read each as a scalar.
  // CHECK: %[[STORED:.*]] = vector.transfer_read
  // CHECK: %[[BEAMS:.*]] = arith.andi %[[STORED]], %cst{{.*}} : vector<4xi32>
  // CHECK: %[[N:.*]] = vector.extract %[[BEAMS]][0]
  // CHECK: %[[M:.*]] = arith.index_cast %[[N]]
  // CHECK: vector.extract %[[PARENTS]][%[[M]]]
  // CHECK: vector.from_elements
  // CHECK-NOT: rt.check
  // CHECK: vector.transfer_read %[[S]]
  // CHECK: vector.from_elements
  // CHECK-COUNT-3: vector.transfer_write
  // CHECK: vector.reduction <minsi>
  // CHECK: vector.transfer_write
  // Each block of batches says whether it met a parent that is out of range.
  // CHECK: %[[ROW:.*]] = arith.extui %[[ROWS]]#3
  // CHECK: %[[OR:.*]] = vector.reduction <or>, %[[ROW]]
  // CHECK: %[[BAD:.*]] = arith.cmpi ne, %[[OR]], %c0_i32
  // CHECK: %[[STEPS:.*]] = arith.select %[[BAD]], %c4, %c0
  // Only if there is one, back in time, row by row; chosen beams and first end tokens are scratch.
  // CHECK: linalg.fill ins(%c0_i64 : i64) outs(%{{.*}} : tensor<2x3xi64>)
  // CHECK: linalg.fill ins(%c4_i64 : i64) outs(%{{.*}} : tensor<2x3xi64>)
  // CHECK: scf.for %{{.*}} = %c0 to %[[STEPS]] {{.*}} -> (tensor<4x2x3xi32>, tensor<2x3xi64>, tensor<2x3xi64>, i64)
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

// The number of beams decides whether they are lanes. Elements of f32 are compared before they become integers. LLVM
// reads 16 lanes as a vector, without a computation.

// CHECK-LABEL: @open_beams
func.func @open_beams(%s: tensor<4x2x?xf32>, %p: tensor<4x2x?xf32>, %n: tensor<2xf32>, %e: tensor<f32>) -> tensor<4x2x?xf32> {
  // CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1
  // CHECK: %[[FITS:.*]] = arith.cmpi ult, %[[LAST]], %c16
  // CHECK: %[[STEPS:.*]] = arith.select %[[FITS]], %c4, %c0
  // CHECK: scf.for %{{.*}} = %c0 to %[[STEPS]]
  // CHECK: vector.transfer_read {{.*}} vector<16xf32>
  // CHECK: %[[BEAMS:.*]] = vector.transfer_read {{.*}} vector<16xi32>
  // CHECK-NEXT: vector.extract %[[BEAMS]][0]
  // CHECK: arith.cmpf ogt, {{.*}} : vector<16xf32>
  // CHECK: arith.cmpf olt, {{.*}} : vector<16xf32>
  // CHECK: arith.fptosi {{.*}} : vector<16xf32> to vector<16xi32>
  // CHECK: arith.cmpf oeq, {{.*}} : vector<16xf32>
  // CHECK: arith.ori
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<4x2x?xf32>, tensor<4x2x?xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4x2x?xf32>
  return %0 : tensor<4x2x?xf32>
}

// More beams than lanes.

// CHECK-LABEL: @many_beams
// CHECK-NOT: vector
// CHECK: return
func.func @many_beams(%s: tensor<4x2x17xi32>, %p: tensor<4x2x17xi32>, %n: tensor<2xi32>, %e: tensor<i32>) -> tensor<4x2x17xi32> {
  %0 = ov.gather_tree %s, %p, %n, %e : (tensor<4x2x17xi32>, tensor<4x2x17xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4x2x17xi32>
  return %0 : tensor<4x2x17xi32>
}
