// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-pack-matmuls{vector-bits=512 has-tiles}))' | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-pack-matmuls{vector-bits=512}))' | FileCheck %s --check-prefix=NONE
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-pack-matmuls{vector-bits=512 has-tiles}))' \
// RUN:   --remarks-filter=rt-pack-matmuls --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] pairs | Category:rt-pack-matmuls | Remark="the matrix of bf16 is packed in pairs for tile registers"

// Without tile registers, the matrix has no pairs, and the rounding stays where it is.

// NONE-NOT: #ov.reshape

#x = affine_map<(m, k) -> (m, k)>
#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 65536, hash = 0>} {

// The product rounds its rows, and reads the matrix in pairs.

// CHECK-LABEL: @rounded
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>)
func.func @rounded(%x: tensor<?x64xf32>) -> tensor<?x32xf32> {
  // CHECK: %[[W:.*]] = ov.constant #ov.weights<0, tensor<32x64xf32>, [#ov.convert<bf16>, #ov.transpose<[1, 0]>,
  // CHECK-SAME: #ov.pack<32>, #ov.reshape<[1, 32, 2, 32]>, #ov.transpose<[0, 1, 3, 2]>]> : tensor<1x32x32x2xbf16>
  // CHECK: rt.product ins(%[[X]], %[[W]] : tensor<?x64xf32>, tensor<1x32x32x2xbf16>)
  // CHECK-SAME: {columns = 32 : i64, elements = #rt<elements pairs>, matrix_map = #[[B]], rows_map = #[[A]]}
  // NONE: #ov.pack<32>]> : tensor<1x64x32xbf16>
  %c0 = arith.constant 0 : index
  %w = ov.constant #ov.weights<0, tensor<32x64xf32>, [#ov.convert<bf16>, #ov.convert<f32>]> : tensor<32x64xf32>
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e0 = tensor.empty(%m) : tensor<?x64xbf16>
  %n = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x64xf32>) outs(%e0 : tensor<?x64xbf16>) {
  ^bb0(%i: f32, %o: bf16):
    %t = arith.truncf %i : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x64xbf16>
  %e1 = tensor.empty(%m) : tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<?x64xbf16>) outs(%e1 : tensor<?x64xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %t = arith.extf %i : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<?x64xf32>
  %e2 = tensor.empty(%m) : tensor<?x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<?x64xf32>, tensor<32x64xf32>) outs(%zeros : tensor<?x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// Rows that are not rounded have no pairs.

// CHECK-LABEL: @not_rounded
// CHECK-NOT: #ov.reshape
func.func @not_rounded(%x: tensor<2x64xf32>) -> tensor<2x32xf32> {
  %w = ov.constant #ov.weights<0, tensor<32x64xf32>, [#ov.convert<bf16>, #ov.convert<f32>]> : tensor<32x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<2x32xf32>) -> tensor<2x32xf32>
  %r = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x64xf32>, tensor<32x64xf32>) outs(%zeros : tensor<2x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x32xf32>
  return %r : tensor<2x32xf32>
}

// Nor has a matrix of 48 rows, which do not fill tiles.

// CHECK-LABEL: @odd_depth
// CHECK-NOT: #ov.reshape
func.func @odd_depth(%x: tensor<2x48xbf16>) -> tensor<2x32xf32> {
  %w = ov.constant #ov.weights<0, tensor<32x48xf32>, [#ov.convert<bf16>, #ov.convert<f32>]> : tensor<32x48xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2x48xf32>
  %y = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x48xbf16>) outs(%e1 : tensor<2x48xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %t = arith.extf %i : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<2x48xf32>
  %e = tensor.empty() : tensor<2x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<2x32xf32>) -> tensor<2x32xf32>
  %r = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<2x48xf32>, tensor<32x48xf32>) outs(%zeros : tensor<2x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x32xf32>
  return %r : tensor<2x32xf32>
}

// Nor has a product of a matrix of f16.

// CHECK-LABEL: @other_type
// CHECK-NOT: #ov.reshape
func.func @other_type(%x: tensor<2x64xbf16>) -> tensor<2x32xf32> {
  %w = ov.constant #ov.weights<0, tensor<32x64xf16>, [#ov.convert<f32>]> : tensor<32x64xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2x64xf32>
  %y = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x64xbf16>) outs(%e1 : tensor<2x64xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %t = arith.extf %i : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<2x64xf32>
  %e = tensor.empty() : tensor<2x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<2x32xf32>) -> tensor<2x32xf32>
  %r = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<2x64xf32>, tensor<32x64xf32>) outs(%zeros : tensor<2x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x32xf32>
  return %r : tensor<2x32xf32>
}
}
