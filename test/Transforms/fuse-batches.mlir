// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-fuse-batches --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-fuse-batches --split-input-file \
// RUN:   --remarks-filter=rt-fuse-batches --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] fused | Category:rt-fuse-batches | Remark="2 ops share one loop over a batch of 4"
// REMARK-DAG: [Passed] fused | Category:rt-fuse-batches | Remark="2 ops share one loop over a batch of ?"

#id = affine_map<(b, n) -> (b, n)>
#batch = affine_map<(b, n) -> (b)>

// The powers are 64 KiB, and those of one part 16 KiB. The sums read them from L1. The powers are a result
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

// -----

// The state of a cell, and its output from the state, for any number of rows: each row stays in L1. The
// last op has two results.

#id = affine_map<(b, n) -> (b, n)>

// CHECK-LABEL: @any_batch
// CHECK: scf.for
// CHECK: rt.iteration
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %{{.*}} step %c1
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: math.tanh
func.func @any_batch(%x: tensor<?x64xf32>, %a: memref<?x64xf32>, %b: memref<?x64xf32>, %c: memref<?x64xf32>,
                     %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    rt.iteration %i
    %d = bufferization.to_tensor %a restrict writable : memref<?x64xf32> to tensor<?x64xf32>
    %e = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
    %f = bufferization.to_tensor %c restrict writable : memref<?x64xf32> to tensor<?x64xf32>
    %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x64xf32>) outs(%d : tensor<?x64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %0 = math.exp %v : f32
      linalg.yield %0 : f32
    } -> tensor<?x64xf32>
    %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%t : tensor<?x64xf32>) outs(%e, %f : tensor<?x64xf32>, tensor<?x64xf32>) {
    ^bb0(%v: f32, %o: f32, %p: f32):
      %0 = math.tanh %v : f32
      linalg.yield %0, %0 : f32, f32
    } -> (tensor<?x64xf32>, tensor<?x64xf32>)
    bufferization.materialize_in_destination %t in writable %a : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
    bufferization.materialize_in_destination %r#0 in writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
    bufferization.materialize_in_destination %r#1 in writable %c : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  }
  return
}

// -----

// Only one dim has more than one element. A loop over it would leave no vectors.

// CHECK-LABEL: @vectors_of_any_length
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @vectors_of_any_length(%x: tensor<?xf32>, %y: tensor<?xf32>, %d: memref<?xf32>, %d2: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %e = tensor.empty(%m) : tensor<?xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
       ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
    } -> tensor<?xf32>
    %e2 = tensor.empty(%m) : tensor<?xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
       ins(%a : tensor<?xf32>) outs(%e2 : tensor<?xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32
    } -> tensor<?xf32>
    bufferization.materialize_in_destination %a in writable %d : (tensor<?xf32>, memref<?xf32>) -> ()
    bufferization.materialize_in_destination %b in writable %d2 : (tensor<?xf32>, memref<?xf32>) -> ()
  }
  return
}
