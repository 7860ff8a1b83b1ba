// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// An unused op stays if it may fail, and is removed if it cannot.

// CHECK-LABEL: @shapes
func.func @shapes(%x: tensor<?x4xf32>, %n: tensor<2xi64>) {
  %halves = ov.constant dense<[-1, 2]> : tensor<2xi64>
  %eights = ov.constant dense<[-1, 8]> : tensor<2xi64>
  %copy = ov.constant dense<[0, 2, 2]> : tensor<3xi64>
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.reshape %arg0, %{{.*}} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x8xf32>
  // CHECK-NEXT: ov.reshape %arg0, %arg1
  // CHECK-NEXT: ov.squeeze %arg0
  // CHECK-NEXT: return
  %0 = ov.reshape %x, %eights : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x8xf32>
  %1 = ov.reshape %x, %n : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = ov.reshape %x, %halves : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  %3 = ov.reshape %x, %copy {special_zero = true} : (tensor<?x4xf32>, tensor<3xi64>) -> tensor<?x2x2xf32>
  %4 = ov.squeeze %x, %zero : (tensor<?x4xf32>, tensor<i64>) -> tensor<4xf32>
  return
}
