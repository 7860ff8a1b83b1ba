// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-copies --canonicalize | FileCheck %s
// RUN: ir-opt %s --rt-lower-copies=kernels=false --canonicalize | FileCheck %s --check-prefix=NEST

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

// A copy of a buffer with gaps would become a library call.

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

// A copy to the same place is removed.

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

// Another place in the same buffer is a real copy.

// CHECK-LABEL: @another
func.func @another(%a: memref<8x9xf32>, %i: index, %j: index) {
  // CHECK: memref.store
  %s = memref.subview %a[%i, 0] [1, 9] [1, 1] : memref<8x9xf32> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  %t = memref.subview %a[%j, 0] [1, 9] [1, 1] : memref<8x9xf32> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  memref.copy %s, %t : memref<1x9xf32, strided<[9, 1], offset: ?>> to memref<1x9xf32, strided<[9, 1], offset: ?>>
  return
}

// A buffer that is reshaped to dynamic dims has strides later, so it gets no memcpy.

// CHECK-LABEL: @reshaped
func.func @reshaped(%m: memref<4x?x?xbf16>, %n: memref<1x4x?x?xbf16>, %i: index, %j: index) {
  // CHECK: memref.expand_shape
  // CHECK-NOT: memref.copy
  // CHECK: call @rt_copy_bf16_3
  %e = memref.expand_shape %m [[0, 1], [2], [3]] output_shape [1, 4, %i, %j] : memref<4x?x?xbf16> into memref<1x4x?x?xbf16>
  memref.copy %e, %n : memref<1x4x?x?xbf16> to memref<1x4x?x?xbf16>
  return
}

// An access to a view of a collapsed buffer would divide its indices. So the copy has as few dims as possible, and finds
// elements by strides.

// CHECK-LABEL: @regrouped
// CHECK-SAME: (%[[A:.*]]: memref<4x50x100xf32>, %[[B:.*]]: memref<4x99x50xf32>)
// CHECK-DAG: %[[FROM:.*]] = memref.reinterpret_cast %{{.*}} to offset: [50], sizes: [4, 4950], strides: [5000, 1]
// CHECK-DAG: %[[TO:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [4, 4950], strides: [4950, 1]
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: scf.for %[[J:[^ ]*]] =
// CHECK-NEXT: %[[V:.*]] = memref.load %[[FROM]][%[[I]], %[[J]]]
// CHECK-NEXT: memref.store %[[V]], %[[TO]][%[[I]], %[[J]]]
// NEST-LABEL: @regrouped
// NEST-NOT: memref.reinterpret_cast
func.func @regrouped(%a: memref<4x50x100xf32>, %b: memref<4x99x50xf32>) {
  %c = memref.collapse_shape %a [[0, 1, 2]] : memref<4x50x100xf32> into memref<20000xf32>
  %e = memref.expand_shape %c [[0, 1, 2]] output_shape [4, 100, 50] : memref<20000xf32> into memref<4x100x50xf32>
  %s = memref.subview %e[0, 1, 0] [4, 99, 50] [1, 1, 1] : memref<4x100x50xf32> to memref<4x99x50xf32, strided<[5000, 50, 1], offset: 50>>
  memref.copy %s, %b : memref<4x99x50xf32, strided<[5000, 50, 1], offset: 50>> to memref<4x99x50xf32>
  return
}

// Copies and fills whose sizes depend on the call share a function; unit dims are dropped.

// CHECK-LABEL: @kernels
// CHECK-SAME: (%[[A:.*]]: memref<?x1x64xf32, strided<[?, ?, 1]>>, %[[B:.*]]: memref<?x1x64xf32>, %[[X:.*]]: f32)
// NEST-LABEL: @kernels
func.func @kernels(%a: memref<?x1x64xf32, strided<[?, ?, 1]>>, %b: memref<?x1x64xf32>, %x: f32) {
  // CHECK-NOT: scf.for
  // CHECK: %[[N:[a-z0-9_]*]]:3, %[[S:[a-z0-9_]*]]:3 = memref.extract_strided_metadata %[[A]]
  // CHECK: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[N]]#0, 64], strides: [%[[S]]#0, 1]
  // CHECK: call @rt_copy_f32_2(%{{.*}}, %{{.*}}) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  // CHECK: call @rt_copy_f32_2
  // CHECK: call @rt_fill_f32_2(%[[X]], %{{.*}}) : (f32, memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  // NEST-NOT: call
  memref.copy %a, %b : memref<?x1x64xf32, strided<[?, ?, 1]>> to memref<?x1x64xf32>
  memref.copy %b, %a : memref<?x1x64xf32> to memref<?x1x64xf32, strided<[?, ?, 1]>>
  linalg.fill ins(%x : f32) outs(%b : memref<?x1x64xf32>)
  return
}

// Time loops keep their loop nests, and so do rows that a loop copies one by one.

// CHECK-LABEL: @loops
func.func @loops(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32>, %r: memref<?xf32, strided<[2]>>,
                 %s: memref<?xf32>, %n: index) {
  // CHECK-NOT: call
  // CHECK: scf.for
  // CHECK-COUNT-2: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NOT: call
  // CHECK: return
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.copy %a, %b : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    memref.copy %r, %s : memref<?xf32, strided<[2]>> to memref<?xf32>
  }
  return
}

// A dynamic number of rows of a static length that a time loop copies goes line by line, unless a part of a line remains.

// CHECK-LABEL: @rows
// CHECK: rt.iteration
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %c16
// CHECK: %[[V:.*]] = vector.load %arg0[%[[I]], %[[J]]] : {{.*}}, vector<16xf32>
// CHECK: vector.store %[[V]], %arg1[%[[I]], %[[J]]]
// CHECK: memref.load %arg2
func.func @rows(%a: memref<?x64xf32>, %b: memref<?x64xf32, strided<[?, 1], offset: ?>>, %c: memref<?x40xf32>,
                %d: memref<?x40xf32, strided<[?, 1], offset: ?>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.copy %a, %b : memref<?x64xf32> to memref<?x64xf32, strided<[?, 1], offset: ?>>
    memref.copy %c, %d : memref<?x40xf32> to memref<?x40xf32, strided<[?, 1], offset: ?>>
  }
  return
}

// Every second element of rows is copied in vectors, in place of a call.

// CHECK-LABEL: @steps
// CHECK-NOT: call
// CHECK: scf.for
// CHECK-COUNT-2: vector.load {{.*}} vector<16xf32>
// CHECK: vector.store {{.*}} vector<16xf32>
func.func @steps(%a: memref<4x?xf32>, %n: index, %b: memref<4x?xf32>) {
  %s = memref.subview %a[0, 0] [4, %n] [1, 2] : memref<4x?xf32> to memref<4x?xf32, strided<[?, 2]>>
  memref.copy %s, %b : memref<4x?xf32, strided<[?, 2]>> to memref<4x?xf32>
  return
}

// Contiguous rows have their own loops, over vectors. The last vector ends with the row. A row that is shorter than a
// vector goes element by element.

// CHECK: func.func private @rt_copy_f32_2(%[[A:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[B:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>) attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel, rt.parts = {along = [{{\[0, 0\], \[1, 0\]}}], cost = 16 : i64, grain = 1 : i64, sizes = [{{\[1, 0\], \[1, 1\]}}]}} {
// CHECK: %[[ROWS:.*]] = arith.andi
// CHECK: scf.if %[[ROWS]] {
// CHECK: scf.for %[[R:[^ ]*]] =
// CHECK: %[[LONG:.*]] = arith.cmpi uge, %[[N:.*]], %c16
// CHECK: scf.if %[[LONG]]
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c16
// CHECK: scf.for %[[I:[^ ]*]] = %c0 to %[[LAST]] step %c16
// CHECK-NEXT: %[[V:.*]] = vector.load %[[FROM:.*]][%[[R]], %[[I]]] : {{.*}}, vector<16xf32>
// CHECK-NEXT: vector.store %[[V]], %[[TO:.*]][%[[R]], %[[I]]]
// CHECK: %[[V:.*]] = vector.load %[[FROM]][%[[R]], %[[LAST]]]
// CHECK-NEXT: vector.store %[[V]], %[[TO]][%[[R]], %[[LAST]]]
// CHECK: } else {
// CHECK: scf.for %[[I:[^ ]*]] = %c0 to %[[N]] step %c1
// CHECK: memref.load %[[FROM]][%[[R]], %[[I]]] : memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: } else {
// CHECK: %[[V:.*]] = memref.load %[[A]][%[[I:.*]], %[[J:.*]]] : memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK: memref.store %[[V]], %[[B]][%[[I]], %[[J]]]
// CHECK: func.func private @rt_fill_f32_2(
// CHECK: %[[S:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK: vector.store %[[S]]
// NEST-NOT: rt_
