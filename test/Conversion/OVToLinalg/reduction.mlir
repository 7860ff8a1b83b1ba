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

// CHECK-LABEL: @mean
func.func @mean(%x: tensor<2x?xf16>) -> tensor<2x1xf16> {
  %axis = ov.constant dense<1> : tensor<i64>
  // CHECK: %[[N:.*]] = tensor.dim
  // CHECK: %[[I:.*]] = arith.index_cast %[[N]]
  // CHECK: %[[F:.*]] = arith.sitofp %[[I]] : i64 to f32
  // CHECK: linalg.fill {{.*}} -> tensor<2xf32>
  // CHECK: linalg.generic {{.*}}["parallel", "reduction"]
  // CHECK: arith.addf
  // CHECK: linalg.generic
  // CHECK: arith.divf %{{.*}}, %[[F]]
  // CHECK: arith.truncf
  // CHECK: tensor.expand_shape {{.*}} into tensor<2x1xf16>
  %0 = ov.reduce_mean %x, %axis {keep_dims = true} : (tensor<2x?xf16>, tensor<i64>) -> tensor<2x1xf16>
  return %0 : tensor<2x1xf16>
}

// The sum of bytes does not fit a byte.
// CHECK-LABEL: @mean_of_integers
func.func @mean_of_integers(%x: tensor<4x3xui8>) -> tensor<3xui8> {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: linalg.fill {{.*}} -> tensor<3xi64>
  // CHECK: arith.extui %{{.*}} : i8 to i64
  // CHECK: arith.addi
  // CHECK: arith.divui
  // CHECK: arith.trunci %{{.*}} : i64 to i8
  %0 = ov.reduce_mean %x, %axis : (tensor<4x3xui8>, tensor<i64>) -> tensor<3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: @numbers
func.func @numbers(%x: tensor<4x3xi32>, %f: tensor<4x3xf32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) {
  %axis = ov.constant dense<-1> : tensor<i64>
  // CHECK-DAG: %[[MAX:.*]] = arith.constant 2147483647 : i32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: linalg.fill ins(%[[MAX]]
  // CHECK: arith.minsi
  %0 = ov.reduce_min %x, %axis : (tensor<4x3xi32>, tensor<i64>) -> tensor<4xi32>
  // CHECK: linalg.fill ins(%[[ONE]]
  // CHECK: arith.muli
  %1 = ov.reduce_prod %x, %axis : (tensor<4x3xi32>, tensor<i64>) -> tensor<4xi32>
  // CHECK: arith.cmpi slt
  // CHECK: arith.addi
  %2 = ov.reduce_l1 %x, %axis : (tensor<4x3xi32>, tensor<i64>) -> tensor<4xi32>
  // CHECK: %[[S:.*]] = arith.mulf %[[X:.*]], %[[X]]
  // CHECK: arith.addf %{{.*}}, %[[S]]
  // CHECK: math.sqrt
  %3 = ov.reduce_l2 %f, %axis : (tensor<4x3xf32>, tensor<i64>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>
}

// Accumulators of booleans are bytes, as in memory.
// CHECK-LABEL: @booleans
func.func @booleans(%x: tensor<?x3xi1>) -> (tensor<?xi1>, tensor<?xi1>) {
  %axis = ov.constant dense<1> : tensor<i64>
  // CHECK: linalg.fill {{.*}} -> tensor<?xi8>
  // CHECK: arith.cmpi ne
  // CHECK: arith.extui
  // CHECK: arith.andi %{{.*}} : i8
  %0 = ov.reduce_logical_and %x, %axis : (tensor<?x3xi1>, tensor<i64>) -> tensor<?xi1>
  // CHECK: arith.ori %{{.*}} : i8
  %1 = ov.reduce_logical_or %x, %axis : (tensor<?x3xi1>, tensor<i64>) -> tensor<?xi1>
  return %0, %1 : tensor<?xi1>, tensor<?xi1>
}

// Without axes nothing is reduced.
// CHECK-LABEL: @nothing
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %axes = ov.constant dense<> : tensor<0xi64>
  %0 = ov.reduce_mean %x, %axes : (tensor<4xf32>, tensor<0xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
