// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d1, 0)>

// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[S:.*]]: tensor<1xf32>)
func.func @broadcast(%x: tensor<3xf32>, %s: tensor<1xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>, tensor<4xf32>) {
  %n0 = ov.constant dense<[2, 3]> : tensor<2xi64>
  %n1 = ov.constant dense<[3, 2]> : tensor<2xi64>
  %n2 = ov.constant dense<[4]> : tensor<1xi64>
  %axis = ov.constant dense<[0]> : tensor<1xi64>
  // CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<3xf32>) outs(%{{.*}} : tensor<2x3xf32>)
  // CHECK: tensor.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [3, 1]
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x2xf32>)
  // CHECK: %[[E:.*]] = tensor.extract %[[S]][%c0]
  // CHECK: linalg.fill ins(%[[E]] : f32) outs(%{{.*}} : tensor<4xf32>)
  %0 = ov.broadcast %x, %n0 : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = ov.broadcast %x, %n1, %axis {mode = #ov.broadcast_mode<explicit>} : (tensor<3xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<3x2xf32>
  %2 = ov.broadcast %s, %n2 : (tensor<1xf32>, tensor<1xi64>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<3x2xf32>, tensor<4xf32>
}

// CHECK-LABEL: @broadcast_run_time
func.func @broadcast_run_time(%x: tensor<3xf32>, %n: tensor<2xi64>) -> tensor<?x3xf32> {
  // CHECK: rt.check %{{.*}}, shape, "target dim {0} is {1}"
  // CHECK: rt.check %{{.*}}, shape, "data of dim {0} does not broadcast to {1}"
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x3xf32>)
  %0 = ov.broadcast %x, %n : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// Each element is written once: blocks of the pad value, and the data between them.
// CHECK-LABEL: func.func @pad_constant(
func.func @pad_constant(%x: tensor<3x4xf32>) -> tensor<4x6xf32> {
  %begin = ov.constant dense<[1, 0]> : tensor<2xi64>
  %end = ov.constant dense<[0, 2]> : tensor<2xi64>
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4x6xf32>
  // CHECK: %[[ROW:.*]] = linalg.fill {{.*}} -> tensor<1x6xf32>
  // CHECK: %[[A:.*]] = tensor.insert_slice %[[ROW]] into %[[E]][0, 0] [1, 6] [1, 1]
  // CHECK: %[[COLUMNS:.*]] = linalg.fill {{.*}} -> tensor<3x2xf32>
  // CHECK: %[[B:.*]] = tensor.insert_slice %[[COLUMNS]] into %[[A]][1, 4] [3, 2] [1, 1]
  // CHECK: tensor.insert_slice %arg0 into %[[B]][1, 0] [3, 4] [1, 1]
  %0 = ov.pad %x, %begin, %end {pad_mode = #ov.pad_mode<constant>} : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Dims after the last padded one are copied together.
// CHECK-LABEL: func.func @pad_reflect(
func.func @pad_reflect(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %pads = ov.constant dense<[2, 0]> : tensor<2xi64>
  // CHECK: rt.check %{{.*}}, shape, "pads {0} and {1} do not fit a dim of {2}"
  // CHECK: scf.for
  // CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [1, 64] [1, 1]
  // CHECK-NOT: scf.for
  %0 = ov.pad %x, %pads, %pads {pad_mode = #ov.pad_mode<reflect>} : (tensor<?x64xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// The repeats are a loop of their own.
// CHECK-LABEL: func.func @tile(
func.func @tile(%x: tensor<?x1xf32>) -> tensor<?x3xf32> {
  %repeats = ov.constant dense<[2, 3]> : tensor<2xi64>
  // CHECK-NOT: rt.check
  // CHECK: linalg.generic {indexing_maps = [#[[READ]]
  // CHECK: } -> tensor<2x?x3xf32>
  // CHECK: tensor.collapse_shape {{.*}} {{\[\[}}0, 1], [2]]
  %0 = ov.tile %x, %repeats : (tensor<?x1xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
