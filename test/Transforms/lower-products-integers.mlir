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
  linalg.fill ins(%zero : f32) outs(%r : memref<1x4x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                   affine_map<(m, b, j, k) -> (b, k floordiv 32, j)>,
                                   affine_map<(m, b, j, k) -> (m, b, j)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %s : memref<1x64xf32>, memref<4x64x16xi8>, memref<4x2x16xf32>) outs(%r : memref<1x4x16xf32>) {
  ^bb0(%a: f32, %q: i8, %f: f32, %c: f32):
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.mulf %0, %f : f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  }
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
func.func @rows(%x: memref<?x64xf32>, %w: memref<4x64x8xi8>, %z: memref<4x1x2x8xi8>, %r: memref<?x4x2x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : i8
  %c15 = arith.constant 15 : i8
  linalg.fill ins(%zero : f32) outs(%r : memref<?x4x2x8xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, b, h, j, k) -> (m, k)>, affine_map<(m, b, h, j, k) -> (b, k, j)>,
                                   affine_map<(m, b, h, j, k) -> (b, 0, h, j)>,
                                   affine_map<(m, b, h, j, k) -> (m, b, h, j)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : memref<?x64xf32>, memref<4x64x8xi8>, memref<4x1x2x8xi8>) outs(%r : memref<?x4x2x8xf32>) {
  ^bb0(%a: f32, %q: i8, %f: i8, %c: f32):
    %h = linalg.index 2 : index
    %i = arith.index_cast %h : index to i8
    %by = arith.shli %i, %c2 : i8
    %moved = arith.shrui %q, %by : i8
    %low = arith.andi %moved, %c15 : i8
    %0 = arith.uitofp %low : i8 to f32
    %1 = arith.uitofp %f : i8 to f32
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.addf %c, %3 : f32
    linalg.yield %4 : f32
  }
  return
}
