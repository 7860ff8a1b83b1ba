// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-pack-matmuls{vector-bits=512 has-dots}))' | FileCheck %s

#x = affine_map<(m, k) -> (m, k)>
#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 65536, hash = 0>} {

// The product reads rounded rows. Both operands get a zero at the end of an odd K.

// CHECK-LABEL: @odd
func.func @odd(%x: tensor<?x127xf32>) -> tensor<?x70xf32> {
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<0, tensor<70x127xf32>, [#ov.convert<bf16>, #ov.transpose<[1, 0]>, #ov.pack<32>, #ov.transpose<[1, 0, 2]>, #ov.reshape<[127, 96]>, #ov.transpose<[1, 0]>, #ov.pack<2>, #ov.reshape<[64, 3, 32, 2]>, #ov.transpose<[1, 0, 2, 3]>]> : tensor<3x64x32x2xbf16>
  // CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<?x127xf32>) outs(%{{.*}} : tensor<?x127xbf16>)
  // CHECK: %[[Z:.*]] = linalg.fill {{.*}} -> tensor<?x128xbf16>
  // CHECK: %[[A:.*]] = tensor.insert_slice %[[N]] into %[[Z]][0, 0] [%{{.*}}, 127] [1, 1]
  // CHECK: rt.product ins(%[[A]], %[[W]] : tensor<?x128xbf16>, tensor<3x64x32x2xbf16>) {{.*}} elements = #rt<elements pairs>
  %c0 = arith.constant 0 : index
  %w = ov.constant #ov.weights<0, tensor<70x127xf32>, [#ov.convert<bf16>, #ov.convert<f32>]> : tensor<70x127xf32>
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x127xf32>
  %e0 = tensor.empty(%m) : tensor<?x127xbf16>
  %n = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x127xf32>) outs(%e0 : tensor<?x127xbf16>) {
  ^bb0(%i: f32, %o: bf16):
    %t = arith.truncf %i : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x127xbf16>
  %e1 = tensor.empty(%m) : tensor<?x127xf32>
  %y = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<?x127xbf16>) outs(%e1 : tensor<?x127xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %t = arith.extf %i : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<?x127xf32>
  %e2 = tensor.empty(%m) : tensor<?x70xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x70xf32>) -> tensor<?x70xf32>
  %r = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<?x127xf32>, tensor<70x127xf32>) outs(%zeros : tensor<?x70xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x70xf32>
  return %r : tensor<?x70xf32>
}

// A matrix that L1 holds as f32 has no pairs.

// CHECK-LABEL: @small
// CHECK-NOT: #ov.reshape
func.func @small(%x: tensor<2x64xbf16>) -> tensor<2x32xf32> {
  %w = ov.constant #ov.weights<0, tensor<32x64xf32>, [#ov.convert<bf16>, #ov.convert<f32>]> : tensor<32x64xf32>
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
