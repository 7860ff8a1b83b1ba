// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d1, 0)>

// Each element is written once: slabs of the value, and the data between them.
// CHECK-LABEL: func.func @constant(
func.func @constant(%x: tensor<3x4xf32>) -> tensor<4x6xf32> {
  %begin = ov.constant dense<[1, 0]> : tensor<2xi64>
  %end = ov.constant dense<[0, 2]> : tensor<2xi64>
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4x6xf32>
  // CHECK: %[[ROW:.*]] = linalg.fill {{.*}} -> tensor<1x6xf32>
  // CHECK: %[[A:.*]] = tensor.insert_slice %[[ROW]] into %[[E]][0, 0] [1, 6] [1, 1]
  // CHECK: %[[COLUMNS:.*]] = linalg.fill {{.*}} -> tensor<3x2xf32>
  // CHECK: %[[B:.*]] = tensor.insert_slice %[[COLUMNS]] into %[[A]][1, 4] [3, 2] [1, 1]
  // CHECK: tensor.insert_slice %arg0 into %[[B]][1, 0] [3, 4] [1, 1]
  %0 = ov.pad %x, %begin, %end {pad_mode = "constant"} : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Dims behind the last padded one are copied together.
// CHECK-LABEL: func.func @reflect(
func.func @reflect(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %pads = ov.constant dense<[2, 0]> : tensor<2xi64>
  // CHECK: rt.check %{{.*}}, shape, "pads {0} and {1} do not fit a dim of {2}"
  // CHECK: scf.for
  // CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [1, 64] [1, 1]
  // CHECK-NOT: scf.for
  %0 = ov.pad %x, %pads, %pads {pad_mode = "reflect"} : (tensor<?x64xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x64xf32>
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

// CHECK-LABEL: func.func @range(
func.func @range(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<?xf32> {
  // CHECK: rt.check %{{.*}}, shape, "the operands of a range are none"
  // CHECK: %[[N:.*]] = arith.index_cast {{.*}} : i64 to index
  // CHECK: tensor.empty(%[[N]])
  // CHECK: linalg.generic
  // CHECK: linalg.index 0
  %0 = ov.range %a, %b, %c {output_type = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @one_hot(
func.func @one_hot(%i: tensor<4xi64>, %on: tensor<f32>, %off: tensor<f32>) -> tensor<4x3xf32> {
  %depth = ov.constant dense<3> : tensor<i64>
  // CHECK: linalg.index 1
  // CHECK: arith.cmpi eq
  // CHECK: arith.select
  %0 = ov.one_hot %i, %depth, %on, %off {axis = 1} : (tensor<4xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// The lengths are checked before anything is moved.
// CHECK-LABEL: func.func @reverse_sequence(
func.func @reverse_sequence(%x: tensor<2x5x8xf32>, %n: tensor<2xi32>) -> tensor<2x5x8xf32> {
  // CHECK: scf.for
  // CHECK: rt.check %{{.*}}, index, "sequence {0} has length {1}, but there are {2} elements"
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NOT: rt.check
  // CHECK: tensor.insert_slice
  %0 = ov.reverse_sequence %x, %n : (tensor<2x5x8xf32>, tensor<2xi32>) -> tensor<2x5x8xf32>
  return %0 : tensor<2x5x8xf32>
}
