// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @sigmoid
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = math.absf
  // CHECK: %[[N:.*]] = arith.negf %[[A]]
  // CHECK: %[[E:.*]] = math.exp %[[N]] : f32
  // CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[E]], %cst
  // CHECK: %[[D:.*]] = arith.addf %[[E]], %cst
  // CHECK: arith.divf %[[S]], %[[D]]
  %0 = ov.sigmoid %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// No call: t / (t + 2) with t = e^-2|x| - 1.
// CHECK-LABEL: @tanh
func.func @tanh(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[X:.*]] = arith.extf
  // CHECK: %[[A:.*]] = math.absf %[[X]]
  // CHECK: %[[D:.*]] = arith.mulf %[[A]], %{{.*}} : f32
  // CHECK: %[[T:.*]] = math.expm1 %[[D]] : f32
  // CHECK: %[[S:.*]] = arith.addf %[[T]], %{{.*}} : f32
  // CHECK: %[[Q:.*]] = arith.divf %[[T]], %[[S]] : f32
  // CHECK: math.copysign %[[Q]], %[[X]]
  // CHECK-NOT: math.tanh
  // CHECK: arith.truncf
  %0 = ov.tanh %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @double
func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: math.expm1 %{{.*}} : f64
  // CHECK: math.exp %{{.*}} : f64
  // CHECK: math.powf %{{.*}} : f64
  %0 = ov.tanh %x : tensor<4xf64>
  %1 = ov.exp %0 : tensor<4xf64>
  %2 = ov.power %1, %1 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %2 : tensor<4xf64>
}

// CHECK-LABEL: @power
func.func @power(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.extf %{{.*}} : f32 to f64
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK-NOT: math.pow
  %0 = ov.power %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @power_of_fourths
func.func @power_of_fourths(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %above = ov.constant dense<1.25> : tensor<f32>
  %below = ov.constant dense<-0.75> : tensor<f32>
  // CHECK: math.sqrt
  // CHECK: %[[F:.*]] = math.sqrt
  // CHECK: %[[M:.*]] = math.absf
  // CHECK: arith.mulf %[[F]], %[[M]] : f32
  // CHECK: %[[R:.*]] = math.sqrt
  // CHECK: %[[T:.*]] = math.sqrt
  // CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %[[T]] : f32
  // CHECK: arith.divf %{{.*}}, %[[P]] : f32
  %0 = ov.power %x, %above : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ov.power %x, %below : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Softplus needs the logarithm between 1 and 2 only, for which f32 is enough.

// CHECK-LABEL: @softplus
func.func @softplus(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: f64
  // CHECK: math.exp
  // CHECK-COUNT-9: math.fma
  // CHECK-NOT: f64
  // CHECK: return
  %0 = ov.softplus %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @power_of_constant
func.func @power_of_constant(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = ov.constant dense<2.0> : tensor<f32>
  %three = ov.constant dense<3.0> : tensor<4xf32>
  %minus = ov.constant dense<-1.0> : tensor<1xf32>
  %half = ov.constant dense<0.5> : tensor<f32>
  // CHECK: %[[S:.*]] = arith.mulf %[[X:.*]], %[[X]] : f32
  // CHECK-NEXT: linalg.yield %[[S]]
  // CHECK: arith.mulf
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: linalg.yield
  // CHECK: %[[I:.*]] = arith.divf %cst
  // CHECK-NEXT: linalg.yield %[[I]]
  // CHECK: math.sqrt
  // CHECK-NOT: f64
  %0 = ov.power %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ov.power %x, %three : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ov.power %x, %minus : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %3 = ov.power %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
