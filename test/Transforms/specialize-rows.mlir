// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-specialize-rows --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: @example
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<4x64x16xf32>, %[[E:.*]]: tensor<?x4x16xf32>
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %[[E]])
// CHECK: %[[ROWS:.*]] = tensor.dim %[[S]], %c0
// CHECK: %[[IS_ONE:.*]] = arith.cmpi eq, %[[ROWS]], %c1
// CHECK: %[[P:.*]] = scf.if %[[IS_ONE]] -> (tensor<?x4x16xf32>) {
// CHECK-DAG: %[[ROW:.*]] = tensor.cast %[[X]] : tensor<?x64xf32> to tensor<1x64xf32>
// CHECK-DAG: %[[OWN:.*]] = tensor.cast %[[S]] : tensor<?x4x16xf32> to tensor<1x4x16xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[OWN]]
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[ROW]], %[[W]] : {{.*}}) outs(%[[ZEROS]] : tensor<1x4x16xf32>)
// CHECK: %[[ANY:.*]] = tensor.cast %[[Q]] : tensor<1x4x16xf32> to tensor<?x4x16xf32>
// CHECK: scf.yield %[[ANY]]
// CHECK: } else {
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[S]]
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[ZEROS]] : tensor<?x4x16xf32>)
// CHECK: scf.yield %[[Q]]
// CHECK: scf.yield %[[P]]
func.func @example(%x: tensor<?x64xf32>, %w: tensor<4x64x16xf32>, %e: tensor<?x4x16xf32>,
                   %steps: index) -> tensor<?x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %steps step %c1 iter_args(%s = %e) -> (tensor<?x4x16xf32>) {
    rt.iteration %t
    %zeros = linalg.fill ins(%zero : f32) outs(%s : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                          affine_map<(m, b, j, k) -> (m, b, j)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %n = arith.addf %c, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    scf.yield %p : tensor<?x4x16xf32>
  }
  return %r : tensor<?x4x16xf32>
}

// -----

// Products outside of time loops, those of several static rows, and those with another dynamic dim keep their kernels.

// CHECK-LABEL: @left
// CHECK-NOT: scf.if
// CHECK: return
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>
#ra = affine_map<(m, n, b, j, k) -> (m, n, k)>
#rb = affine_map<(m, n, b, j, k) -> (b, k, j)>
#rc = affine_map<(m, n, b, j, k) -> (m, n, b, j)>
func.func @left(%x: tensor<?x64xf32>, %w: tensor<4x64x16xf32>, %e: tensor<?x4x16xf32>, %pairs: tensor<?x2x64xf32>,
                %f: tensor<?x2x4x16xf32>, %any: tensor<?x64x16xf32>, %g: tensor<?x?x16xf32>, %steps: index)
    -> (tensor<?x4x16xf32>, tensor<?x2x4x16xf32>, tensor<?x?x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<?x4x16xf32>
  %r:2 = scf.for %t = %c0 to %steps step %c1 iter_args(%s = %f, %u = %g) -> (tensor<?x2x4x16xf32>, tensor<?x?x16xf32>) {
    rt.iteration %t
    %0 = linalg.fill ins(%zero : f32) outs(%s : tensor<?x2x4x16xf32>) -> tensor<?x2x4x16xf32>
    %1 = linalg.generic {indexing_maps = [#ra, #rb, #rc],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
        ins(%pairs, %w : tensor<?x2x64xf32>, tensor<4x64x16xf32>) outs(%0 : tensor<?x2x4x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x2x4x16xf32>
    %2 = linalg.fill ins(%zero : f32) outs(%u : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %any : tensor<?x64xf32>, tensor<?x64x16xf32>) outs(%2 : tensor<?x?x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x?x16xf32>
    scf.yield %1, %3 : tensor<?x2x4x16xf32>, tensor<?x?x16xf32>
  }
  return %p, %r#0, %r#1 : tensor<?x4x16xf32>, tensor<?x2x4x16xf32>, tensor<?x?x16xf32>
}
