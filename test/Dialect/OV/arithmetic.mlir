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
  // CHECK: ov.tanh %{{.*}} : tensor<2x?xf32>
  %7 = ov.tanh %x : tensor<2x?xf32>
  // CHECK: ov.sqrt
  %8 = ov.sqrt %x : tensor<2x?xf32>
  // CHECK: ov.abs
  %9 = ov.abs %x : tensor<2x?xf32>
  // CHECK: ov.negative
  %10 = ov.negative %x : tensor<2x?xf32>
  // CHECK: ov.tan
  %f0 = ov.tan %x : tensor<2x?xf32>
  // CHECK: ov.asin
  %f1 = ov.asin %x : tensor<2x?xf32>
  // CHECK: ov.acos
  %f2 = ov.acos %x : tensor<2x?xf32>
  // CHECK: ov.atan
  %f3 = ov.atan %x : tensor<2x?xf32>
  // CHECK: ov.sinh
  %f4 = ov.sinh %x : tensor<2x?xf32>
  // CHECK: ov.cosh
  %f5 = ov.cosh %x : tensor<2x?xf32>
  // CHECK: ov.asinh
  %f6 = ov.asinh %x : tensor<2x?xf32>
  // CHECK: ov.acosh
  %f7 = ov.acosh %x : tensor<2x?xf32>
  // CHECK: ov.atanh
  %f8 = ov.atanh %x : tensor<2x?xf32>
  // CHECK: ov.round %{{.*}} : tensor<2x?xf32>
  %11 = ov.round %x : tensor<2x?xf32>
  // CHECK: ov.round %{{.*}} {mode = #ov.round_mode<half_away_from_zero>} : tensor<2x?xf32>
  %12 = ov.round %x {mode = #ov.round_mode<half_away_from_zero>} : tensor<2x?xf32>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%x: tensor<2x?xf32>, %y: tensor<3xf32>) {
  // CHECK: ov.add %{{.*}}, %{{.*}} : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = ov.add %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.subtract %{{.*}}, %{{.*}} {auto_broadcast = #ov.auto_broadcast<none>}
  %1 = ov.subtract %0, %0 {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.divide %{{.*}}, %{{.*}} {m_pythondiv = false}
  %2 = ov.divide %1, %y {m_pythondiv = false} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.multiply
  %3 = ov.multiply %2, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.maximum
  %4 = ov.maximum %2, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.minimum
  %5 = ov.minimum %2, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.power
  %6 = ov.power %2, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.squared_difference %{{.*}}, %{{.*}} : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %7 = ov.squared_difference %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.mod
  %8 = ov.mod %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ov.floor_mod %{{.*}}, %{{.*}} {auto_broadcast = #ov.auto_broadcast<none>}
  %9 = ov.floor_mod %y, %y {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @cum_sum
func.func @cum_sum(%x: tensor<2x?x4xf32>, %a: tensor<1xi32>) {
  %axis = ov.constant dense<-1> : tensor<i64>
  // CHECK: ov.cum_sum %{{.*}} {reverse = true} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %0 = ov.cum_sum %x {reverse = true} : (tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  // CHECK: ov.cum_sum %{{.*}}, %{{.*}} {exclusive = true} :
  %1 = ov.cum_sum %x, %axis {exclusive = true} : (tensor<2x?x4xf32>, tensor<i64>) -> tensor<2x?x4xf32>
  // CHECK: ov.cum_sum %arg0, %arg1 : (tensor<2x?x4xf32>, tensor<1xi32>) -> tensor<2x?x4xf32>
  %2 = ov.cum_sum %x, %a : (tensor<2x?x4xf32>, tensor<1xi32>) -> tensor<2x?x4xf32>
  return
}
