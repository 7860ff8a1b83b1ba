// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @logical
func.func @logical(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK-COUNT-2: arith.cmpi ne, %{{.*}}, %c0_i8 : i8
  // CHECK: arith.andi %{{.*}}, %{{.*}} : i1
  // CHECK: arith.cmpi eq, %{{.*}}, %c0_i8 : i8
  %0 = ov.logical_and %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = ov.logical_not %0 : tensor<4xi1>
  return %1 : tensor<4xi1>
}

// CHECK-LABEL: @logical_or
func.func @logical_or(%b: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  // CHECK: arith.ori
  %0 = ov.logical_or %b, %b {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK: arith.xori
  %1 = ov.logical_xor %0, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}
