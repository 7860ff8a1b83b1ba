// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-convolutions --canonicalize --cse --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-convolutions{vector-bits=512 vector-registers=32})' \
// RUN:   --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: ir-opt %s --rt-lower-convolutions --split-input-file \
// RUN:   --remarks-filter=rt-lower-convolutions --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] kernel | Category:rt-lower-convolutions | Remark="a kernel for convolutions does loops of ? x 1 x 16 x 20 x ? x 6 x 3 x 3"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-convolutions | Remark="a kernel for convolutions does loops of 1 x 2 x 3 x 50 x 6 x 3"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-convolutions | Remark="a kernel for convolutions does loops of 1 x 1 x 8 x 4 x 9 x 10 x 6 x 2 x 3 x 3"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-convolutions | Remark="a kernel for convolutions does loops of 1 x 3 x 8 x 11 x 20 x 6 x 2 x 3"

// A call for each element of the batch. The windows are a view of the data, in which positions overlap.

// CHECK-LABEL: @plane
// CHECK-SAME: (%[[W:.*]]: memref<1x2x6x3x3x8xf32>, %[[X:.*]]: memref<?x1x6x22x?xf32>, %[[C:.*]]: memref<?x1x16x20x?xf32>)
func.func @plane(%w: memref<1x2x6x3x3x8xf32>, %x: memref<?x1x6x22x?xf32>, %c: memref<?x1x16x20x?xf32>) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-NOT: linalg
  // CHECK: scf.for
  // CHECK: %[[A:.*]] = memref.reinterpret_cast %[[W]] to offset: [0], sizes: [2, 54, 8], strides: [432, 8, 1]
  // CHECK: %[[A1:.*]] = memref.cast %[[A]] : {{.*}} to memref<?x?x8xf32, strided<[?, 8, 1], offset: ?>>
  // CHECK: %[[B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [6, 1, 3, 1, 3, %{{.*}}], strides: [%{{.*}}, 0, %{{.*}}, 0, 2, 1]
  // CHECK: call @rt_convolution_f32_8(%[[A1]],
  // CHECK-NOT: linalg
  rt.convolution ins(%w, %x : memref<1x2x6x3x3x8xf32>, memref<?x1x6x22x?xf32>)
      outs(%c : memref<?x1x16x20x?xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 2>, channels_first}
  return
}
// The kernel: 16 registers hold two parts of a tile, four rows by three vectors. 32 hold it as a whole.
// CHECK: func.func private @rt_convolution_f32_8
// CHECK-SAME: attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel,
// CHECK-SAME: rt.parts = {along = [{{\[0, 0\], \[6, 8\]}}], cost = 64 : i64, grain = 1 : i64,
// CHECK-SAME: other = {along = [{{\[1, 5\], \[8, 1\]}}], least = 96 : i64}, sizes = [{{\[0, 0\], \[0, 1\], \[1, 5\]}}]}}
// A part has some positions, of which the last operand tells the number that follow from its first one on.
// CHECK: arith.subi %arg7, %arg8
// CHECK: scf.for
// CHECK-COUNT-12: math.fma
// CHECK-NOT: math.fma
// CHECK: vector.store
// Other tiles are stored vector by vector, once for each row of the result that a vector has a part of, and only the
// rows that are channels.
// CHECK: scf.while
// CHECK: arith.cmpi sgt
// CHECK: scf.if
// CHECK: vector.maskedstore
// CHECK: scf.index_switch
// CHECK: vector.maskedload
// WIDE: func.func private @rt_convolution_f32_8
// WIDE-COUNT-24: math.fma
// WIDE-NOT: math.fma
// WIDE: vector.store
// WIDE: scf.index_switch

// -----

// A result of one row has no pitch.

// CHECK-LABEL: @row
// CHECK: call @rt_convolution_f64_3
func.func @row(%w: memref<2x1x6x3x3xf64>, %x: memref<1x2x6x52xf64>, %c: memref<1x2x3x50xf64>) {
  rt.convolution ins(%w, %x : memref<2x1x6x3x3xf64>, memref<1x2x6x52xf64>)
      outs(%c : memref<1x2x3x50xf64>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, channels_first}
  return
}

// -----

// The last tile has rows that are no channels of the result, which has 13.

// CHECK-LABEL: @rest
// CHECK: memref.reinterpret_cast {{.*}} sizes: [2, 18, 7]
// CHECK: memref.reinterpret_cast {{.*}} sizes: [13, 1, 50], strides: [50, 50, 1]
// CHECK: call @rt_convolution_f32_7({{.*}}, %c13
func.func @rest(%w: memref<1x2x6x3x7xf32>, %x: memref<1x1x6x52xf32>, %c: memref<1x1x13x50xf32>) {
  rt.convolution ins(%w, %x : memref<1x2x6x3x7xf32>, memref<1x1x6x52xf32>)
      outs(%c : memref<1x1x13x50xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, channels_first}
  return
}

// -----

// Of three dims, the first one is a loop, and the rows of the kernel at one depth have a plane of their own: three here,
// two elements apart.

// CHECK-LABEL: @volume
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c4
// CHECK: memref.reinterpret_cast {{.*}} sizes: [6, 3, 6, 1, 3, 106], strides: [1320, 240, 12, 0, 1, 1]
// CHECK: memref.reinterpret_cast {{.*}} sizes: [8, 9, 10], strides: [360, 10, 1]
// CHECK: call @rt_convolution_f32_8
func.func @volume(%w: memref<1x1x6x2x3x3x8xf32>, %x: memref<1x1x6x11x10x12xf32>, %c: memref<1x1x8x4x9x10xf32>) {
  rt.convolution ins(%w, %x : memref<1x1x6x2x3x3x8xf32>, memref<1x1x6x11x10x12xf32>)
      outs(%c : memref<1x1x8x4x9x10xf32>)
      {strides = array<i64: 2, 1, 1>, dilations = array<i64: 2, 1, 1>, channels_first}
  return
}

// -----

// Strides of 2: the data of a group is copied to planes. With 3 columns, two planes; with 2 rows at a distance of 2, each
// row has a plane of its own. The kernel serves strides and none.

// CHECK-LABEL: @strides
// CHECK-SAME: (%[[W:.*]]: memref<3x1x6x2x3x8xf32>, %[[X:.*]]: memref<1x3x6x23x41xf32>,
func.func @strides(%w: memref<3x1x6x2x3x8xf32>, %x: memref<1x3x6x23x41xf32>, %c: memref<1x3x8x11x20xf32>) {
  // CHECK: %[[PLANES:.*]] = memref.alloc
  // CHECK: scf.for
  // CHECK: %[[FROM:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [6, 23, 41], strides: [943, 41, 1]
  // CHECK: %[[FROM1:.*]] = memref.cast %[[FROM]]
  // CHECK: %[[TO:.*]] = memref.reinterpret_cast %[[PLANES]] to offset: [0], sizes: [6, 2, 2, 11, 21], strides: [924, 462, 231, 21, 1]
  // CHECK: %[[TO1:.*]] = memref.cast %[[TO]]
  // CHECK: call @rt_planes_f32(%[[FROM1]], %[[TO1]], %c2, %c2, %c2, %c1)
  // CHECK: %[[B:.*]] = memref.reinterpret_cast %[[PLANES]] to offset: [0], sizes: [6, 2, 2, 2, 3, 230], strides: [924, 462, 21, 231, 1, 1]
  // CHECK: call @rt_convolution_f32_8
  rt.convolution ins(%w, %x : memref<3x1x6x2x3x8xf32>, memref<1x3x6x23x41xf32>)
      outs(%c : memref<1x3x8x11x20xf32>)
      {strides = array<i64: 2, 2>, dilations = array<i64: 2, 1>, channels_first}
  return
}
// The kernel for planes: vectors as they are, every other element of two vectors, and elements at any distance.
// CHECK: func.func private @rt_planes_f32
// CHECK: scf.index_switch
// CHECK: case 1
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK: case 2
// CHECK-COUNT-2: vector.maskedload
// CHECK: vector.shuffle
// CHECK: default
// CHECK: vector.gather

// -----

// A row of the data whose elements are apart is copied together.

// CHECK-LABEL: @apart
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<1x1x6x52xf32, strided
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<1x1x6x52xf32>
// CHECK: memref.copy %[[X]], %[[COPY]]
// CHECK: call @rt_convolution_f32_8
func.func @apart(%w: memref<1x1x6x3x8xf32>, %x: memref<1x1x6x52xf32, strided<[624, 624, 104, 2]>>,
                 %c: memref<1x1x8x50xf32>) {
  rt.convolution ins(%w, %x : memref<1x1x6x3x8xf32>, memref<1x1x6x52xf32, strided<[624, 624, 104, 2]>>)
      outs(%c : memref<1x1x8x50xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, channels_first}
  return
}
