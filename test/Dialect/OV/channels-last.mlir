// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-channels-last --canonicalize --split-input-file | FileCheck %s
// RUN: ir-opt %s --ov-channels-last --split-input-file \
// RUN:   --remarks-filter=ov-channels-last --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] channels-last | Category:ov-channels-last | Remark="the convolution has its channels last"
// REMARK-DAG: [Missed] not-channels-last | Category:ov-channels-last | Reason="expected 2 convolutions that feed each other, or one of many channels"

// Two convolutions and what is between them. The scale of a channel becomes a vector, and the mean has other axes.

// CHECK-LABEL: @network
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x?x?xf32>, %[[S:.*]]: tensor<8x1x1xf32>)
func.func @network(%x: tensor<1x8x?x?xf32>, %scale: tensor<8x1x1xf32>) -> tensor<1x8xf32> {
  // CHECK-DAG: %[[LAST:.*]] = ov.constant dense<[0, 2, 3, 1]>
  // CHECK-DAG: %[[FIRST:.*]] = ov.constant dense<[0, 3, 1, 2]>
  // CHECK-DAG: %[[AXES:.*]] = ov.constant dense<[1, 2]>
  // CHECK: %[[C0:.*]] = ov.group_convolution %[[X]]
  // CHECK: %[[T0:.*]] = ov.transpose %[[C0]], %[[LAST]]
  // CHECK: %[[V:.*]] = ov.reshape %[[S]], %{{.*}} -> tensor<8xf32>
  // CHECK: %[[M:.*]] = ov.multiply %[[T0]], %[[V]] : (tensor<1x?x?x8xf32>, tensor<8xf32>) -> tensor<1x?x?x8xf32>
  // CHECK: %[[R:.*]] = ov.relu %[[M]] : tensor<1x?x?x8xf32>
  // CHECK: %[[B:.*]] = ov.transpose %[[R]], %[[FIRST]]
  // CHECK: %[[C1:.*]] = ov.group_convolution %[[B]]
  // CHECK: %[[T1:.*]] = ov.transpose %[[C1]], %[[LAST]]
  // CHECK: %[[SUM:.*]] = ov.add %[[T1]], %[[R]]
  // CHECK: %[[MEAN:.*]] = ov.reduce_mean %[[SUM]], %[[AXES]] : (tensor<1x?x?x8xf32>, tensor<2xi64>) -> tensor<1x8xf32>
  // CHECK: return %[[MEAN]]
  %w = ov.constant dense<1.0> : tensor<8x1x1x3x3xf32>
  %axes = ov.constant dense<[2, 3]> : tensor<2xi64>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x?x?xf32>, tensor<8x1x1x3x3xf32>)
      -> tensor<1x8x?x?xf32>
  %1 = ov.multiply %0, %scale : (tensor<1x8x?x?xf32>, tensor<8x1x1xf32>) -> tensor<1x8x?x?xf32>
  %2 = ov.relu %1 : tensor<1x8x?x?xf32>
  %3 = ov.group_convolution %2, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x?x?xf32>, tensor<8x1x1x3x3xf32>)
      -> tensor<1x8x?x?xf32>
  %4 = ov.add %3, %2 : (tensor<1x8x?x?xf32>, tensor<1x8x?x?xf32>) -> tensor<1x8x?x?xf32>
  %5 = ov.reduce_mean %4, %axes : (tensor<1x8x?x?xf32>, tensor<2xi64>) -> tensor<1x8xf32>
  return %5 : tensor<1x8xf32>
}

// -----

// Windows of a pool and a concatenation have other axes. The last transpose restores the layout, and the one of the
// model becomes one with it.

// CHECK-LABEL: @windows
func.func @windows(%x: tensor<1x8x9xf32>) -> tensor<9x16x1xf32> {
  // CHECK-DAG: %[[AXIS:.*]] = ov.constant dense<1> : tensor<1xi64>
  // CHECK-DAG: %[[ORDER:.*]] = ov.constant dense<[1, 2, 0]>
  // CHECK-DAG: %[[END:.*]] = ov.constant dense<[0, 1, 0]>
  // CHECK: ov.pad %{{.*}}, %{{.*}}, %[[END]] {{.*}} -> tensor<1x10x8xf32>
  // CHECK: ov.slice {{.*}} %[[AXIS]]{{.*}} -> tensor<1x9x8xf32>
  // CHECK: %[[C:.*]] = ov.concat %{{.*}}, %{{.*}} {axis = 2 : i64} : (tensor<1x9x8xf32>, tensor<1x9x8xf32>) -> tensor<1x9x16xf32>
  // CHECK: %[[T:.*]] = ov.transpose %[[C]], %[[ORDER]]
  // CHECK: return %[[T]]
  %w = ov.constant dense<1.0> : tensor<8x1x1x3xf32>
  %zero = ov.constant dense<0> : tensor<3xi64>
  %end = ov.constant dense<[0, 0, 1]> : tensor<3xi64>
  %one = ov.constant dense<1> : tensor<1xi64>
  %ten = ov.constant dense<10> : tensor<1xi64>
  %two = ov.constant dense<2> : tensor<1xi64>
  %order = ov.constant dense<[2, 1, 0]> : tensor<3xi64>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>,
      dilations = array<i64: 1>} : (tensor<1x8x9xf32>, tensor<8x1x1x3xf32>) -> tensor<1x8x9xf32>
  %1 = ov.pad %0, %zero, %end {pad_mode = #ov.pad_mode<edge>} : (tensor<1x8x9xf32>, tensor<3xi64>, tensor<3xi64>)
      -> tensor<1x8x10xf32>
  %2 = ov.slice %1, %one, %ten, %one, %two : (tensor<1x8x10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>,
      tensor<1xi64>) -> tensor<1x8x9xf32>
  %3 = ov.group_convolution %2, %w {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>,
      dilations = array<i64: 1>} : (tensor<1x8x9xf32>, tensor<8x1x1x3xf32>) -> tensor<1x8x9xf32>
  %4 = ov.concat %2, %3 {axis = 1} : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x16x9xf32>
  %5 = ov.transpose %4, %order : (tensor<1x16x9xf32>, tensor<3xi64>) -> tensor<9x16x1xf32>
  return %5 : tensor<9x16x1xf32>
}

// -----

// A convolution alone keeps its layout.

// CHECK-LABEL: @alone
func.func @alone(%x: tensor<1x8x9xf32>) -> tensor<1x8x9xf32> {
  // CHECK-NOT: ov.transpose
  %w = ov.constant dense<1.0> : tensor<8x1x1x3xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>,
      dilations = array<i64: 1>} : (tensor<1x8x9xf32>, tensor<8x1x1x3xf32>) -> tensor<1x8x9xf32>
  %1 = ov.relu %0 : tensor<1x8x9xf32>
  return %1 : tensor<1x8x9xf32>
}

// -----

// A single convolution of many multiplications makes up for the transposes.

// CHECK-LABEL: @heavy
func.func @heavy(%x: tensor<1x32x?x?xf32>) -> tensor<1x48x?x?xf32> {
  // CHECK: ov.convolution
  // CHECK: ov.transpose
  // CHECK: ov.transpose
  %w = ov.constant #ov.weights<0, tensor<48x32x3x3xf32>> : tensor<48x32x3x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>} : (tensor<1x32x?x?xf32>, tensor<48x32x3x3xf32>) -> tensor<1x48x?x?xf32>
  return %0 : tensor<1x48x?x?xf32>
}

// So does one of three dims, without a dilation along the last one, and one of groups with whole tiles of channels.

// CHECK-LABEL: @volume
func.func @volume(%x: tensor<1x32x?x?x?xf32>) -> tensor<1x48x?x?x?xf32> {
  // CHECK-DAG: ov.constant dense<[0, 2, 3, 4, 1]>
  // CHECK-DAG: ov.constant dense<[0, 4, 1, 2, 3]>
  // CHECK: ov.convolution
  // CHECK: ov.transpose {{.*}} -> tensor<1x?x?x?x48xf32>
  // CHECK: ov.transpose
  %w = ov.constant #ov.weights<0, tensor<48x32x3x3x3xf32>> : tensor<48x32x3x3x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1, 1>, pads_begin = array<i64: 2, 1, 1>,
      pads_end = array<i64: 2, 1, 1>, dilations = array<i64: 2, 1, 1>} : (tensor<1x32x?x?x?xf32>,
      tensor<48x32x3x3x3xf32>) -> tensor<1x48x?x?x?xf32>
  return %0 : tensor<1x48x?x?x?xf32>
}

// CHECK-LABEL: @dilated_volume
func.func @dilated_volume(%x: tensor<1x32x?x?x?xf32>) -> tensor<1x48x?x?x?xf32> {
  // CHECK-NOT: ov.transpose
  %w = ov.constant #ov.weights<0, tensor<48x32x3x3x3xf32>> : tensor<48x32x3x3x3xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1, 1>, pads_begin = array<i64: 1, 1, 2>,
      pads_end = array<i64: 1, 1, 2>, dilations = array<i64: 1, 1, 2>} : (tensor<1x32x?x?x?xf32>,
      tensor<48x32x3x3x3xf32>) -> tensor<1x48x?x?x?xf32>
  return %0 : tensor<1x48x?x?x?xf32>
}

// CHECK-LABEL: @groups
func.func @groups(%x: tensor<1x64x?x?xf32>) -> tensor<1x96x?x?xf32> {
  // CHECK: ov.group_convolution
  // CHECK: ov.transpose {{.*}} -> tensor<1x?x?x96xf32>
  // CHECK: ov.transpose
  %w = ov.constant #ov.weights<0, tensor<2x48x32x3x3xf32>> : tensor<2x48x32x3x3xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x64x?x?xf32>, tensor<2x48x32x3x3xf32>)
      -> tensor<1x96x?x?xf32>
  return %0 : tensor<1x96x?x?xf32>
}

// CHECK-LABEL: @part_tiles
func.func @part_tiles(%x: tensor<1x64x?x?xf32>) -> tensor<1x80x?x?xf32> {
  // CHECK-NOT: ov.transpose
  %w = ov.constant #ov.weights<0, tensor<2x40x32x3x3xf32>> : tensor<2x40x32x3x3xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x64x?x?xf32>, tensor<2x40x32x3x3xf32>)
      -> tensor<1x80x?x?xf32>
  return %0 : tensor<1x80x?x?xf32>
}

// A small convolution with kernels of one element does not.

// CHECK-LABEL: @light
func.func @light(%x: tensor<1x32x?x?xf32>) -> tensor<1x48x?x?xf32> {
  // CHECK-NOT: ov.transpose
  %w = ov.constant #ov.weights<0, tensor<48x32x1x1xf32>> : tensor<48x32x1x1xf32>
  %0 = ov.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x32x?x?xf32>, tensor<48x32x1x1xf32>) -> tensor<1x48x?x?xf32>
  return %0 : tensor<1x48x?x?xf32>
}

// -----

// An operand that would have to be transposed for this op alone stays, and the result of the convolution is restored.

// CHECK-LABEL: @foreign
func.func @foreign(%x: tensor<1x8x9xf32>, %y: tensor<1x8x9xf32>) -> tensor<1x8x9xf32> {
  // CHECK-COUNT-2: ov.group_convolution
  // CHECK: ov.transpose
  // CHECK: %[[B:.*]] = ov.transpose %{{.*}} : (tensor<1x9x8xf32>, tensor<3xi64>) -> tensor<1x8x9xf32>
  // CHECK: ov.add %[[B]], %{{.*}} : (tensor<1x8x9xf32>
  %w = ov.constant dense<1.0> : tensor<8x1x1x3xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>,
      dilations = array<i64: 1>} : (tensor<1x8x9xf32>, tensor<8x1x1x3xf32>) -> tensor<1x8x9xf32>
  %1 = ov.group_convolution %0, %w {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>,
      dilations = array<i64: 1>} : (tensor<1x8x9xf32>, tensor<8x1x1x3xf32>) -> tensor<1x8x9xf32>
  %2 = ov.add %1, %y : (tensor<1x8x9xf32>, tensor<1x8x9xf32>) -> tensor<1x8x9xf32>
  return %2 : tensor<1x8x9xf32>
}

// -----

// The data of a convolution are transposed anyway, so the residual that reads them too has its channels last.

// CHECK-LABEL: @residual
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x6x6xf32>)
func.func @residual(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  // CHECK-DAG: %[[LAST:.*]] = ov.constant dense<[0, 2, 3, 1]>
  // CHECK: %[[T0:.*]] = ov.transpose %{{.*}}, %[[LAST]]
  // CHECK: %[[T1:.*]] = ov.transpose %{{.*}}, %[[LAST]]
  // CHECK: %[[TX:.*]] = ov.transpose %[[X]], %[[LAST]]
  // CHECK: ov.add %[[TX]], %[[T1]] :
  %w = ov.constant dense<1.0> : tensor<8x1x1x3x3xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<8x1x1x3x3xf32>)
      -> tensor<1x8x6x6xf32>
  %1 = ov.group_convolution %0, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<8x1x1x3x3xf32>)
      -> tensor<1x8x6x6xf32>
  %2 = ov.add %x, %1 : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  return %2 : tensor<1x8x6x6xf32>
}

// -----

// A split and a slice in steps, as those of a pool with dynamic dims, move along. They get other axes and entries.

// CHECK-LABEL: @pool
func.func @pool(%x: tensor<1x8x?x?xf32>) -> tensor<1x8x?x?xf32> {
  // CHECK-DAG: %[[AXIS:.*]] = ov.constant dense<1> : tensor<i64>
  // CHECK-DAG: %[[ZEROS:.*]] = ov.constant dense<0> : tensor<4xi64>
  // CHECK-DAG: %[[STEPS:.*]] = ov.constant dense<[1, 2, 1, 1]> : tensor<4xi64>
  // CHECK: %[[C0:.*]] = ov.group_convolution
  // CHECK: %[[T0:.*]] = ov.transpose %[[C0]]
  // CHECK: %[[PARTS:.*]]:2 = ov.variadic_split %[[T0]], %[[AXIS]], %{{.*}} -> (tensor<1x1x?x8xf32>, tensor<1x?x?x8xf32>)
  // CHECK: %[[HALF:.*]] = ov.strided_slice %[[PARTS]]#1, %[[ZEROS]], %[[ZEROS]], %[[STEPS]]
  // CHECK-SAME: begin_mask = array<i64: 1, 1, 1, 1>, end_mask = array<i64: 1, 1, 1, 1>
  // CHECK: %[[T1:.*]] = ov.transpose %[[HALF]]
  // CHECK: ov.group_convolution %[[T1]]
  %w = ov.constant dense<1.0> : tensor<8x1x1x3x3xf32>
  %0 = ov.group_convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x?x?xf32>, tensor<8x1x1x3x3xf32>)
      -> tensor<1x8x?x?xf32>
  %axis = ov.constant dense<2> : tensor<i64>
  %lengths = ov.constant dense<[1, -1]> : tensor<2xi64>
  %1:2 = ov.variadic_split %0, %axis, %lengths : (tensor<1x8x?x?xf32>, tensor<i64>, tensor<2xi64>)
      -> (tensor<1x8x1x?xf32>, tensor<1x8x?x?xf32>)
  %zeros = ov.constant dense<0> : tensor<3xi64>
  %steps = ov.constant dense<[1, 1, 2]> : tensor<3xi64>
  %2 = ov.strided_slice %1#1, %zeros, %zeros, %steps {begin_mask = array<i64: 1, 1, 1>, end_mask = array<i64: 1, 1, 1>}
      : (tensor<1x8x?x?xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<1x8x?x?xf32>
  %3 = ov.group_convolution %2, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x?x?xf32>, tensor<8x1x1x3x3xf32>)
      -> tensor<1x8x?x?xf32>
  return %3 : tensor<1x8x?x?xf32>
}
