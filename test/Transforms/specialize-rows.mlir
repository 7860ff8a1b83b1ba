// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-specialize-rows --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-specialize-rows --split-input-file \
// RUN:   --remarks-filter=rt-specialize-rows --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] specialized | Category:rt-specialize-rows | Remark="the loop has a copy for a single row"
// REMARK-DAG: [Missed] not-specialized | Category:rt-specialize-rows | Reason="expected a body that is little more than its products"
// REMARK-DAG: [Missed] not-specialized | Category:rt-specialize-rows | Reason="expected a number of iterations that is not the number of rows"

// The example of the pass's documentation.

// CHECK-LABEL: @example
// CHECK-SAME: (%[[W:[^:]*]]: tensor<4x64x16xf32>, %[[STATE:[^:]*]]: memref<?x2x64xf32>, %[[ROWS:[^:]*]]: index
// CHECK-SAME: rt.time_loops = 2
// CHECK: %[[IS_ONE:.*]] = arith.cmpi eq, %[[ROWS]], %c1
// CHECK-NOT: arith.cmpi
// CHECK: scf.if %[[IS_ONE]] {
// CHECK-NEXT: scf.for
// CHECK-NEXT: rt.iteration
// CHECK-NOT: ?x64xf32
// CHECK: %[[ROW:.*]] = bufferization.to_tensor {{.*}} to tensor<1x64xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<1x4x16xf32>
// CHECK: linalg.generic {{.*}} ins(%[[ROW]], %[[W]] : {{.*}}) outs(%[[ZEROS]] : tensor<1x4x16xf32>)
// CHECK: bufferization.materialize_in_destination {{.*}} : (tensor<1x64xf32>, memref<1x64xf32,
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK-NEXT: rt.iteration
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<?x4x16xf32>)
// CHECK: bufferization.materialize_in_destination {{.*}} : (tensor<?x64xf32>
func.func @example(%w: tensor<4x64x16xf32>, %state: memref<?x2x64xf32>, %rows: index,
                   %steps: index) attributes {rt.time_loops = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    %v = memref.subview %state[0, 0, 0] [%rows, 1, 64] [1, 1, 1]
        : memref<?x2x64xf32> to memref<?x64xf32, strided<[128, 1]>>
    %x = bufferization.to_tensor %v restrict : memref<?x64xf32, strided<[128, 1]>> to tensor<?x64xf32>
    %e = tensor.empty(%rows) : tensor<?x4x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                          affine_map<(m, b, j, k) -> (m, b, j)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %n = arith.addf %c, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    %q = tensor.collapse_shape %p [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
    %to = memref.subview %state[0, 1, 0] [%rows, 1, 64] [1, 1, 1]
        : memref<?x2x64xf32> to memref<?x64xf32, strided<[128, 1], offset: 64>>
    bufferization.materialize_in_destination %q in writable %to
        : (tensor<?x64xf32>, memref<?x64xf32, strided<[128, 1], offset: 64>>) -> ()
  }
  return
}

// -----

// What the copy takes from before the loop becomes static there: the start of the product, and another operand, whose
// rows only have to agree. The results of both loops are those of the branch.

// CHECK-LABEL: @captured
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x64xf32>, %[[W:[^:]*]]: tensor<4x64x16xf32>, %[[Y:[^:]*]]: tensor<?x4x16xf32>,
// CHECK-SAME: %[[ROWS:[^:]*]]: index
// CHECK-DAG: arith.cmpi eq, %[[ROWS]], %c1
// CHECK-DAG: %[[X_ROWS:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: arith.cmpi eq, %[[X_ROWS]], %c1
// CHECK-DAG: %[[Y_ROWS:.*]] = tensor.dim %[[Y]], %c0
// CHECK-DAG: arith.cmpi eq, %[[Y_ROWS]], %c1
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK-DAG: %[[ROW:.*]] = tensor.cast %[[X]] : tensor<?x64xf32> to tensor<1x64xf32>
// CHECK-DAG: %[[OTHER:.*]] = tensor.cast %[[Y]] : tensor<?x4x16xf32> to tensor<1x4x16xf32>
// CHECK-DAG: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<1x4x16xf32>
// CHECK: %[[S:.*]] = scf.for
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[ROW]], %[[W]] : {{.*}}) outs(%[[ZEROS]] : tensor<1x4x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[OTHER]] : tensor<1x4x16xf32>, tensor<1x4x16xf32>)
// CHECK: scf.yield %[[S]] : f32
// CHECK: } else {
// CHECK: %[[S:.*]] = scf.for
// CHECK: scf.yield %[[S]] : f32
// CHECK: return %[[R]]
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>
#i = affine_map<(m, b, j) -> (m, b, j)>
func.func @captured(%x: tensor<?x64xf32>, %w: tensor<4x64x16xf32>, %y: tensor<?x4x16xf32>, %rows: index, %steps: index)
    -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%rows) : tensor<?x4x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %r = scf.for %t = %c0 to %steps step %c1 iter_args(%s = %zero) -> (f32) {
    rt.iteration %t
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    %q = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%p, %y : tensor<?x4x16xf32>, tensor<?x4x16xf32>) outs(%e : tensor<?x4x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.addf %i, %j : f32
      linalg.yield %m : f32
    } -> tensor<?x4x16xf32>
    %first = tensor.extract %q[%c0, %c0, %c0] : tensor<?x4x16xf32>
    %next = arith.addf %s, %first : f32
    scf.yield %next : f32
  }
  return %r : f32
}

// -----

// The states of a cell are two buffers by turns. Their strides become static too.

// CHECK-LABEL: @states
// CHECK: scf.if
// CHECK: %[[S:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [2, 1, 64], strides: [64, 64, 1] {rt.same_shape}
// CHECK: scf.for
// CHECK: memref.subview %[[S]][%{{.*}}, 0, 0] [1, 1, 64] [1, 1, 1] : memref<2x1x64xf32>
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x4x16xf32>)
// CHECK: bufferization.materialize_in_destination {{.*}} : (tensor<1x64xf32>, memref<1x64xf32,
// CHECK: } else {
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>
func.func @states(%w: tensor<4x64x16xf32>, %rows: index, %steps: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = arith.maxui %rows, %c1 : index
  %states = memref.alloc(%most) : memref<2x?x64xf32>
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    %this = arith.andi %t, %c1 : index
    %other = arith.xori %this, %c1 : index
    %v = memref.subview %states[%this, 0, 0] [1, %rows, 64] [1, 1, 1]
        : memref<2x?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %x = bufferization.to_tensor %v restrict : memref<?x64xf32, strided<[64, 1], offset: ?>> to tensor<?x64xf32>
    %e = tensor.empty(%rows) : tensor<?x4x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    %q = tensor.collapse_shape %p [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
    %to = memref.subview %states[%other, 0, 0] [1, %rows, 64] [1, 1, 1]
        : memref<2x?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    bufferization.materialize_in_destination %q in writable %to
        : (tensor<?x64xf32>, memref<?x64xf32, strided<[64, 1], offset: ?>>) -> ()
  }
  return
}

// -----

// The rows of a product change with the iterations.

// CHECK-LABEL: @changing
// CHECK-SAME: rt.time_loops = 1
// CHECK-NOT: scf.if
// CHECK: return
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>
func.func @changing(%x: tensor<?x64xf32>, %w: tensor<4x64x16xf32>, %to: memref<?x4x16xf32>, %steps: index)
    attributes {rt.time_loops = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    %part = tensor.extract_slice %x[0, 0] [%t, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %e = tensor.empty(%t) : tensor<?x4x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%part, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    %v = memref.subview %to[0, 0, 0] [%t, 4, 16] [1, 1, 1]
        : memref<?x4x16xf32> to memref<?x4x16xf32, strided<[64, 16, 1]>>
    bufferization.materialize_in_destination %p in writable %v
        : (tensor<?x4x16xf32>, memref<?x4x16xf32, strided<[64, 16, 1]>>) -> ()
  }
  return
}

// -----

// Most of the work of the iteration is other work, which would be compiled twice.

// CHECK-LABEL: @large
// CHECK-NOT: scf.if
// CHECK: return
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>
func.func @large(%x: tensor<?x64xf32>, %w: tensor<4x64x16xf32>, %to: memref<?x4x16xf32>, %o: tensor<?xf32>,
                 %rows: index, %steps: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    %z0 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z2 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z3 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z4 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z5 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z6 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z7 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z8 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z9 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z10 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z11 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z12 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z13 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z14 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z15 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z16 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z17 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z18 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z19 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z20 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z21 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z22 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z23 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z24 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z25 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z26 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z27 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z28 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z29 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %z30 = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %e = tensor.empty(%rows) : tensor<?x4x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%i: f32, %j: f32, %u: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %u, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    bufferization.materialize_in_destination %p in writable %to : (tensor<?x4x16xf32>, memref<?x4x16xf32>) -> ()
  }
  return
}

// -----

// The rows of the second loop come from the first one, whose result becomes that of its branch.

// CHECK-LABEL: @results
// CHECK-SAME: rt.time_loops = 4
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (index) {
// CHECK: scf.while
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x4x16xf32>)
// CHECK: } else {
// CHECK: scf.while
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<?x4x16xf32>)
// CHECK: arith.cmpi eq, %[[R]], %c1
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x4x16xf32>)
// CHECK: } else {
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<?x4x16xf32>)
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>
func.func @results(%x: tensor<?x64xf32>, %w: tensor<4x64x16xf32>, %to: memref<?x4x16xf32>, %rows: index, %steps: index)
    attributes {rt.time_loops = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %goes = arith.cmpi slt, %i, %steps : index
    scf.condition(%goes) %i : index
  } do {
  ^bb0(%i: index):
    rt.iteration %i
    %e = tensor.empty(%rows) : tensor<?x4x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %m = arith.mulf %u, %v : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    bufferization.materialize_in_destination %p in writable %to : (tensor<?x4x16xf32>, memref<?x4x16xf32>) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    %part = tensor.extract_slice %x[0, 0] [%r, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %e = tensor.empty(%r) : tensor<?x4x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%part, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %m = arith.mulf %u, %v : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    bufferization.materialize_in_destination %p in writable %to : (tensor<?x4x16xf32>, memref<?x4x16xf32>) -> ()
  }
  return
}

// -----

// A loop for a single row would be one of a single iteration, and so no loop.

// CHECK-LABEL: @as_many_rows
// CHECK-SAME: rt.time_loops = 2
// CHECK-NOT: scf.if
// CHECK: return
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>
func.func @as_many_rows(%x: tensor<?x64xf32>, %w: tensor<4x64x16xf32>, %to: memref<?x4x16xf32>, %rows: index)
    attributes {rt.time_loops = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %rows step %c1 {
    rt.iteration %t
    %e = tensor.empty(%rows) : tensor<?x4x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %m = arith.mulf %u, %v : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    bufferization.materialize_in_destination %p in writable %to : (tensor<?x4x16xf32>, memref<?x4x16xf32>) -> ()
  }
  scf.while (%i = %c0) : (index) -> index {
    %size = tensor.dim %x, %c0 : tensor<?x64xf32>
    %goes = arith.cmpi slt, %i, %size : index
    scf.condition(%goes) %i : index
  } do {
  ^bb0(%i: index):
    rt.iteration %i
    %e = tensor.empty(%rows) : tensor<?x4x16xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %m = arith.mulf %u, %v : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    bufferization.materialize_in_destination %p in writable %to : (tensor<?x4x16xf32>, memref<?x4x16xf32>) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// Only the inner one of two time loops gets a copy.

// CHECK-LABEL: @nested
// CHECK-SAME: rt.time_loops = 3
// CHECK: scf.for
// CHECK-NEXT: rt.iteration
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<?x4x16xf32>)
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NEXT: rt.iteration
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x4x16xf32>)
// CHECK: } else {
// CHECK: scf.for
// CHECK-NEXT: rt.iteration
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<?x4x16xf32>)
// CHECK-NOT: rt.iteration
// CHECK: return
#a = affine_map<(m, b, j, k) -> (m, k)>
#b = affine_map<(m, b, j, k) -> (b, k, j)>
#c = affine_map<(m, b, j, k) -> (m, b, j)>
func.func @nested(%x: tensor<?x64xf32>, %w: tensor<4x64x16xf32>, %to: memref<?x4x16xf32>, %rows: index, %steps: index)
    attributes {rt.time_loops = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%rows) : tensor<?x4x16xf32>
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%z : tensor<?x4x16xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %m = arith.mulf %i, %j : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x4x16xf32>
    %s = tensor.collapse_shape %p [[0], [1, 2]] : tensor<?x4x16xf32> into tensor<?x64xf32>
    scf.for %u = %c0 to %steps step %c1 {
      rt.iteration %u
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
      %q = linalg.generic {indexing_maps = [#a, #b, #c],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%s, %w : tensor<?x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<?x4x16xf32>) {
      ^bb0(%i: f32, %j: f32, %o: f32):
        %m = arith.mulf %i, %j : f32
        %n = arith.addf %o, %m : f32
        linalg.yield %n : f32
      } -> tensor<?x4x16xf32>
      bufferization.materialize_in_destination %q in writable %to : (tensor<?x4x16xf32>, memref<?x4x16xf32>) -> ()
    }
  }
  return
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
    %3 = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
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
