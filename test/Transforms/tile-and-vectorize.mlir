// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-tile-and-vectorize --canonicalize --cse --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-tile-and-vectorize{vectorize=false}),canonicalize,cse)' \
// RUN:   --split-input-file | FileCheck %s --check-prefix=SCALAR
// RUN: ir-opt %s --rt-tile-and-vectorize --split-input-file \
// RUN:   --remarks-filter=rt-tile-and-vectorize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] vectorized | Category:rt-tile-and-vectorize | Remark="a tile has 8 elements of 32 bits, 8 in a vector"
// REMARK-DAG: [Passed] vectorized | Category:rt-tile-and-vectorize | Remark="a tile has 4 x 16 elements of 32 bits, 8 in a vector; accumulators of an element: 1"
// REMARK-DAG: [Passed] vectorized | Category:rt-tile-and-vectorize | Remark="a tile has 5 x 16 elements of 32 bits, 8 in a vector; accumulators of an element: 1"
// REMARK-DAG: [Passed] vectorized | Category:rt-tile-and-vectorize | Remark="a tile has 32 elements of 32 bits, 8 in a vector; accumulators of an element: 1"
// REMARK-DAG: [Passed] vectorized | Category:rt-tile-and-vectorize | Remark="a tile has 4 elements of 32 bits, 8 in a vector"
// REMARK-DAG: [Passed] vectorized | Category:rt-tile-and-vectorize | Remark="a tile has 32 elements of 8 bits, 32 in a vector"
// REMARK-DAG: [Passed] vectorized | Category:rt-tile-and-vectorize | Remark="a tile has 4 elements of 64 bits, 4 in a vector"

#id = affine_map<(m, n) -> (m, n)>

// Whole vectors, then the remainder of a row.

// CHECK-LABEL: @elementwise
// CHECK-SAME: (%[[X:.*]]: tensor<3x37xf32>)
// SCALAR-LABEL: @elementwise
// SCALAR-NOT: vector
func.func @elementwise(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
  // CHECK: scf.for %[[I:[^ ]*]] = %[[C0]] to %[[C3]] step %[[C1]]
  // CHECK: scf.for %[[J:[^ ]*]] = %[[C0]] to %[[C32]] step %[[C8]] iter_args(%[[T:.*]] = %{{.*}})
  // CHECK-NEXT: %[[V:.*]] = vector.transfer_read %[[X]][%[[I]], %[[J]]], %{{.*}} {in_bounds = [true, true]} : tensor<3x37xf32>, vector<1x8xf32>
  // CHECK-NEXT: %[[S:.*]] = math.sqrt %[[V]] : vector<1x8xf32>
  // CHECK-NEXT: vector.transfer_write %[[S]], %[[T]][%[[I]], %[[J]]] {in_bounds = [true, true]}
  // CHECK: vector.transfer_read %[[X]][%[[I]], %[[C32]]], %{{.*}} {in_bounds = [true, true]} : tensor<3x37xf32>, vector<1x5xf32>
  // CHECK-NEXT: math.sqrt
  // CHECK-NEXT: vector.transfer_write {{.*}}[%[[I]], %[[C32]]]
  // CHECK-NOT: linalg
  // SCALAR-COUNT-2: scf.for
  // SCALAR: tensor.extract
  // SCALAR: math.sqrt {{.*}} : f32
  // SCALAR: tensor.insert
  %e = tensor.empty() : tensor<3x37xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x37xf32>) outs(%e : tensor<3x37xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.sqrt %i : f32
    linalg.yield %s : f32
  } -> tensor<3x37xf32>
  return %0 : tensor<3x37xf32>
}

// -----

// Several results of one nest.

// CHECK-LABEL: @two_results
// SCALAR-LABEL: @two_results
func.func @two_results(%x: tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
  // CHECK: scf.for {{.*}} -> (tensor<24xf32>, tensor<24xf32>)
  // CHECK-COUNT-2: vector.transfer_write {{.*}} : vector<8xf32>, tensor<24xf32>
  // SCALAR: scf.for {{.*}} -> (tensor<24xf32>, tensor<24xf32>)
  // SCALAR-COUNT-2: tensor.insert
  %e = tensor.empty() : tensor<24xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
                         iterator_types = ["parallel"]}
      ins(%x : tensor<24xf32>) outs(%e, %e : tensor<24xf32>, tensor<24xf32>) {
  ^bb0(%i: f32, %o: f32, %p: f32):
    %s = math.sqrt %i : f32
    %t = math.exp %s : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<24xf32>, tensor<24xf32>)
  return %0#0, %0#1 : tensor<24xf32>, tensor<24xf32>
}

// -----

// The functions of two vectors take turns: one tile has both.

// CHECK-LABEL: @functions_by_turns
func.func @functions_by_turns(%x: tensor<48xf32>) -> tensor<48xf32> {
  // CHECK: scf.for {{.*}} step %c16
  // CHECK: math.exp {{.*}} : vector<16xf32>
  %e = tensor.empty() : tensor<48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<48xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<48xf32>
  return %0 : tensor<48xf32>
}

// -----

// Functions that do not wait for each other take turns by themselves.

// CHECK-LABEL: @independent_functions
func.func @independent_functions(%x: tensor<48xf32>) -> tensor<48xf32> {
  // CHECK: scf.for {{.*}} step %c8
  // CHECK-COUNT-2: math.exp {{.*}} : vector<8xf32>
  %e = tensor.empty() : tensor<48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<48xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    %n = arith.negf %i : f32
    %t = math.exp %n : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<48xf32>
  return %0 : tensor<48xf32>
}

// -----

// A dynamic dim: whole vectors, and one with a mask for the remainder.

// CHECK-LABEL: @dynamic
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>)
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]]
  // CHECK: %[[WHOLE:.*]] = affine.apply #{{.*}}()[%[[N]]]
  // CHECK: scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c8
  // CHECK: vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
  // CHECK: vector.transfer_write {{.*}} {in_bounds = [true]}
  // CHECK: scf.for %[[I:.*]] = %[[WHOLE]] to %[[N]]
  // CHECK: %[[LEFT:.*]] = affine.apply #{{.*}}(%[[I]])[%[[N]]]
  // CHECK: %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<8xi1>
  // CHECK: vector.mask %[[MASK]] { vector.transfer_read %[[X]][%[[I]]]
  // CHECK: math.sqrt {{.*}} : vector<8xf32>
  // CHECK: vector.mask %[[MASK]] { vector.transfer_write
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.sqrt %i : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The accumulators of a product live in registers: they start from the fill, and the result is written once. Its multiply
// and its add become one operation.

// CHECK-LABEL: @product
// CHECK-SAME: (%[[X:.*]]: tensor<1x32xf32>, %[[W:.*]]: tensor<4x32x16xf32>)
// SCALAR-LABEL: @product
func.func @product(%x: tensor<1x32xf32>, %w: tensor<4x32x16xf32>) -> tensor<1x4x16xf32> {
  // CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.0{{.*}}> : vector<1x4x16xf32>
  // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
  // CHECK: %[[SUM:.*]] = scf.for %[[K:[^ ]*]] = %{{.*}} to %[[C32]] step %{{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]]) -> (vector<1x4x16xf32>) {
  // CHECK: %[[A:.*]] = vector.transfer_read %[[X]][%{{.*}}, %[[K]]]
  // CHECK: %[[B:.*]] = vector.transfer_read %[[W]][%{{.*}}, %[[K]], %{{.*}}]
  // CHECK: %[[F:.*]] = math.fma %[[A]], %[[B]], %[[ACC]] : vector<1x4x16xf32>
  // CHECK-NEXT: scf.yield %[[F]]
  // CHECK: }
  // CHECK: vector.transfer_write %[[SUM]]
  // CHECK-NOT: vector.transfer_write
  // Scalar loops accumulate in a register too.
  // SCALAR-COUNT-2: scf.for {{.*}} -> (tensor<1x4x16xf32>)
  // SCALAR: %[[SUM:.*]] = scf.for {{.*}} -> (f32) {
  // SCALAR: scf.yield
  // SCALAR: tensor.insert %[[SUM]]
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                        affine_map<(m, b, j, k) -> (m, b, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x32xf32>, tensor<4x32x16xf32>) outs(%zeros : tensor<1x4x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p {rt.columns = 64 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<1x4x16xf32>
  return %r : tensor<1x4x16xf32>
}

// -----

// With a dynamic number of rows: tiles of as many rows as registers hold, and scalar loops for the rest, also with
// accumulators in registers.

// CHECK-LABEL: @integer_rows
func.func @integer_rows(%x: tensor<?x?xi32>, %w: tensor<?x16xi32>) -> tensor<?x16xi32> {
  // CHECK: scf.for {{.*}} step %c5
  // CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<5x16xi32>) {
  // CHECK: vector.transfer_write %[[SUM]]
  // CHECK: scf.for {{.*}} step %c5
  // CHECK: %[[S:.*]] = scf.for {{.*}} -> (i32) {
  // CHECK: tensor.insert %[[S]]
  // CHECK-NOT: linalg
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi32>
  %e = tensor.empty(%n) : tensor<?x16xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%e : tensor<?x16xi32>) -> tensor<?x16xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xi32>, tensor<?x16xi32>) outs(%zeros : tensor<?x16xi32>) {
  ^bb0(%i: i32, %j: i32, %o: i32):
    %p = arith.muli %i, %j : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<?x16xi32>
  return %r : tensor<?x16xi32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// A sum down the columns has a vector accumulator. One along the rows accumulates 32 lanes, then the last elements
// one by one: there are less than 16 and 8. Neither stores a result twice.

// CHECK-LABEL: @sums
func.func @sums(%x: tensor<5x37xf32>) -> (tensor<37xf32>, tensor<5xf32>) {
  // CHECK: scf.for {{.*}} -> (vector<32xf32>) {
  // CHECK: arith.addf {{.*}} : vector<32xf32>
  // CHECK: scf.for {{.*}} -> (vector<5xf32>) {
  // CHECK: arith.addf {{.*}} : vector<5xf32>
  // CHECK: scf.for {{.*}} -> (tensor<5xf32>) {
  // CHECK-NEXT: vector.transfer_read {{.*}} vector<32xf32>
  // CHECK-NEXT: arith.addf {{.*}} : vector<32xf32>
  // CHECK: arith.addf {{.*}} : vector<16xf32>
  // CHECK: arith.addf {{.*}} : vector<8xf32>
  // CHECK-NOT: vector.transfer_read
  // CHECK: arith.addf {{.*}} : vector<1xf32>
  // CHECK: %[[S:.*]] = scf.for %{{.*}} = %c32 to %c37 {{.*}} -> (f32) {
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: }
  // CHECK-NEXT: tensor.insert %[[S]]
  // CHECK-NOT: linalg
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  %r = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<5x37xf32>) outs(%zeros : tensor<37xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<37xf32>
  %f = tensor.empty() : tensor<5xf32>
  %more = linalg.fill ins(%zero : f32) outs(%f : tensor<5xf32>) -> tensor<5xf32>
  %q = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x37xf32>) outs(%more : tensor<5xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r, %q : tensor<37xf32>, tensor<5xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// Indices and computed places in the payload lead to scalar loops.

// CHECK-LABEL: @indices
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
func.func @indices(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // CHECK-NOT: vector
  // CHECK: scf.for %[[I:[^ ]*]] = %{{.*}} to %c8
  // CHECK: scf.for %[[J:[^ ]*]] = %{{.*}} to %c4 {{.*}} iter_args(%[[T:.*]] = %{{.*}})
  // CHECK-NEXT: %[[V:.*]] = tensor.extract %[[X]][%[[J]], %[[I]]]
  // CHECK-NEXT: tensor.insert %[[V]] into %[[T]][%[[I]], %[[J]]]
  // CHECK-NOT: linalg
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%j, %i] : tensor<4x8xf32>
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// Named ops are treated as linalg.generic.

// CHECK-LABEL: @named
func.func @named(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // CHECK-NOT: linalg
  // CHECK: vector.transfer_write
  // CHECK-NOT: linalg
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  return %t : tensor<8x4xf32>
}

// -----

// The widest element type decides the number of lanes.

// CHECK-LABEL: @lanes
func.func @lanes(%x: tensor<64xi8>) -> (tensor<64xi8>, tensor<64xf64>) {
  // CHECK: vector.transfer_read {{.*}} vector<32xi8>
  // CHECK: vector.transfer_read {{.*}} vector<4xi8>
  // CHECK: vector.transfer_write {{.*}} : vector<4xf64>
  %e = tensor.empty() : tensor<64xi8>
  %0 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xi8>) outs(%e : tensor<64xi8>) {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  } -> tensor<64xi8>
  %f = tensor.empty() : tensor<64xf64>
  %1 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xi8>) outs(%f : tensor<64xf64>) {
  ^bb0(%i: i8, %o: f64):
    %s = arith.sitofp %i : i8 to f64
    linalg.yield %s : f64
  } -> tensor<64xf64>
  return %0, %1 : tensor<64xi8>, tensor<64xf64>
}

// -----

// The slice drops the last of two dims of 1. The tile [1, 4, 1] of it keeps its dims: it is not [4, 1, 1].

// CHECK-LABEL: @drops_a_trailing_dim
#drop = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @drops_a_trailing_dim(%x: tensor<9x5x1x1xi32>, %e: tensor<9x5x1xf64>) -> tensor<9x5x1xf64> {
  // CHECK: vector.transfer_read %{{.*}} : tensor<9x5x1x1xi32>, vector<1x4x1xi32>
  // CHECK: vector.transfer_write %{{.*}} {in_bounds = [true, true, true]} : vector<1x4x1xf64>, tensor<9x5x1xf64>
  %s = tensor.extract_slice %x[0, 0, 0, 0] [9, 5, 1, 1] [1, 1, 1, 1] : tensor<9x5x1x1xi32> to tensor<9x5x1xi32>
  %r = linalg.generic {indexing_maps = [#drop, #drop], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<9x5x1xi32>) outs(%e : tensor<9x5x1xf64>) {
  ^bb0(%in: i32, %out: f64):
    %f = arith.sitofp %in : i32 to f64
    linalg.yield %f : f64
  } -> tensor<9x5x1xf64>
  return %r : tensor<9x5x1xf64>
}

// -----

// The lanes of a maximum are compared as integers of the same order, of which those of NaN are the greatest.

// CHECK-LABEL: @greatest
// SCALAR-LABEL: @greatest
func.func @greatest(%x: tensor<8xf32>) -> tensor<f32> {
  // CHECK-DAG: %[[BEYOND:.*]] = arith.constant dense<2147483647> : vector<8xi32>
  // CHECK: %[[V:.*]] = vector.transfer_read %{{.*}} : tensor<8xf32>, vector<8xf32>
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[V]] : vector<8xf32> to vector<8xi32>
  // CHECK: %[[SIGN:.*]] = arith.shrsi %[[BITS]]
  // CHECK: %[[MASK:.*]] = arith.shrui %[[SIGN]]
  // CHECK: %[[KEYS:.*]] = arith.xori %[[BITS]], %[[MASK]]
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[V]], %[[V]]
  // CHECK: arith.select %[[NAN]], %[[BEYOND]], %[[KEYS]]
  // CHECK-COUNT-3: arith.maxsi
  // CHECK: arith.bitcast %{{.*}} : i32 to f32
  // SCALAR: arith.maximumf %{{.*}} : f32
  // SCALAR-NOT: arith.maxsi
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%least : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %b, %a : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The last vector of a row of 13 ends with the row, because the greatest element may be taken twice. No row waits for
// the one before it.

// CHECK-LABEL: @greatest_of_rows
// CHECK: %[[C5:.*]] = arith.constant 5 : index
// CHECK: scf.for %[[ROW:[^ ]*]] =
// CHECK-NEXT: %[[FIRST:.*]] = vector.transfer_read %{{.*}}[%[[ROW]], %c0]
// CHECK-NEXT: %[[LAST:.*]] = vector.transfer_read %{{.*}}[%[[ROW]], %[[C5]]]
// CHECK-NEXT: arith.maximumf %[[LAST]], %[[FIRST]]
// CHECK-NOT: scf.for
// CHECK: return
// SCALAR-LABEL: @greatest_of_rows
func.func @greatest_of_rows(%x: tensor<3x13xf32>) -> tensor<f32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%least : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<3x13xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %b, %a : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Rows of one vector are reduced together: 16 at once, here with three left, which are reduced one by one. Each
// combination of two vectors halves the lanes of a row.

// CHECK-LABEL: @short_rows
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16
// CHECK-COUNT-16: vector.transfer_read {{.*}} vector<16xf32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29]
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30]
// CHECK: vector.transfer_write {{.*}} vector<16xf32>, tensor<35xf32>
// CHECK: scf.for %{{.*}} = %c32 to %c35 step %c1
// CHECK: tensor.insert
func.func @short_rows(%x: tensor<35x16xf32>) -> tensor<35xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<35xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<35xf32>) -> tensor<35xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<35x16xf32>) outs(%zeros : tensor<35xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<35xf32>
  return %r : tensor<35xf32>
}
