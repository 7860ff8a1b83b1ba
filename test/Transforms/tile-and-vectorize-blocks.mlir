// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-tile-and-vectorize{vector-bits=512 vector-registers=32}))' \
// RUN:   | FileCheck %s

// A tile of one row reads eight blocks of packed columns at the same time. If the blocks are multiples of 16 pages, it
// reads four. If L2 holds all blocks, and L1 a tile of four or two, it reads so many.

#a = affine_map<(b, n, k) -> (k)>
#w = affine_map<(b, n, k) -> (b, k, n)>
#c = affine_map<(b, n, k) -> (b, n)>

// CHECK-LABEL: @blocks_of_a_row
// CHECK: scf.for {{.*}} -> (vector<8x32xf32>) {
// CHECK: scf.for {{.*}} -> (vector<4x32xf32>) {
// CHECK: scf.for {{.*}} -> (vector<4x32xf32>) {
// CHECK: scf.for {{.*}} -> (vector<2x32xf32>) {
func.func @blocks_of_a_row(%x: tensor<640xf32>, %w: tensor<8x640x32xf32>, %long: tensor<512xf32>,
                           %wide: tensor<8x512x32xf32>, %y: tensor<64xf32>, %near: tensor<8x64x32xf32>,
                           %z: tensor<128xf32>, %half: tensor<8x128x32xf32>)
    -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %0 = linalg.generic {indexing_maps = [#a, #w, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<640xf32>, tensor<8x640x32xf32>) outs(%start : tensor<8x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [#a, #w, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%long, %wide : tensor<512xf32>, tensor<8x512x32xf32>) outs(%start : tensor<8x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  %2 = linalg.generic {indexing_maps = [#a, #w, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %near : tensor<64xf32>, tensor<8x64x32xf32>) outs(%start : tensor<8x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  %3 = linalg.generic {indexing_maps = [#a, #w, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%z, %half : tensor<128xf32>, tensor<8x128x32xf32>) outs(%start : tensor<8x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  return %0, %1, %2, %3 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>
}

// A vector that several rows share takes a register, as the accumulators do: three rows read two blocks at a time.

#ra = affine_map<(m, b, n, k) -> (m, k)>
#rw = affine_map<(m, b, n, k) -> (b, k, n)>
#rc = affine_map<(m, b, n, k) -> (m, b, n)>

// CHECK-LABEL: @blocks_of_three_rows
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c2
// CHECK: scf.for {{.*}} -> (vector<3x2x32xf32>) {
func.func @blocks_of_three_rows(%x: tensor<3x64xf32>, %w: tensor<8x64x32xf32>) -> tensor<3x8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x8x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<3x8x32xf32>) -> tensor<3x8x32xf32>
  %0 = linalg.generic {indexing_maps = [#ra, #rw, #rc], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x64xf32>, tensor<8x64x32xf32>) outs(%start : tensor<3x8x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x8x32xf32>
  return %0 : tensor<3x8x32xf32>
}

// A tile has at most 13 rows. 40 rows are four tiles of ten, and no remainder of one row.

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#z = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: @rows_of_a_tile
// CHECK: scf.for %{{.*}} = %c0 to %c40 step %c10
// CHECK: vector<10x32xf32>
// CHECK-NOT: vector<1x32xf32>
// CHECK: return
func.func @rows_of_a_tile(%x: tensor<40x64xf32>, %y: tensor<64x128xf32>) -> tensor<40x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x128xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<40x128xf32>) -> tensor<40x128xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<40x64xf32>, tensor<64x128xf32>) outs(%start : tensor<40x128xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x128xf32>
  return %0 : tensor<40x128xf32>
}

// If a row of the result has two vectors only, four steps have accumulators of their own, whatever the rows are. So a tile
// has three rows.

// CHECK-LABEL: @few_columns
// CHECK: scf.for %{{.*}} = %c0 to %c39 step %c3
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c1 {{.*}} -> (vector<3x32xf32>)
// CHECK: } {rt.accumulators = 4 : i64}
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c1 {{.*}} -> (vector<1x32xf32>)
// CHECK: } {rt.accumulators = 4 : i64}
func.func @few_columns(%x: tensor<40x64xf32>, %y: tensor<64x32xf32>) -> tensor<40x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<40x32xf32>) -> tensor<40x32xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<40x64xf32>, tensor<64x32xf32>) outs(%start : tensor<40x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p {rt.columns = 32 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<40x32xf32>
  return %0 : tensor<40x32xf32>
}

// The remainder of a row is split into powers of two: LLVM's code for AVX-512 takes wrong elements of vectors with other
// numbers of lanes.

#id = affine_map<(n) -> (n)>

// CHECK-LABEL: @lanes
// CHECK: math.sqrt {{.*}} : vector<4xf64>
// CHECK: math.sqrt {{.*}} : vector<2xf64>
// CHECK: math.sqrt {{.*}} : vector<1xf64>
// CHECK-NOT: math.sqrt
// CHECK: return
func.func @lanes(%x: tensor<7xf64>) -> tensor<7xf64> {
  %e = tensor.empty() : tensor<7xf64>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<7xf64>) outs(%e : tensor<7xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = math.sqrt %i : f64
    linalg.yield %s : f64
  } -> tensor<7xf64>
  return %0 : tensor<7xf64>
}

// The rows of a long operand are cut into panels of at most 512 KiB, so that each block finds them in L2. 800
// rows of 256 elements are two panels of 400.

#p = affine_map<(m, b, n, k) -> (m, k)>
#q = affine_map<(m, b, n, k) -> (b, k, n)>
#r = affine_map<(m, b, n, k) -> (m, b, n)>

// CHECK-LABEL: @panels_of_rows
// CHECK-DAG: %[[C400:.*]] = arith.constant 400 : index
// CHECK-DAG: %[[C800:.*]] = arith.constant 800 : index
// CHECK: scf.for {{.*}} to %[[C800]] step %[[C400]]
// CHECK: scf.for {{.*}} to %c64
// CHECK: scf.for {{.*}} to %c390 step %c13
func.func @panels_of_rows(%x: tensor<800x256xf32>, %w: tensor<64x256x32xf32>) -> tensor<800x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<800x64x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<800x64x32xf32>) -> tensor<800x64x32xf32>
  %0 = linalg.generic {indexing_maps = [#p, #q, #r],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<800x256xf32>, tensor<64x256x32xf32>) outs(%start : tensor<800x64x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.mulf %i, %j : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<800x64x32xf32>
  return %0 : tensor<800x64x32xf32>
}
