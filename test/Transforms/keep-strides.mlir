// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-keep-strides | FileCheck %s

// Both branches have rows of contiguous elements. A view of the result has them too, and so has the result of a branch
// that yields the view.

// CHECK-LABEL: @chain
// CHECK-SAME: (%[[A:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: scf.if %{{.*}} -> (memref<?x?xf32, strided<[?, 1], offset: ?>>) {
// CHECK-NEXT: scf.yield %[[A]]
// CHECK: memref.alloc
// CHECK-NEXT: memref.cast %{{.*}} : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: memref.subview {{.*}} to memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: scf.if %{{.*}} -> (memref<?x?xf32, strided<[?, 1], offset: ?>>) {
// CHECK: memref.load {{.*}} memref<?x?xf32, strided<[?, 1], offset: ?>>
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>
func.func @chain(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index, %c: i1, %d: i1, %i: index)
    -> f32 {
  %0 = scf.if %c -> (!any) {
    %1 = memref.cast %a : memref<?x?xf32, strided<[?, 1], offset: ?>> to !any
    scf.yield %1 : !any
  } else {
    %1 = memref.alloc(%n, %n) : memref<?x?xf32>
    %2 = memref.cast %1 : memref<?x?xf32> to !any
    scf.yield %2 : !any
  }
  %3 = memref.subview %0[0, 0] [%n, %n] [1, 1] : !any to !any
  %4 = scf.if %d -> (!any) {
    scf.yield %3 : !any
  } else {
    %5 = memref.alloc(%n, %n) : memref<?x?xf32>
    %6 = memref.cast %5 : memref<?x?xf32> to !any
    scf.yield %6 : !any
  }
  %7 = memref.load %4[%i, %i] : !any
  return %7 : f32
}

// The last strides differ, and the first ones are equal.

// CHECK-LABEL: @part
// CHECK: scf.if %{{.*}} -> (memref<?x?xf32, strided<[8, ?], offset: ?>>) {
func.func @part(%a: memref<?x?xf32, strided<[8, 1], offset: ?>>, %b: memref<?x?xf32, strided<[8, 2]>>, %c: i1, %i: index)
    -> f32 {
  %0 = scf.if %c -> (!any) {
    %1 = memref.cast %a : memref<?x?xf32, strided<[8, 1], offset: ?>> to !any
    scf.yield %1 : !any
  } else {
    %1 = memref.cast %b : memref<?x?xf32, strided<[8, 2]>> to !any
    scf.yield %1 : !any
  }
  %2 = memref.load %0[%i, %i] : !any
  return %2 : f32
}

// Nothing is known.

// CHECK-LABEL: @unknown
// CHECK: scf.if %{{.*}} -> (memref<?x?xf32, strided<[?, ?], offset: ?>>) {
// CHECK-NOT: memref.cast
// CHECK: return
func.func @unknown(%a: !any, %b: !any, %c: i1, %i: index) -> f32 {
  %0 = scf.if %c -> (!any) {
    scf.yield %a : !any
  } else {
    scf.yield %b : !any
  }
  %1 = memref.load %0[%i, %i] : !any
  return %1 : f32
}

// Contiguous buffers stay so, and a result that is contiguous says all that there is to know.

// CHECK-LABEL: @contiguous
// CHECK: scf.if %{{.*}} -> (memref<?x?xf32>) {
// CHECK: scf.if %{{.*}} -> (memref<1x?xf32>) {
func.func @contiguous(%a: memref<1x?xf32>, %b: memref<1x?xf32>, %c: i1, %i: index) -> f32 {
  %0 = scf.if %c -> (!any) {
    %1 = memref.cast %a : memref<1x?xf32> to !any
    scf.yield %1 : !any
  } else {
    %1 = memref.cast %b : memref<1x?xf32> to !any
    scf.yield %1 : !any
  }
  %2 = scf.if %c -> (memref<1x?xf32>) {
    scf.yield %a : memref<1x?xf32>
  } else {
    scf.yield %b : memref<1x?xf32>
  }
  %3 = memref.load %0[%i, %i] : !any
  %4 = memref.load %2[%i, %i] : memref<1x?xf32>
  %5 = arith.addf %3, %4 : f32
  return %5 : f32
}

// A view with steps that drops one of two dims of one element is two views. One that drops all such dims stays.

// CHECK-LABEL: @steps
// CHECK-SAME: (%[[A:.*]]: memref<?x47x1xf32>, %[[I:.*]]: index)
// CHECK: %[[WHOLE:.*]] = memref.subview %[[A]][%[[I]], 2, 0] [1, 21, 1] [1, 2, 1] : memref<?x47x1xf32> to memref<1x21x1xf32, strided<[47, 2, 1], offset: ?>>
// CHECK: memref.subview %[[WHOLE]][0, 0, 0] [1, 21, 1] [1, 1, 1] : memref<1x21x1xf32, {{.*}}> to memref<21x1xf32, strided<[2, 1], offset: ?>>
// CHECK: memref.subview %[[A]][%[[I]], 2, 0] [1, 21, 1] [1, 2, 1] : memref<?x47x1xf32> to memref<21xf32, strided<[2], offset: ?>>
func.func @steps(%a: memref<?x47x1xf32>, %i: index) -> (memref<21x1xf32, strided<[2, 1], offset: ?>>, memref<21xf32, strided<[2], offset: ?>>) {
  %0 = memref.subview %a[%i, 2, 0] [1, 21, 1] [1, 2, 1] : memref<?x47x1xf32> to memref<21x1xf32, strided<[2, 1], offset: ?>>
  %1 = memref.subview %a[%i, 2, 0] [1, 21, 1] [1, 2, 1] : memref<?x47x1xf32> to memref<21xf32, strided<[2], offset: ?>>
  return %0, %1 : memref<21x1xf32, strided<[2, 1], offset: ?>>, memref<21xf32, strided<[2], offset: ?>>
}
