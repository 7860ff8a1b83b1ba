// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-products --canonicalize --cse --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-products{vector-bits=512 vector-registers=32})' \
// RUN:   --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: ir-opt %s --rt-lower-products --split-input-file \
// RUN:   --remarks-filter=rt-lower-products --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] kernel | Category:rt-lower-products | Remark="a kernel multiplies rows (?) by a matrix of 4 x 32 x 16 elements of f32; accumulators of an element: 1"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-products | Remark="a kernel multiplies rows (?) by a matrix of 4 x 32 x 16 elements of bf16; accumulators of an element: 1"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-products | Remark="a kernel multiplies rows (?) by a matrix of 3 x 32 x 64 elements of f16; accumulators of an element: 1"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-products | Remark="a kernel multiplies rows (3) by a matrix of ? x ? elements of f32; accumulators of an element: 1"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-products | Remark="a kernel multiplies rows (? x ?) by a matrix of 32 x 8 elements of f64; accumulators of an element: 4"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-products | Remark="a kernel multiplies rows (? x ?) by a matrix of 70 x 512 x 16 elements of f32; accumulators of an element: 1"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-products | Remark="a kernel for dot products does loops of ? x 1 x ? x 32"
// REMARK-DAG: [Passed] kernel | Category:rt-lower-products | Remark="a kernel multiplies rows (1) by a matrix of ? x 32 elements of f32; accumulators of an element: 2"
// REMARK-DAG: [Missed] no-kernel | Category:rt-lower-products | Reason="expected rows whose elements are one after the other"

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// Packed weights: one call. The kernel gets the start.

// CHECK-LABEL: @packed
// CHECK-SAME: (%[[A:.*]]: memref<?x32xf32>, %[[W:.*]]: memref<4x32x16xf32>, %[[C:.*]]: memref<?x4x16xf32>)
func.func @packed(%a: memref<?x32xf32>, %w: memref<4x32x16xf32>, %c: memref<?x4x16xf32>) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-NOT: {{linalg|rt\.product}}
  // CHECK: %[[A0:.*]] = memref.cast %[[A]] : memref<?x32xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  // CHECK: %[[W0:.*]] = memref.cast %[[W]] : memref<4x32x16xf32> to memref<?x?x16xf32, strided<[?, ?, 1], offset: ?>>
  // CHECK: %[[C1:.*]] = memref.reinterpret_cast %[[C]] to offset: [0], sizes: [%{{.*}}, 4, 16], strides: [64, 16, 1]
  // CHECK: %[[C0:.*]] = memref.cast %[[C1]]
  // CHECK: call @rt_product_f32(%[[A0]], %[[W0]], %[[C0]], %[[ZERO]])
  // CHECK-NOT: {{linalg|rt\.product}}
  %zero = arith.constant 0.0 : f32
  rt.product ins(%a, %w : memref<?x32xf32>, memref<4x32x16xf32>) start(%zero : f32)
      outs(%c : memref<?x4x16xf32>)
      {rows_map = #a, matrix_map = #b, columns = 64}
  return
}
// The kernel: a single row has a function of its own.
// CHECK: func.func private @rt_product_f32
// CHECK-SAME: attributes {passthrough = ["noinline", "rt.kernel"], rt.kernel,
// CHECK-SAME: rt.parts = {along = [{{\[1, 0\], \[2, 1\]}}], cost = 128 : i64, grain = 4 : i64, other = {along = [{{\[0, 0\], \[2, 0\]}}], least = 6 : i64},
// CHECK-SAME: sizes = [{{\[0, 0\], \[0, 1\], \[1, 0\]}}]}}
// CHECK: arith.cmpi eq, %{{.*}}, %c1
// CHECK: scf.if
// CHECK: call @rt_product_f32_row
// CHECK: else
// CHECK: call @rt_product_f32_rows
// A row takes up to five blocks at once, and its tiles have about as many. An iteration takes four steps, and then one.
// CHECK: func.func private @rt_product_f32_row
// CHECK: scf.for
// CHECK: scf.index_switch
// CHECK: case 4 {
// CHECK: scf.for {{.*}} step %c4 {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// CHECK: vector.load {{.*}} : memref<?x?x16xf32, strided<[?, ?, 1], offset: ?>>, vector<8xf32>
// CHECK: vector.broadcast
// CHECK: math.fma
// CHECK: } {llvm.loop_annotation = #{{.*}}}
// CHECK: case 5 {
// CHECK-COUNT-50: math.fma
// CHECK-NOT: math.fma
// CHECK: default {
// Panels of as many rows as stay in L2; blocks; tiles of 2 to 6 rows, which read the same block.
// CHECK: func.func private @rt_product_f32_rows
// CHECK: arith.divui %c131072, {{.*}} : index
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.index_switch
// CHECK: case 2 {
// CHECK: case 6 {
// CHECK-NOT: case
// CHECK: default {
// CHECK-NOT: masked
// WIDE: func.func private @rt_product_f32_row(
// With many registers, a row takes eight blocks at once, unless the blocks are a multiple of 64 KiB apart.
// It takes four steps at once if the blocks are streams of their own, first all four of one block. All steps add to the
// same accumulators, so the order of the sums is the same.
// WIDE: %[[STREAMS:.*]] = arith.cmpi ne, %{{.*}}#0, %c32
// WIDE: %[[WHOLE:.*]] = arith.select %[[STREAMS]], %{{.*}}, %c0
// WIDE: memref.extract_strided_metadata
// WIDE: arith.remui {{.*}}, %c16384
// WIDE: arith.cmpi eq
// WIDE: arith.select %{{.*}}, %c4{{.*}}, %c8
// It takes two if all blocks have less than 1 MiB, and L1 holds two blocks, but not four; and so on.
// WIDE: arith.cmpi ult, {{.*}}, %c8192
// WIDE: arith.cmpi ule, {{.*}}, %c128
// WIDE: arith.cmpi ugt, {{.*}}, %c64
// WIDE: arith.select %{{.*}}, %c2
// WIDE: arith.cmpi ule, {{.*}}, %c64
// WIDE: arith.cmpi ugt, {{.*}}, %c32
// WIDE: arith.select %{{.*}}, %c4
// WIDE: scf.for
// WIDE: scf.index_switch
// WIDE: case 8 {
// WIDE: %[[SUMS:.*]]:16 = scf.for {{.*}} = %c0 to %[[WHOLE]] step %c4
// WIDE-COUNT-4: vector.broadcast
// WIDE: %[[ONE:.*]] = math.fma %{{.*}}, %{{.*}}, %{{.*}} : vector<16xf32>
// WIDE: math.fma
// WIDE: math.fma %{{.*}}, %{{.*}}, %[[ONE]] : vector<16xf32>
// WIDE-COUNT-61: math.fma
// WIDE-NOT: math.fma
// WIDE: scf.for {{.*}} = %[[WHOLE]] to {{.*}} step %c1 iter_args(%{{.*}} = %[[SUMS]]#0,
// WIDE-COUNT-16: math.fma
// WIDE-NOT: math.fma
// WIDE: default {
// WIDE: func.func private @rt_product_f32_rows
// WIDE: case 2 {
// WIDE: case 13 {
// WIDE-NOT: case
// WIDE: default {

// -----

// Packed weights of bf16: the kernel for them takes a scratch for a block. There are functions for one row and for a few
// rows, which extend what they load. For more rows, a block is extended, and the function for wide weights multiplies
// the rows by it. It comes after those that call it.

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// CHECK-LABEL: @narrow
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<4x32x16xbf16>
func.func @narrow(%a: memref<?x32xf32>, %w: memref<4x32x16xbf16>, %v: memref<4x32x16xf32>, %c: memref<?x4x16xf32>,
                  %d: memref<?x4x16xf32>) {
  // CHECK: call @rt_product_f32(
  // CHECK: %[[W0:.*]] = memref.cast %[[W]] : memref<4x32x16xbf16> to memref<?x?x16xbf16, strided<[?, ?, 1], offset: ?>>
  // CHECK: %[[SCRATCH:.*]] = memref.alloc() : memref<1x32x16xf32>
  // CHECK: %[[S0:.*]] = memref.cast %[[SCRATCH]] : memref<1x32x16xf32> to memref<?x?x16xf32, strided<[?, ?, 1], offset: ?>>
  // CHECK: call @rt_product_f32_bf16(%{{.*}}, %[[W0]], %{{.*}}, %{{.*}}, %[[S0]])
  // CHECK-NOT: {{linalg|rt\.product}}
  %zero = arith.constant 0.0 : f32
  rt.product ins(%a, %v : memref<?x32xf32>, memref<4x32x16xf32>) start(%zero : f32)
      outs(%d : memref<?x4x16xf32>)
      {rows_map = #a, matrix_map = #b, columns = 64}
  rt.product ins(%a, %w : memref<?x32xf32>, memref<4x32x16xbf16>) start(%zero : f32)
      outs(%c : memref<?x4x16xf32>)
      {rows_map = #a, matrix_map = #b, columns = 64}
  return
}
// CHECK: func.func private @rt_product_f32(
// CHECK: func.func private @rt_product_f32_bf16(
// CHECK: arith.cmpi eq, %{{.*}}, %c1
// CHECK: call @rt_product_f32_bf16_row(
// CHECK: arith.cmpi ugt, %{{.*}}, %c12
// CHECK: call @rt_product_f32_bf16_panels(
// CHECK: call @rt_product_f32_bf16_rows(
// CHECK: func.func private @rt_product_f32_bf16_row(
// CHECK: %[[N:.*]] = vector.load %{{.*}} : memref<?x?x16xbf16, {{.*}}>, vector<8xbf16>
// CHECK: arith.extf %[[N]] : vector<8xbf16> to vector<8xf32>
// CHECK: func.func private @rt_product_f32_bf16_rows(
// CHECK: arith.extf
// CHECK: func.func private @rt_product_f32_bf16_panels(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.extf
// CHECK: vector.store
// CHECK: call @rt_product_f32_rows(
// CHECK: func.func private @rt_product_f32_rows(
// CHECK-NOT: arith.extf

// -----

// Blocks of several kernel blocks, as a single row reads them: the blocks are a loop, and the call takes the columns of
// one as kernel blocks.

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// CHECK-LABEL: @narrow_of_row
func.func @narrow_of_row(%a: memref<?x32xf32>, %w: memref<3x32x64xf16>, %c: memref<?x3x64xf32>) {
  // CHECK: scf.for
  // CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [4, 32, 16], strides: [16, 64, 1]
  // CHECK: %[[SCRATCH:.*]] = memref.alloc() : memref<1x32x16xf32>
  // CHECK: %[[S:.*]] = memref.cast %[[SCRATCH]]
  // CHECK: call @rt_product_f32_f16({{.*}}, %[[S]])
  // CHECK-NOT: {{linalg|rt\.product}}
  %zero = arith.constant 0.0 : f32
  rt.product ins(%a, %w : memref<?x32xf32>, memref<3x32x64xf16>) start(%zero : f32)
      outs(%c : memref<?x3x64xf32>)
      {rows_map = #a, matrix_map = #b, columns = 192}
  return
}

// -----

// The number of columns depends on the call: whole blocks, and a remainder with masks. Batches are a loop.

// CHECK-LABEL: @columns
func.func @columns(%a: memref<?x3x?xf32>, %w: memref<?x?x?xf32>, %c: memref<?x3x?xf32>) {
  // CHECK: scf.for
  // CHECK: call @rt_product_f32(
  // CHECK: scf.if
  // CHECK: call @rt_product_f32_rest(
  %zero = arith.constant 0.0 : f32
  rt.product ins(%a, %w : memref<?x3x?xf32>, memref<?x?x?xf32>) start(%zero : f32)
      outs(%c : memref<?x3x?xf32>)
      {rows_map = affine_map<(n, m, j, k) -> (n, m, k)>, matrix_map = affine_map<(n, m, j, k) -> (n, k, j)>, columns = -1}
  return
}
// CHECK: func.func private @rt_product_f32(
// CHECK: func.func private @rt_product_f32_rest(
// CHECK: func.func private @rt_product_f32_rest_row(
// CHECK: arith.ceildivui
// CHECK: arith.cmpi sgt, {{.*}} : vector<8xi32>
// CHECK: vector.maskedload
// CHECK: vector.maskedstore

// -----

// Contiguous rows become one dim. Rows with gaps between them become a loop.

#a3 = affine_map<(n, m, j, k) -> (n, m, k)>
#b3 = affine_map<(n, m, j, k) -> (k, j)>

// CHECK-LABEL: @rows_in_one
// CHECK-NOT: scf.for
// CHECK: arith.muli
// CHECK: call @rt_product_f64_by4(
func.func @rows_in_one(%a: memref<?x?x32xf64>, %w: memref<32x8xf64>, %c: memref<?x?x8xf64>) {
  %zero = arith.constant 0.0 : f64
  rt.product ins(%a, %w : memref<?x?x32xf64>, memref<32x8xf64>) start(%zero : f64)
      outs(%c : memref<?x?x8xf64>)
      {rows_map = #a3, matrix_map = #b3, columns = 8}
  return
}

// The larger one of the two row dims becomes the rows of a call.

// CHECK-LABEL: @rows_apart
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[N:.*]], %[[M:.*]] : index
// CHECK: %[[LESS:.*]] = arith.select %[[MORE]], %[[M]], %[[N]]
// CHECK: arith.select %[[MORE]], %[[N]], %[[M]]
// CHECK: scf.for {{.*}} to %[[LESS]]
// CHECK: call @rt_product_f64_by4(
func.func @rows_apart(%a: memref<?x?x32xf64, strided<[?, 32, 1]>>, %w: memref<32x8xf64>, %c: memref<?x?x8xf64>) {
  %zero = arith.constant 0.0 : f64
  rt.product ins(%a, %w : memref<?x?x32xf64, strided<[?, 32, 1]>>, memref<32x8xf64>) start(%zero : f64)
      outs(%c : memref<?x?x8xf64>)
      {rows_map = #a3, matrix_map = #b3, columns = 8}
  return
}
// One function for both.
// CHECK-COUNT-1: func.func private @rt_product_f64_by4(
// CHECK-NOT: func.func private @rt_product_f64(

// -----

#a4 = affine_map<(i, j, n, l, k) -> (i, j, k)>
#b4 = affine_map<(i, j, n, l, k) -> (n, k, l)>

// Packed weights of more than 2 MiB do not stay in L2, so all calls read a panel of 16 blocks one after the
// other. The last panel has the rest too. Threads may share the panels.

// CHECK-LABEL: @panels
// CHECK: scf.for %[[PANEL:[^ ]*]] = %c0{{[^ ]*}} to %c4{{[^ ]*}} step
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[PANEL]], %c3
// CHECK: %[[BLOCKS:.*]] = arith.select %[[LAST]], %c22, %c16
// CHECK: scf.for
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%[[BLOCKS]], 512, 16]
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%{{.*}}, %[[BLOCKS]], 16]
// CHECK: call @rt_product_f32(
// CHECK: } {rt.independent}
func.func @panels(%a: memref<?x?x512xf32, strided<[?, 512, 1]>>, %w: memref<70x512x16xf32>, %c: memref<?x?x70x16xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%a, %w : memref<?x?x512xf32, strided<[?, 512, 1]>>, memref<70x512x16xf32>) start(%zero : f32)
      outs(%c : memref<?x?x70x16xf32>)
      {rows_map = #a4, matrix_map = #b4, columns = 1120}
  return
}

// -----

#q = affine_map<(b, m, j, k) -> (b, m, k)>
#keys = affine_map<(b, m, j, k) -> (b, j, k)>
#values = affine_map<(b, m, j, k) -> (b, k, j)>

// One row and a transposed matrix: dot products. One row and a matrix for each batch: a loop over the batch.

// CHECK-LABEL: @attention
// CHECK-SAME: (%[[Q:.*]]: memref<?x1x32xf32>, %[[K:.*]]: memref<?x?x32xf32>, %[[S:.*]]: memref<?x1x?xf32>,
func.func @attention(%q: memref<?x1x32xf32>, %k: memref<?x?x32xf32>, %s: memref<?x1x?xf32>, %o: memref<?x1x32xf32>) {
  // CHECK: scf.for
  // CHECK: %[[K0:.*]] = memref.reinterpret_cast %[[K]]
  // CHECK: %[[Q0:.*]] = memref.reinterpret_cast %[[Q]]
  // CHECK: %[[S0:.*]] = memref.reinterpret_cast %[[S]]
  // CHECK: call @rt_dot_f32(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[?], offset: ?>>, f32) -> ()
  // CHECK: scf.for
  // CHECK: call @rt_product_f32_by2(
  // CHECK-NOT: linalg.generic
  %zero = arith.constant 0.0 : f32
  rt.product ins(%q, %k : memref<?x1x32xf32>, memref<?x?x32xf32>) start(%zero : f32)
      outs(%s : memref<?x1x?xf32>)
      {rows_map = #q, matrix_map = #keys, columns = -1}
  rt.product ins(%s, %k : memref<?x1x?xf32>, memref<?x?x32xf32>) start(%zero : f32)
      outs(%o : memref<?x1x32xf32>)
      {rows_map = #q, matrix_map = #values, columns = 32}
  return
}
// Four rows at once, two vectors of the shared dim; the remainder is masked. Then the remaining rows.
// CHECK: func.func private @rt_dot_f32(
// CHECK: scf.for {{.*}} step %c4
// CHECK: scf.for {{.*}} step %c16
// CHECK-COUNT-8: math.fma
// CHECK: scf.for {{.*}} step %c8
// CHECK: vector.maskedload
// CHECK-COUNT-4: vector.reduction <add>, {{.*}} fastmath<reassoc>
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.for {{.*}} step %c32
// CHECK: vector.reduction

// -----

// Columns that are apart, in the matrix or in the result, are copied together.

// CHECK-LABEL: @columns_apart
// CHECK-SAME: (%{{.*}}: memref<?x8xf32>, %[[V:.*]]: memref<8x?xf32, strided<[?, 2]>>, %[[C:.*]]: memref<?x?xf32, strided<[?, 2], offset: 1>>)
// CHECK: %[[B:.*]] = memref.alloc(%{{.*}}) : memref<8x?xf32>
// CHECK: memref.copy %[[V]], %[[B]]
// CHECK: %[[ROWS:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32>
// CHECK: call @rt_product_f32(
// CHECK: call @rt_product_f32_rest(
// CHECK: memref.copy %[[ROWS]], %[[C]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @columns_apart(%a: memref<?x8xf32>, %v: memref<8x?xf32, strided<[?, 2]>>,
                         %c: memref<?x?xf32, strided<[?, 2], offset: 1>>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%a, %v : memref<?x8xf32>, memref<8x?xf32, strided<[?, 2]>>) start(%zero : f32)
      outs(%c : memref<?x?xf32, strided<[?, 2], offset: 1>>)
      {rows_map = affine_map<(m, j, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = -1}
  return
}

// -----

// In a loop, where only the call tells the size of a copy, columns that are apart are left to scalar loops.

// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[D:.*]] : memref<?x?xf32>)
// CHECK: linalg.generic
// CHECK-SAME: outs(%[[D]] : memref<?x?xf32>)
// CHECK: %[[PRODUCT:.*]] = arith.mulf
// CHECK: arith.addf %{{.*}}, %[[PRODUCT]]
// CHECK-NOT: call
func.func @loop(%a: memref<?x8xf32>, %v: memref<8x?xf32, strided<[?, 2]>>, %d: memref<?x?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %t = %c0 to %n step %one {
    rt.product ins(%a, %v : memref<?x8xf32>, memref<8x?xf32, strided<[?, 2]>>) start(%zero : f32)
        outs(%d : memref<?x?xf32>)
        {rows_map = affine_map<(m, j, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = -1}
  }
  return
}

// -----

// A single element is added up as more rows are.

// CHECK-LABEL: @element
func.func @element(%a: memref<1x64xf32>, %w: memref<64x1xf32>, %c: memref<1x1xf32>) {
  // CHECK: call @rt_product_f32
  %zero = arith.constant 0.0 : f32
  rt.product ins(%a, %w : memref<1x64xf32>, memref<64x1xf32>) start(%zero : f32)
      outs(%c : memref<1x1xf32>)
      {rows_map = affine_map<(m, j, k) -> (m, k)>, matrix_map = affine_map<(m, j, k) -> (k, j)>, columns = -1}
  return
}

// -----

// Batches with strides that only the call knows are one loop, whose iterations threads may share: at least four.

#a = affine_map<(b, h, i, j, k) -> (b, h, i, k)>
#b = affine_map<(b, h, i, j, k) -> (b, h, k, j)>

// CHECK-LABEL: @heads
// CHECK-SAME: %[[A:.*]]: memref<?x4x?x16xf32>
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[COUNT:.*]] = arith.muli %{{.*}}, %[[FOUR]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[COUNT]]
// CHECK: arith.remui %[[I]], %[[FOUR]]
// CHECK: arith.divui %[[I]], %[[FOUR]]
// CHECK-NOT: scf.for
// CHECK: call @rt_product_f32
// CHECK: } {rt.independent}
func.func @heads(%a: memref<?x4x?x16xf32>, %b: memref<?x4x16x16xf32>, %c: memref<?x4x?x16xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%a, %b : memref<?x4x?x16xf32>, memref<?x4x16x16xf32>) start(%zero : f32)
      outs(%c : memref<?x4x?x16xf32>)
      {rows_map = #a, matrix_map = #b, columns = 16}
  return
}
