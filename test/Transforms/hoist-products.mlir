// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-hoist-products{max-bytes=1024}))' --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-hoist-products{max-bytes=1024}))' --split-input-file \
// RUN:   --remarks-filter=rt-hoist-products --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] hoisted | Category:rt-hoist-products | Remark="the product is computed for strips of iterations, before each strip"
// REMARK-DAG: [Missed] not-hoisted | Category:rt-hoist-products | Reason="expected rows that move by one element along one dim in each iteration"

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>

// A strip of iterations at once, in a buffer of bounded size; the scalars of the loop go through both loops.

// CHECK-LABEL: @forward
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x8xf32>, %[[W:.*]]: tensor<2x8x16xf32>, %[[B:.*]]: index, %[[T:.*]]: index, %[[I:.*]]: f32)
func.func @forward(%x: tensor<?x?x8xf32>, %w: tensor<2x8x16xf32>, %B: index, %T: index, %init: f32) -> f32 {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: %[[SOME:.*]] = arith.maxsi %[[T]], %{{.*}}
  // CHECK: %[[MOST:.*]] = arith.divui %c8{{.*}}, %{{.*}}
  // CHECK: %[[S:.*]] = arith.minui %[[SOME]],
  // CHECK: %[[BUFFER:.*]] = bufferization.alloc_tensor(%[[S]], %[[B]]) : tensor<?x?x2x16xf32>
  // CHECK: scf.for %[[FIRST:.*]] = %c0 to %[[T]] step %[[S]] iter_args(%[[OUTER:.*]] = %[[I]]) -> (f32) {
  // CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[S]]
  // CHECK: %[[END:.*]] = arith.minsi %[[NEXT]], %[[T]]
  // CHECK: %[[N:.*]] = arith.subi %[[END]], %[[FIRST]]
  // CHECK: %[[XS:.*]] = tensor.extract_slice %[[X]][0, %[[FIRST]], 0] [%[[B]], %[[N]], 8] [1, 1, 1] : tensor<?x?x8xf32> to tensor<?x?x8xf32>
  // CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[BUFFER]][0, 0, 0, 0] [%[[N]], %[[B]], 2, 16]
  // CHECK: %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[PLACE]]
  // CHECK: %[[PS:.*]] = linalg.generic {indexing_maps = [#[[A:.*]], #{{.*}}, #{{.*}}], {{.*}} ins(%[[XS]], %[[W]] : {{.*}}) outs(%[[FILL]]
  // CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[END]] step %{{.*}} iter_args(%{{.*}} = %[[OUTER]]) -> (f32) {
  // CHECK: rt.iteration %[[I]]
  // CHECK: %[[AT:.*]] = arith.subi %[[I]], %[[FIRST]]
  // CHECK: tensor.extract_slice %[[PS]][%[[AT]], 0, 0, 0] [1, %[[B]], 2, 16] [1, 1, 1, 1] : tensor<?x?x2x16xf32> to tensor<?x2x16xf32>
  // CHECK-NOT: linalg.generic
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%B) : tensor<?x2x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2x16xf32>) -> tensor<?x2x16xf32>
  %r = scf.for %t = %c0 to %T step %c1 iter_args(%sum = %init) -> (f32) {
    rt.iteration %t
    %part = tensor.extract_slice %x[0, %t, 0] [%B, 1, 8] [1, 1, 1] : tensor<?x?x8xf32> to tensor<?x1x8xf32>
    %rows = tensor.collapse_shape %part [[0], [1, 2]] : tensor<?x1x8xf32> into tensor<?x8xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%rows, %w : tensor<?x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<?x2x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<?x2x16xf32>
    %first = tensor.extract %p[%c0, %c0, %c0] : tensor<?x2x16xf32>
    %next = arith.addf %sum, %first : f32
    scf.yield %next : f32
  }
  return %r : f32
}

// -----

// Backward: a strip begins with the part of its last iteration.

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>

// CHECK-LABEL: @backward
// CHECK: scf.for %[[FIRST:.*]] = %c0
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: arith.subi %[[END]], %[[FIRST]]
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %{{.*}}
// CHECK: %[[BEGIN:.*]] = arith.subi %[[TOP:.*]], %[[LAST]]
// CHECK: tensor.extract_slice %{{.*}}[%[[BEGIN]], 0, 0]
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[END]]
// CHECK: %[[PLACE:.*]] = arith.subi %[[TOP]], %[[I]]
// CHECK: arith.subi %[[PLACE]], %[[BEGIN]]
func.func @backward(%x: tensor<?x3x8xf32>, %w: tensor<2x8x16xf32>, %T: index, %out: memref<?x3x2x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %top = arith.subi %T, %c1 : index
  %e = tensor.empty() : tensor<3x2x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2x16xf32>) -> tensor<3x2x16xf32>
  scf.for %t = %c0 to %T step %c1 {
    rt.iteration %t
    %at = arith.subi %top, %t : index
    %rows = tensor.extract_slice %x[%at, 0, 0] [1, 3, 8] [1, 1, 1] : tensor<?x3x8xf32> to tensor<3x8xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%rows, %w : tensor<3x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<3x2x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<3x2x16xf32>
    %view = memref.subview %out[%t, 0, 0, 0] [1, 3, 2, 16] [1, 1, 1, 1] : memref<?x3x2x16xf32> to memref<3x2x16xf32, strided<[32, 16, 1], offset: ?>>
    %any = memref.cast %view : memref<3x2x16xf32, strided<[32, 16, 1], offset: ?>> to memref<3x2x16xf32, strided<[?, ?, ?], offset: ?>>
    bufferization.materialize_in_destination %p in restrict writable %any : (tensor<3x2x16xf32>, memref<3x2x16xf32, strided<[?, ?, ?], offset: ?>>) -> ()
  }
  return
}

// -----

// The product stays in the loop: rows that the loop changes, a part of several elements, a step of two.

#a = affine_map<(m, j, k) -> (m, k)>
#b = affine_map<(m, j, k) -> (k, j)>
#c = affine_map<(m, j, k) -> (m, j)>

// CHECK-LABEL: @not
// CHECK-COUNT-1: scf.for
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: scf.for
func.func @not(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>, %T: index, %init: tensor<1x8xf32>) -> (tensor<1x8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %e2 = tensor.empty() : tensor<2x16xf32>
  %zeros2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x16xf32>) -> tensor<2x16xf32>
  %r:2 = scf.for %t = %c0 to %T step %c1 iter_args(%h = %init, %sum = %zero) -> (tensor<1x8xf32>, f32) {
    rt.iteration %t
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h, %w : tensor<1x8xf32>, tensor<8x16xf32>) outs(%zeros : tensor<1x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<1x16xf32>
    %two = tensor.extract_slice %x[%t, 0] [2, 8] [1, 1] : tensor<?x8xf32> to tensor<2x8xf32>
    %q = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%two, %w : tensor<2x8xf32>, tensor<8x16xf32>) outs(%zeros2 : tensor<2x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<2x16xf32>
    %double = arith.addi %t, %t : index
    %other = tensor.extract_slice %x[%double, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %u = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%other, %w : tensor<1x8xf32>, tensor<8x16xf32>) outs(%zeros : tensor<1x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<1x16xf32>
    %next = tensor.extract_slice %p[0, 0] [1, 8] [1, 1] : tensor<1x16xf32> to tensor<1x8xf32>
    %x0 = tensor.extract %q[%c1, %c0] : tensor<2x16xf32>
    %x1 = tensor.extract %u[%c0, %c0] : tensor<1x16xf32>
    %x2 = arith.addf %x0, %x1 : f32
    %x3 = arith.addf %sum, %x2 : f32
    scf.yield %next, %x3 : tensor<1x8xf32>, f32
  }
  return %r#0, %r#1 : tensor<1x8xf32>, f32
}

// -----

// A matrix of pairs: the rows of the strip come in another order than those of the result.

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// CHECK-DAG: #[[STRIP:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d4)>
// CHECK-DAG: #[[MATRIX:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d4, d3)>
// CHECK-LABEL: @pairs
// CHECK: scf.for
// CHECK: rt.product ins(%{{.*}}, %{{.*}} : tensor<?x?x32xf32>, tensor<1x16x32x2xbf16>) start(%{{.*}} : f32)
// CHECK-SAME: outs(%{{.*}} : tensor<?x?x1x32xf32>)
// CHECK-SAME: {columns = 32 : i64, elements = #rt<elements pairs>, matrix_map = #[[MATRIX]], rows_map = #[[STRIP]]}
// CHECK: scf.for
// CHECK-NOT: rt.product
func.func @pairs(%x: tensor<?x?x32xf32>, %w: tensor<1x16x32x2xbf16>, %B: index, %T: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%B) : tensor<?x1x32xf32>
  %r = scf.for %t = %c0 to %T step %c1 iter_args(%sum = %init) -> (f32) {
    rt.iteration %t
    %part = tensor.extract_slice %x[0, %t, 0] [%B, 1, 32] [1, 1, 1] : tensor<?x?x32xf32> to tensor<?x1x32xf32>
    %rows = tensor.collapse_shape %part [[0], [1, 2]] : tensor<?x1x32xf32> into tensor<?x32xf32>
    %p = rt.product ins(%rows, %w : tensor<?x32xf32>, tensor<1x16x32x2xbf16>) start(%zero : f32)
        outs(%e : tensor<?x1x32xf32>) {rows_map = #a, matrix_map = #b, elements = #rt<elements pairs>, columns = 32}
        -> tensor<?x1x32xf32>
    %first = tensor.extract %p[%c0, %c0, %c0] : tensor<?x1x32xf32>
    %next = arith.addf %sum, %first : f32
    scf.yield %next : f32
  }
  return %r : f32
}

// -----

// Static sizes: seven iterations at once would do, and five divide forty.

#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>

// CHECK-LABEL: @static
// CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
// CHECK: bufferization.alloc_tensor() : tensor<5x3x1x12xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[C5]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<3x5x8xf32>, tensor<1x8x12xf32>)
// CHECK: scf.for
// CHECK-NOT: linalg.generic
func.func @static(%x: tensor<3x40x8xf32>, %w: tensor<1x8x12xf32>, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x1x12xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<3x1x12xf32>) -> tensor<3x1x12xf32>
  %r = scf.for %t = %c0 to %c40 step %c1 iter_args(%sum = %init) -> (f32) {
    rt.iteration %t
    %part = tensor.extract_slice %x[0, %t, 0] [3, 1, 8] [1, 1, 1] : tensor<3x40x8xf32> to tensor<3x8xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%part, %w : tensor<3x8xf32>, tensor<1x8x12xf32>) outs(%zeros : tensor<3x1x12xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<3x1x12xf32>
    %first = tensor.extract %p[%c0, %c0, %c0] : tensor<3x1x12xf32>
    %next = arith.addf %sum, %first : f32
    scf.yield %next : f32
  }
  return %r : f32
}

// -----

// The rows of a strip are rounded with the product.

#x = affine_map<(m, k) -> (m, k)>
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>

// CHECK-LABEL: @rounded
// CHECK: bufferization.alloc_tensor(%[[S:.*]]) : tensor<?x1x1x16xf32>
// CHECK: %[[ROUNDED:.*]] = bufferization.alloc_tensor(%[[S]]) : tensor<?x1x8xbf16>
// CHECK: scf.for
// CHECK: %[[XS:.*]] = tensor.extract_slice %{{.*}} : tensor<?x1x8xf32> to tensor<?x1x8xf32>
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[ROUNDED]][0, 0, 0] [%{{.*}}, 1, 8]
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%[[XS]] : tensor<?x1x8xf32>) outs(%[[PLACE]] : tensor<?x1x8xbf16>)
// CHECK: arith.truncf
// CHECK: rt.product ins(%[[ROWS]], %{{.*}} : tensor<?x1x8xbf16>, tensor<1x4x16x2xbf16>)
// CHECK: scf.for
// CHECK: rt.iteration
// CHECK-NOT: rt.product
func.func @rounded(%x: tensor<?x1x8xf32>, %w: tensor<1x4x16x2xbf16>, %T: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x16xf32>
  %e0 = tensor.empty() : tensor<1x8xbf16>
  %r = scf.for %t = %c0 to %T step %c1 iter_args(%sum = %init) -> (f32) {
    rt.iteration %t
    %row = tensor.extract_slice %x[%t, 0, 0] [1, 1, 8] [1, 1, 1] : tensor<?x1x8xf32> to tensor<1x8xf32>
    %n = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
        ins(%row : tensor<1x8xf32>) outs(%e0 : tensor<1x8xbf16>) {
    ^bb0(%i: f32, %o: bf16):
      %t0 = arith.truncf %i : f32 to bf16
      linalg.yield %t0 : bf16
    } -> tensor<1x8xbf16>
    %p = rt.product ins(%n, %w : tensor<1x8xbf16>, tensor<1x4x16x2xbf16>) start(%zero : f32)
        outs(%e : tensor<1x1x16xf32>) {rows_map = #a, matrix_map = #b, elements = #rt<elements pairs>, columns = 16}
        -> tensor<1x1x16xf32>
    %first = tensor.extract %p[%c0, %c0, %c0] : tensor<1x1x16xf32>
    %next = arith.addf %sum, %first : f32
    scf.yield %next : f32
  }
  return %r : f32
}
