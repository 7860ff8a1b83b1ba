// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-fuse-batches --split-input-file | FileCheck %s

#id = affine_map<(b, n) -> (b, n)>
#batch = affine_map<(b, n) -> (b)>

// The powers are 64 KiB, and those of one part 16 KiB. The sums read them from the first cache. The powers are a result
// too, so the loop carries them.

// CHECK-LABEL: @sums
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x4096xf32>
func.func @sums(%x: tensor<4x4096xf32>, %e: tensor<4x4096xf32>, %z: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4x4096xf32>) {
  // CHECK-NOT: linalg.generic
  // CHECK: %[[R:.*]]:2 = scf.for %[[B:[^ ]*]] = %{{.*}} to %c4{{.*}} step %c1
  // CHECK: tensor.extract_slice %[[X]][%[[B]], 0] [1, 4096]
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK: linalg.fill
  // CHECK: linalg.generic {{.*}}"reduction"
  // CHECK: scf.yield
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[R]]#0, %[[R]]#1
  %zero = arith.constant 0.0 : f32
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4096xf32>) outs(%e : tensor<4x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #batch], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<4x4096xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r, %t : tensor<4xf32>, tensor<4x4096xf32>
}

// -----

// The powers fit the cache anyway.

#id = affine_map<(b, n) -> (b, n)>
#batch = affine_map<(b, n) -> (b)>

// CHECK-LABEL: @small
// CHECK-NOT: scf.for
func.func @small(%x: tensor<4x256xf32>, %e: tensor<4x256xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x256xf32>) outs(%e : tensor<4x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x256xf32>
  %r = linalg.generic {indexing_maps = [#id, #batch], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<4x256xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The rows of a product share the matrix, so they are no batch.

#id = affine_map<(b, n) -> (b, n)>

// CHECK-LABEL: @rows
// CHECK-NOT: scf.for
func.func @rows(%x: tensor<32x512xf32>, %w: tensor<512x64xf32>, %e: tensor<32x512xf32>, %z: tensor<32x64xf32>)
    -> tensor<32x64xf32> {
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<32x512xf32>) outs(%e : tensor<32x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<32x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %w : tensor<32x512xf32>, tensor<512x64xf32>) outs(%z : tensor<32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// -----

// What is written between two ops may be what the first one reads, so it stays before that.

#id = affine_map<(b, n) -> (b, n)>
#batch = affine_map<(b, n) -> (b)>

// CHECK-LABEL: @written_between
// CHECK-NOT: scf.for
func.func @written_between(%x: tensor<4x4096xf32>, %e: tensor<4x4096xf32>, %z: tensor<4xf32>, %m: memref<4xf32>)
    -> tensor<4xf32> {
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4096xf32>) outs(%e : tensor<4x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x4096xf32>
  bufferization.materialize_in_destination %z in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %r = linalg.generic {indexing_maps = [#id, #batch], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<4x4096xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The sums are along columns. An iteration would have one element of each vector.

#id = affine_map<(b, n) -> (n, b)>
#batch = affine_map<(b, n) -> (b)>

// CHECK-LABEL: @columns
// CHECK-NOT: scf.for
func.func @columns(%x: tensor<4096x4xf32>, %e: tensor<4096x4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4096x4xf32>) outs(%e : tensor<4096x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<4096x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #batch], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<4096x4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
