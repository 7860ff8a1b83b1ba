// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-fuse-elementwise | FileCheck %s
// RUN: ir-opt %s --rt-fuse-elementwise \
// RUN:   --remarks-filter=rt-fuse-elementwise --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] fused | Category:rt-fuse-elementwise | Remark="the op is computed in the loops of another op"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-elementwise | Reason="expected one reader, or others that come after it"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-elementwise | Reason="expected a reader without a kernel that reads each element once"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-elementwise | Reason="expected a payload that vectors compute, as the order of the sum requires"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-elementwise | Reason="expected an exponential in at most one of two ops whose results are both stored"
// REMARK-DAG: [Missed] not-fused | Category:rt-fuse-elementwise | Reason="expected fewer instructions, or fewer results, in two ops together"

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>
#transposed = affine_map<(m, n) -> (n, m)>

// A chain of ops becomes one nest.

// CHECK-LABEL: @chain
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x8xf32>, %[[B:[^:]*]]: tensor<8xf32>)
func.func @chain(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[B]] : tensor<4x8xf32>, tensor<8xf32>)
  // CHECK: %[[S:.*]] = arith.addf
  // CHECK: %[[T:.*]] = math.exp %[[S]]
  // CHECK: %[[U:.*]] = math.sqrt %[[T]]
  // CHECK: linalg.yield %[[U]] : f32
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[R]]
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.sqrt %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// A producer with other readers becomes a further result; nothing is computed twice.

// CHECK-LABEL: @two_results
func.func @two_results(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: %[[R:.*]]:2 = linalg.generic
  // CHECK: %[[S:.*]] = math.exp
  // CHECK: %[[T:.*]] = math.sqrt %[[S]]
  // CHECK: linalg.yield %[[S]], %[[T]] : f32, f32
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[R]]#0, %[[R]]#1
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.sqrt %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Not if another reader comes before the consumer.

// CHECK-LABEL: @reader_between
func.func @reader_between(%x: tensor<4x8xf32>, %d: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<2x8xf32>) {
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK: tensor.extract_slice
  // CHECK: linalg.generic
  // CHECK: math.sqrt
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %part = tensor.extract_slice %0[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.sqrt %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %1, %part : tensor<4x8xf32>, tensor<2x8xf32>
}

// Not into the body of a loop, where it would be computed in every iteration.

// CHECK-LABEL: @other_block
func.func @other_block(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK: scf.for
  // CHECK: linalg.generic
  // CHECK-NOT: math.exp
  // CHECK: return
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4x8xf32> {
    %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %s = arith.addf %i, %j : f32
      linalg.yield %s : f32
    } -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// Not a producer that the consumer reads repeatedly: a broadcast, or a reduction with other readers.

// CHECK-LABEL: @read_again
func.func @read_again(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>) {
  // CHECK: math.exp
  // CHECK: linalg.generic
  // CHECK-NOT: math.exp
  // CHECK: return
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%y : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @shared_reduction
func.func @shared_reduction(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK: linalg.yield
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4x8xf32>
}

// A reduction that is the only reader computes the producer on the fly, also transposed.

// CHECK-LABEL: @into_reduction
func.func @into_reduction(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: %[[E:.*]] = math.exp
  // CHECK: %[[S:.*]] = arith.addf %{{.*}}, %[[E]]
  // CHECK: linalg.yield %[[S]]
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %1 = linalg.generic {indexing_maps = [#transposed, #column], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<8x4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// What is read by a product and by an update, as the decayed state of a delta rule: the sum of the products comes first,
// so the products are not stored, and the update computes the decay itself.

// CHECK-LABEL: @sum_first
// CHECK-SAME: (%[[S:[^:]*]]: tensor<32x64xf32>, %[[G:[^:]*]]: tensor<32xf32>, %[[K:[^:]*]]: tensor<32xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[S]], %[[G]], %[[K]]
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[S]], %[[G]],
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @sum_first(%s: tensor<32x64xf32>, %g: tensor<32xf32>, %k: tensor<32xf32>)
    -> (tensor<64xf32>, tensor<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %f = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %d = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s, %g : tensor<32x64xf32>, tensor<32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<32x64xf32>
  %dk = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %k : tensor<32x64xf32>, tensor<32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<32x64xf32>
  %sum = linalg.generic {indexing_maps = [#transposed, #column], iterator_types = ["parallel", "reduction"]}
      ins(%dk : tensor<32x64xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.addf %o, %a : f32
    linalg.yield %p : f32
  } -> tensor<64xf32>
  %n = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %sum : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.addf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<32x64xf32>
  return %sum, %n : tensor<64xf32>, tensor<32x64xf32>
}

#line = affine_map<(d0) -> (d0)>
#onLines = {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}

// The third and the fifth op read two results of the same op, which is inlined for each of them. Equal parts are merged
// at once, so nothing is computed twice.
// CHECK-LABEL: @twice
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.subf
// CHECK-NEXT: linalg.yield
// CHECK-NOT: linalg.generic
func.func @twice(%a: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic #onLines ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %1 = linalg.generic #onLines ins(%a, %0 : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %2 = linalg.generic #onLines ins(%0, %1 : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %3 = linalg.generic #onLines ins(%1, %2 : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %4 = linalg.generic #onLines ins(%2, %3 : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %r = arith.subf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// A product of a row and a matrix reads each element of the matrix once. It computes the scaled matrix itself, and so
// does the other reader: that takes no longer than to read it.

// CHECK-LABEL: @row_of_scaled
// CHECK-SAME: (%[[X:[^:]*]]: tensor<8x16xf32>, %[[G:[^:]*]]: tensor<f32>, %[[ROW:[^:]*]]: tensor<1x8xf32>)
func.func @row_of_scaled(%x: tensor<8x16xf32>, %g: tensor<f32>, %row: tensor<1x8xf32>)
    -> (tensor<1x16xf32>, tensor<8x16xf32>) {
  // CHECK: %[[P:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[ROW]], %[[X]], %[[G]] :
  // CHECK: arith.mulf
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[G]] :
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: math.exp
  // CHECK: return %[[P]], %[[E]]
  %e = tensor.empty() : tensor<8x16xf32>
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<1x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%r : tensor<1x16xf32>) -> tensor<1x16xf32>
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> ()>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<8x16xf32>, tensor<f32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.mulf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%row, %0 : tensor<1x8xf32>, tensor<8x16xf32>) outs(%zeros : tensor<1x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.mulf %i, %j : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<1x16xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  return %1, %2 : tensor<1x16xf32>, tensor<8x16xf32>
}

// A product along one element is element-wise work.

// CHECK-LABEL: @outer_product
func.func @outer_product(%a: tensor<4x1xf32>, %b: tensor<1x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: iterator_types = ["parallel", "parallel"]
  // CHECK: %[[P:.*]] = arith.mulf
  // CHECK: %[[S:.*]] = arith.addf %[[P]], %{{.*}}
  // CHECK: arith.addf %{{.*}}, %[[S]]
  // CHECK-NOT: linalg.generic
  %e = tensor.empty() : tensor<4x8xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x1xf32>, tensor<1x8xf32>) outs(%zeros : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.mulf %i, %j : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %0 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A reduction of no elements is what it starts from.

#three = affine_map<(k, i, j) -> (k, i, j)>
#last = affine_map<(k, i, j) -> (i, j)>

// CHECK-LABEL: @no_elements
// CHECK-NOT: linalg.generic
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: return %[[F]]
func.func @no_elements(%x: tensor<0x3x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.generic {indexing_maps = [#three, #last], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x : tensor<0x3x4xf32>) outs(%f : tensor<3x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// Only the gates of the sum are read, so each of them is a sum of slices. The first op has one input per slice of its
// operands.

// CHECK-LABEL: @gates
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x32xf32>, %[[B:[^:]*]]: tensor<32xf32>, %{{.*}}: index)
func.func @gates(%x: tensor<?x32xf32>, %b: tensor<32xf32>, %n: index) -> tensor<?x16xf32> {
  // CHECK-DAG: %[[X0:.*]] = tensor.extract_slice %[[X]][0, 0] [%{{.*}}, 16] [1, 1]
  // CHECK-DAG: %[[B0:.*]] = tensor.extract_slice %[[B]][0] [16] [1]
  // CHECK-DAG: %[[X1:.*]] = tensor.extract_slice %[[X]][0, 16] [%{{.*}}, 16] [1, 1]
  // CHECK-DAG: %[[B1:.*]] = tensor.extract_slice %[[B]][16] [16] [1]
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X0]], %[[B0]], %[[X1]], %[[B1]] :
  // CHECK-COUNT-2: arith.addf
  // CHECK: math.exp
  // CHECK: arith.mulf
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[R]]
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x32xf32>, tensor<32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  %0 = tensor.extract_slice %sum[0, 0] [%n, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
  %1 = tensor.extract_slice %sum[0, 16] [%n, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
  %f = tensor.empty(%n) : tensor<?x16xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2, %1 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.mulf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %3 : tensor<?x16xf32>
}

// Two sums, one after the other. Upstream's pattern asks the first one for its dims when it moves the slices of the
// second one, which does not keep the slices from moving on.

// CHECK-LABEL: @gates_of_two_sums
// CHECK: linalg.generic
// CHECK-COUNT-4: arith.addf
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @gates_of_two_sums(%x: tensor<?x32xf32>, %y: tensor<?x32xf32>, %b: tensor<32xf32>, %n: index)
    -> tensor<?x16xf32> {
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %first = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x32xf32>, tensor<32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%first, %y : tensor<?x32xf32>, tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  %0 = tensor.extract_slice %sum[0, 0] [%n, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
  %1 = tensor.extract_slice %sum[0, 16] [%n, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
  %f = tensor.empty(%n) : tensor<?x16xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2, %1 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.mulf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %3 : tensor<?x16xf32>
}

// The slices overlap, or their rows are shorter than a line of the cache: the op stays whole.

// CHECK-LABEL: @not_gates
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
func.func @not_gates(%x: tensor<4x32xf32>, %y: tensor<4x32xf32>)
    -> (tensor<4x16xf32>, tensor<4x17xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x32xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  %0 = tensor.extract_slice %a[0, 0] [4, 16] [1, 1] : tensor<4x32xf32> to tensor<4x16xf32>
  %1 = tensor.extract_slice %a[0, 15] [4, 17] [1, 1] : tensor<4x32xf32> to tensor<4x17xf32>
  %2 = tensor.extract_slice %b[0, 0] [4, 8] [1, 1] : tensor<4x32xf32> to tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x16xf32>, tensor<4x17xf32>, tensor<4x8xf32>
}

// The state is stored in any case. The op that takes an exponential of it stays apart; one without an exponential does
// not.

// CHECK-LABEL: @chains
// CHECK: %[[C:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-LABEL: @short_chains
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NOT: linalg.generic
// CHECK: math.sqrt
func.func @chains(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %c, %h : tensor<4x8xf32>, tensor<4x8xf32>
}
func.func @short_chains(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.sqrt %i : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %c, %h : tensor<4x8xf32>, tensor<4x8xf32>
}

// The body uses its indices, which would be those of the slice.

// CHECK-LABEL: @indices
// CHECK: linalg.index 1
// CHECK-NOT: linalg.index
// CHECK: tensor.extract_slice %{{.*}}[0, 16]
func.func @indices(%x: tensor<4xi32>) -> (tensor<4x16xi32>, tensor<4x16xi32>) {
  %e = tensor.empty() : tensor<4x32xi32>
  %hot = linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4xi32>) outs(%e : tensor<4x32xi32>) {
  ^bb0(%i: i32, %o: i32):
    %n = linalg.index 1 : index
    %c = arith.index_cast %n : index to i32
    %s = arith.subi %i, %c : i32
    linalg.yield %s : i32
  } -> tensor<4x32xi32>
  %0 = tensor.extract_slice %hot[0, 0] [4, 16] [1, 1] : tensor<4x32xi32> to tensor<4x16xi32>
  %1 = tensor.extract_slice %hot[0, 16] [4, 16] [1, 1] : tensor<4x32xi32> to tensor<4x16xi32>
  return %0, %1 : tensor<4x16xi32>, tensor<4x16xi32>
}

// Beside the instructions of twenty functions, one more store costs little.

// CHECK-LABEL: @many_instructions
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
func.func @many_instructions(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %1 = math.exp %i : f32
    %2 = math.exp %1 : f32
    %3 = math.exp %2 : f32
    %4 = math.exp %3 : f32
    %5 = math.exp %4 : f32
    %6 = math.exp %5 : f32
    %7 = math.exp %6 : f32
    %8 = math.exp %7 : f32
    %9 = math.exp %8 : f32
    %10 = math.exp %9 : f32
    linalg.yield %10 : f32
  } -> tensor<4x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %1 = math.exp %i : f32
    %2 = math.exp %1 : f32
    %3 = math.exp %2 : f32
    %4 = math.exp %3 : f32
    %5 = math.exp %4 : f32
    %6 = math.exp %5 : f32
    %7 = math.exp %6 : f32
    %8 = math.exp %7 : f32
    %9 = math.exp %8 : f32
    %10 = math.exp %9 : f32
    linalg.yield %10 : f32
  } -> tensor<4x8xf32>
  return %h : tensor<4x8xf32>
}

// What is fused in front of a product keeps the columns that decide the order of its sums. A payload that reads at
// computed indices would change the order, so it stays apart.

// CHECK-LABEL: @columns
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<5x64xf32>, tensor<64xf32>, tensor<64x1xf32>)
// CHECK: arith.addf
// CHECK: arith.addf {{.*}} {rt.columns = 1 : i64}
// CHECK: tensor.extract
// CHECK: linalg.generic
// CHECK-NOT: tensor.extract
// CHECK: arith.addf {{.*}} {rt.columns = 1 : i64}
// CHECK: return
func.func @columns(%x: tensor<5x64xf32>, %b: tensor<64xf32>, %w: tensor<64x1xf32>, %t: tensor<9xf32>,
                   %n: tensor<5x64xindex>) -> (tensor<5x1xf32>, tensor<5x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %wide = tensor.empty() : tensor<5x64xf32>
  %e = tensor.empty() : tensor<5x1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<5x1xf32>) -> tensor<5x1xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>,
                                        affine_map<(m, k) -> (m, k)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<5x64xf32>, tensor<64xf32>) outs(%wide : tensor<5x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<5x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<5x64xf32>, tensor<64x1xf32>) outs(%start : tensor<5x1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p {rt.columns = 1 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<5x1xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<5x64xindex>) outs(%wide : tensor<5x64xf32>) {
  ^bb0(%i: index, %o: f32):
    %s = tensor.extract %t[%i] : tensor<9xf32>
    linalg.yield %s : f32
  } -> tensor<5x64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%g, %w : tensor<5x64xf32>, tensor<64x1xf32>) outs(%start : tensor<5x1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p {rt.columns = 1 : i64} : f32
    linalg.yield %s : f32
  } -> tensor<5x1xf32>
  return %0, %1 : tensor<5x1xf32>, tensor<5x1xf32>
}
