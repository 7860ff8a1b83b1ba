// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @shapes
func.func @shapes(%x: tensor<2x?x1xf32>, %n: tensor<2xi64>) {
  %axes = ov.constant dense<[-1]> : tensor<1xi64>
  // CHECK: ov.shape_of %{{.*}} {output_type = i64} : (tensor<2x?x1xf32>) -> tensor<3xi64>
  %0 = ov.shape_of %x {output_type = i64} : (tensor<2x?x1xf32>) -> tensor<3xi64>
  // CHECK: ov.reshape %{{.*}}, %{{.*}} {special_zero = true} : (tensor<2x?x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = ov.reshape %x, %n {special_zero = true} : (tensor<2x?x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: ov.squeeze %{{.*}}, %{{.*}} : (tensor<2x?x1xf32>, tensor<1xi64>) -> tensor<2x?xf32>
  %2 = ov.squeeze %x, %axes : (tensor<2x?x1xf32>, tensor<1xi64>) -> tensor<2x?xf32>
  // CHECK: ov.unsqueeze %{{.*}}, %{{.*}} : (tensor<2x?x1xf32>, tensor<1xi64>) -> tensor<2x?x1x1xf32>
  %3 = ov.unsqueeze %x, %axes : (tensor<2x?x1xf32>, tensor<1xi64>) -> tensor<2x?x1x1xf32>
  return
}
