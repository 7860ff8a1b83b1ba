// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @sum
func.func @sum(%x: tensor<2x3x4xf16>) -> tensor<2x4xf16> {
  %axes = ov.constant dense<[1]> : tensor<1xi64>
  // CHECK: %[[FILL:.*]] = linalg.fill ins(%cst : f32) outs(%{{.*}} : tensor<2x4xf32>)
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]} ins(%{{.*}} : tensor<2x3x4xf16>) outs(%[[FILL]]
  // CHECK: arith.extf
  // CHECK: arith.addf
  // CHECK: arith.truncf
  %0 = ov.reduce_sum %x, %axes : (tensor<2x3x4xf16>, tensor<1xi64>) -> tensor<2x4xf16>
  return %0 : tensor<2x4xf16>
}

// CHECK-LABEL: func.func @max(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>
func.func @max(%x: tensor<?x3xf32>) -> tensor<?x1xf32> {
  %axes = ov.constant dense<-1> : tensor<i64>
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK: linalg.fill ins(%[[LEAST]] : f32)
  // CHECK: arith.maximumf
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [%[[N]], 1] : tensor<?xf32> into tensor<?x1xf32>
  %0 = ov.reduce_max %x, %axes {keep_dims = true} : (tensor<?x3xf32>, tensor<i64>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// CHECK-LABEL: @integers
func.func @integers(%x: tensor<3xi32>, %u: tensor<3xui8>) -> (tensor<i32>, tensor<ui8>) {
  %axes = ov.constant dense<0> : tensor<i64>
  // CHECK: linalg.fill ins(%c-2147483648_i32
  // CHECK: arith.maxsi
  // CHECK: linalg.fill ins(%c0_i8
  // CHECK: arith.maxui
  %0 = ov.reduce_max %x, %axes : (tensor<3xi32>, tensor<i64>) -> tensor<i32>
  %1 = ov.reduce_max %u, %axes : (tensor<3xui8>, tensor<i64>) -> tensor<ui8>
  return %0, %1 : tensor<i32>, tensor<ui8>
}

// CHECK-LABEL: @no_axes
func.func @no_axes(%x: tensor<3xf32>) -> tensor<3xf32> {
  %axes = ov.constant dense<> : tensor<0xi64>
  // CHECK-NEXT: return %arg0
  %0 = ov.reduce_sum %x, %axes {keep_dims = true} : (tensor<3xf32>, tensor<0xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<2x?xbf16>) -> tensor<2x?xbf16> {
  // CHECK: arith.maximumf
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x?xbf16>, tensor<2xf32>) outs(%{{.*}} : tensor<2x?xf32>)
  // CHECK: arith.subf
  // CHECK: math.exp
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: arith.addf
  // CHECK: arith.divf
  // CHECK: arith.truncf
  %0 = ov.softmax %x {axis = -1} : tensor<2x?xbf16>
  return %0 : tensor<2x?xbf16>
}
