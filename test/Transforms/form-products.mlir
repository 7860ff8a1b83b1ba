// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-form-products --canonicalize --split-input-file | FileCheck %s

// The loops are numbered as the dims of the result are. The columns that the addition names decide the order of its sum.

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG: #[[MATRIX:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-LABEL: @packed
// CHECK-SAME: (%[[X:.*]]: tensor<?x32xf32>, %[[W:.*]]: tensor<4x32x16xbf16>, %[[N:.*]]: index)
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[E:.*]] = tensor.empty(%[[N]])
// CHECK-NOT: linalg
// CHECK: rt.product ins(%[[X]], %[[W]] : tensor<?x32xf32>, tensor<4x32x16xbf16>) start(%[[ZERO]] : f32)
// CHECK-SAME: outs(%[[E]] : tensor<?x4x16xf32>) {columns = 60 : i64, matrix_map = #[[MATRIX]], rows_map = #[[ROWS]]}
func.func @packed(%x: tensor<?x32xf32>, %w: tensor<4x32x16xbf16>, %n: index) -> tensor<?x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x4x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(k, m, b, j) -> (b, k, j)>, affine_map<(k, m, b, j) -> (m, k)>,
                                        affine_map<(k, m, b, j) -> (m, b, j)>],
                       iterator_types = ["reduction", "parallel", "parallel", "parallel"]}
      ins(%w, %x : tensor<4x32x16xbf16>, tensor<?x32xf32>) outs(%zeros : tensor<?x4x16xf32>) {
  ^bb0(%i: bf16, %j: f32, %o: f32):
    %l = arith.extf %i : bf16 to f32
    %p = arith.mulf %j, %l : f32
    %s = arith.addf %p, %o {rt.columns = 60 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<?x4x16xf32>
  return %r : tensor<?x4x16xf32>
}

// -----

// Rows of both operands: dots, also of static sizes. What only the call tells has one accumulator.

// CHECK-DAG: #[[QUERY:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KEYS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: @dots
// CHECK: rt.product ins(%arg0, %arg1 : tensor<?x32xf32>, tensor<?x?x32xf32>)
// CHECK-SAME: {columns = -1 : i64, matrix_map = #[[KEYS]], rows_map = #[[QUERY]]}
// CHECK: rt.product ins(%arg2, %arg3 : tensor<64xf32>, tensor<8x64xf32>)
// CHECK-SAME: columns = 8
func.func @dots(%q: tensor<?x32xf32>, %keys: tensor<?x?x32xf32>, %v: tensor<64xf32>, %m: tensor<8x64xf32>, %n: index,
                %t: index) -> (tensor<?x?xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %t) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, t, k) -> (n, k)>, affine_map<(n, t, k) -> (n, t, k)>,
                                        affine_map<(n, t, k) -> (n, t)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %keys : tensor<?x32xf32>, tensor<?x?x32xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %zeros1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(j, k) -> (k)>, affine_map<(j, k) -> (j, k)>,
                                         affine_map<(j, k) -> (j)>],
                        iterator_types = ["parallel", "reduction"]}
      ins(%v, %m : tensor<64xf32>, tensor<8x64xf32>) outs(%zeros1 : tensor<8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r, %r1 : tensor<?x?xf32>, tensor<8xf32>
}

// -----

// A single element has no vectors, unless there is little to add.

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: @element
// CHECK: rt.product ins(%arg0, %arg1 :
// CHECK-NOT: rt.product
// CHECK: linalg.generic
func.func @element(%a: tensor<1x64xf32>, %w: tensor<64x1xf32>, %a1: tensor<1x8xf32>, %w1: tensor<8x1xf32>)
    -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<1x64xf32>, tensor<64x1xf32>) outs(%zeros : tensor<1x1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x1xf32>
  %r1 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a1, %w1 : tensor<1x8xf32>, tensor<8x1xf32>) outs(%zeros : tensor<1x1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x1xf32>
  return %r, %r1 : tensor<1x1xf32>, tensor<1x1xf32>
}

// -----

// Left unchanged: a product of static sizes, one that does not start from a fill, one with one column, one of a function
// of an element, and one of integers.

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: @not
// CHECK-NOT: rt.product
// CHECK-COUNT-5: linalg.generic
// CHECK-NOT: rt.product
func.func @not(%a: tensor<?x32xf32>, %a1: tensor<3x32xf32>, %w: tensor<32x16xf32>, %w1: tensor<32x1xf32>,
               %c: tensor<?x16xf32>, %ai: tensor<?x32xi32>, %wi: tensor<32x16xi32>, %n: index)
    -> (tensor<3x16xf32>, tensor<?x16xf32>, tensor<?x1xf32>, tensor<?x16xf32>, tensor<?x16xi32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<3x16xf32>) -> tensor<3x16xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a1, %w : tensor<3x32xf32>, tensor<32x16xf32>) outs(%zeros : tensor<3x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x16xf32>
  %1 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<?x32xf32>, tensor<32x16xf32>) outs(%c : tensor<?x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  %e2 = tensor.empty(%n) : tensor<?x1xf32>
  %zeros2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %2 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w1 : tensor<?x32xf32>, tensor<32x1xf32>) outs(%zeros2 : tensor<?x1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p {rt.columns = 1 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  %e3 = tensor.empty(%n) : tensor<?x16xf32>
  %zeros3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %3 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<?x32xf32>, tensor<32x16xf32>) outs(%zeros3 : tensor<?x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %f = math.absf %i : f32
    %p = arith.mulf %f, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  %zi = arith.constant 0 : i32
  %e4 = tensor.empty(%n) : tensor<?x16xi32>
  %zeros4 = linalg.fill ins(%zi : i32) outs(%e4 : tensor<?x16xi32>) -> tensor<?x16xi32>
  %4 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ai, %wi : tensor<?x32xi32>, tensor<32x16xi32>) outs(%zeros4 : tensor<?x16xi32>) {
  ^bb0(%i: i32, %j: i32, %o: i32):
    %p = arith.muli %i, %j : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<?x16xi32>
  return %0, %1, %2, %3, %4
      : tensor<3x16xf32>, tensor<?x16xf32>, tensor<?x1xf32>, tensor<?x16xf32>, tensor<?x16xi32>
}
