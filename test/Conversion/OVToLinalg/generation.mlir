// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

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
