// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-merge-indices --canonicalize --split-input-file | FileCheck %s

// Rows of a product that are those of several heads: both accesses share a view, and no iteration divides.

// CHECK-LABEL: @heads
// CHECK-SAME: (%[[A:.*]]: memref<128x4x64xf32>, %[[I:.*]]: index)
// CHECK: %[[VIEW:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0], [1, 2]] : {{.*}} into memref<128x256xf32>
// CHECK-NOT: memref.collapse_shape
// CHECK: scf.for %[[K:[^ ]*]] =
// CHECK-NOT: affine.delinearize_index
// CHECK: memref.load %[[VIEW]][%[[I]], %[[K]]]
// CHECK: memref.load %[[VIEW]][%{{.*}}, %[[K]]]
func.func @heads(%a: memref<128x4x64xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %next = arith.addi %i, %c1 : index
  %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%s = %zero) -> (f32) {
    %k2:2 = affine.delinearize_index %k into (4, 64) : index, index
    %x = memref.load %a[%i, %k2#0, %k2#1] : memref<128x4x64xf32>
    %y = memref.load %a[%next, %k2#0, %k2#1] : memref<128x4x64xf32>
    %t = arith.addf %s, %x : f32
    %u = arith.addf %t, %y : f32
    scf.yield %u : f32
  }
  return %sum : f32
}

// -----

// Vectors, stores, and two groups. The size of the outermost dim does not matter.

// CHECK-LABEL: @groups
// CHECK-SAME: (%[[A:.*]]: memref<?x4x2x3x16xf32>, %[[I:.*]]: index, %[[J:.*]]: index, %[[MASK:.*]]: vector<16xi1>)
// CHECK: %[[VIEW:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0, 1], [2, 3, 4]] : {{.*}} into memref<?x96xf32>
// CHECK: %[[V:.*]] = vector.load %[[VIEW]][%[[I]], %[[J]]] : memref<?x96xf32>, vector<16xf32>
// CHECK: vector.maskedstore %[[VIEW]][%[[J]], %[[I]]], %[[MASK]], %[[V]]
// CHECK: memref.store %{{.*}}, %[[VIEW]][%[[I]], %[[I]]]
func.func @groups(%a: memref<?x4x2x3x16xf32>, %i: index, %j: index, %mask: vector<16xi1>) {
  %zero = arith.constant 0.0 : f32
  %i2:2 = affine.delinearize_index %i into (4) : index, index
  %j2:2 = affine.delinearize_index %j into (4) : index, index
  %i3:3 = affine.delinearize_index %i into (2, 3, 16) : index, index, index
  %j3:3 = affine.delinearize_index %j into (2, 3, 16) : index, index, index
  %v = vector.load %a[%i2#0, %i2#1, %j3#0, %j3#1, %j3#2] : memref<?x4x2x3x16xf32>, vector<16xf32>
  vector.maskedstore %a[%j2#0, %j2#1, %i3#0, %i3#1, %i3#2], %mask, %v
    : memref<?x4x2x3x16xf32>, vector<16xi1>, vector<16xf32>
  memref.store %zero, %a[%i2#0, %i2#1, %i3#0, %i3#1, %i3#2] : memref<?x4x2x3x16xf32>
  return
}

// -----

// Parts in another order, of other sizes, or of only some of the dims, stay, and so do dims with a gap between rows.

// CHECK-LABEL: @others
// CHECK-NOT: memref.collapse_shape
// CHECK: return
func.func @others(%a: memref<4x4xf32>, %gap: memref<4x4xf32, strided<[8, 1]>>, %any: memref<?x?xf32>, %i: index,
                  %n: index) -> (f32, f32, f32, f32, f32) {
  %p:2 = affine.delinearize_index %i into (4, 4) : index, index
  %q:2 = affine.delinearize_index %i into (8, 2) : index, index
  %r:2 = affine.delinearize_index %i into (4, %n) : index, index
  %swapped = memref.load %a[%p#1, %p#0] : memref<4x4xf32>
  %narrow = memref.load %a[%q#0, %q#1] : memref<4x4xf32>
  %part = memref.load %a[%p#0, %i] : memref<4x4xf32>
  %apart = memref.load %gap[%p#0, %p#1] : memref<4x4xf32, strided<[8, 1]>>
  %unknown = memref.load %any[%r#0, %r#1] : memref<?x?xf32>
  return %swapped, %narrow, %part, %apart, %unknown : f32, f32, f32, f32, f32
}
