// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-tile-and-vectorize=vector-bits=256 --canonicalize --cse --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-tile-and-vectorize=vectorize=false --canonicalize --split-input-file | FileCheck %s --check-prefix=SCALAR

// A product with one column is added along its rows, in vectors of 32 lanes, 16 and 8, and one by one, whatever the
// number of rows is.

// CHECK-LABEL: @one_column
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK: math.fma {{.*}} : vector<32xf32>
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK: math.fma {{.*}} : f32
// CHECK-NOT: rt.columns
// SCALAR-LABEL: @one_column
// SCALAR-NOT: vector
// SCALAR: math.fma {{.*}} : f32
// SCALAR-NOT: rt.columns
func.func @one_column(%x: tensor<5x77xf32>, %w: tensor<77x1xf32>) -> tensor<5x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<5x1xf32>) -> tensor<5x1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x77xf32>, tensor<77x1xf32>) outs(%start : tensor<5x1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p {rt.columns = 1 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<5x1xf32>
  return %0 : tensor<5x1xf32>
}

// -----

// Where elements of several rows are contiguous, a vector has as many rows, and each lane of a row has a vector of its
// own. 16 rows come first, which fill a line of the cache, and then 8. The remaining rows read their elements one by one.

// CHECK-LABEL: @transposed
// CHECK-COUNT-8: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: vector.transfer_write {{.*}} : vector<16xf32>
// CHECK-COUNT-4: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>,
// CHECK: vector.transfer_write {{.*}} : vector<8xf32>
// CHECK: vector.from_elements {{.*}} : vector<32xf32>
func.func @transposed(%x: tensor<64x25xf32>, %w: tensor<64xf32>) -> tensor<25xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<25xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<25xf32>) -> tensor<25xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (k, m)>, affine_map<(m, k) -> (k)>,
                                        affine_map<(m, k) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<64x25xf32>, tensor<64xf32>) outs(%start : tensor<25xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p {rt.columns = 1 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<25xf32>
  return %0 : tensor<25xf32>
}

// -----

// The columns decide how many accumulators an element has, and not what was fused in front: here an integer of 64 bits.
// Only the product rounds once.

// CHECK-LABEL: @fused
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: math.fma {{.*}} : vector<{{.*}}x8xf32>
// CHECK: } {rt.accumulators = 4 : i64}
func.func @fused(%x: tensor<5x64xi64>, %b: tensor<64xf32>, %w: tensor<64x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<5x8xf32>) -> tensor<5x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k)>,
                                        affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %b, %w : tensor<5x64xi64>, tensor<64xf32>, tensor<64x8xf32>) outs(%start : tensor<5x8xf32>) {
  ^bb0(%i: i64, %c: f32, %j: f32, %o: f32):
    %f = arith.sitofp %i : i64 to f32
    %g = arith.mulf %f, %c : f32
    %h = arith.addf %g, %c : f32
    %p = arith.mulf %h, %j : f32
    %s = arith.addf %o, %p {rt.columns = 8 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// -----

// A reduction into which a product was fused rounds as it would without: twice in each step, into one accumulator.

// CHECK-LABEL: @reduction
// CHECK-NOT: math.fma
// CHECK-NOT: rt.accumulators
// CHECK: return
func.func @reduction(%x: tensor<5x64x8xf32>, %w: tensor<5x64x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<5x8xf32>) -> tensor<5x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k, n)>, affine_map<(m, n, k) -> (m, k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x64x8xf32>, tensor<5x64x8xf32>) outs(%start : tensor<5x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}
