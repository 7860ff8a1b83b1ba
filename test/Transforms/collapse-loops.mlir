// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-collapse-loops=most-loops=8 --split-input-file | FileCheck %s

// Loops of dims that follow each other in all operands are one. Between two ops, nothing is expanded. A dim that
// another one is not beside in one operand (the broadcast row) keeps its loop.

// CHECK-LABEL: @chain
// CHECK-SAME: (%[[X:.*]]: tensor<?x2x3x2x2x2x2x2x?xf32>, %[[ROW:.*]]: tensor<?xf32>, %[[E:.*]]: tensor
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2, 3, 4, 5, 6, 7], [8]]
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} ins(%[[FLAT]], %[[ROW]] : tensor<?x?xf32>, tensor<?xf32>)
// CHECK: %[[SECOND:.*]] = linalg.generic {{.*}} ins(%[[FIRST]], %[[ROW]] :
// CHECK: %[[R:.*]] = tensor.expand_shape %[[SECOND]] {{\[\[}}0, 1, 2, 3, 4, 5, 6, 7], [8]]
// CHECK: return %[[R]]
#all = affine_map<(a, b, c, d, e, f, g, h, i) -> (a, b, c, d, e, f, g, h, i)>
func.func @chain(%x: tensor<?x2x3x2x2x2x2x2x?xf32>, %row: tensor<?xf32>, %e: tensor<?x2x3x2x2x2x2x2x?xf32>)
    -> tensor<?x2x3x2x2x2x2x2x?xf32> {
  %r = linalg.generic {indexing_maps = [#all, affine_map<(a, b, c, d, e, f, g, h, i) -> (i)>, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel",
                                         "parallel", "parallel", "parallel"]}
      ins(%x, %row : tensor<?x2x3x2x2x2x2x2x?xf32>, tensor<?xf32>) outs(%e : tensor<?x2x3x2x2x2x2x2x?xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<?x2x3x2x2x2x2x2x?xf32>
  %t = linalg.generic {indexing_maps = [#all, affine_map<(a, b, c, d, e, f, g, h, i) -> (i)>, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel",
                                         "parallel", "parallel", "parallel"]}
      ins(%r, %row : tensor<?x2x3x2x2x2x2x2x?xf32>, tensor<?xf32>) outs(%e : tensor<?x2x3x2x2x2x2x2x?xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.mulf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<?x2x3x2x2x2x2x2x?xf32>
  return %t : tensor<?x2x3x2x2x2x2x2x?xf32>
}

// -----

// Summed dims and others are never one loop. A transposed operand keeps the loops that it has in another order.

// CHECK-LABEL: @sums
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins({{.*}} : tensor<12x32x32xf32>) outs({{.*}} : tensor<32x12xf32>)
func.func @sums(%x: tensor<3x4x2x2x2x2x2x1x32xf32>, %e: tensor<32x3x4xf32>) -> tensor<32x3x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(p, a, b, c, d, e, f, g, h) -> (a, b, c, d, e, f, g, h, p)>,
                                        affine_map<(p, a, b, c, d, e, f, g, h) -> (p, a, b)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction",
                                         "reduction", "reduction", "reduction"]}
      ins(%x : tensor<3x4x2x2x2x2x2x1x32xf32>) outs(%e : tensor<32x3x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %i, %o : f32
    linalg.yield %s : f32
  } -> tensor<32x3x4xf32>
  return %r : tensor<32x3x4xf32>
}

// -----

// CHECK-LABEL: @few_loops
// CHECK-NOT: collapse_shape
func.func @few_loops(%x: tensor<2x3xf32>, %e: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %n = arith.negf %i : f32
    linalg.yield %n : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
