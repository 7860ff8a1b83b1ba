// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @gather_elements(
func.func @gather_elements(%x: tensor<4x3xf32>, %i: tensor<4x2xi64>) -> tensor<4x2xf32> {
  // CHECK: scf.for %[[P:.*]] = %c0 to %c4
  // CHECK: scf.for %[[Q:.*]] = %c0 to %c2
  // CHECK: tensor.extract %arg1[%[[P]], %[[Q]]]
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, index, "index {0} is out of range for {1} elements"
  // CHECK: tensor.extract %arg0[%[[P]], %[[G]]]
  %0 = ov.gather_elements %x, %i {axis = 1} : (tensor<4x3xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @gather_nd(
func.func @gather_nd(%x: tensor<2x3x5xf32>, %i: tensor<2x4x1xi64>) -> tensor<2x4x5xf32> {
  // CHECK: scf.for %[[P:.*]] = %c0 to %c2
  // CHECK: scf.for %[[Q:.*]] = %c0 to %c4
  // CHECK: %[[G:.*]] = rt.check %{{.*}}, index
  // CHECK: tensor.extract_slice %arg0[%[[P]], %[[G]], 0] [1, 1, 5] [1, 1, 1]
  %0 = ov.gather_nd %x, %i {batch_dims = 1} : (tensor<2x3x5xf32>, tensor<2x4x1xi64>) -> tensor<2x4x5xf32>
  return %0 : tensor<2x4x5xf32>
}
