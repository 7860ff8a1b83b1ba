// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-narrow-constants --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-narrow-constants{has-f16c=false}))' --split-input-file | FileCheck %s --check-prefix=NOF16C
// RUN: ir-opt %s --rt-narrow-constants --split-input-file \
// RUN:   --remarks-filter=rt-narrow-constants --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] narrow | Category:rt-narrow-constants | Remark="the constant stays f16 in the object, and is widened where it is read"
// REMARK-DAG: [Passed] narrow | Category:rt-narrow-constants | Remark="the constant stays bf16 in the object, and is widened where it is read"
// REMARK-DAG: [Missed] widened | Category:rt-narrow-constants | Reason="expected readers of parts, or fused or frequent ones, of this constant of f16, but got another op"

// The example of the pass's documentation. Without instructions for f16, the table is wide.

// CHECK-LABEL: @example
// CHECK: %[[T:.*]] = ov.constant #ov.weights<0, tensor<100x64xf16>> : tensor<100x64xf16>
// CHECK: %[[N:.*]] = tensor.extract_slice %[[T]][%{{.*}}, 0] [1, 64] [1, 1] : tensor<100x64xf16> to tensor<1x64xf16>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[N]] : tensor<1x64xf16>)
// CHECK: arith.extf
// CHECK: return %[[R]]
// NOF16C-LABEL: @example
// NOF16C: ov.constant #ov.weights<0, tensor<100x64xf16>, [#ov.convert<f32>]> : tensor<100x64xf32>
func.func @example(%i: index) -> tensor<1x64xf32> {
  %table = ov.constant #ov.weights<0, tensor<100x64xf16>, [#ov.convert<f32>]> : tensor<100x64xf32>
  %row = tensor.extract_slice %table[%i, 0] [1, 64] [1, 1] : tensor<100x64xf32> to tensor<1x64xf32>
  return %row : tensor<1x64xf32>
}

// -----

// bf16 is narrow on all targets. An element is extended by itself.

// CHECK-LABEL: @element
// CHECK: %[[T:.*]] = ov.constant #ov.weights<0, tensor<4096xbf16>> : tensor<4096xbf16>
// CHECK: %[[N:.*]] = tensor.extract %[[T]][%{{.*}}] : tensor<4096xbf16>
// CHECK: arith.extf %[[N]] : bf16 to f32
// NOF16C-LABEL: @element
// NOF16C: tensor.extract %{{.*}} : tensor<4096xbf16>
func.func @element(%i: index) -> f32 {
  %table = ov.constant #ov.weights<0, tensor<4096xbf16>, [#ov.convert<f32>]> : tensor<4096xf32>
  %x = tensor.extract %table[%i] : tensor<4096xf32>
  return %x : f32
}

// -----

// A small constant, one with a reader that cannot widen it, and one that was shipped as f32.

// CHECK-LABEL: @wide
// CHECK-NOT: arith.extf
// CHECK-DAG: : tensor<1024xf32>
// CHECK-DAG: : tensor<64x64xf32>
// CHECK-DAG: ov.constant #ov.weights<0, tensor<4096xf32>> : tensor<4096xf32>
// CHECK: return
func.func @wide(%i: index) -> (f32, f32, f32, tensor<64x64xf32>) {
  %small = ov.constant #ov.weights<0, tensor<1024xf16>, [#ov.convert<f32>]> : tensor<1024xf32>
  %result = ov.constant #ov.weights<0, tensor<64x64xf16>, [#ov.convert<f32>]> : tensor<64x64xf32>
  %stored = ov.constant #ov.weights<0, tensor<4096xf32>> : tensor<4096xf32>
  %x = tensor.extract %small[%i] : tensor<1024xf32>
  %y = tensor.extract %result[%i, %i] : tensor<64x64xf32>
  %z = tensor.extract %stored[%i] : tensor<4096xf32>
  return %x, %y, %z, %result : f32, f32, f32, tensor<64x64xf32>
}

// -----

// An element-wise op outside of loops gets an op that it will be fused with. In a loop of two iterations, it would widen
// the elements again. The reshape becomes a part of the constant.

#id = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: @elementwise
// CHECK: %[[C:.*]] = ov.constant #ov.weights<0, tensor<4096xf16>, [#ov.reshape<[64, 64]>]> : tensor<64x64xf16>
// CHECK: linalg.generic {{.*}} ins(%[[C]] : tensor<64x64xf16>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK-LABEL: @elementwise_in_loop
// CHECK: ov.constant {{.*}} : tensor<64x64xf32>
func.func @elementwise(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %flat = ov.constant #ov.weights<0, tensor<4096xf16>, [#ov.convert<f32>]> : tensor<4096xf32>
  %c = tensor.expand_shape %flat [[0, 1]] output_shape [64, 64] : tensor<4096xf32> into tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
func.func @elementwise_in_loop(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c = ov.constant #ov.weights<0, tensor<64x64xf16>, [#ov.convert<f32>]> : tensor<64x64xf32>
  %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %x) -> tensor<64x64xf32> {
    %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%t, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%t : tensor<64x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  return %l : tensor<64x64xf32>
}

// -----

// A long loop, or one whose length is not known, reads what the call widens before it, in one dim.

// CHECK-LABEL: @matrix_of_loop
// CHECK: %[[F:.*]] = ov.constant #ov.weights<0, tensor<64x64xf16>, [#ov.reshape<[4096]>]> : tensor<4096xf16>
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[F]] : tensor<4096xf16>)
// CHECK: %[[M:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0, 1]] {{.*}} into tensor<64x64xf32>
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[M]] : tensor<64xf32>, tensor<64x64xf32>)
func.func @matrix_of_loop(%x: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = ov.constant #ov.weights<0, tensor<64x64xf16>, [#ov.convert<f32>]> : tensor<64x64xf32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>,
                                          affine_map<(n, k) -> (n)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%t, %m : tensor<64xf32>, tensor<64x64xf32>) outs(%z : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %r : tensor<64xf32>
  }
  return %l : tensor<64xf32>
}

// -----

// A convolution of 144 positions gets narrow filters, in a constant that has a row for each of its two tiles. One of 64
// positions does not.

// CHECK-LABEL: @convolution
// CHECK: %[[F:.*]] = ov.constant #ov.weights<{{.*}}, [#ov.reshape<[2, 4608]>]> : tensor<2x4608xf16>
// CHECK: %[[E:.*]] = tensor.expand_shape %[[F]] {{\[\[}}0, 1], [2, 3, 4, 5]] {{.*}} into tensor<1x2x64x3x3x8xf16>
// CHECK: rt.convolution ins(%[[E]], %{{.*}} : tensor<1x2x64x3x3x8xf16>, tensor<1x1x64x14x14xf32>)
// CHECK-LABEL: @few_positions
// CHECK: ov.constant {{.*}} : tensor<1x2x64x3x3x8xf32>
func.func @convolution(%x: tensor<1x1x64x14x14xf32>, %c: tensor<1x1x16x12x12xf32>) -> tensor<1x1x16x12x12xf32> {
  %f = ov.constant #ov.weights<0, tensor<1x2x64x3x3x8xf16>, [#ov.convert<f32>]> : tensor<1x2x64x3x3x8xf32>
  %r = rt.convolution ins(%f, %x : tensor<1x2x64x3x3x8xf32>, tensor<1x1x64x14x14xf32>)
      outs(%c : tensor<1x1x16x12x12xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, channels_first} -> tensor<1x1x16x12x12xf32>
  return %r : tensor<1x1x16x12x12xf32>
}
func.func @few_positions(%x: tensor<1x1x64x10x10xf32>, %c: tensor<1x1x16x8x8xf32>) -> tensor<1x1x16x8x8xf32> {
  %f = ov.constant #ov.weights<0, tensor<1x2x64x3x3x8xf16>, [#ov.convert<f32>]> : tensor<1x2x64x3x3x8xf32>
  %r = rt.convolution ins(%f, %x : tensor<1x2x64x3x3x8xf32>, tensor<1x1x64x10x10xf32>)
      outs(%c : tensor<1x1x16x8x8xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, channels_first} -> tensor<1x1x16x8x8xf32>
  return %r : tensor<1x1x16x8x8xf32>
}

// With channels last, the kernel reads f32, so the call widens narrow filters before the outermost loop.

// CHECK-LABEL: @last
// CHECK: %[[F:.*]] = ov.constant #ov.weights<{{.*}}> : tensor<{{.*}}xf16>
// CHECK: linalg.generic
// CHECK: arith.extf
// CHECK: rt.convolution ins(%{{.*}}, %{{.*}} : tensor<2x3x3x64x16xf32>, tensor<1x34x34x64xf32>)
func.func @last(%x: tensor<1x34x34x64xf32>, %c: tensor<1x32x32x2x16xf32>) -> tensor<1x32x32x2x16xf32> {
  %f = ov.constant #ov.weights<0, tensor<2x3x3x64x16xf16>, [#ov.convert<f32>]> : tensor<2x3x3x64x16xf32>
  %r = rt.convolution ins(%f, %x : tensor<2x3x3x64x16xf32>, tensor<1x34x34x64xf32>)
      outs(%c : tensor<1x32x32x2x16xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} -> tensor<1x32x32x2x16xf32>
  return %r : tensor<1x32x32x2x16xf32>
}
