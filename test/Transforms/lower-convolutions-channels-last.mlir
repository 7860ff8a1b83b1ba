// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-convolutions{vector-bits=512 vector-registers=32}, canonicalize, cse)' \
// RUN:   --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-convolutions{vector-bits=256 vector-registers=16})' \
// RUN:   --split-input-file | FileCheck %s --check-prefix=NARROW

// The data is read where it lies.

// CHECK-LABEL: @last
// NARROW-LABEL: @last
func.func @last(%w: memref<2x3x3x6x16xf32>, %x: memref<?x21x15x6xf32>, %c: memref<?x10x9x2x16xf32>) {
  // CHECK-NOT: linalg
  // CHECK: scf.for
  // CHECK: call @rt_convolution_channels_f32(%{{.*}}, %{{.*}}, %{{.*}}, %c3, %c3, %c6, %c180, %c6, %c90, %c18, %c1,
  rt.convolution ins(%w, %x : memref<2x3x3x6x16xf32>, memref<?x21x15x6xf32>)
      outs(%c : memref<?x10x9x2x16xf32>)
      {strides = array<i64: 2, 1>, dilations = array<i64: 1, 3>}
  return
}
// Without dilations, the elements and channels of a row of the window are one loop.

// CHECK-LABEL: @line
func.func @line(%w: memref<2x3x3x6x16xf32>, %x: memref<?x21x15x6xf32>, %c: memref<?x10x9x2x16xf32>) {
  // CHECK: call @rt_convolution_channels_f32(%{{.*}}, %{{.*}}, %{{.*}}, %c1, %c3, %c18, %c180, %c6, %c6, %c90, %c1,
  rt.convolution ins(%w, %x : memref<2x3x3x6x16xf32>, memref<?x21x15x6xf32>)
      outs(%c : memref<?x10x9x2x16xf32>)
      {strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>}
  return
}

// Threads share the images of a large batch. A smaller one has its calls divided.

// CHECK-LABEL: @images
func.func @images(%w: memref<2x3x3x6x16xf32>, %x: memref<8x21x15x6xf32>, %c: memref<8x10x9x2x16xf32>,
                  %few: memref<7x21x15x6xf32>, %d: memref<7x10x9x2x16xf32>) {
  // CHECK: scf.for
  // CHECK: call @rt_convolution_channels_f32
  // CHECK-NEXT: } {rt.independent}
  // CHECK: scf.for
  // CHECK: call @rt_convolution_channels_f32
  // CHECK-NEXT: }{{$}}
  rt.convolution ins(%w, %x : memref<2x3x3x6x16xf32>, memref<8x21x15x6xf32>)
      outs(%c : memref<8x10x9x2x16xf32>)
      {strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>}
  rt.convolution ins(%w, %few : memref<2x3x3x6x16xf32>, memref<7x21x15x6xf32>)
      outs(%d : memref<7x10x9x2x16xf32>)
      {strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>}
  return
}
// One row of padding above the data, and two below. The rows of the kernel that read data are a loop of their own.

// CHECK-LABEL: @padded
func.func @padded(%w: memref<2x3x3x6x16xf32>, %x: memref<?x21x15x6xf32>, %c: memref<?x10x9x2x16xf32>) {
  // CHECK: call @rt_convolution_channels_f32(%{{.*}}, %{{.*}}, %{{.*}}, %c3, %c1, %c18, %c180, %c6, %c90, %c6, %c1, %{{.*}}, %{{.*}}, %c1, %c19, %c2, %c1, %c18)
  rt.convolution ins(%w, %x : memref<2x3x3x6x16xf32>, memref<?x21x15x6xf32>)
      outs(%c : memref<?x10x9x2x16xf32>)
      {strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, padding = array<i64: 1, 2, 0, 0>}
  return
}
// Three vectors of filters by at most 8 positions, and code for each number of them from 6 on. Tiles of filters that are
// left over are four vectors by 6 positions, or two by an even number of positions, or one.
// CHECK: func.func private @rt_convolution_channels_f32
// CHECK-SAME: rt.parts = {along = [{{\[0, 0\], \[2, 2\]}}], cost = {{.*}}, grain = 1 : i64
// CHECK: case 6
// CHECK-COUNT-3: memref.prefetch
// CHECK-COUNT-18: math.fma
// CHECK: case 7
// CHECK-COUNT-21: math.fma
// CHECK: case 8
// CHECK-COUNT-24: math.fma
// CHECK: case 1
// CHECK-COUNT-4: memref.prefetch
// CHECK-COUNT-24: math.fma
// CHECK: case 2
// CHECK-COUNT-2: memref.prefetch
// CHECK: case 6
// CHECK-COUNT-24: math.fma
// CHECK: case 3
// CHECK-COUNT-12: math.fma
// CHECK-NOT: math.fma
// CHECK-NOT: case

// A tile of filters is two vectors. 16 registers hold them, 12 accumulators, and an element of the data.
// NARROW: func.func private @rt_convolution_channels_f32
// NARROW-SAME: grain = 1 : i64
// NARROW: case 3
// NARROW-COUNT-12: math.fma
// NARROW-NOT: math.fma
// NARROW-NOT: case

// -----


// Windows of four columns have data in the last two columns of the kernel, those of four more only in the middle one,
// and others in the first two. Each of these ranges has a call, without the other columns of the kernel.

// CHECK-LABEL: @ranges
// NARROW-LABEL: @ranges
// CHECK-SAME: (%[[W:.*]]: memref<2x3x3x6x16xf32>, %[[X:.*]]: memref<1x28x28x6xf32>, %[[C:.*]]: memref<1x12x12x2x16xf32>)
func.func @ranges(%w: memref<2x3x3x6x16xf32>, %x: memref<1x28x28x6xf32>, %c: memref<1x12x12x2x16xf32>) {
  // CHECK: memref.reinterpret_cast %[[X]] to offset: [48]
  // CHECK-NEXT: %[[X0:.*]] = memref.cast
  // CHECK: memref.reinterpret_cast %[[W]] to offset: [96]
  // CHECK-NEXT: %[[W0:.*]] = memref.cast
  // CHECK: memref.reinterpret_cast %[[C]] to offset: [0], sizes: [12, 4, 2, 16]
  // CHECK-NEXT: %[[C0:.*]] = memref.cast
  // CHECK: call @rt_convolution_channels_f32(%[[W0]], %[[X0]], %[[C0]], %c3, %c2, %c6, %c168, %c6, %c1344, %c48, %c1, %{{.*}}, %{{.*}}, %c8, %c20, %c1, %c8, %c18)
  // CHECK: memref.reinterpret_cast %[[X]] to offset: [72]
  // CHECK-NEXT: %[[X1:.*]] = memref.cast
  // CHECK: memref.reinterpret_cast %[[C]] to offset: [128], sizes: [12, 4, 2, 16]
  // CHECK: call @rt_convolution_channels_f32(%[[W0]], %[[X1]], %{{.*}}, %c3, %c1, %c6, %c168, %c6, %c1344, %c48, %c1, %{{.*}}, %{{.*}}, %c8, %c20, %c1, %c8, %c18)
  // CHECK: memref.reinterpret_cast %[[W]] to offset: [0]
  // CHECK: memref.reinterpret_cast %[[C]] to offset: [256], sizes: [12, 4, 2, 16]
  // CHECK: call @rt_convolution_channels_f32(%{{.*}}, %[[X0]], %{{.*}}, %c3, %c2, %c6, %c168, %c6, %c1344, %c48, %c1, %{{.*}}, %{{.*}}, %c8, %c20, %c1, %c8, %c18)
  // CHECK-NOT: call
  // CHECK: return
  rt.convolution ins(%w, %x : memref<2x3x3x6x16xf32>, memref<1x28x28x6xf32>)
      outs(%c : memref<1x12x12x2x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 8, 8>, padding = array<i64: 8, 8, 8, 8>}
  return
}
// The same with padding that is too narrow to make up for the calls.

// CHECK-LABEL: @narrow
// NARROW-LABEL: @narrow
func.func @narrow(%w: memref<2x3x3x6x16xf32>, %x: memref<1x28x28x6xf32>, %c: memref<1x12x12x2x16xf32>) {
  // CHECK-COUNT-1: call @rt_convolution_channels_f32
  // CHECK-NOT: call @rt_convolution_channels_f32
  // CHECK: return
  rt.convolution ins(%w, %x : memref<2x3x3x6x16xf32>, memref<1x28x28x6xf32>)
      outs(%c : memref<1x12x12x2x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 8, 8>, padding = array<i64: 8, 8, 1, 1>}
  return
}

// -----


// One spatial dim, and a kernel of one element: the loop over input channels is the innermost one.

// CHECK-LABEL: @row
// NARROW-LABEL: @row
func.func @row(%w: memref<1x1x6x16xf64>, %x: memref<1x?x6xf64>, %c: memref<1x?x1x16xf64>) {
  // CHECK-NOT: linalg
  // CHECK: call @rt_convolution_channels_f64(%{{.*}}, %{{.*}}, %{{.*}}, %c1, %c1, %c6, %c0, %c12, %c0, %c6, %c1,
  rt.convolution ins(%w, %x : memref<1x1x6x16xf64>, memref<1x?x6xf64>)
      outs(%c : memref<1x?x1x16xf64>)
      {strides = array<i64: 2>, dilations = array<i64: 1>}
  return
}

// -----


// Each channel has filters of its own. The windows overlap in the view of the data.

// CHECK-LABEL: @depthwise
func.func @depthwise(%w: memref<3x3x20xf32>, %x: memref<1x9x?x20xf32>, %c: memref<1x7x?x20xf32>) {
  // CHECK-NOT: linalg
  // CHECK: %[[B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [3, 3, 7, %{{.*}}, 20], strides: [%{{.*}}, 20, %{{.*}}, 40, 1]
  // CHECK: call @rt_depthwise_channels_f32(
  rt.convolution ins(%w, %x : memref<3x3x20xf32>, memref<1x9x?x20xf32>)
      outs(%c : memref<1x7x?x20xf32>)
      {strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>}
  return
}
// CHECK: func.func private @rt_depthwise_channels_f32
// CHECK: case 8
// CHECK: vector.load
// CHECK-COUNT-8: math.fma
// CHECK: vector.maskedload
// CHECK-COUNT-8: math.fma
// CHECK-NOT: case

// -----


// Planes are a loop around the call, which gets the elements of the kernel that read data: their number is a size, and
// the views of filters and data begin at the first one.

// CHECK-LABEL: @volume
// CHECK-SAME: (%[[W:.*]]: memref<2x3x2x3x6x16xf32>, %[[X:.*]]: memref<1x9x12x15x6xf32>
func.func @volume(%w: memref<2x3x2x3x6x16xf32>, %x: memref<1x9x12x15x6xf32>, %c: memref<1x4x10x13x2x16xf32>) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK: scf.for %[[D:.*]] = %[[C0]] to %[[C4]]
  // CHECK: %[[AT:.*]] = arith.muli %[[D]], %[[C2]] : index
  // CHECK: %[[ABOVE:.*]] = arith.subi %[[C1]], %[[AT]]
  // CHECK: %[[REACH:.*]] = arith.maxsi %[[ABOVE]], %[[C0]]
  // CHECK: %[[FIRST:.*]] = arith.minui %[[REACH]], %[[C2]]
  // CHECK: %[[DEPTH:.*]] = arith.subi %{{.*}}, %[[FIRST]]
  // CHECK: arith.muli %[[FIRST]], %c288
  // CHECK: call @rt_convolution_channels_f32(%{{.*}}, %{{.*}}, %{{.*}}, %c3, %[[DEPTH]], %c18, %c90, %c6, %c90, %c1080, %c1, %{{.*}}, %{{.*}}, %c0, %c13, %c1, %c1, %c36)
  rt.convolution ins(%w, %x : memref<2x3x2x3x6x16xf32>, memref<1x9x12x15x6xf32>)
      outs(%c : memref<1x4x10x13x2x16xf32>)
      {strides = array<i64: 2, 1, 1>, dilations = array<i64: 1, 1, 1>, padding = array<i64: 1, 1, 0, 0, 0, 0>}
  return
}
// The kernel has no dim for columns that are apart, so the data are copied together.

// CHECK-LABEL: @gaps
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<1x9x12x15x6xf32, strided
func.func @gaps(%w: memref<2x3x2x3x6x16xf32>, %x: memref<1x9x12x15x6xf32, strided<[12960, 1440, 120, 8, 1]>>,
                %c: memref<1x4x10x13x2x16xf32>) {
  // CHECK: %[[COPY:.*]] = memref.alloc() : memref<1x9x12x15x6xf32>
  // CHECK: memref.copy %[[X]], %[[COPY]]
  // CHECK: memref.reinterpret_cast %[[COPY]]
  // CHECK: call @rt_convolution_channels_f32
  rt.convolution ins(%w, %x : memref<2x3x2x3x6x16xf32>, memref<1x9x12x15x6xf32, strided<[12960, 1440, 120, 8, 1]>>)
      outs(%c : memref<1x4x10x13x2x16xf32>)
      {strides = array<i64: 2, 1, 1>, dilations = array<i64: 1, 1, 1>}
  return
}
// A result whose channels are apart is computed elsewhere first.

// CHECK-LABEL: @apart
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<1x7x20xf32, strided<[300, 40, 2]>>
func.func @apart(%w: memref<3x20xf32>, %x: memref<1x9x20xf32>, %c: memref<1x7x20xf32, strided<[300, 40, 2]>>) {
  // CHECK: %[[COPY:.*]] = memref.alloc() : memref<1x7x20xf32>
  // CHECK: call @rt_depthwise_channels_f32
  // CHECK: memref.copy %[[COPY]], %[[C]]
  rt.convolution ins(%w, %x : memref<3x20xf32>, memref<1x9x20xf32>)
      outs(%c : memref<1x7x20xf32, strided<[300, 40, 2]>>)
      {strides = array<i64: 1>, dilations = array<i64: 1>}
  return
}

// -----


// Groups are a loop around the call. The channels of a group are a part of a column.

// CHECK-LABEL: @groups
// CHECK-SAME: (%[[W:.*]]: memref<3x2x3x3x6x16xf32>, %[[X:.*]]: memref<1x12x15x3x6xf32>, %[[C:.*]]: memref<1x10x13x3x2x16xf32>
func.func @groups(%w: memref<3x2x3x3x6x16xf32>, %x: memref<1x12x15x3x6xf32>, %c: memref<1x10x13x3x2x16xf32>) {
  // CHECK: scf.for %[[G:.*]] = %{{.*}} to %c3
  // CHECK-DAG: %[[OFW:.*]] = arith.muli %[[G]], %c1728
  // CHECK-DAG: %[[OFX:.*]] = arith.muli %[[G]], %c6
  // CHECK-DAG: %[[OFC:.*]] = arith.muli %[[G]], %c32
  // CHECK-DAG: memref.reinterpret_cast %[[W]] to offset: [%[[OFW]]]
  // CHECK-DAG: memref.reinterpret_cast %[[X]] to offset: [%[[OFX]]]
  // CHECK-DAG: memref.reinterpret_cast %[[C]] to offset: [%[[OFC]]]
  // CHECK: call @rt_convolution_channels_f32(%{{.*}}, %{{.*}}, %{{.*}}, %c3, %c3, %c6, %c270, %c18, %c270, %c18, %c1,
  rt.convolution ins(%w, %x : memref<3x2x3x3x6x16xf32>, memref<1x12x15x3x6xf32>)
      outs(%c : memref<1x10x13x3x2x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
  return
}

// -----

// Transformed filters: rows of pairs are transformed, multiplied by the kernel for products, and transformed back. If a
// result is not finite, the group is computed once more.

// CHECK-LABEL: @winograd
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<2x1x4x40x32xf32>
func.func @winograd(%w: memref<2x1x4x40x32xf32>, %x: memref<1x7x?x40xf32>, %c: memref<1x7x?x2x32xf32>) {
  // CHECK-NOT: linalg
  // CHECK: %[[SCRATCH:.*]] = memref.alloc() : memref<7x{{[0-9]+}}xf32>
  // CHECK: call @rt_convolution_winograd_1_4_f32(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c40, %c6, %{{.*}}, %c1, %c2,
  rt.convolution ins(%w, %x : memref<2x1x4x40x32xf32>, memref<1x7x?x40xf32>)
      outs(%c : memref<1x7x?x2x32xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 2>, transformed = array<i1: false, true>}
  return
}
// CHECK: func.func private @rt_convolution_winograd_1_4_f32
// CHECK: vector.load
// CHECK: arith.subf
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK: arith.subf
// CHECK: call @rt_product_f32_rows
// CHECK: arith.cmpf uno
// CHECK: scf.if
// CHECK: func.func private @rt_product_f32_rows
