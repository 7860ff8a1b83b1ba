// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s
// RUN: ir-opt %s --convert-ov-to-linalg=in-order | FileCheck %s --check-prefix=ORDER

// The elements that each result reads are copied together, which leaves a matrix product.
// CHECK-DAG: #[[FILTERS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d4)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
// CHECK-LABEL: func.func @convolution(
// In order, an element has one accumulator.
// ORDER-LABEL: func.func @convolution(
// ORDER: arith.addf {{.*}} {rt.columns = -1 : i64} : f32
func.func @convolution(%x: tensor<1x4x9xf32>, %w: tensor<5x4x3xf32>) -> tensor<1x5x4xf32> {
  // CHECK-NOT: rt.check
  // CHECK: linalg.fill
  // CHECK: scf.for %[[K:.*]] = %c0 to %c3
  // CHECK: tensor.extract_slice {{.*}}[0, 0, 0, %[[K]]] [1, 1, 4, 4] [1, 1, 1, 2]
  // CHECK: linalg.generic {indexing_maps = [#[[FILTERS]], #[[COLUMNS]]
  // CHECK: } -> tensor<1x1x5x4xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 1>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x4x9xf32>, tensor<5x4x3xf32>) -> tensor<1x5x4xf32>
  return %0 : tensor<1x5x4xf32>
}

// A kernel of one element needs no copy.
// CHECK-LABEL: func.func @pointwise(
func.func @pointwise(%x: tensor<?x4x6x7xf32>, %w: tensor<5x4x1x1xf32>) -> tensor<?x5x6x7xf32> {
  // CHECK-NOT: scf.for
  // CHECK: linalg.generic
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<?x4x6x7xf32>, tensor<5x4x1x1xf32>) -> tensor<?x5x6x7xf32>
  return %0 : tensor<?x5x6x7xf32>
}

// CHECK-LABEL: func.func @group_convolution(
func.func @group_convolution(%x: tensor<1x?x?xf32>, %w: tensor<2x3x2x3xf32>) -> tensor<1x6x?xf32> {
  // CHECK: rt.check %{{.*}}, shape, "{0} channels do not fit filters of {1}"
  // CHECK: rt.check %{{.*}}, shape, "a kernel of {0} does not fit a padded dim of {1}"
  // CHECK: linalg.generic
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x?x?xf32>, tensor<2x3x2x3xf32>) -> tensor<1x6x?xf32>
  return %0 : tensor<1x6x?xf32>
}

// The batch follows from static dims, but not from the type. The pad copies as much as the dims say.
// CHECK-LABEL: func.func @known_batch(
func.func @known_batch(%x: tensor<7x1x3xf32>, %y: tensor<1x1x3xf32>, %w: tensor<3x1x1xf32>) -> tensor<?x3x5xf32> {
  // CHECK: tensor.insert_slice %{{.*}}[0, 0, 0] [8, 1, 3] [1, 1, 1] : tensor<8x1x3xf32>
  %cast = tensor.cast %x : tensor<7x1x3xf32> to tensor<?x1x3xf32>
  %0 = ov.concat %cast, %y {axis = 0 : i64} : (tensor<?x1x3xf32>, tensor<1x1x3xf32>) -> tensor<?x1x3xf32>
  %1 = ov.convolution %0, %w {dilations = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 2>, strides = array<i64: 1>} : (tensor<?x1x3xf32>, tensor<3x1x1xf32>) -> tensor<?x3x5xf32>
  return %1 : tensor<?x3x5xf32>
}
