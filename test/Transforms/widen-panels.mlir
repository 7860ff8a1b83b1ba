// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-widen-panels | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-widen-panels{vector-registers=32}))' | FileCheck %s --check-prefix=MANY
// RUN: ir-opt %s --rt-widen-panels \
// RUN:   --remarks-filter=rt-widen-panels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] widened | Category:rt-widen-panels | Remark="the call widens 1 of 4 blocks of the narrow operand at a time, for all rows"
// REMARK-DAG: [Passed] widened | Category:rt-widen-panels | Remark="the call widens 1 of 1 blocks of the narrow operand at a time, for all rows"
// REMARK-DAG: [Passed] widened | Category:rt-widen-panels | Remark="the call widens 1 of 2 blocks of the narrow operand at a time, for all rows"
// REMARK-DAG: [Passed] widened | Category:rt-widen-panels | Remark="the call widens 2 of 2 blocks of the narrow operand at a time, for all rows"

// The example of the pass's documentation.

// CHECK-LABEL: @example
// CHECK-SAME: (%[[X:.*]]: tensor<40x64xf32>, %[[W:.*]]: tensor<4x64x16xf16>, %[[E:.*]]: tensor<40x4x16xf32>)
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %c0{{.*}} to %c4{{.*}} step %c1{{.*}} iter_args(%[[T:.*]] = %[[E]])
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %[[W]][%[[I]], 0, 0] [1, 64, 16] [1, 1, 1]
// CHECK-DAG: %[[OWN:.*]] = tensor.extract_slice %[[T]][0, %[[I]], 0] [40, 1, 16] [1, 1, 1]
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[OWN]]
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x64x16xf32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ["parallel", "parallel", "parallel"]} ins(%[[B]] : {{.*}}) outs(%[[EMPTY]]
// CHECK: arith.extf
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[P]] : tensor<40x64xf32>, tensor<1x64x16xf32>) outs(%[[ZEROS]]
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[N:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.mulf %[[A]], %[[N]]
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[Q]] into %[[T]][0, %[[I]], 0]
// CHECK: scf.yield %[[NEXT]]
// CHECK: return %[[R]]
// MANY-LABEL: @example
// MANY: scf.for
func.func @example(%x: tensor<40x64xf32>, %w: tensor<4x64x16xf16>,
                   %e: tensor<40x4x16xf32>) -> tensor<40x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<40x4x16xf32>) -> tensor<40x4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                        affine_map<(m, b, j, k) -> (m, b, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<40x64xf32>, tensor<4x64x16xf16>) outs(%zeros : tensor<40x4x16xf32>) {
  ^bb0(%a: f32, %b: f16, %c: f32):
    %l = arith.extf %b : f16 to f32
    %p = arith.mulf %a, %l : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x4x16xf32>
  return %r : tensor<40x4x16xf32>
}

// One block needs no loop. Two tiles of 12 rows, which 32 registers have, extend the elements themselves.

// CHECK-LABEL: @block
// CHECK-NOT: scf.for
// CHECK: tensor.empty() : tensor<1x64x16xf32>
// CHECK: arith.extf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<24x64xf32>, tensor<1x64x16xf32>)
// MANY-LABEL: @block
// MANY-NOT: tensor<1x64x16xf32>
// MANY: return
func.func @block(%x: tensor<24x64xf32>, %w: tensor<1x64x16xbf16>,
                   %e: tensor<24x1x16xf32>) -> tensor<24x1x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<24x1x16xf32>) -> tensor<24x1x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                        affine_map<(m, b, j, k) -> (m, b, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<24x64xf32>, tensor<1x64x16xbf16>) outs(%zeros : tensor<24x1x16xf32>) {
  ^bb0(%a: f32, %b: bf16, %c: f32):
    %l = arith.extf %b : bf16 to f32
    %p = arith.mulf %a, %l : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<24x1x16xf32>
  return %r : tensor<24x1x16xf32>
}

// Few rows, and wide weights, are left alone.

// CHECK-LABEL: @few
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<10x64xf32>, tensor<4x64x16xf16>)
func.func @few(%x: tensor<10x64xf32>, %w: tensor<4x64x16xf16>,
                   %e: tensor<10x4x16xf32>) -> tensor<10x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<10x4x16xf32>) -> tensor<10x4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                        affine_map<(m, b, j, k) -> (m, b, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<10x64xf32>, tensor<4x64x16xf16>) outs(%zeros : tensor<10x4x16xf32>) {
  ^bb0(%a: f32, %b: f16, %c: f32):
    %l = arith.extf %b : f16 to f32
    %p = arith.mulf %a, %l : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<10x4x16xf32>
  return %r : tensor<10x4x16xf32>
}

// CHECK-LABEL: @wide
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<40x64xf32>, tensor<4x64x16xf32>)
func.func @wide(%x: tensor<40x64xf32>, %w: tensor<4x64x16xf32>,
                   %e: tensor<40x4x16xf32>) -> tensor<40x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<40x4x16xf32>) -> tensor<40x4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, b, j, k) -> (m, k)>, affine_map<(m, b, j, k) -> (b, k, j)>,
                                        affine_map<(m, b, j, k) -> (m, b, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<40x64xf32>, tensor<4x64x16xf32>) outs(%zeros : tensor<40x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x4x16xf32>
  return %r : tensor<40x4x16xf32>
}

// The filters of a convolution are widened in panels of at most 128 KiB, which have whole tiles: two of 72 KiB are one
// each. Their vectors run along the rows of the constant. With strides, a panel may be larger.

// CHECK-LABEL: @convolution
// CHECK-SAME: (%[[F:.*]]: tensor<2x18432xf16>
// CHECK: scf.for %[[T:.*]] = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK: %[[C:.*]] = arith.muli %[[T]], %c8
// CHECK: %[[N:.*]] = tensor.extract_slice %[[F]][%[[T]], 0] [1, 18432] [1, 1]
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[N]] : tensor<1x18432xf16>)
// CHECK: arith.extf
// CHECK: %[[P:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0, 1], [2, 3, 4, 5]] {{.*}} into tensor<1x1x256x3x3x8xf32>
// CHECK: %[[Y:.*]] = rt.convolution ins(%[[P]], %{{.*}} : tensor<1x1x256x3x3x8xf32>, tensor<1x1x256x16x16xf32>)
// CHECK: tensor.insert_slice %[[Y]] into %{{.*}}[0, 0, %[[C]], 0, 0] [1, 1, 8, 14, 14]
func.func @convolution(%f: tensor<2x18432xf16>, %x: tensor<1x1x256x16x16xf32>,
                       %e: tensor<1x1x16x14x14xf32>) -> tensor<1x1x16x14x14xf32> {
  %filters = tensor.expand_shape %f [[0, 1], [2, 3, 4, 5]] output_shape [1, 2, 256, 3, 3, 8]
      : tensor<2x18432xf16> into tensor<1x2x256x3x3x8xf16>
  %r = rt.convolution ins(%filters, %x : tensor<1x2x256x3x3x8xf16>, tensor<1x1x256x16x16xf32>)
      outs(%e : tensor<1x1x16x14x14xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, channels_first} -> tensor<1x1x16x14x14xf32>
  return %r : tensor<1x1x16x14x14xf32>
}

// The last tile has a row that is no channel of the result.

// CHECK-LABEL: @rest
// CHECK: scf.for %[[T:.*]] = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK: %[[C:.*]] = arith.muli %[[T]], %c8
// CHECK: %[[LEFT:.*]] = arith.subi %c15{{.*}}, %[[C]]
// CHECK: %[[N:.*]] = arith.minui %[[LEFT]], %c8
// CHECK: %[[Y:.*]] = rt.convolution ins(%{{.*}}, %{{.*}} : tensor<1x1x256x3x3x8xf32>, tensor<1x1x256x16x16xf32>)
// CHECK: tensor.insert_slice %[[Y]] into %{{.*}}[0, 0, %[[C]], 0, 0] [1, 1, %[[N]], 14, 14]
func.func @rest(%f: tensor<2x18432xf16>, %x: tensor<1x1x256x16x16xf32>,
                %e: tensor<1x1x15x14x14xf32>) -> tensor<1x1x15x14x14xf32> {
  %filters = tensor.expand_shape %f [[0, 1], [2, 3, 4, 5]] output_shape [1, 2, 256, 3, 3, 8]
      : tensor<2x18432xf16> into tensor<1x2x256x3x3x8xf16>
  %r = rt.convolution ins(%filters, %x : tensor<1x2x256x3x3x8xf16>, tensor<1x1x256x16x16xf32>)
      outs(%e : tensor<1x1x15x14x14xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, channels_first} -> tensor<1x1x15x14x14xf32>
  return %r : tensor<1x1x15x14x14xf32>
}

// CHECK-LABEL: @strides
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x18432xf16>)
// CHECK: rt.convolution
func.func @strides(%f: tensor<2x18432xf16>, %x: tensor<1x1x256x30x30xf32>,
                   %e: tensor<1x1x16x14x14xf32>) -> tensor<1x1x16x14x14xf32> {
  %filters = tensor.expand_shape %f [[0, 1], [2, 3, 4, 5]] output_shape [1, 2, 256, 3, 3, 8]
      : tensor<2x18432xf16> into tensor<1x2x256x3x3x8xf16>
  %r = rt.convolution ins(%filters, %x : tensor<1x2x256x3x3x8xf16>, tensor<1x1x256x30x30xf32>)
      outs(%e : tensor<1x1x16x14x14xf32>)
      {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, channels_first} -> tensor<1x1x16x14x14xf32>
  return %r : tensor<1x1x16x14x14xf32>
}

// The kernel reads no narrow filters, so others are widened as a whole.

// CHECK-LABEL: @whole
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x2x256x3x3x8xf16>)
// CHECK: rt.convolution ins(%{{.*}}, %{{.*}} : tensor<1x2x256x3x3x8xf32>, tensor<1x1x256x16x16xf32>)
func.func @whole(%f: tensor<1x2x256x3x3x8xf16>, %x: tensor<1x1x256x16x16xf32>,
                 %e: tensor<1x1x16x14x14xf32>) -> tensor<1x1x16x14x14xf32> {
  %r = rt.convolution ins(%f, %x : tensor<1x2x256x3x3x8xf16>, tensor<1x1x256x16x16xf32>)
      outs(%e : tensor<1x1x16x14x14xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, channels_first} -> tensor<1x1x16x14x14xf32>
  return %r : tensor<1x1x16x14x14xf32>
}
