// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @convert
func.func @convert(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xui8>, tensor<2xi1>, tensor<2xf16>, tensor<3xi8>, tensor<64x64xf32>) {
  // CHECK-DAG: %[[SAT:.*]] = ov.constant dense<[0, 255, 7, 0]> : tensor<4xui8>
  // CHECK-DAG: %[[BOOL:.*]] = ov.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-DAG: %[[F16:.*]] = ov.constant dense<[1.000000e+00, 2.550000e+02]> : tensor<2xf16>
  // CHECK-DAG: %[[WRAP:.*]] = ov.constant dense<[-1, 0, 1]> : tensor<3xi8>
  // CHECK-DAG: %[[FILE:.*]] = ov.constant #ov.weights<0, tensor<64x64xf16>, [#ov.convert<f32>]> : tensor<64x64xf32>
  // CHECK: return %arg0, %[[SAT]], %[[BOOL]], %[[F16]], %[[WRAP]], %[[FILE]]
  %0 = ov.convert %x : tensor<2xf32> to tensor<2xf32>
  %c1 = ov.constant dense<[-3.5, 1.0e10, 7.9, 0x7fc00000]> : tensor<4xf32>
  %1 = ov.convert %c1 : tensor<4xf32> to tensor<4xui8>
  %c2 = ov.constant dense<[0x7fc00000, 0.0]> : tensor<2xf32>
  %2 = ov.convert %c2 : tensor<2xf32> to tensor<2xi1>
  %c3 = ov.constant dense<[1, 255]> : tensor<2xui8>
  %3 = ov.convert %c3 : tensor<2xui8> to tensor<2xf16>
  %c4 = ov.constant dense<[255, 256, 65537]> : tensor<3xi32>
  %4 = ov.convert %c4 : tensor<3xi32> to tensor<3xi8>
  %c5 = ov.constant #ov.weights<0, tensor<64x64xf16>> : tensor<64x64xf16>
  %5 = ov.convert %c5 : tensor<64x64xf16> to tensor<64x64xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<4xui8>, tensor<2xi1>, tensor<2xf16>, tensor<3xi8>, tensor<64x64xf32>
}

// CHECK-LABEL: @shape_of
func.func @shape_of(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) -> (tensor<2xi32>, tensor<2xi64>, tensor<i64>) {
  %axis = ov.constant dense<0> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64>
  // CHECK-DAG: %[[DIMS:.*]] = ov.constant dense<[2, 3]> : tensor<2xi32>
  // CHECK-DAG: %[[DIM:.*]] = ov.constant dense<3> : tensor<i64>
  // CHECK: %[[SHAPE:.*]] = ov.shape_of %arg1
  // CHECK: return %[[DIMS]], %[[SHAPE]], %[[DIM]]
  %0 = ov.shape_of %x {output_type = i32} : (tensor<2x3xf32>) -> tensor<2xi32>
  %1 = ov.shape_of %y {output_type = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
  %2 = ov.gather %1, %one, %axis : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi64>, tensor<i64>
}

// CHECK-LABEL: @reshape
func.func @reshape(%x: tensor<2x3xf32>, %y: tensor<?x4xf32>) -> (tensor<2x3xf32>, tensor<3x2xi32>, tensor<1x2x3xf32>, tensor<?x4xf32>, tensor<32x128xf32>) {
  %n0 = ov.constant dense<[2, -1]> : tensor<2xi64>
  %n1 = ov.constant dense<[3, 2]> : tensor<2xi64>
  %n2 = ov.constant dense<[6]> : tensor<1xi64>
  %n3 = ov.constant dense<[1, 2, 3]> : tensor<3xi64>
  %n4 = ov.constant dense<[-1, 4]> : tensor<2xi64>
  %n5 = ov.constant dense<[32, 128]> : tensor<2xi64>
  %c = ov.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %w = ov.constant #ov.weights<8, tensor<64x64xf32>> : tensor<64x64xf32>
  // CHECK-DAG: %[[N3:.*]] = ov.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK-DAG: %[[C:.*]] = ov.constant dense<{{\[}}[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<8, tensor<64x64xf32>, [#ov.reshape<[32, 128]>]> : tensor<32x128xf32>
  // CHECK: %[[MERGED:.*]] = ov.reshape %arg0, %[[N3]] : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
  // CHECK: return %arg0, %[[C]], %[[MERGED]], %arg1, %[[W]]
  %0 = ov.reshape %x, %n0 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = ov.reshape %c, %n1 : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  %2 = ov.reshape %x, %n2 : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  %3 = ov.reshape %2, %n3 : (tensor<6xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
  %4 = ov.reshape %y, %n4 : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %5 = ov.reshape %w, %n5 : (tensor<64x64xf32>, tensor<2xi64>) -> tensor<32x128xf32>
  return %0, %1, %3, %4, %5 : tensor<2x3xf32>, tensor<3x2xi32>, tensor<1x2x3xf32>, tensor<?x4xf32>, tensor<32x128xf32>
}

// A special zero refers to what the inner reshape gives; and one that may fail must stay.
// CHECK-LABEL: @reshape_stays
func.func @reshape_stays(%x: tensor<2x3xf32>, %y: tensor<?x4xf32>) -> (tensor<1x6xf32>, tensor<8xf32>) {
  %n0 = ov.constant dense<[1, 6]> : tensor<2xi64>
  %n1 = ov.constant dense<[0, -1]> : tensor<2xi64>
  %n2 = ov.constant dense<[2, 4]> : tensor<2xi64>
  %n3 = ov.constant dense<[-1]> : tensor<1xi64>
  // CHECK: %[[INNER:.*]] = ov.reshape %arg1, %{{.*}} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  // CHECK: ov.reshape %[[INNER]]
  %1 = ov.reshape %x, %n0 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<1x6xf32>
  %2 = ov.reshape %1, %n1 {special_zero = true} : (tensor<1x6xf32>, tensor<2xi64>) -> tensor<1x6xf32>
  %3 = ov.reshape %y, %n2 : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %4 = ov.reshape %3, %n3 : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %2, %4 : tensor<1x6xf32>, tensor<8xf32>
}

// CHECK-LABEL: @squeeze_unsqueeze
func.func @squeeze_unsqueeze(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1x64x64xf32>) {
  %none = ov.constant dense<> : tensor<0xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %c0 = ov.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %c1 = ov.constant dense<[1, 2]> : tensor<2xi32>
  %w = ov.constant #ov.weights<8, tensor<64x64xf32>> : tensor<64x64xf32>
  // CHECK-DAG: %[[C1:.*]] = ov.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK-DAG: %[[C0:.*]] = ov.constant dense<{{\[}}[1, 2]]> : tensor<1x2xi32>
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<8, tensor<64x64xf32>, [#ov.reshape<[1, 64, 64]>]> : tensor<1x64x64xf32>
  // CHECK: return %arg0, %[[C1]], %[[C0]], %[[W]]
  %0 = ov.squeeze %x, %none : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<2x3xf32>
  %1 = ov.squeeze %c0, %axis : (tensor<1x2xi32>, tensor<i64>) -> tensor<2xi32>
  %2 = ov.unsqueeze %c1, %axis : (tensor<2xi32>, tensor<i64>) -> tensor<1x2xi32>
  %3 = ov.unsqueeze %w, %axis : (tensor<64x64xf32>, tensor<i64>) -> tensor<1x64x64xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1x64x64xf32>
}

// CHECK-LABEL: @transpose
func.func @transpose(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<3x2xi32>, tensor<64x32xf32>) {
  %same = ov.constant dense<[0, 1]> : tensor<2xi64>
  %order = ov.constant dense<> : tensor<0xi64>
  %c = ov.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %w = ov.constant #ov.weights<8, tensor<32x64xf32>> : tensor<32x64xf32>
  // CHECK-DAG: %[[C:.*]] = ov.constant dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights<8, tensor<32x64xf32>, [#ov.transpose<[1, 0]>]> : tensor<64x32xf32>
  // CHECK: return %arg0, %[[C]], %[[W]]
  %0 = ov.transpose %x, %same : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %1 = ov.transpose %c, %order : (tensor<2x3xi32>, tensor<0xi64>) -> tensor<3x2xi32>
  %2 = ov.transpose %w, %order : (tensor<32x64xf32>, tensor<0xi64>) -> tensor<64x32xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<3x2xi32>, tensor<64x32xf32>
}

// CHECK-LABEL: @concat
func.func @concat(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2x3xi64>) {
  %a = ov.constant dense<[[1], [2]]> : tensor<2x1xi64>
  %b = ov.constant dense<[[3, 4], [5, 6]]> : tensor<2x2xi64>
  // CHECK: %[[C:.*]] = ov.constant dense<{{\[}}[1, 3, 4], [2, 5, 6]]> : tensor<2x3xi64>
  // CHECK: return %arg0, %[[C]]
  %0 = ov.concat %x {axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = ov.concat %a, %b {axis = 1} : (tensor<2x1xi64>, tensor<2x2xi64>) -> tensor<2x3xi64>
  return %0, %1 : tensor<2xf32>, tensor<2x3xi64>
}

// CHECK-LABEL: @gather
func.func @gather() -> (tensor<2x2xi32>, tensor<2x1xi32>, tensor<i32>) {
  %one = ov.constant dense<1> : tensor<i64>
  %data = ov.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = ov.constant dense<[2, -3]> : tensor<2xi64>
  %j = ov.constant dense<[[1], [2]]> : tensor<2x1xi64>
  %far = ov.constant dense<9> : tensor<i64>
  %row = ov.constant dense<[7, 8]> : tensor<2xi32>
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK-DAG: %[[A:.*]] = ov.constant dense<{{\[}}[3, 1], [6, 4]]> : tensor<2x2xi32>
  // CHECK-DAG: %[[B:.*]] = ov.constant dense<{{\[}}[2], [6]]> : tensor<2x1xi32>
  // CHECK: %[[FAULT:.*]] = ov.gather
  // CHECK: return %[[A]], %[[B]], %[[FAULT]]
  %0 = ov.gather %data, %i, %one : (tensor<2x3xi32>, tensor<2xi64>, tensor<i64>) -> tensor<2x2xi32>
  %1 = ov.gather %data, %j, %one {batch_dims = 1} : (tensor<2x3xi32>, tensor<2x1xi64>, tensor<i64>) -> tensor<2x1xi32>
  %2 = ov.gather %row, %far, %zero : (tensor<2xi32>, tensor<i64>, tensor<i64>) -> tensor<i32>
  return %0, %1, %2 : tensor<2x2xi32>, tensor<2x1xi32>, tensor<i32>
}

// A tensor without elements is a constant, whatever gives it; what may fail stays.

// CHECK-LABEL: func.func @empty_is_constant
func.func @empty_is_constant(%x: tensor<0x3xf32>, %y: tensor<?xi32>) -> (tensor<0x3xf32>, tensor<0xi32>) {
  // CHECK-DAG: %[[F:.*]] = ov.constant dense<> : tensor<0x3xf32>
  // CHECK-DAG: %[[I:.*]] = ov.constant dense<> : tensor<0xi32>
  // CHECK-NOT: ov.exp
  // CHECK: ov.reshape
  // CHECK: return %[[F]], %[[I]]
  %0 = ov.exp %x : tensor<0x3xf32>
  %shape = ov.constant dense<0> : tensor<1xi64>
  %1 = ov.reshape %y, %shape {special_zero = false} : (tensor<?xi32>, tensor<1xi64>) -> tensor<0xi32>
  return %0, %1 : tensor<0x3xf32>, tensor<0xi32>
}
