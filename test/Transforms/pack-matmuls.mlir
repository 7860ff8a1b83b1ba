// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-pack-matmuls | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-pack-matmuls{vector-bits=512}))' | FileCheck %s --check-prefix=WIDE
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-pack-matmuls{has-f16c=false}))' | FileCheck %s --check-prefix=NOF16C
// RUN: ir-opt %s --rt-pack-matmuls \
// RUN:   --remarks-filter=rt-pack-matmuls --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] packed | Category:rt-pack-matmuls | Remark="the matrix of 32 x 64 elements of f32 is packed in blocks of 16 columns"
// REMARK-DAG: [Passed] packed | Category:rt-pack-matmuls | Remark="the matrix of 32 x 37 elements of f16 is packed in blocks of 16 columns"
// REMARK-DAG: [Passed] packed | Category:rt-pack-matmuls | Remark="the matrix of 32 x 16 elements of f32 is packed in blocks of 16 columns"
// REMARK-DAG: [Missed] not-packed | Category:rt-pack-matmuls | Reason="expected a constant matrix"
// REMARK-DAG: [Passed] transposed | Category:rt-pack-matmuls | Remark="the call transposes the matrix, so that vectors run along its columns"
// REMARK-DAG: [Missed] not-transposed | Category:rt-pack-matmuls | Reason="expected at least 4 rows for each matrix"
// REMARK-DAG: [Passed] packed | Category:rt-pack-matmuls | Remark="the matrix of 32 x 16 elements of bf16 is packed in blocks of 16 columns"
// REMARK-DAG: [Passed] packed | Category:rt-pack-matmuls | Remark="the matrix of 256 x 513 elements of f16 is packed in blocks of 16 columns"
// REMARK-DAG: [Missed] widened | Category:rt-pack-matmuls | Reason="expected a matrix that L2 does not hold in a loop, of a type that the target converts, for weights to stay f16"

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// The example of the pass's documentation.

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// CHECK-LABEL: @example
// CHECK-SAME: (%[[X:.*]]: tensor<1x32xf32>)
// WIDE-LABEL: @example
func.func @example(%x: tensor<1x32xf32>) -> tensor<1x64xf32> {
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<0, tensor<64x32xf32>, [#ov.transpose<[1, 0]>, #ov.pack<16>]> : tensor<4x32x16xf32>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x4x16xf32>
  // CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]]
  // CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
  // CHECK-SAME: ins(%[[X]], %[[W]] : tensor<1x32xf32>, tensor<4x32x16xf32>) outs(%[[ZEROS]] : tensor<1x4x16xf32>)
  // CHECK: %[[R:.*]] = tensor.collapse_shape %[[P]] {{\[\[}}0], [1, 2]] : tensor<1x4x16xf32> into tensor<1x64xf32>
  // CHECK: return %[[R]]
  // A wider vector makes a wider block.
  // WIDE: #ov.pack<32>]> : tensor<2x32x32xf32>
  %w = ov.constant #ov.weights<0, tensor<64x32xf32>> : tensor<64x32xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %r = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x32xf32>, tensor<64x32xf32>) outs(%zeros : tensor<1x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// If the columns do not fill a block, the rest of it is zeros, which are cut off. Also: a matrix that is not
// transposed, a constant with more steps, and a dynamic number of rows. The conversion from f16 moves into the product,
// but not if the target has no instruction for it.

// CHECK-LABEL: @padded
// NOF16C-LABEL: @padded
// CHECK-SAME: (%[[X:.*]]: tensor<?x32xf32>)
func.func @padded(%x: tensor<?x32xf32>) -> tensor<?x37xf32> {
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<64, tensor<32x37xf16>, [#ov.pack<16>]> : tensor<3x32x16xf16>
  // CHECK-DAG: %[[M:.*]] = tensor.dim
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<?x3x16xf32>)
  // CHECK-NEXT: ^bb0(%[[I:.*]]: f32, %[[J:.*]]: f16, %[[O:.*]]: f32):
  // CHECK-NEXT: %[[L:.*]] = arith.extf %[[J]] : f16 to f32
  // CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[I]], %[[L]] : f32
  // NOF16C: ov.constant #ov.weights<64, tensor<32x37xf16>, [#ov.convert<f32>, #ov.pack<16>]> : tensor<3x32x16xf32>
  // NOF16C-NOT: arith.extf
  // CHECK: %[[P:.*]] = tensor.collapse_shape %{{.*}} : tensor<?x3x16xf32> into tensor<?x48xf32>
  // CHECK: tensor.extract_slice %[[P]][0, 0] [%{{.*}}, 37] [1, 1] : tensor<?x48xf32> to tensor<?x37xf32>
  %w = ov.constant #ov.weights<64, tensor<32x37xf16>, [#ov.convert<f32>]> : tensor<32x37xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%m) : tensor<?x37xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x37xf32>) -> tensor<?x37xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x32xf32>, tensor<32x37xf32>) outs(%zeros : tensor<?x37xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x37xf32>
  return %r : tensor<?x37xf32>
}

// Several row dims.

// CHECK-LABEL: @batch
func.func @batch(%x: tensor<5x2x32xf32>) -> tensor<5x2x16xf32> {
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<5x2x1x16xf32>)
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
  %w = ov.constant #ov.weights<0, tensor<32x16xf32>> : tensor<32x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x2x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<5x2x16xf32>) -> tensor<5x2x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(l, m, n, k) -> (l, m, k)>, affine_map<(l, m, n, k) -> (k, n)>,
                                        affine_map<(l, m, n, k) -> (l, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x2x32xf32>, tensor<32x16xf32>) outs(%zeros : tensor<5x2x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<5x2x16xf32>
  return %r : tensor<5x2x16xf32>
}

// A transposed matrix that is not constant is read through a copy.

// CHECK-LABEL: @transposed
// CHECK-SAME: (%[[X:.*]]: tensor<3x32xf32>, %[[W:.*]]: tensor<64x32xf32>)
func.func @transposed(%x: tensor<3x32xf32>, %w: tensor<64x32xf32>) -> tensor<3x64xf32> {
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<32x64xf32>
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[W]] : tensor<64x32xf32>) outs(%[[EMPTY]] : tensor<32x64xf32>) permutation = [1, 0]
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[T]] : tensor<3x32xf32>, tensor<32x64xf32>)
  // CHECK-NOT: linalg.transpose
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<3x64xf32>) -> tensor<3x64xf32>
  %r = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x32xf32>, tensor<64x32xf32>) outs(%zeros : tensor<3x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x64xf32>
  return %r : tensor<3x64xf32>
}

// Other products stay: a matrix that is neither transposed nor constant, and a sum that does not begin with a
// fill.

// CHECK-LABEL: @others
func.func @others(%x: tensor<3x32xf32>, %w: tensor<32x64xf32>, %c: tensor<3x64xf32>) -> (tensor<3x64xf32>, tensor<3x64xf32>) {
  // CHECK-NOT: linalg.transpose
  // CHECK-NOT: #ov.pack
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x32xf32>, tensor<32x64xf32>)
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x32xf32>, tensor<32x64xf32>)
  // CHECK: return
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<3x64xf32>) -> tensor<3x64xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x32xf32>, tensor<32x64xf32>) outs(%zeros : tensor<3x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x64xf32>
  %k = ov.constant #ov.weights<0, tensor<32x64xf32>> : tensor<32x64xf32>
  %q = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %k : tensor<3x32xf32>, tensor<32x64xf32>) outs(%c : tensor<3x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x64xf32>
  return %r, %q : tensor<3x64xf32>, tensor<3x64xf32>
}

// -----

// Several transposed matrices are also read through copies, if each is read for at least four rows or for a number of
// rows that depends on the call. For fewer rows they are read directly.

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#s = affine_map<(b, m, n, k) -> (b, m, n)>

// CHECK-LABEL: @batches
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x?x32xf32>, %[[K:[a-z0-9]+]]: tensor<2x?x32xf32>
func.func @batches(%q: tensor<2x?x32xf32>, %k: tensor<2x?x32xf32>, %s: tensor<2x?x?xf32>, %few: tensor<2x3x32xf32>,
                   %t: tensor<2x3x?xf32>) -> (tensor<2x?x?xf32>, tensor<2x3x?xf32>) {
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[K]] : tensor<2x?x32xf32>) outs(%{{.*}} : tensor<2x32x?xf32>) permutation = [0, 2, 1]
  // CHECK: linalg.generic {{.*}} ins(%[[Q]], %[[T]] : tensor<2x?x32xf32>, tensor<2x32x?xf32>)
  // CHECK-NOT: linalg.transpose
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[K]] : tensor<2x3x32xf32>, tensor<2x?x32xf32>)
  %r = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x?x32xf32>, tensor<2x?x32xf32>) outs(%s : tensor<2x?x?xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %a = arith.addf %o, %p : f32
    linalg.yield %a : f32
  } -> tensor<2x?x?xf32>
  %u = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%few, %k : tensor<2x3x32xf32>, tensor<2x?x32xf32>) outs(%t : tensor<2x3x?xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %a = arith.addf %o, %p : f32
    linalg.yield %a : f32
  } -> tensor<2x3x?xf32>
  return %r, %u : tensor<2x?x?xf32>, tensor<2x3x?xf32>
}

// -----

// A product without rows reads no matrix.

// CHECK-LABEL: @empty
func.func @empty(%x: tensor<0x32xf32>) -> tensor<0x60xf32> {
  // CHECK-NOT: #ov.pack
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x60xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<0x60xf32>) -> tensor<0x60xf32>
  %w = ov.constant #ov.weights<0, tensor<60x32xf32>> : tensor<60x32xf32>
  %r = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<0x32xf32>, tensor<60x32xf32>) outs(%zeros : tensor<0x60xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<0x60xf32>
  return %r : tensor<0x60xf32>
}

// -----

// Which conversions move into the product: the last one, from bf16, and also if steps follow that only move elements.
// On a target without f16, bf16 is extended too. Not: conversions from a wider or an integer type, or with a rounding,
// and a bit cast after the conversion.

// CHECK-LABEL: @conversions
// NOF16C-LABEL: @conversions
func.func @conversions(%x: tensor<1x32xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) {
  // CHECK-DAG: #ov.weights<0, tensor<16x64xf32>, [#ov.convert<bf16>, #ov.extract<1, 32, 32>, #ov.transpose<[1, 0]>, #ov.pack<16>]> : tensor<1x32x16xbf16>
  // CHECK-DAG: #ov.weights<0, tensor<32x16xf64>, [#ov.convert<f32>, #ov.pack<16>]> : tensor<1x32x16xf32>
  // CHECK-DAG: #ov.weights<0, tensor<32x16xi8>, [#ov.convert<f32>, #ov.pack<16>]> : tensor<1x32x16xf32>
  // CHECK-DAG: #ov.weights<0, tensor<32x16xf16>, [#ov.convert<f32>, #ov.bitcast<i32>, #ov.bitcast<f32>, #ov.pack<16>]> : tensor<1x32x16xf32>
  // NOF16C: #ov.pack<16>]> : tensor<1x32x16xbf16>
  %a = ov.constant #ov.weights<0, tensor<16x64xf32>, [#ov.convert<bf16>, #ov.convert<f32>, #ov.extract<1, 32, 32>, #ov.transpose<[1, 0]>]> : tensor<32x16xf32>
  %b = ov.constant #ov.weights<0, tensor<32x16xf64>, [#ov.convert<f32>]> : tensor<32x16xf32>
  %c = ov.constant #ov.weights<0, tensor<32x16xi8>, [#ov.convert<f32>]> : tensor<32x16xf32>
  %d = ov.constant #ov.weights<0, tensor<32x16xf16>, [#ov.convert<f32>, #ov.bitcast<i32>, #ov.bitcast<f32>]> : tensor<32x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %r0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %a : tensor<1x32xf32>, tensor<32x16xf32>) outs(%zeros : tensor<1x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x16xf32>
  %r1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %b : tensor<1x32xf32>, tensor<32x16xf32>) outs(%zeros : tensor<1x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x16xf32>
  %r2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %c : tensor<1x32xf32>, tensor<32x16xf32>) outs(%zeros : tensor<1x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x16xf32>
  %r3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<1x32xf32>, tensor<32x16xf32>) outs(%zeros : tensor<1x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x16xf32>
  return %r0, %r1, %r2, %r3 : tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>
}

// -----

// In a loop, a matrix of up to 512 KiB of f32 is converted at compile time, and a larger one is not.

// CHECK-LABEL: @loop
func.func @loop(%x: tensor<1x256xf32>, %n: index) -> (tensor<1x512xf32>, tensor<1x513xf32>) {
  // CHECK-DAG: #ov.weights<0, tensor<256x512xf16>, [#ov.convert<f32>, #ov.pack<64>]> : tensor<8x256x64xf32>
  // CHECK-DAG: #ov.weights<0, tensor<256x513xf16>, [#ov.pack<16>]> : tensor<33x256x16xf16>
  %near = ov.constant #ov.weights<0, tensor<256x512xf16>, [#ov.convert<f32>]> : tensor<256x512xf32>
  %far = ov.constant #ov.weights<0, tensor<256x513xf16>, [#ov.convert<f32>]> : tensor<256x513xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e0 = tensor.empty() : tensor<1x512xf32>
  %e1 = tensor.empty() : tensor<1x513xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %e0, %t = %e1) -> (tensor<1x512xf32>, tensor<1x513xf32>) {
    %p0 = linalg.fill ins(%zero : f32) outs(%s : tensor<1x512xf32>) -> tensor<1x512xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %near : tensor<1x256xf32>, tensor<256x512xf32>) outs(%p0 : tensor<1x512xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %m = arith.mulf %u, %v : f32
      %a = arith.addf %o, %m : f32
      linalg.yield %a : f32
    } -> tensor<1x512xf32>
    %q0 = linalg.fill ins(%zero : f32) outs(%t : tensor<1x513xf32>) -> tensor<1x513xf32>
    %q = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %far : tensor<1x256xf32>, tensor<256x513xf32>) outs(%q0 : tensor<1x513xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %m = arith.mulf %u, %v : f32
      %a = arith.addf %o, %m : f32
      linalg.yield %a : f32
    } -> tensor<1x513xf32>
    scf.yield %p, %q : tensor<1x512xf32>, tensor<1x513xf32>
  }
  return %r#0, %r#1 : tensor<1x512xf32>, tensor<1x513xf32>
}

// -----

// The rows of many iterations are taken together if they are a slice of a tensor from outside of the loop. Then the
// matrix keeps blocks of two vectors.

// CHECK-LABEL: @slices
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} tensor<16x128x16xf32>
func.func @slices(%x: tensor<?x?x128xf32>, %n: index, %rows: index, %r: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %wide = ov.constant #ov.weights<0, tensor<128x256xf32>> : tensor<128x256xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%state = %r) -> (tensor<?x256xf32>) {
    %part = tensor.extract_slice %x[0, %i, 0] [%rows, 1, 128] [1, 1, 1] : tensor<?x?x128xf32> to tensor<?x1x128xf32>
    %some = tensor.collapse_shape %part [[0, 1], [2]] : tensor<?x1x128xf32> into tensor<?x128xf32>
    %e = tensor.empty(%rows) : tensor<?x256xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%some, %wide : tensor<?x128xf32>, tensor<128x256xf32>) outs(%f : tensor<?x256xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %m = arith.mulf %u, %v : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<?x256xf32>
    scf.yield %p : tensor<?x256xf32>
  }
  return %last : tensor<?x256xf32>
}

// -----

// A matrix of 128 KiB that one row reads, or as many rows as the batch in a loop has, gets wide blocks; if that took
// more padding, narrower ones. Other products, and small matrices, keep blocks of two vectors.

// CHECK-LABEL: @rows
func.func @rows(%one: tensor<1x128xf32>, %some: tensor<?x128xf32>, %n: index) -> (tensor<1x256xf32>, tensor<1x280xf32>,
    tensor<1x128xf32>, tensor<?x256xf32>, tensor<?x256xf32>) {
  // CHECK: linalg.generic {{.*}} tensor<4x128x64xf32>
  // CHECK: linalg.generic {{.*}} tensor<9x128x32xf32>
  // CHECK: linalg.generic {{.*}} tensor<8x128x16xf32>
  // CHECK: linalg.generic {{.*}} tensor<16x128x16xf32>
  // CHECK: scf.for
  // CHECK: linalg.generic {{.*}} tensor<4x128x64xf32>
  %wide = ov.constant #ov.weights<0, tensor<128x256xf32>> : tensor<128x256xf32>
  %odd = ov.constant #ov.weights<0, tensor<128x280xf32>> : tensor<128x280xf32>
  %small = ov.constant #ov.weights<0, tensor<128x128xf32>> : tensor<128x128xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %some, %c0 : tensor<?x128xf32>
  %e0 = tensor.empty() : tensor<1x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x256xf32>) -> tensor<1x256xf32>
  %r0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%one, %wide : tensor<1x128xf32>, tensor<128x256xf32>) outs(%f0 : tensor<1x256xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x256xf32>
  %e1 = tensor.empty() : tensor<1x280xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x280xf32>) -> tensor<1x280xf32>
  %r1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%one, %odd : tensor<1x128xf32>, tensor<128x280xf32>) outs(%f1 : tensor<1x280xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x280xf32>
  %e2 = tensor.empty() : tensor<1x128xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x128xf32>) -> tensor<1x128xf32>
  %r2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%one, %small : tensor<1x128xf32>, tensor<128x128xf32>) outs(%f2 : tensor<1x128xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x128xf32>
  %e3 = tensor.empty(%rows) : tensor<?x256xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %r3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%some, %wide : tensor<?x128xf32>, tensor<128x256xf32>) outs(%f3 : tensor<?x256xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x256xf32>
  %r4 = scf.for %i = %c0 to %n step %c1 iter_args(%state = %r3) -> (tensor<?x256xf32>) {
    %e5 = tensor.empty(%rows) : tensor<?x256xf32>
    %f5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<?x256xf32>) -> tensor<?x256xf32>
    %r5 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%some, %wide : tensor<?x128xf32>, tensor<128x256xf32>) outs(%f5 : tensor<?x256xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %m = arith.mulf %u, %v : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<?x256xf32>
    scf.yield %r5 : tensor<?x256xf32>
  }
  return %r0, %r1, %r2, %r3, %r4 : tensor<1x256xf32>, tensor<1x280xf32>, tensor<1x128xf32>, tensor<?x256xf32>,
      tensor<?x256xf32>
}
