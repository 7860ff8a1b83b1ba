// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @convert
func.func @convert(%u: tensor<4xui8>) {
  // CHECK: ov.convert %{{.*}} : tensor<4xui8> to tensor<4xf32>
  %0 = ov.convert %u : tensor<4xui8> to tensor<4xf32>
  return
}

// CHECK-LABEL: @convert_like
func.func @convert_like(%x: tensor<2x?xf32>, %y: tensor<3xui8>) {
  // CHECK: ov.convert_like %{{.*}}, %{{.*}} : (tensor<2x?xf32>, tensor<3xui8>) -> tensor<2x?xui8>
  %0 = ov.convert_like %x, %y : (tensor<2x?xf32>, tensor<3xui8>) -> tensor<2x?xui8>
  return
}
