// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-products --split-input-file | FileCheck %s

// A product with a matrix of integers calls a kernel. One row needs no scratch for panels.

// CHECK-LABEL: @row
// CHECK: memref.reinterpret_cast %arg2 to
// CHECK: call @rt_product_f32_i8_scale_f32_row(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: func.func private @rt_product_f32_i8_scale_f32_row
// CHECK-NOT: func.func
// The scales of a group are loaded before its steps.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %arg4{{.*}} vector<8xf32>
// CHECK: scf.for
// CHECK: vector.load %arg1{{.*}} vector<8xi8>
// CHECK: arith.extsi {{.*}} : vector<8xi8> to vector<8xi32>
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK: math.fma
func.func @row(%x: memref<1x64xf32>, %w: memref<4x64x16xi8>, %s: memref<4x2x16xf32>, %r: memref<1x4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%x, %w : memref<1x64xf32>, memref<4x64x16xi8>) scale(%s : memref<4x2x16xf32>) start(%zero : f32)
      outs(%r : memref<1x4x16xf32>)
      {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>,
       elements = #rt<elements bytes>, signed_matrix, columns = 64}
  return
}

// -----

// More rows may need panels. Both vectors of a block are halves of the same bytes.

// CHECK-LABEL: @rows
// CHECK: %[[T:.*]] = memref.alloc() : memref<1x64x16xf32>
// CHECK: %[[P:.*]] = memref.cast %[[T]]
// CHECK: call @rt_product_f32_u4_zero_u8(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[P]])
// CHECK-LABEL: func.func private @rt_product_f32_u4_zero_u8(
// CHECK: call @rt_product_f32_u4_zero_u8_row
// CHECK: call @rt_product_f32_u4_zero_u8_panels
// CHECK: call @rt_product_f32_u4_zero_u8_rows
// CHECK-LABEL: func.func private @rt_product_f32_u4_zero_u8_row(
// CHECK: %[[B:.*]] = vector.load %arg1
// CHECK: %[[Q:.*]] = arith.extui %[[B]] : vector<8xi8> to vector<8xi32>
// CHECK: arith.andi %[[Q]]
// CHECK: arith.subf
// CHECK: arith.shrui %[[Q]]
func.func @rows(%x: memref<?x64xf32>, %w: memref<4x64x8xi8>, %z: memref<4x1x16xi8>, %r: memref<?x4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%x, %w : memref<?x64xf32>, memref<4x64x8xi8>) zero(%z : memref<4x1x16xi8>) start(%zero : f32)
      outs(%r : memref<?x4x16xf32>)
      {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>,
       elements = #rt<elements halves>, columns = 64}
  return
}

// -----

// Two groups of zero points share the scales of a group. The groups of the kernel are those of which both are the same.

// CHECK-LABEL: @other_groups
// CHECK: call @rt_product_f32_u8_zero_u8_scale_f32x2_row(
// CHECK-LABEL: func.func private @rt_product_f32_u8_zero_u8_scale_f32x2_row
// CHECK: %[[GROUPS:.*]] = memref.dim %arg4, %c1
// CHECK: scf.for %[[GROUP:.*]] = %c0 to %[[GROUPS]]
// CHECK: vector.load %arg4[%{{.*}}, %[[GROUP]], %{{.*}}] {{.*}} vector<8xi8>
// CHECK: %[[PAIR:.*]] = arith.divui %[[GROUP]], %c2
// CHECK: vector.load %arg5[%{{.*}}, %[[PAIR]], %{{.*}}] {{.*}} vector<8xf32>
func.func @other_groups(%x: memref<1x64xf32>, %w: memref<4x64x16xi8>, %z: memref<4x4x16xi8>, %s: memref<4x2x16xf32>,
                        %r: memref<1x4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  rt.product ins(%x, %w : memref<1x64xf32>, memref<4x64x16xi8>) zero(%z : memref<4x4x16xi8>)
      scale(%s : memref<4x2x16xf32>) start(%zero : f32) outs(%r : memref<1x4x16xf32>)
      {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>,
       elements = #rt<elements bytes>, columns = 64}
  return
}

// -----

// A result whose columns are apart, in a loop: scalar loops do what the kernel does. The column decides which half of a
// byte is read, and 8 is taken from signed halves.

// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK: ^bb0(%[[ROW:.*]]: f32, %[[BYTE:.*]]: i8, %[[ZERO:.*]]: i8, %[[SCALE:.*]]: f16, %[[SUM:.*]]: f32):
// CHECK: %[[COLUMN:.*]] = linalg.index 2
// CHECK: %[[HALF:.*]] = arith.divui %[[COLUMN]], %c8
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[HALF]]
// CHECK: %[[BITS:.*]] = arith.shli %[[NUMBER]], %c2_i8
// CHECK: %[[MOVED:.*]] = arith.shrui %[[BYTE]], %[[BITS]]
// CHECK: %[[LOW:.*]] = arith.andi %[[MOVED]], %c15_i8
// CHECK: arith.uitofp %[[LOW]]
// CHECK: arith.subf %{{.*}}, %cst_{{.*}}
// CHECK: arith.sitofp %[[ZERO]]
// CHECK: arith.extf %[[SCALE]]
// CHECK: arith.mulf %[[ROW]]
// CHECK: arith.addf %[[SUM]]
func.func @loop(%x: memref<?x64xf32>, %w: memref<4x64x8xi8>, %z: memref<4x4x16xi8>, %s: memref<4x4x16xf16>,
                %r: memref<?x4x16xf32, strided<[256, 64, 2]>>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    rt.product ins(%x, %w : memref<?x64xf32>, memref<4x64x8xi8>) zero(%z : memref<4x4x16xi8>)
        scale(%s : memref<4x4x16xf16>) start(%zero : f32) outs(%r : memref<?x4x16xf32, strided<[256, 64, 2]>>)
        {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>,
         elements = #rt<elements halves>, signed_matrix, signed_zero, columns = 64}
  }
  return
}
