// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-fuse-epilogues --split-input-file | FileCheck %s

#id = affine_map<(n, w, c) -> (n, w, c)>
#bias = affine_map<(n, w, c) -> (c)>

// The op that reads the sums becomes the epilogue. It stands where the reader stood, behind what it reads, and takes a
// constant with it. Reshapes and slices between the two go.

// CHECK-LABEL: @fuse
// CHECK-SAME: (%[[W:.*]]: tensor<2x3x6x16xf32>, %[[X:.*]]: tensor<1x9x6xf32>, %[[B:.*]]: tensor<20xf32>)
func.func @fuse(%w: tensor<2x3x6x16xf32>, %x: tensor<1x9x6xf32>, %b: tensor<20xf32>) -> tensor<1x7x20xf32> {
  // CHECK: %[[N:.*]] = linalg.generic
  // CHECK: %[[Y:.*]] = rt.convolution ins(%[[W]], %[[X]] : tensor<2x3x6x16xf32>, tensor<1x9x6xf32>) with(%[[N]] : tensor<20xf32>)
  // CHECK-SAME: input_maps = [#[[$BIAS:.*]]]
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.subf %[[BIAS]], %[[SUM]]
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[S]], %[[ZERO]]
  // CHECK-NEXT: rt.yield %[[M]]
  // CHECK: return %[[Y]]
  %zero = arith.constant 0.0 : f32
  %tiles = tensor.empty() : tensor<1x7x2x16xf32>
  %sums = rt.convolution ins(%w, %x : tensor<2x3x6x16xf32>, tensor<1x9x6xf32>) outs(%tiles : tensor<1x7x2x16xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x2x16xf32>
  %flat = tensor.collapse_shape %sums [[0], [1], [2, 3]] : tensor<1x7x2x16xf32> into tensor<1x7x32xf32>
  %some = tensor.extract_slice %flat[0, 0, 0] [1, 7, 20] [1, 1, 1] : tensor<1x7x32xf32> to tensor<1x7x20xf32>
  %small = tensor.empty() : tensor<20xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%b : tensor<20xf32>) outs(%small : tensor<20xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.negf %i : f32
    linalg.yield %p : f32
  } -> tensor<20xf32>
  %e = tensor.empty() : tensor<1x7x20xf32>
  %y = linalg.generic {indexing_maps = [#bias, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%n, %some : tensor<20xf32>, tensor<1x7x20xf32>) outs(%e : tensor<1x7x20xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.subf %i, %j : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x7x20xf32>
  return %y : tensor<1x7x20xf32>
}

// -----

#id = affine_map<(n, w, c) -> (n, w, c)>

// Of two convolutions that are added, the last one takes the sum.

// CHECK-LABEL: @both
func.func @both(%w: tensor<3x32xf32>, %x: tensor<1x9x32xf32>, %v: tensor<3x32xf32>) -> tensor<1x7x32xf32> {
  // CHECK: %[[FIRST:.*]] = rt.convolution ins(%arg0, %arg1 : tensor<3x32xf32>, tensor<1x9x32xf32>) outs
  // CHECK-NOT: epilogue
  // CHECK: rt.convolution ins(%arg2, %arg1 : tensor<3x32xf32>, tensor<1x9x32xf32>) with(%[[FIRST]] : tensor<1x7x32xf32>)
  // CHECK-SAME: epilogue
  // CHECK-NOT: linalg.generic
  %e = tensor.empty() : tensor<1x7x32xf32>
  %0 = rt.convolution ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%e : tensor<1x7x32xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x32xf32>
  %1 = rt.convolution ins(%v, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%e : tensor<1x7x32xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x32xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %1 : tensor<1x7x32xf32>, tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.addf %i, %j : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  return %2 : tensor<1x7x32xf32>
}

// -----

#id = affine_map<(n, w, c) -> (n, w, c)>

// A depthwise convolution computes too little between two results of a function. Rounding is one instruction.

// CHECK-LABEL: @function
func.func @function(%w: tensor<3x32xf32>, %x: tensor<1x9x32xf32>) -> (tensor<1x7x32xf32>, tensor<1x7x32xf32>) {
  // CHECK: rt.convolution
  // CHECK-NOT: epilogue
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK: rt.convolution
  // CHECK-SAME: epilogue
  // CHECK: math.roundeven
  // CHECK-NOT: linalg.generic
  %e = tensor.empty() : tensor<1x7x32xf32>
  %0 = rt.convolution ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%e : tensor<1x7x32xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = math.exp %i : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  %2 = rt.convolution ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%e : tensor<1x7x32xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x32xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%2 : tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = math.roundeven %i : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  return %1, %3 : tensor<1x7x32xf32>, tensor<1x7x32xf32>
}

// -----

#id = affine_map<(n, w, c) -> (n, w, c)>
#turned = affine_map<(n, w, c) -> (n, c, w)>

// A second reader needs the sums. A kernel cannot read an input whose last dim is not the channels, or whose channels are
// apart, as vectors.

// CHECK-LABEL: @refused
// CHECK-NOT: epilogue
func.func @refused(%w: tensor<3x32xf32>, %x: tensor<1x9x32xf32>, %r: tensor<1x32x7xf32>)
    -> (tensor<1x7x32xf32>, tensor<1x7x32xf32>, tensor<1x7x32xf32>) {
  %e = tensor.empty() : tensor<1x7x32xf32>
  %0 = rt.convolution ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%e : tensor<1x7x32xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.negf %i : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  %2 = rt.convolution ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%e : tensor<1x7x32xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x32xf32>
  %3 = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%2, %r : tensor<1x7x32xf32>, tensor<1x32x7xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.addf %i, %j : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  return %0, %1, %3 : tensor<1x7x32xf32>, tensor<1x7x32xf32>, tensor<1x7x32xf32>
}

// -----

#id = affine_map<(n, w, c) -> (n, w, c)>

// Channels that are left out, dims that are joined, and other channels than those that fill the last tile are no views:
// the elements would be at other positions, or a kernel would compute fewer channels than its filters have.

// CHECK-LABEL: @views
// CHECK-NOT: epilogue
func.func @views(%w: tensor<3x32xf32>, %x: tensor<1x9x32xf32>, %v: tensor<3x3x6x16xf32>, %z: tensor<1x9x6xf32>)
    -> (tensor<1x7x20xf32>, tensor<7x1x32xf32>, tensor<1x7x32xf32>) {
  %e = tensor.empty() : tensor<1x7x32xf32>
  %0 = rt.convolution ins(%w, %x : tensor<3x32xf32>, tensor<1x9x32xf32>) outs(%e : tensor<1x7x32xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x32xf32>
  %some = tensor.extract_slice %0[0, 0, 0] [1, 7, 20] [1, 1, 1] : tensor<1x7x32xf32> to tensor<1x7x20xf32>
  %e1 = tensor.empty() : tensor<1x7x20xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%some : tensor<1x7x20xf32>) outs(%e1 : tensor<1x7x20xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.negf %i : f32
    linalg.yield %p : f32
  } -> tensor<1x7x20xf32>
  %tiles = tensor.empty() : tensor<1x7x3x16xf32>
  %2 = rt.convolution ins(%v, %z : tensor<3x3x6x16xf32>, tensor<1x9x6xf32>) outs(%tiles : tensor<1x7x3x16xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x3x16xf32>
  %joined = tensor.collapse_shape %2 [[0, 1], [2], [3]] : tensor<1x7x3x16xf32> into tensor<7x3x16xf32>
  %first = tensor.extract_slice %joined[0, 0, 0] [7, 1, 16] [1, 1, 1] : tensor<7x3x16xf32> to tensor<7x1x16xf32>
  %e2 = tensor.empty() : tensor<7x1x16xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%first : tensor<7x1x16xf32>) outs(%e2 : tensor<7x1x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.negf %i : f32
    linalg.yield %p : f32
  } -> tensor<7x1x16xf32>
  %wide = tensor.empty() : tensor<7x1x32xf32>
  %4 = tensor.insert_slice %3 into %wide[0, 0, 0] [7, 1, 16] [1, 1, 1] : tensor<7x1x16xf32> into tensor<7x1x32xf32>
  %5 = rt.convolution ins(%v, %z : tensor<3x3x6x16xf32>, tensor<1x9x6xf32>) outs(%tiles : tensor<1x7x3x16xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} -> tensor<1x7x3x16xf32>
  %flat = tensor.collapse_shape %5 [[0], [1], [2, 3]] : tensor<1x7x3x16xf32> into tensor<1x7x48xf32>
  %two = tensor.extract_slice %flat[0, 0, 0] [1, 7, 32] [1, 1, 1] : tensor<1x7x48xf32> to tensor<1x7x32xf32>
  %6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%two : tensor<1x7x32xf32>) outs(%e : tensor<1x7x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.negf %i : f32
    linalg.yield %p : f32
  } -> tensor<1x7x32xf32>
  return %1, %4, %6 : tensor<1x7x20xf32>, tensor<7x1x32xf32>, tensor<1x7x32xf32>
}
