// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-products{vector-bits=512 vector-registers=32})' \
// RUN:   --split-input-file | FileCheck %s

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// The call has scratches for the rounded rows, and says whether tile registers may be used.

// CHECK-LABEL: @product
// CHECK: %[[W:.*]] = memref.alloc() : memref<32x64xf32>
// CHECK: %[[WIDE:.*]] = memref.cast %[[W]]
// CHECK: %[[T:.*]] = memref.alloc() : memref<2x2x16x32xbf16>
// CHECK: %[[NARROW:.*]] = memref.cast %[[T]]
// CHECK: %[[MAY:.*]] = rt.may_use_tiles
// CHECK: call @rt_product_f32_bf16_pairs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[WIDE]], %[[NARROW]], %[[MAY]])

// One row has no use for tiles. The rows are rounded once for all columns.
// CHECK: func.func private @rt_product_f32_bf16_pairs(
// CHECK: %[[ONE:.*]] = arith.cmpi eq
// CHECK: %[[TILES:.*]] = arith.select %[[ONE]], %false, %arg6
// CHECK: scf.if %[[TILES]]
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK: vector.store %{{.*}}, %arg5
// CHECK: call @rt_product_f32_bf16_pairs_tiles(%arg5,
// CHECK: else
// CHECK: arith.truncf
// CHECK: arith.extf
// CHECK: vector.store %{{.*}}, %arg4
// CHECK: scf.if %[[ONE]]
// CHECK: call @rt_product_f32_bf16_pairs_row(
// CHECK: call @rt_product_f32_bf16_pairs_rows(

// Both elements of a pair are widened by one instruction, and multiplied in their order.
// CHECK: func.func private @rt_product_f32_bf16_pairs_row(
// CHECK-NOT: amx
// CHECK: %[[LOADED:.*]] = vector.load %arg1{{.*}} vector<32xbf16>
// CHECK: %[[PAIRS:.*]] = vector.bitcast %[[LOADED]] : vector<32xbf16> to vector<16xi32>
// CHECK: %[[FIRST:.*]] = arith.shli %[[PAIRS]]
// CHECK: %[[SECOND:.*]] = arith.andi %[[PAIRS]]
// CHECK: %[[EVEN:.*]] = arith.bitcast %[[FIRST]] : vector<16xi32> to vector<16xf32>
// CHECK: %[[ODD:.*]] = arith.bitcast %[[SECOND]]
// CHECK: %[[SUM:.*]] = math.fma %{{.*}}, %[[EVEN]],
// CHECK: math.fma %{{.*}}, %[[ODD]], %[[SUM]]

// Two tiles of rows and a block, or one tile of rows and two blocks.
// CHECK: func.func private @rt_product_f32_bf16_pairs_tiles(
// CHECK: scf.if
// CHECK-COUNT-4: amx.tile_zero
// CHECK-NOT: amx.tile_zero
// CHECK: scf.for
// CHECK-COUNT-2: amx.tile_load %arg0
// CHECK: amx.tile_load %arg1
// CHECK-COUNT-2: amx.tile_mulf
// CHECK: amx.tile_load %arg1
// CHECK-COUNT-2: amx.tile_mulf
// CHECK: scf.if
// CHECK: amx.tile_store %arg2{{.*}}, %{{.*}}, %{{.*}} : memref<?x?x32xf32
// CHECK: else
// CHECK: amx.tile_store %arg3[%c0
// CHECK: vector.store %{{.*}}, %arg2
func.func @product(%x: memref<?x64xf32>, %w: memref<4x32x32x2xbf16>, %r: memref<?x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%x, %w : memref<?x64xf32>, memref<4x32x32x2xbf16>) start(%zero : f32) outs(%r : memref<?x4x32xf32>)
      {rows_map = #a, matrix_map = #b, elements = #rt<elements pairs>, columns = 128}
  return
}

// -----

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// The elements of a row must be one after the other. Scalar loops round them otherwise, and read the pairs as the packed
// matrix has them.

// CHECK-LABEL: @strided
// CHECK-SAME: (%[[X:.*]]: memref<4x64xf32, {{.*}}>, %[[W:.*]]: memref<4x32x32x2xbf16>, %[[R:.*]]: memref<4x4x32xf32>)
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[R]] : memref<4x4x32xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[W]] :
// CHECK: ^bb0(%[[ROW:.*]]: f32, %[[WEIGHT:.*]]: bf16, %[[SUM:.*]]: f32):
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[ROW]]
// CHECK-DAG: %[[LEFT:.*]] = arith.extf %[[ROUNDED]]
// CHECK-DAG: %[[RIGHT:.*]] = arith.extf %[[WEIGHT]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[LEFT]], %[[RIGHT]]
// CHECK: arith.addf %[[SUM]], %[[PRODUCT]]
// CHECK-NOT: call @rt_product
func.func @strided(%x: memref<4x64xf32, strided<[128, 2]>>, %w: memref<4x32x32x2xbf16>, %r: memref<4x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%x, %w : memref<4x64xf32, strided<[128, 2]>>, memref<4x32x32x2xbf16>) start(%zero : f32) outs(%r : memref<4x4x32xf32>)
      {rows_map = #a, matrix_map = #b, elements = #rt<elements pairs>, columns = 128}
  return
}

// -----

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// A kernel takes blocks of two vectors, in which pairs follow each other.

// CHECK-LABEL: @other_blocks
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: call @rt_product
func.func @other_blocks(%x: memref<4x64xf32>, %wide: memref<3x32x64x2xbf16>,
                        %apart: memref<4x32x32x2xbf16, strided<[4096, 128, 4, 1]>>, %r: memref<4x3x64xf32>,
                        %s: memref<4x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%x, %wide : memref<4x64xf32>, memref<3x32x64x2xbf16>) start(%zero : f32) outs(%r : memref<4x3x64xf32>)
      {rows_map = #a, matrix_map = #b, elements = #rt<elements pairs>, columns = 192}
  rt.product ins(%x, %apart : memref<4x64xf32>, memref<4x32x32x2xbf16, strided<[4096, 128, 4, 1]>>) start(%zero : f32)
      outs(%s : memref<4x4x32xf32>) {rows_map = #a, matrix_map = #b, elements = #rt<elements pairs>, columns = 128}
  return
}
