// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-copies --canonicalize | FileCheck %s

// A long contiguous copy is a memcpy later.

// CHECK-LABEL: @contiguous
func.func @contiguous(%a: memref<5x7xf32>, %b: memref<5x7xf32>, %c: memref<?xf32>, %d: memref<?xf32>,
                      %rows: memref<40x7xf32>) {
  // CHECK-COUNT-3: memref.copy
  // CHECK-NOT: scf.for
  memref.copy %a, %b : memref<5x7xf32> to memref<5x7xf32>
  memref.copy %c, %d : memref<?xf32> to memref<?xf32>
  %s = memref.subview %rows[5, 0] [5, 7] [1, 1] : memref<40x7xf32> to memref<5x7xf32, strided<[7, 1], offset: 35>>
  memref.copy %a, %s : memref<5x7xf32> to memref<5x7xf32, strided<[7, 1], offset: 35>>
  return
}

// A short one is a few moves.

// CHECK-LABEL: @short
// CHECK-SAME: (%[[A:.*]]: memref<16xf32>, %[[B:.*]]: memref<16xf32>)
func.func @short(%a: memref<16xf32>, %b: memref<16xf32>) {
  // CHECK-NOT: memref.copy
  // CHECK: scf.for %[[I:[^ ]*]] =
  // CHECK-NEXT: %[[V:.*]] = memref.load %[[A]][%[[I]]]
  // CHECK-NEXT: memref.store %[[V]], %[[B]][%[[I]]]
  memref.copy %a, %b : memref<16xf32> to memref<16xf32>
  return
}

// What has gaps would call a library.

// CHECK-LABEL: @strided
func.func @strided(%a: memref<8x9xf32>, %b: memref<8x4xf32>, %n: index, %d: memref<?x?xf32>) {
  // CHECK-NOT: memref.copy
  // CHECK-COUNT-2: scf.for
  // CHECK: memref.load
  // CHECK: memref.store
  // CHECK-COUNT-2: scf.for
  // CHECK: memref.store
  %s = memref.subview %a[0, 0] [8, 4] [1, 1] : memref<8x9xf32> to memref<8x4xf32, strided<[9, 1]>>
  memref.copy %s, %b : memref<8x4xf32, strided<[9, 1]>> to memref<8x4xf32>
  // Dynamic sizes too.
  %t = memref.subview %d[0, 0] [8, 4] [1, 1] : memref<?x?xf32> to memref<8x4xf32, strided<[?, 1]>>
  memref.copy %b, %t : memref<8x4xf32> to memref<8x4xf32, strided<[?, 1]>>
  return
}

// A copy to the same place goes.

// CHECK-LABEL: @same
func.func @same(%a: memref<8x9xf32>, %i: index) {
  // CHECK-NOT: memref.copy
  // CHECK-NOT: scf.for
  // CHECK: return
  memref.copy %a, %a : memref<8x9xf32> to memref<8x9xf32>
  %s = memref.subview %a[%i, 0] [1, 9] [1, 1] : memref<8x9xf32> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  %t = memref.subview %a[%i, 0] [1, 9] [1, 1] : memref<8x9xf32> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  memref.copy %s, %t : memref<1x9xf32, strided<[9, 1], offset: ?>> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  return
}

// Another place of the same buffer is another place.

// CHECK-LABEL: @another
func.func @another(%a: memref<8x9xf32>, %i: index, %j: index) {
  // CHECK: memref.store
  %s = memref.subview %a[%i, 0] [1, 9] [1, 1] : memref<8x9xf32> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  %t = memref.subview %a[%j, 0] [1, 9] [1, 1] : memref<8x9xf32> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  memref.copy %s, %t : memref<1x9xf32, strided<[9, 1], offset: ?>> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  return
}

// What is reshaped to dims that only the run tells has strides later, and no memcpy.

// CHECK-LABEL: @reshaped
func.func @reshaped(%m: memref<4x?x?xbf16>, %n: memref<1x4x?x?xbf16>, %i: index, %j: index) {
  // CHECK: memref.expand_shape
  // CHECK-NOT: memref.copy
  // CHECK: scf.for
  // CHECK: memref.store
  %e = memref.expand_shape %m [[0, 1], [2], [3]] output_shape [1, 4, %i, %j] : memref<4x?x?xbf16> into memref<1x4x?x?xbf16>
  memref.copy %e, %n : memref<1x4x?x?xbf16> to memref<1x4x?x?xbf16>
  return
}
