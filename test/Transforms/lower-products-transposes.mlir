// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-products{vector-bits=512 vector-registers=32}, canonicalize, cse)' \
// RUN:   --split-input-file | FileCheck %s

// Transposes of channels. The rows and columns of a plane are one dim if both buffers are contiguous.

// CHECK-LABEL: @transposes
// CHECK-SAME: (%[[X:.*]]: memref<1x20x?x24xf32>, %[[Y:.*]]: memref<1x?x24x20xf32>, %[[Z:.*]]: memref<1x?x24x20xf32, strided<{{.*}}>>)
func.func @transposes(%x: memref<1x20x?x24xf32>, %y: memref<1x?x24x20xf32>,
                      %z: memref<1x?x24x20xf32, strided<[8000, 800, 25, 1]>>) {
  // CHECK-NOT: scf.for
  // CHECK: call @rt_transpose_f32
  // CHECK-NOT: scf.for
  // CHECK: call @rt_transpose_f32
  // CHECK: scf.for
  // CHECK: call @rt_transpose_f32
  // CHECK-NOT: linalg.transpose
  linalg.transpose ins(%x : memref<1x20x?x24xf32>) outs(%y : memref<1x?x24x20xf32>) permutation = [0, 2, 3, 1]
  linalg.transpose ins(%y : memref<1x?x24x20xf32>) outs(%x : memref<1x20x?x24xf32>) permutation = [0, 3, 1, 2]
  linalg.transpose ins(%x : memref<1x20x?x24xf32>) outs(%z : memref<1x?x24x20xf32, strided<[8000, 800, 25, 1]>>)
      permutation = [0, 2, 3, 1]
  return
}
// Four steps exchange the halves of eight pairs each.
// CHECK: func.func private @rt_transpose_f32
// CHECK-COUNT-64: vector.shuffle
// CHECK-NOT: vector.shuffle

// -----

// Threads share a known number of batches, whose strides only the call knows.

// CHECK-LABEL: @batches
// CHECK: scf.for
// CHECK: call @rt_transpose_f32
// CHECK: } {rt.independent}
func.func @batches(%x: memref<2x20x?x24xf32>, %y: memref<2x?x24x20xf32>) {
  linalg.transpose ins(%x : memref<2x20x?x24xf32>) outs(%y : memref<2x?x24x20xf32>) permutation = [0, 2, 3, 1]
  return
}

// -----

// The colours of an image are interleaved, also if the result has a frame.

// CHECK-LABEL: @colours
func.func @colours(%x: memref<1x3x20x?xf32>, %y: memref<1x20x?x3xf32, strided<[8000, 400, 3, 1]>>) {
  // CHECK: scf.for
  // CHECK: call @rt_interleave_3_f32
  linalg.transpose ins(%x : memref<1x3x20x?xf32>) outs(%y : memref<1x20x?x3xf32, strided<[8000, 400, 3, 1]>>)
      permutation = [0, 2, 3, 1]
  return
}
// CHECK: func.func private @rt_interleave_3_f32
// CHECK: vector.shuffle {{.*}} [0, 16, 2, 1, 17, 5, 2, 18, 8, 3, 19, 11, 4, 20, 14, 5]
// CHECK: vector.shuffle {{.*}} [0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15]
// CHECK-COUNT-4: vector.shuffle
// CHECK-NOT: vector.shuffle
