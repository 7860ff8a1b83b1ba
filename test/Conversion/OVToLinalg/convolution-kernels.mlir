// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s
// RUN: ir-opt %s --convert-ov-to-linalg=kernels=false --canonicalize --cse | FileCheck %s --check-prefix=NAIVE

// Filters that are constants: one op reads the data where it lies. The filters are packed.
// CHECK-LABEL: func.func @plane(
// NAIVE-LABEL: func.func @plane(
// NAIVE-NOT: rt.convolution
// NAIVE: linalg.generic {{.*}} "reduction"]
// NAIVE-LABEL: func.func @tiles(
func.func @plane(%x: tensor<?x6x20x?xf32>) -> tensor<?x16x20x?xf32> {
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<0, tensor<16x6x3x3xf32>, [#ov.reshape<[16, 54]>, #ov.transpose<[1, 0]>, #ov.pack<8>, #ov.reshape<[1, 2, 6, 3, 3, 8]>]>
  // CHECK: rt.convolution ins(%[[W]], %{{.*}} : tensor<1x2x6x3x3x8xf32>, tensor<?x1x6x22x?xf32>)
  // CHECK-SAME: {channels_first, dilations = array<i64: 1, 2>, strides = array<i64: 1, 1>}
  // CHECK: tensor.collapse_shape
  %w = ov.constant #ov.weights<0, tensor<16x6x3x3xf32>> : tensor<16x6x3x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 2>, pads_end = array<i64: 1, 2>, dilations = array<i64: 1, 2>} : (tensor<?x6x20x?xf32>, tensor<16x6x3x3xf32>) -> tensor<?x16x20x?xf32>
  return %0 : tensor<?x16x20x?xf32>
}

// The tiles have no more than 8 channels. The last one may have rows that are no channels.
// CHECK-LABEL: func.func @tiles(
func.func @tiles(%x: tensor<1x8x500xf32>) -> tensor<1x20x498xf32> {
  // CHECK: #ov.pack<7>, #ov.reshape<[1, 3, 8, 3, 7]>]>
  // CHECK: rt.convolution {{.*}} -> tensor<1x1x20x498xf32>
  %w = ov.constant #ov.weights<0, tensor<20x8x3xf32>> : tensor<20x8x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x500xf32>, tensor<20x8x3xf32>) -> tensor<1x20x498xf32>
  return %0 : tensor<1x20x498xf32>
}

// A tile lies in one group.
// CHECK-LABEL: func.func @groups(
func.func @groups(%x: tensor<1x8x500xf32>) -> tensor<1x20x498xf32> {
  // CHECK: #ov.pack<5>, #ov.reshape<[2, 2, 4, 3, 5]>]>
  // CHECK-NOT: tensor.extract_slice
  %w = ov.constant #ov.weights<0, tensor<2x10x4x3xf32>> : tensor<2x10x4x3xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x500xf32>, tensor<2x10x4x3xf32>) -> tensor<1x20x498xf32>
  return %0 : tensor<1x20x498xf32>
}

// CHECK-LABEL: func.func @groups_of_nine(
func.func @groups_of_nine(%x: tensor<1x8x500xf32>) -> tensor<1x18x498xf32> {
  // CHECK: [#ov.reshape<[2, 9, 12]>, #ov.transpose<[0, 2, 1]>, #ov.reshape<[24, 9]>, #ov.pack<5>, #ov.reshape<[2, 2, 12, 5]>, #ov.transpose<[1, 0, 2, 3]>, #ov.reshape<[2, 2, 4, 3, 5]>]>
  // CHECK: rt.convolution {{.*}} -> tensor<1x2x9x498xf32>
  %w = ov.constant #ov.weights<0, tensor<2x9x4x3xf32>> : tensor<2x9x4x3xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x500xf32>, tensor<2x9x4x3xf32>) -> tensor<1x18x498xf32>
  return %0 : tensor<1x18x498xf32>
}

// Filters that stand in the IR are packed there.
// CHECK-LABEL: func.func @small(
func.func @small(%x: tensor<1x2x2000xf32>) -> tensor<1x6x1999xf32> {
  // CHECK: %[[W:.*]] = arith.constant dense<{{\[\[\[\[\[}}1.{{0*e?\+?0*}}, 3.{{[^,]*}}, 5.{{[^,]*}}], [2.{{[^,]*}}, 4.{{[^,]*}}, 6.{{[^,]*}}]]]], {{\[\[\[\[}}7.{{[^,]*}}, 9.{{[^,]*}}, 1.1{{[^,]*}}], [8.{{[^,]*}}, 1.0{{[^,]*}}, 1.2{{.*}}]]]]]> : tensor<2x1x1x2x3xf32>
  // CHECK: rt.convolution ins(%[[W]], %{{.*}} -> tensor<1x2x3x1999xf32>
  %w = ov.constant dense<[[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]], [[[7.0, 8.0]], [[9.0, 10.0]], [[11.0, 12.0]]]]> : tensor<2x3x1x2xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x2x2000xf32>, tensor<2x3x1x2xf32>) -> tensor<1x6x1999xf32>
  return %0 : tensor<1x6x1999xf32>
}

// With strides.
// CHECK-LABEL: func.func @strides(
func.func @strides(%x: tensor<1x6x200x40xf32>) -> tensor<1x16x99x19xf32> {
  // CHECK: #ov.pack<8>
  // CHECK: rt.convolution
  // CHECK-SAME: {channels_first, dilations = array<i64: 1, 1>, strides = array<i64: 2, 2>}
  %w = ov.constant #ov.weights<0, tensor<16x6x3x3xf32>> : tensor<16x6x3x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x6x200x40xf32>, tensor<16x6x3x3xf32>) -> tensor<1x16x99x19xf32>
  return %0 : tensor<1x16x99x19xf32>
}

// Few positions: each is a row of a product with the filters, and the result is transposed.
// CHECK-LABEL: func.func @few(
func.func @few(%x: tensor<1x1x640xf32>) -> tensor<1x258x4xf32> {
  // CHECK: %[[W:.*]] = ov.constant #ov.weights<0, tensor<258x1x256xf32>, [#ov.reshape<[258, 256]>]>
  // CHECK: %[[ROWS:.*]] = scf.for %[[I:.*]] = %c0 to %c4
  // CHECK: %[[FROM:.*]] = arith.muli %[[I]], %c128
  // CHECK: tensor.extract_slice %{{.*}}[0, 0, %[[FROM]]] [1, 1, 256] [1, 1, 1]
  // CHECK: %[[A:.*]] = tensor.collapse_shape %[[ROWS]]
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[W]] : tensor<1x4x256xf32>, tensor<258x256xf32>)
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]
  // CHECK: -> tensor<1x258x4xf32>
  %w = ov.constant #ov.weights<0, tensor<258x1x256xf32>> : tensor<258x1x256xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 128>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x1x640xf32>, tensor<258x1x256xf32>) -> tensor<1x258x4xf32>
  return %0 : tensor<1x258x4xf32>
}

// Channels last. The filters are packed such that the input channels come last, and so is a constant that stays small.
// The op says how many rows of its data are padding.
// CHECK-LABEL: func.func @last(
// NAIVE-LABEL: func.func @last(
// NAIVE-NOT: rt.convolution
func.func @last(%x: tensor<1x1x20x?xf32>) -> tensor<1x10x?x4xf32> {
  // CHECK: arith.constant dense<{{.*}}> : tensor<1x3x3x1x16xf32>
  // CHECK: rt.convolution ins(%{{.*}}, %{{.*}} : tensor<1x3x3x1x16xf32>, tensor<1x22x?x1xf32>)
  // CHECK-SAME: padding = array<i64: 2, 0, 1, 1>
  %w = ov.constant dense<1.0> : tensor<4x1x3x3xf32>
  %order = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64>
  %0 = ov.convolution %x, %w {strides = array<i64: 2, 1>, pads_begin = array<i64: 2, 1>, pads_end = array<i64: 0, 1>, dilations = array<i64: 1, 1>} : (tensor<1x1x20x?xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x10x?xf32>
  %1 = ov.transpose %0, %order : (tensor<1x4x10x?xf32>, tensor<4xi64>) -> tensor<1x10x?x4xf32>
  return %1 : tensor<1x10x?x4xf32>
}

// Three dims. The rows of the kernel come first in the packed filters.
// CHECK-LABEL: func.func @volume(
func.func @volume(%x: tensor<1x6x8x20x?xf32>) -> tensor<1x8x20x?x16xf32> {
  // CHECK: %[[W:.*]] = ov.constant #ov.weights<0, tensor<16x6x3x5x2xf32>, [#ov.reshape<[16, 6, 3, 5, 2]>, #ov.transpose<[0, 3, 2, 4, 1]>, #ov.reshape<[16, 180]>, #ov.transpose<[1, 0]>, #ov.pack<16>, #ov.reshape<[1, 1, 5, 3, 2, 6, 16]>]>
  // CHECK: %[[F:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<1x5x3x2x6x16xf32>
  // CHECK: rt.convolution ins(%[[F]], %{{.*}} : tensor<1x5x3x2x6x16xf32>, tensor<1x10x24x?x6xf32>)
  // CHECK-SAME: padding = array<i64: 1, 1, 2, 2, 0, 1>
  %w = ov.constant #ov.weights<0, tensor<16x6x3x5x2xf32>> : tensor<16x6x3x5x2xf32>
  %order = ov.constant dense<[0, 2, 3, 4, 1]> : tensor<5xi64>
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1, 1>, pads_begin = array<i64: 1, 2, 0>, pads_end = array<i64: 1, 2, 1>, dilations = array<i64: 1, 1, 1>} : (tensor<1x6x8x20x?xf32>, tensor<16x6x3x5x2xf32>) -> tensor<1x16x8x20x?xf32>
  %1 = ov.transpose %0, %order : (tensor<1x16x8x20x?xf32>, tensor<5xi64>) -> tensor<1x8x20x?x16xf32>
  return %1 : tensor<1x8x20x?x16xf32>
}

// Three dims with channels first. The rows of the kernel come first here too, and strides are known along the first dim.
// CHECK-LABEL: func.func @volume_first(
func.func @volume_first(%x: tensor<1x6x8x20x30xf32>) -> tensor<1x16x4x18x28xf32> {
  // CHECK: %[[W:.*]] = ov.constant #ov.weights<0, tensor<16x6x2x3x3xf32>, [#ov.reshape<[16, 6, 2, 3, 3]>, #ov.transpose<[0, 1, 3, 2, 4]>, #ov.reshape<[16, 108]>, #ov.transpose<[1, 0]>, #ov.pack<8>, #ov.reshape<[1, 2, 6, 3, 2, 3, 8]>]>
  // CHECK: rt.convolution ins(%[[W]], %{{.*}} : tensor<1x2x6x3x2x3x8xf32>, tensor<1x1x6x8x20x30xf32>)
  // CHECK-SAME: {channels_first, dilations = array<i64: 1, 1, 1>, strides = array<i64: 2, 1, 1>}
  %w = ov.constant #ov.weights<0, tensor<16x6x2x3x3xf32>> : tensor<16x6x2x3x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 2, 1, 1>, pads_begin = array<i64: 0, 0, 0>, pads_end = array<i64: 0, 0, 0>, dilations = array<i64: 1, 1, 1>} : (tensor<1x6x8x20x30xf32>, tensor<16x6x2x3x3xf32>) -> tensor<1x16x4x18x28xf32>
  return %0 : tensor<1x16x4x18x28xf32>
}

// Groups with whole tiles of channels have a dim of their own.
// CHECK-LABEL: func.func @last_groups(
func.func @last_groups(%x: tensor<1x12x20x?xf32>) -> tensor<1x20x?x32xf32> {
  // CHECK: %[[W:.*]] = ov.constant #ov.weights<0, {{.*}} #ov.pack<16>, #ov.reshape<[2, 1, 3, 3, 6, 16]>]>
  // CHECK: %[[X:.*]] = tensor.expand_shape {{.*}} into tensor<1x22x?x2x6xf32>
  // CHECK: %[[SUM:.*]] = rt.convolution ins(%[[W]], %[[X]] : {{.*}} outs(%{{.*}} : tensor<1x20x?x2x1x16xf32>)
  // CHECK: tensor.collapse_shape %[[SUM]] {{.*}} into tensor<1x20x?x32xf32>
  %w = ov.constant #ov.weights<0, tensor<2x16x6x3x3xf32>> : tensor<2x16x6x3x3xf32>
  %order = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x12x20x?xf32>, tensor<2x16x6x3x3xf32>) -> tensor<1x32x20x?xf32>
  %1 = ov.transpose %0, %order : (tensor<1x32x20x?xf32>, tensor<4xi64>) -> tensor<1x20x?x32xf32>
  return %1 : tensor<1x20x?x32xf32>
}

// Many channels, and kernels of three without strides: the filters are transformed for Winograd's algorithm.
// CHECK-LABEL: func.func @winograd(
func.func @winograd(%x: tensor<1x32x40x?xf32>) -> tensor<1x40x?x64xf32> {
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<0, tensor<64x32x3x3xf32>, [#ov.winograd<[1, 1]>, #ov.reshape<[64, 32, 16]>, #ov.transpose<[0, 2, 1]>, #ov.reshape<[64, 512]>, #ov.transpose<[1, 0]>, #ov.pack<32>, #ov.reshape<[1, 2, 4, 4, 32, 32]>]>
  // CHECK: %[[F:.*]] = tensor.collapse_shape %[[W]]
  // CHECK: rt.convolution ins(%[[F]], %{{.*}} : tensor<2x4x4x32x32xf32>, tensor<1x42x?x32xf32>)
  // CHECK-SAME: transformed = array<i1: true, true>
  %w = ov.constant #ov.weights<0, tensor<64x32x3x3xf32>> : tensor<64x32x3x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x32x40x?xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x40x?xf32>
  %order = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64>
  %1 = ov.transpose %0, %order : (tensor<1x64x40x?xf32>, tensor<4xi64>) -> tensor<1x40x?x64xf32>
  return %1 : tensor<1x40x?x64xf32>
}

// A single row whose neighbours are padding: two thirds of the filters are not needed.
// CHECK-LABEL: func.func @one_row(
func.func @one_row(%x: tensor<1x32x1x?xf32>) -> tensor<1x1x?x64xf32> {
  // CHECK: rt.convolution
  // CHECK-SAME: padding = array<i64: 1, 1, 1, 1>
  // CHECK-NOT: transformed
  // CHECK: return
  %w = ov.constant #ov.weights<0, tensor<64x32x3x3xf32>> : tensor<64x32x3x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x32x1x?xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x1x?xf32>
  %order = ov.constant dense<[0, 2, 3, 1]> : tensor<4xi64>
  %1 = ov.transpose %0, %order : (tensor<1x64x1x?xf32>, tensor<4xi64>) -> tensor<1x1x?x64xf32>
  return %1 : tensor<1x1x?x64xf32>
}
