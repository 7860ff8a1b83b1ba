// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-pack-matmuls --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-pack-matmuls --split-input-file \
// RUN:   --remarks-filter=rt-pack-matmuls --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] integers | Category:rt-pack-matmuls | Remark="the product reads packed integers of 64 x 96 weights"
// REMARK-DAG: [Passed] integers | Category:rt-pack-matmuls | Remark="the product reads packed integers of 64 x 128 weights"

// Integers stay packed, and a kernel dequantizes them. Here the columns have zero points of their own, and 32 rows of a
// column share a scale; the columns are those of the transposed matrix.

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG: #[[M:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-LABEL: @integers
// CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<0, tensor<96x2x32xui8>, [#ov.reshape<[96, 64]>, #ov.transpose<[1, 0]>, #ov.pack<16>, #ov.bitcast<i8>]> : tensor<6x64x16xi8>
// CHECK-DAG: %[[Z:.*]] = ov.constant #ov.weights<6144, tensor<96x1x1xui8>, [#ov.reshape<[96, 1]>, #ov.transpose<[1, 0]>, #ov.pack<16>, #ov.bitcast<i8>, #ov.reshape<[6, 1, 16]>]> : tensor<6x1x16xi8>
// CHECK-DAG: %[[S:.*]] = ov.constant #ov.weights<6240, tensor<96x2x1xf16>, [#ov.reshape<[96, 2]>, #ov.transpose<[1, 0]>, #ov.pack<16>, #ov.reshape<[6, 2, 16]>]> : tensor<6x2x16xf16>
// CHECK: rt.product ins(%{{.*}}, %[[W]] : {{.*}}) zero(%[[Z]] : {{.*}}) scale(%[[S]] : {{.*}}) start(%{{.*}} : f32)
// CHECK-SAME: outs(%{{.*}} : tensor<1x6x16xf32>)
// CHECK-SAME: columns = 96 : i64, elements = #rt<elements bytes>, matrix_map = #[[M]], rows_map = #[[X]]}
func.func @integers(%x: tensor<1x64xf32>) -> tensor<1x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x96xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96xf32>) -> tensor<1x96xf32>
  %w = ov.constant #ov.weights<0, tensor<96x2x32xui8>, [#ov.convert<f32>, #ov.arithmetic<subtract, #ov.weights<6144, tensor<96x1x1xui8>, [#ov.convert<f32>]> : tensor<96x1x1xf32>>, #ov.arithmetic<multiply, #ov.weights<6240, tensor<96x2x1xf16>, [#ov.convert<f32>]> : tensor<96x2x1xf32>>, #ov.reshape<[96, 64]>]> : tensor<96x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x64xf32>, tensor<96x64xf32>) outs(%zeros : tensor<1x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x96xf32>
  return %r : tensor<1x96xf32>
}

// -----

// Two integers of four bits stay in one byte, which has one of each half of a block. One scale becomes one for each
// column.

// CHECK-LABEL: @four_bits
// CHECK-DAG: ov.constant #ov.weights<0, tensor<4096xui8>, [#ov.unpack<i4, [64, 128]>, #ov.pack<16>, #ov.halves, #ov.bitcast<i8>]> : tensor<8x64x8xi8>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<5.000000e-01> : tensor<8x1x16xf32>
// CHECK: rt.product ins(%{{.*}} : tensor<1x64xf32>, tensor<8x64x8xi8>) scale(%[[S]] : {{.*}}) start(%{{.*}} : f32)
// CHECK-SAME: outs(%{{.*}} : tensor<1x8x16xf32>) {columns = 128 : i64, elements = #rt<elements halves>,
// CHECK-SAME: signed_matrix}
func.func @four_bits(%x: tensor<1x64xf32>) -> tensor<1x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x128xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x128xf32>) -> tensor<1x128xf32>
  %w = ov.constant #ov.weights<0, tensor<4096xui8>, [#ov.unpack<i4, [64, 128]>, #ov.convert<f32>, #ov.arithmetic<multiply, dense<0.5> : tensor<1x1xf32>>]> : tensor<64x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x64xf32>, tensor<64x128xf32>) outs(%zeros : tensor<1x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x128xf32>
  return %r : tensor<1x128xf32>
}
