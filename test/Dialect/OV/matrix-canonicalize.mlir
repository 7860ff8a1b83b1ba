// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// A constant first matrix moves to the right, where it is packed, if the second one has few columns.

// CHECK-LABEL: @column
// CHECK-SAME: (%[[X:.*]]: tensor<2x64x1xf32>)
// CHECK-DAG: %[[W:.*]] = ov.constant #ov.weights
// CHECK-DAG: %[[ORDER:.*]] = ov.constant dense<[0, 2, 1]>
// CHECK: %[[ROW:.*]] = ov.transpose %[[X]], %[[ORDER]] : {{.*}} -> tensor<2x1x64xf32>
// CHECK: %[[PRODUCT:.*]] = ov.matmul %[[ROW]], %[[W]] {transpose_b = true} : {{.*}} -> tensor<2x1x32xf32>
// CHECK: ov.transpose %[[PRODUCT]], %[[ORDER]] : {{.*}} -> tensor<2x32x1xf32>
func.func @column(%x: tensor<2x64x1xf32>) -> tensor<2x32x1xf32> {
  %w = ov.constant #ov.weights<8, tensor<32x64xf32>> : tensor<32x64xf32>
  %0 = ov.matmul %w, %x : (tensor<32x64xf32>, tensor<2x64x1xf32>) -> tensor<2x32x1xf32>
  return %0 : tensor<2x32x1xf32>
}

// If it is transposed, no transposition remains, for any number of columns.

// CHECK-LABEL: @transposed
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>)
// CHECK-NOT: ov.transpose
// CHECK: ov.matmul %[[X]], %{{.*}} : (tensor<?x64xf32>, tensor<64x32xf32>) -> tensor<?x32xf32>
// CHECK-NEXT: return
func.func @transposed(%x: tensor<?x64xf32>) -> tensor<?x32xf32> {
  %w = ov.constant #ov.weights<8, tensor<64x32xf32>> : tensor<64x32xf32>
  %order = ov.constant dense<[1, 0]> : tensor<2xi64>
  %t = ov.transpose %x, %order : (tensor<?x64xf32>, tensor<2xi64>) -> tensor<64x?xf32>
  %0 = ov.matmul %w, %t {transpose_a = true} : (tensor<64x32xf32>, tensor<64x?xf32>) -> tensor<32x?xf32>
  %1 = ov.transpose %0, %order : (tensor<32x?xf32>, tensor<2xi64>) -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}

// Whole vectors of columns, and dims that may clash, stay.

// CHECK-LABEL: @stays
// CHECK: ov.matmul %{{.*}}, %arg0 : (tensor<32x64xf32>, tensor<64x16xf32>)
// CHECK: ov.matmul %{{.*}}, %arg1 : (tensor<32x64xf32>, tensor<?x1xf32>)
func.func @stays(%x: tensor<64x16xf32>, %y: tensor<?x1xf32>) -> (tensor<32x16xf32>, tensor<32x1xf32>) {
  %w = ov.constant #ov.weights<8, tensor<32x64xf32>> : tensor<32x64xf32>
  %0 = ov.matmul %w, %x : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  %1 = ov.matmul %w, %y : (tensor<32x64xf32>, tensor<?x1xf32>) -> tensor<32x1xf32>
  return %0, %1 : tensor<32x16xf32>, tensor<32x1xf32>
}
