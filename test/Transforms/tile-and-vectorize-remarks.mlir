// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-tile-and-vectorize --verify-diagnostics \
// RUN:   --remarks-filter-missed=rt-tile-and-vectorize --remark-format=emitRemark

// Remarks that say why an op becomes a nest of scalar loops. There is none for an op that is vectorized, or whose rows
// are reduced in vectors.

#id = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>

func.func @vectorized(%x: tensor<32xf32>, %e: tensor<32xf32>) -> tensor<32xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}

func.func @long_row(%x: tensor<32xf32>, %e: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]}
      ins(%x : tensor<32xf32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

func.func @index(%e: tensor<32xindex>) -> tensor<32xindex> {
  // expected-remark @+1 {{expected a payload without indices, reads at computed indices, and branches}}
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<32xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<32xindex>
  return %r : tensor<32xindex>
}

func.func @one_element(%x: tensor<5xf32>, %e: tensor<f32>) -> tensor<f32> {
  // expected-remark @+1 {{[Missed] not-vectorized | Category:rt-tile-and-vectorize | Reason="expected a result of more than one element"}}
  %r = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

#rows = affine_map<(i, k) -> (i, k)>
#columns = affine_map<(i, k) -> (k, i)>
#row = affine_map<(i, k) -> (i)>

func.func @along_rows(%x: tensor<32x5xf32>, %e: tensor<32xf32>) -> tensor<32xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  // expected-remark @+1 {{expected a reduction whose vectors are contiguous in the input}}
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32x5xf32>) outs(%f : tensor<32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}

func.func @not_filled(%x: tensor<8x32xf32>, %e: tensor<32xf32>) -> tensor<32xf32> {
  // expected-remark @+1 {{expected accumulators that start from a fill}}
  %r = linalg.generic {indexing_maps = [#columns, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r : tensor<32xf32>
}
