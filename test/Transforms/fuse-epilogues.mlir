// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-tile-and-vectorize{vector-bits=512 vector-registers=32}))' \
// RUN:   | FileCheck %s

#filters = affine_map<(n, w, c, x) -> (x, c)>
#data = affine_map<(n, w, c, x) -> (n, w + x, c)>
#result = affine_map<(n, w, c, x) -> (n, w, c)>
#id = affine_map<(n, w, c) -> (n, w, c)>

// An epilogue stays whole, and its convolution comes right before it.

// CHECK-LABEL: @epilogue
func.func @epilogue(%w: tensor<3x32xf32>, %x: tensor<1x9x32xf32>, %b: tensor<1x7x32xf32>) -> tensor<1x7x32xf32> {
  // CHECK: arith.negf {{.*}} vector
  // CHECK: linalg.generic
  // CHECK-SAME: "reduction"
  // CHECK: linalg.generic
  // CHECK: arith.addf {{.*}} f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x32xf32>) -> tensor<1x7x32xf32>
  %0 = linalg.generic {indexing_maps = [#filters, #data, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%f : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x7x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.negf %i : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %1 : tensor<1x7x32xf32>, tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.addf %i, %j : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  return %2 : tensor<1x7x32xf32>
}

// A function of several instructions would be in the kernel for each accumulator.

// CHECK-LABEL: @function
func.func @function(%w: tensor<3x32xf32>, %x: tensor<1x9x32xf32>) -> tensor<1x7x32xf32> {
  // CHECK: linalg.generic
  // CHECK-NOT: linalg.generic
  // CHECK: math.exp {{.*}} vector
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x32xf32>) -> tensor<1x7x32xf32>
  %0 = linalg.generic {indexing_maps = [#filters, #data, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%f : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x7x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = math.exp %i : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  return %1 : tensor<1x7x32xf32>
}

// Rounding is one instruction.

// CHECK-LABEL: @rounding
func.func @rounding(%w: tensor<3x32xf32>, %x: tensor<1x9x32xf32>) -> tensor<1x7x32xf32> {
  // CHECK: linalg.generic
  // CHECK: linalg.generic
  // CHECK: math.roundeven {{.*}} f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x32xf32>) -> tensor<1x7x32xf32>
  %0 = linalg.generic {indexing_maps = [#filters, #data, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%f : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x7x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = math.roundeven %i : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  return %1 : tensor<1x7x32xf32>
}
