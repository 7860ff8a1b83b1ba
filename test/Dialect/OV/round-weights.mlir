// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-round-weights=precision=bf16 | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: ir-opt %s --ov-round-weights=precision=int8 | FileCheck %s --check-prefixes=CHECK,INT8
// RUN: ir-opt %s --ov-round-weights | FileCheck %s --check-prefix=F32

// F32-NOT: #ov.convert<bf16>
// F32-NOT: #ov.quantize
module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 65536, hash = 0>} {

// Each column of a matrix has a scale.

// CHECK-LABEL: @product
func.func @product(%x: tensor<1x32xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %w = ov.constant #ov.weights<0, tensor<32x16xf32>> : tensor<32x16xf32>
  %v = ov.constant #ov.weights<0, tensor<16x32xf32>> : tensor<16x32xf32>
  // BF16: %[[W:.*]] = ov.constant #ov.weights<0, tensor<32x16xf32>, [#ov.convert<bf16>, #ov.convert<f32>]>
  // BF16: ov.matmul %{{.*}}, %[[W]]
  // INT8: %[[W:.*]] = ov.constant #ov.weights<0, tensor<32x16xf32>, [#ov.quantize<[0]>, #ov.convert<f32>,
  // INT8-SAME: #ov.arithmetic<multiply, #ov.weights<0, tensor<32x16xf32>, [#ov.quantization_scale<[0]>]> : tensor<1x16xf32>>]>
  // INT8-SAME: : tensor<32x16xf32>
  // INT8: %[[V:.*]] = ov.constant {{.*}}#ov.quantize<[1]>
  // INT8: ov.matmul %{{.*}}, %[[W]]
  // INT8: ov.matmul %{{.*}}, %[[V]]
  %0 = ov.matmul %x, %w : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32>
  %1 = ov.matmul %x, %v {transpose_b = true} : (tensor<1x32xf32>, tensor<16x32xf32>) -> tensor<1x16xf32>
  return %0, %1 : tensor<1x16xf32>, tensor<1x16xf32>
}

// So has each row of the weights of a cell. The bias stays.

// CHECK-LABEL: @cell
func.func @cell(%x: tensor<1x8xf32>, %h: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = ov.constant #ov.weights<0, tensor<32x8xf32>> : tensor<32x8xf32>
  %r = ov.constant #ov.weights<1024, tensor<32x32xf32>> : tensor<32x32xf32>
  %b = ov.constant #ov.weights<8192, tensor<32xf32>> : tensor<32xf32>
  // CHECK-DAG: %[[B:.*]] = ov.constant #ov.weights<8192, tensor<32xf32>> : tensor<32xf32>
  // INT8-DAG: %[[W:.*]] = ov.constant #ov.weights<0, tensor<32x8xf32>, [#ov.quantize<[1]>
  // INT8-DAG: %[[R:.*]] = ov.constant #ov.weights<1024, tensor<32x32xf32>, [#ov.quantize<[1]>
  // INT8: ov.rnn_cell %{{.*}}, %{{.*}}, %[[W]], %[[R]], %[[B]]
  %0 = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 32, activations = [#ov.cell_activation<tanh>],
      activations_alpha = [], activations_beta = []} : (tensor<1x8xf32>, tensor<1x32xf32>, tensor<32x8xf32>,
      tensor<32x32xf32>, tensor<32xf32>) -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}

// Filters have a scale for each output channel, of each group, and a table for each row. An addend stays.

// CHECK-LABEL: @others
func.func @others(%x: tensor<1x4x8x8xf32>, %i: tensor<2xi64>)
    -> (tensor<1x16x6x6xf32>, tensor<1x8x6x6xf32>, tensor<2x16xf32>, tensor<32x16xf32>) {
  %axis = ov.constant dense<0> : tensor<i64>
  %f = ov.constant #ov.weights<0, tensor<16x4x3x3xf32>> : tensor<16x4x3x3xf32>
  %g = ov.constant #ov.weights<16384, tensor<2x4x2x3x3xf32>> : tensor<2x4x2x3x3xf32>
  %t = ov.constant #ov.weights<0, tensor<32x16xf32>> : tensor<32x16xf32>
  // CHECK-DAG: %[[T:.*]] = ov.constant #ov.weights<0, tensor<32x16xf32>> : tensor<32x16xf32>
  // BF16-DAG: ov.constant #ov.weights<0, tensor<16x4x3x3xf32>, [#ov.convert<bf16>, #ov.convert<f32>]>
  // INT8-DAG: %[[F:.*]] = ov.constant #ov.weights<0, tensor<16x4x3x3xf32>, [#ov.quantize<[1, 2, 3]>
  // INT8-DAG: %[[G:.*]] = ov.constant #ov.weights<16384, tensor<2x4x2x3x3xf32>, [#ov.quantize<[2, 3, 4]>
  // INT8-DAG: %[[ROWS:.*]] = ov.constant #ov.weights<0, tensor<32x16xf32>, [#ov.quantize<[1]>
  // INT8: ov.convolution %{{.*}}, %[[F]]
  // INT8: ov.group_convolution %{{.*}}, %[[G]]
  // INT8: ov.gather %[[ROWS]]
  // CHECK: ov.add %[[T]], %[[T]]
  %0 = ov.convolution %x, %f {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x6x6xf32>
  %1 = ov.group_convolution %x, %g {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>,
      pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x4x8x8xf32>, tensor<2x4x2x3x3xf32>) -> tensor<1x8x6x6xf32>
  %2 = ov.gather %t, %i, %axis : (tensor<32x16xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x16xf32>
  %3 = ov.add %t, %t : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  return %0, %1, %2, %3 : tensor<1x16x6x6xf32>, tensor<1x8x6x6xf32>, tensor<2x16xf32>, tensor<32x16xf32>
}

// Weights that were shipped as f16 are narrower as integers only.

// CHECK-LABEL: @shipped_narrow
func.func @shipped_narrow(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  // BF16: ov.constant #ov.weights<0, tensor<32x32xf16>, [#ov.convert<f32>]>
  // INT8: ov.constant #ov.weights<0, tensor<32x32xf16>, [#ov.convert<f32>, #ov.quantize<[0]>, #ov.convert<f32>,
  %w = ov.constant #ov.weights<0, tensor<32x32xf16>, [#ov.convert<f32>]> : tensor<32x32xf32>
  %0 = ov.matmul %x, %w : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}
}
