// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(rt-lower-convolutions{vector-bits=512 vector-registers=32}, canonicalize)' \
// RUN:   --split-input-file | FileCheck %s

#id = affine_map<(n, h, w, c) -> (n, h, w, c)>
#bias = affine_map<(n, h, w, c) -> (0, 0, 0, c)>

// A bias, a residual and an activation are computed on the accumulators. The last tile has a mask for its eight
// channels, and so a part that begins at the second tile gets 16 channels less.

// CHECK-LABEL: @fused
// CHECK-SAME: (%[[W:.*]]: memref<2x3x3x6x16xf32>, %{{.*}}, %[[B:.*]]: memref<1x1x1x24xf32>, %[[R:.*]]: memref<1x5x7x24xf32>, %[[Y:.*]]: memref<1x5x7x24xf32>)
func.func @fused(%w: memref<2x3x3x6x16xf32>, %x: memref<1x7x9x6xf32>, %bias: memref<1x1x1x24xf32>,
                 %residual: memref<1x5x7x24xf32>, %y: memref<1x5x7x24xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK: memref.reinterpret_cast %[[B]] to offset: [0], sizes: [5, 7, 2, 16], strides: [0, 0, 16, 1]
  // CHECK: memref.reinterpret_cast %[[R]] to offset: [0], sizes: [5, 7, 2, 16], strides: [168, 24, 16, 1]
  // CHECK: call @rt_convolution_channels_f32_{{[0-9a-f]+}}({{.*}}, %c24,
  // CHECK-NOT: call
  // CHECK-NOT: rt.convolution
  rt.convolution ins(%w, %x : memref<2x3x3x6x16xf32>, memref<1x7x9x6xf32>)
      with(%bias, %residual : memref<1x1x1x24xf32>, memref<1x5x7x24xf32>)
      outs(%y : memref<1x5x7x24xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, input_maps = [#bias, #id]} epilogue {
  ^bb0(%sum: f32, %b: f32, %r: f32):
    %zero = arith.constant 0.0 : f32
    %p = arith.addf %sum, %b : f32
    %q = arith.subf %p, %r : f32
    %least = arith.cmpf olt, %q, %zero : f32
    %m = arith.select %least, %zero, %q : f32
    rt.yield %m : f32
  }
  return
}
// The bias is loaded once for a tile, the residual for each position.
// CHECK: func.func private @rt_convolution_channels_f32_
// CHECK-SAME: rt.parts = {along = [{{\[0, 0\], \[2, 2\], \[18, 16\], \[19, 2\], \[20, 2\]}}]
// CHECK: case 1
// CHECK-COUNT-6: vector.maskedload
// CHECK-COUNT-4: vector.maskedstore
// CHECK-NOT: vector.store

// -----

#scale = affine_map<(n, w, c) -> (n, 0, c)>

// Each channel has filters of its own, and each batch its scale. Threads may share the positions of a
// line, and the rows of what has several.

// CHECK-LABEL: @depthwise
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<2x1x20xf32>
func.func @depthwise(%w: memref<3x20xf32>, %x: memref<2x?x20xf32>, %scale: memref<2x1x20xf32>,
                     %c: memref<2x?x20xf32>) {
  // CHECK: scf.for
  // CHECK: memref.reinterpret_cast %[[S]] {{.*}} strides: [0, 0, 1]
  // CHECK: call @rt_depthwise_channels_f32_
  // CHECK-SAME: rt.parts = {along = [{{\[1, 3\], \[2, 1\], \[10, 1\]}}]
  // CHECK-NOT: rt.convolution
  rt.convolution ins(%w, %x : memref<3x20xf32>, memref<2x?x20xf32>) with(%scale : memref<2x1x20xf32>)
      outs(%c : memref<2x?x20xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, input_maps = [#scale]} epilogue {
  ^bb0(%sum: f32, %b: f32):
    %p = arith.mulf %sum, %b : f32
    rt.yield %p : f32
  }
  return
}

// CHECK: func.func private @rt_depthwise_channels_f32_
// CHECK-SAME: rt.parts = {along = [{{\[1, 2\], \[2, 0\], \[9, 1\], \[10, 0\]}}]

// -----

// A function of several instructions is computed on what was stored, so that the code has it once for each number of
// filters that are taken together.

// CHECK-LABEL: @function
func.func @function(%w: memref<4x3x6x16xf32>, %x: memref<1x9x6xf32>, %y: memref<1x7x64xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK: call @rt_convolution_channels_f32_
  // CHECK-NOT: rt.convolution
  rt.convolution ins(%w, %x : memref<4x3x6x16xf32>, memref<1x9x6xf32>) outs(%y : memref<1x7x64xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>} epilogue {
  ^bb0(%sum: f32):
    %p = math.exp %sum : f32
    rt.yield %p : f32
  }
  return
}
// CHECK: func.func private @rt_convolution_channels_f32_
// CHECK: case 8
// CHECK-COUNT-24: vector.maskedstore
// Four vectors take turns.
// CHECK-COUNT-4: vector.maskedload
// CHECK: math.exp {{.*}} : vector<64xf32>
// CHECK-COUNT-4: vector.maskedstore
// CHECK-COUNT-3: math.exp
// CHECK-NOT: math.exp
