// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<2x?xf32>, %i: tensor<4xui8>) {
  // CHECK: ov.floor %{{.*}} : tensor<4xui8>
  %0 = ov.floor %i : tensor<4xui8>
  // CHECK: ov.ceiling %{{.*}} : tensor<2x?xf32>
  %1 = ov.ceiling %x : tensor<2x?xf32>
  // CHECK: ov.sign
  %2 = ov.sign %x : tensor<2x?xf32>
  // CHECK: ov.log
  %3 = ov.log %x : tensor<2x?xf32>
  // CHECK: ov.sin
  %4 = ov.sin %x : tensor<2x?xf32>
  // CHECK: ov.cos
  %5 = ov.cos %x : tensor<2x?xf32>
  // CHECK: ov.erf
  %6 = ov.erf %x : tensor<2x?xf32>
  // CHECK: ov.softplus
  %7 = ov.softplus %x : tensor<2x?xf32>
  // CHECK: ov.hswish
  %8 = ov.hswish %x : tensor<2x?xf32>
  // CHECK: ov.hsigmoid
  %9 = ov.hsigmoid %x : tensor<2x?xf32>
  // CHECK: ov.round %{{.*}} : tensor<2x?xf32>
  %10 = ov.round %x : tensor<2x?xf32>
  // CHECK: ov.round %{{.*}} {mode = "half_away_from_zero"} : tensor<2x?xf32>
  %11 = ov.round %x {mode = "half_away_from_zero"} : tensor<2x?xf32>
  // CHECK: ov.elu %{{.*}} {alpha = 2.000000e+00 : f64} : tensor<2x?xf32>
  %12 = ov.elu %x {alpha = 2.0} : tensor<2x?xf32>
  // CHECK: ov.gelu %{{.*}} {approximation_mode = "tanh"} : tensor<2x?xf32>
  %13 = ov.gelu %x {approximation_mode = "tanh"} : tensor<2x?xf32>
  return
}

// CHECK-LABEL: @parametric
func.func @parametric(%x: tensor<2x?x4xf32>, %p: tensor<f32>, %q: tensor<1xf32>, %s: tensor<3xf32>) {
  // CHECK: ov.selu %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x?x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?x4xf32>
  %0 = ov.selu %x, %q, %q : (tensor<2x?x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x?x4xf32>
  // CHECK: ov.hard_sigmoid %{{.*}}, %{{.*}}, %{{.*}} :
  %1 = ov.hard_sigmoid %x, %p, %p : (tensor<2x?x4xf32>, tensor<f32>, tensor<f32>) -> tensor<2x?x4xf32>
  // CHECK: ov.swish %{{.*}} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %2 = ov.swish %x : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  // CHECK: ov.swish %{{.*}}, %{{.*}} :
  %3 = ov.swish %x, %p : (tensor<2x?x4xf32>, tensor<f32>) -> tensor<2x?x4xf32>
  // CHECK: ov.prelu %{{.*}}, %{{.*}} : (tensor<2x?x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %4 = ov.prelu %x, %s : (tensor<2x?x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  // CHECK: ov.prelu %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
  %5 = ov.prelu %4, %q : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%x: tensor<2x?xf32>, %y: tensor<3xf32>, %b: tensor<2xi1>) {
  // CHECK: ov.squared_difference %{{.*}}, %{{.*}} : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = ov.squared_difference %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.mod
  %1 = ov.mod %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.floor_mod %{{.*}}, %{{.*}} {auto_broadcast = "none"}
  %2 = ov.floor_mod %y, %y {auto_broadcast = "none"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: ov.logical_or
  %3 = ov.logical_or %b, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  // CHECK: ov.logical_xor
  %4 = ov.logical_xor %b, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<2x?x4xf32>, %i: tensor<3x2xi8>, %b: tensor<3x2xi1>) {
  %axis = ov.constant dense<-1> : tensor<i64>
  // CHECK: ov.reduce_mean %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x?x1xf32>
  %0 = ov.reduce_mean %x, %axis {keep_dims = true} : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x?x1xf32>
  // CHECK: ov.reduce_min %{{.*}} : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  %1 = ov.reduce_min %i, %axis : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  // CHECK: ov.reduce_prod
  %2 = ov.reduce_prod %i, %axis : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  // CHECK: ov.reduce_l1
  %3 = ov.reduce_l1 %i, %axis : (tensor<3x2xi8>, tensor<i64>) -> tensor<3xi8>
  // CHECK: ov.reduce_l2
  %4 = ov.reduce_l2 %x, %axis : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x?xf32>
  // CHECK: ov.reduce_logical_and
  %5 = ov.reduce_logical_and %b, %axis : (tensor<3x2xi1>, tensor<i64>) -> tensor<3xi1>
  // CHECK: ov.reduce_logical_or
  %6 = ov.reduce_logical_or %b, %axis : (tensor<3x2xi1>, tensor<i64>) -> tensor<3xi1>
  // CHECK: ov.log_softmax %{{.*}} {axis = -1 : i64} : tensor<2x?x4xf32>
  %7 = ov.log_softmax %x {axis = -1} : tensor<2x?x4xf32>
  return
}

// CHECK-LABEL: @scans
func.func @scans(%x: tensor<2x?x4xf32>, %k: tensor<1xi32>) {
  %axis = ov.constant dense<-1> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK: ov.cum_sum %{{.*}} {reverse = true} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %0 = ov.cum_sum %x {reverse = true} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  // CHECK: ov.cum_sum %{{.*}}, %{{.*}} {exclusive = true} :
  %1 = ov.cum_sum %x, %axis {exclusive = true} : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x?x4xf32>
  // CHECK: ov.topk %{{.*}}, %{{.*}} {axis = 1 : i64, index_element_type = i32, mode = "max", sort = "value"} :
  // CHECK-SAME: -> (tensor<2x3x4xf32>, tensor<2x3x4xi32>)
  %2, %3 = ov.topk %x, %three {axis = 1, mode = "max", sort = "value", index_element_type = i32}
    : (tensor<2x?x4xf32>, tensor<i64>) -> (tensor<2x3x4xf32>, tensor<2x3x4xi32>)
  // CHECK: ov.topk {{.*}}stable = true
  %4, %5 = ov.topk %x, %k {axis = -1, mode = "min", sort = "index", stable = true, index_element_type = i64}
    : (tensor<2x?x4xf32>, tensor<1xi32>) -> (tensor<2x?x?xf32>, tensor<2x?x?xi64>)
  // CHECK: ov.non_zero %{{.*}} {output_type = i32} : (tensor<2x?x4xf32>) -> tensor<3x?xi32>
  %6 = ov.non_zero %x {output_type = i32} : (tensor<2x?x4xf32>) -> tensor<3x?xi32>
  return
}
