// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-expand-math | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-expand-math{no-fma=true}))' | FileCheck %s --check-prefixes=CHECK,NOFMA

// The loop ends before its first iteration if no quotient is large.

// CHECK-LABEL: @rest_of_floats(
func.func @rest_of_floats(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: arith.remf
  // CHECK: %[[X:.*]] = llvm.freeze %arg0
  // CHECK: %[[A:.*]] = math.absf %[[X]]
  // CHECK: %[[Y:.*]] = llvm.freeze %arg1
  // CHECK: %[[D:.*]] = math.absf %[[Y]]
  // CHECK: %[[Q:.*]] = arith.divf %[[A]], %[[D]]
  // CHECK: scf.while (%{{.*}} = %[[A]], %{{.*}} = %[[Q]])
  // CHECK: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<8xi1> into i1
  // CHECK: scf.condition(%[[ANY]])
  // CHECK: scf.yield
  // CHECK: math.trunc
  // FMA: math.fma
  // NOFMA-NOT: math.fma
  // NOFMA: arith.mulf {{.*}} : vector<8xf64>
  // CHECK: arith.bitcast {{.*}} : vector<8xi32> to vector<8xf32>
  %0 = arith.remf %x, %y : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: @rest_of_doubles(
func.func @rest_of_doubles(%x: f64, %y: f64) -> f64 {
  // FMA: scf.while
  // FMA-NOT: arith.remf
  // NOFMA: arith.remf
  // CHECK: return
  %0 = arith.remf %x, %y : f64
  return %0 : f64
}

// CHECK-LABEL: @rows(
func.func @rows(%x: vector<2x4xi16>, %y: vector<2x4xi16>) -> vector<2x4xi16> {
  // CHECK: vector.extract %{{.*}}[0] : vector<4xi16> from vector<2x4xi16>
  // CHECK: arith.extui {{.*}} : vector<4xi16> to vector<4xi32>
  // CHECK: %[[Q:.*]] = arith.divf {{.*}} : vector<4xf32>
  // CHECK: math.trunc %[[Q]]
  // CHECK: arith.fptosi {{.*}} : vector<4xf32> to vector<4xi32>
  // CHECK: arith.trunci {{.*}} : vector<4xi32> to vector<4xi16>
  // CHECK: vector.insert {{.*}} [0] : vector<4xi16> into vector<2x4xi16>
  // CHECK: arith.divf {{.*}} : vector<4xf32>
  // CHECK: vector.insert {{.*}} [1] : vector<4xi16> into vector<2x4xi16>
  // CHECK-NOT: vector.shape_cast
  %0 = arith.remui %x, %y : vector<2x4xi16>
  return %0 : vector<2x4xi16>
}

// CHECK-LABEL: @integers(
func.func @integers(%x: vector<8xi32>, %y: vector<8xi32>) -> (vector<8xi32>, vector<8xi32>) {
  // CHECK: %[[Q:.*]] = arith.divf {{.*}} : vector<8xf64>
  // CHECK: arith.fptosi %[[Q]] : vector<8xf64> to vector<8xi32>
  %0 = arith.divsi %x, %y : vector<8xi32>
  // CHECK: arith.uitofp
  // CHECK: %[[R:.*]] = arith.divf {{.*}} : vector<8xf64>
  // CHECK: arith.fptoui %[[R]] : vector<8xf64> to vector<8xi32>
  %1 = arith.divui %x, %y : vector<8xi32>
  return %0, %1 : vector<8xi32>, vector<8xi32>
}

// Numbers that f64 may not hold are divided one by one.

// CHECK-LABEL: @long_integers(
func.func @long_integers(%x: vector<8xi64>, %y: vector<8xi64>) -> vector<8xi64> {
  // CHECK: %[[ANY:.*]] = vector.reduction <or>
  // CHECK: scf.if %[[ANY]]
  // CHECK: llvm.sdiv
  // CHECK: else
  // CHECK: %[[Q:.*]] = arith.divf {{.*}} : vector<8xf64>
  // CHECK: math.trunc %[[Q]]
  %0 = arith.divsi %x, %y : vector<8xi64>
  return %0 : vector<8xi64>
}

// Scalars have an instruction, and constants need none.

// CHECK-LABEL: @kept(
func.func @kept(%x: i32, %v: vector<8xi32>) -> (i32, vector<8xi32>) {
  // CHECK: arith.divsi {{.*}} : i32
  // CHECK: arith.remsi {{.*}} : vector<8xi32>
  %c = arith.constant dense<7> : vector<8xi32>
  %0 = arith.divsi %x, %x : i32
  %1 = arith.remsi %v, %c : vector<8xi32>
  return %0, %1 : i32, vector<8xi32>
}

// The two parts of 1/255.

// CHECK-LABEL: @integer_by_constant(
func.func @integer_by_constant(%x: vector<8xf32>) -> vector<8xf32> {
  %c = arith.constant dense<255.0> : vector<8xf32>
  // CHECK: %[[N:.*]] = math.roundeven %arg0
  // FMA: %[[LOW:.*]] = arith.mulf %[[N]], %{{.*}} : vector<8xf32>
  // FMA: math.fma %[[N]], %{{.*}}, %[[LOW]] : vector<8xf32>
  // NOFMA: arith.divf
  %0 = math.roundeven %x : vector<8xf32>
  %1 = arith.divf %0, %c : vector<8xf32>
  return %1 : vector<8xf32>
}

// CHECK-LABEL: @rounded_quotient(
func.func @rounded_quotient(%x: f32) -> f32 {
  %c = arith.constant 4.7 : f32
  %s = arith.constant 255.0 : f32
  // FMA-NOT: arith.divf
  // FMA: math.fma
  // NOFMA: arith.divf
  %0 = arith.divf %x, %c : f32
  %1 = arith.mulf %0, %s : f32
  %2 = math.roundeven %1 : f32
  return %2 : f32
}

// A tiny quotient would not be exact.

// CHECK-LABEL: @quotient(
func.func @quotient(%x: f32) -> f32 {
  %c = arith.constant 4.7 : f32
  // CHECK: arith.divf
  %0 = arith.divf %x, %c : f32
  return %0 : f32
}

// LLVM divides by a power of two.

// CHECK-LABEL: @power_of_two(
func.func @power_of_two(%x: f32) -> f32 {
  %c = arith.constant 4.0 : f32
  // CHECK: arith.divf
  %0 = arith.divf %x, %c : f32
  %1 = math.roundeven %0 : f32
  return %1 : f32
}
