// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-products{vector-bits=512 vector-registers=32})' \
// RUN:   --split-input-file | FileCheck %s

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// Rows that are rounded already need no scratch.

// CHECK-LABEL: @product
// CHECK-NOT: memref.alloc
// CHECK: call @rt_product_f32_bf16_dots(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (memref<?x?xbf16, strided<[?, 1], offset: ?>>, memref<?x?x64xbf16, {{.*}}>, memref<?x?x32xf32, {{.*}}>, f32) -> ()

// The kernel has no panels. Threads may share its blocks of columns.
// CHECK: func.func private @rt_product_f32_bf16_dots(
// CHECK-SAME: rt.parts
// CHECK: call @rt_product_f32_bf16_dots_row(
// CHECK: call @rt_product_f32_bf16_dots_rows(

// Both products of a pair are added at once. A row has 16 sums or more, if there are so many, and one for each element of C.
// CHECK: func.func private @rt_product_f32_bf16_dots_row(
// CHECK: scf.index_switch
// CHECK: case 8 {
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK: %[[COLUMN:.*]] = vector.load %arg1{{.*}} vector<32xbf16>
// CHECK: %[[PAIR:.*]] = vector.load %arg0{{.*}} vector<2xbf16>
// CHECK: %[[BITS:.*]] = vector.bitcast %[[PAIR]] : vector<2xbf16> to vector<1xi32>
// CHECK: %[[ONE:.*]] = vector.extract %[[BITS]][0]
// CHECK: %[[ALL:.*]] = vector.broadcast %[[ONE]] : i32 to vector<16xi32>
// CHECK: %[[FACTOR:.*]] = vector.bitcast %[[ALL]] : vector<16xi32> to vector<32xbf16>
// CHECK: x86vector.avx512.dot %{{.*}}, %[[FACTOR]], %[[COLUMN]] : vector<32xbf16> -> vector<16xf32>
// CHECK-NOT: arith.addf
// CHECK: func.func private @rt_product_f32_bf16_dots_rows(
// CHECK-NOT: arith.addf
func.func @product(%x: memref<?x64xbf16>, %w: memref<4x32x32x2xbf16>, %r: memref<?x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%x, %w : memref<?x64xbf16>, memref<4x32x32x2xbf16>) start(%zero : f32) outs(%r : memref<?x4x32xf32>)
      {rows_map = #a, matrix_map = #b, elements = #rt<elements pairs>, columns = 128}
  return
}

// -----

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// One row goes to its function at once.

// CHECK-LABEL: @row
// CHECK: call @rt_product_f32_bf16_dots_row(
func.func @row(%x: memref<1x64xbf16>, %w: memref<4x32x32x2xbf16>, %r: memref<1x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%x, %w : memref<1x64xbf16>, memref<4x32x32x2xbf16>) start(%zero : f32) outs(%r : memref<1x4x32xf32>)
      {rows_map = #a, matrix_map = #b, elements = #rt<elements pairs>, columns = 128}
  return
}
