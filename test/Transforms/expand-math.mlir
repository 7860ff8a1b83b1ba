// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-expand-math | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-expand-math{no-fma=true}))' | FileCheck %s --check-prefixes=CHECK,NOFMA

// CHECK-LABEL: @exp
func.func @exp(%x: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  // CHECK-NOT: math.exp
  // FMA: math.fma {{.*}} : f32
  // FMA: math.fma {{.*}} : vector<8xf32>
  // NOFMA-NOT: math.fma
  // NOFMA: arith.mulf
  %0 = math.exp %x : f32
  %1 = math.exp %v : vector<8xf32>
  // CHECK: return
  return %0, %1 : f32, vector<8xf32>
}

// A product and a sum that the program asked for in one.

// CHECK-LABEL: @fma
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %{{.*}}: vector<4xf64>)
func.func @fma(%a: f32, %b: f32, %c: f32, %v: vector<4xf64>) -> (f32, vector<4xf64>) {
  // FMA: math.fma %[[A]], %[[B]], %[[C]]
  // NOFMA-NOT: math.fma
  // NOFMA: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
  // NOFMA: arith.addf %[[P]], %[[C]] : f32
  // NOFMA: arith.mulf {{.*}} : vector<4xf64>
  // NOFMA: arith.addf {{.*}} : vector<4xf64>
  // NOFMA-NOT: math.fma
  // CHECK: return
  %0 = math.fma %a, %b, %c : f32
  %1 = math.fma %v, %v, %v : vector<4xf64>
  return %0, %1 : f32, vector<4xf64>
}

// f64 is left to libm; what is an instruction stays.

// CHECK-LABEL: @left
func.func @left(%x: f64, %y: f32) -> (f64, f64, f32) {
  // CHECK-NEXT: math.exp
  // CHECK-NEXT: math.tanh
  // CHECK-NEXT: math.sqrt
  // CHECK-NEXT: return
  %0 = math.exp %x : f64
  %1 = math.tanh %x : f64
  %2 = math.sqrt %y : f32
  return %0, %1, %2 : f64, f64, f32
}
