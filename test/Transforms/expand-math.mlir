// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-expand-math | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-expand-math{no-fma=true}))' | FileCheck %s --check-prefixes=CHECK,NOFMA
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-expand-math{no-rounding=true no-f16c=true}))' | FileCheck %s --check-prefixes=CHECK,FMA,OLD
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-expand-math{scaling=true}))' | FileCheck %s --check-prefixes=CHECK,FMA,SCALE

// With an instruction for it, the multiplication by a power of two is one step.

// CHECK-LABEL: @exp(
func.func @exp(%x: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  // CHECK-NOT: math.exp
  // FMA: math.fma {{.*}} : f32
  // SCALE: llvm.call_intrinsic "llvm.ldexp"{{.*}} : (f32, i32) -> f32
  // FMA: math.fma {{.*}} : vector<8xf32>
  // SCALE: llvm.call_intrinsic "llvm.ldexp"{{.*}} : (vector<8xf32>, vector<8xi32>) -> vector<8xf32>
  // NOFMA-NOT: math.fma
  // NOFMA: arith.mulf
  %0 = math.exp %x : f32
  %1 = math.exp %v : vector<8xf32>
  // CHECK: return
  return %0, %1 : f32, vector<8xf32>
}

// An intrinsic takes no vectors of several dims.

// CHECK-LABEL: @exp_of_rows
// CHECK-NOT: llvm.ldexp
// CHECK: return
func.func @exp_of_rows(%v: vector<2x8xf32>) -> vector<2x8xf32> {
  %0 = math.exp %v : vector<2x8xf32>
  return %0 : vector<2x8xf32>
}

// A number that is never positive needs no upper bound, and a constant is enough to keep its power of two normal.

// CHECK-LABEL: @exp_of_negative
func.func @exp_of_negative(%x: vector<8xf32>, %y: f32) -> (vector<8xf32>, f32) {
  // CHECK: %[[A:.*]] = math.absf
  // CHECK: %[[N:.*]] = arith.negf %[[A]]
  // CHECK: arith.cmpf olt, %[[N]]
  // CHECK-NOT: arith.cmpf
  // CHECK: arith.shli
  %a = math.absf %x : vector<8xf32>
  %n = arith.negf %a : vector<8xf32>
  %0 = math.exp %n : vector<8xf32>
  %c = arith.constant -2.0 : f32
  %b = math.absf %y : f32
  %m = arith.mulf %b, %c : f32
  // CHECK: arith.cmpf olt
  // CHECK-NOT: arith.cmpf
  // CHECK-NOT: math.exp
  // CHECK: return
  %1 = math.expm1 %m : f32
  return %0, %1 : vector<8xf32>, f32
}

// CHECK-LABEL: @expm1
func.func @expm1(%x: f32, %v: vector<2xf64>) -> (f32, vector<2xf64>) {
  // CHECK: arith.cmpf olt, {{.*}} : f32
  // CHECK: arith.cmpf ogt, {{.*}} : f32
  // CHECK: arith.cmpf olt, {{.*}} : vector<2xf64>
  // CHECK: arith.cmpf ogt, {{.*}} : vector<2xf64>
  // CHECK-NOT: math.expm1
  // CHECK: return
  %0 = math.expm1 %x : f32
  %1 = math.expm1 %v : vector<2xf64>
  return %0, %1 : f32, vector<2xf64>
}

// LLVM would narrow a minimum of f32 numbers that were f16 to f16, and call fminf.

// CHECK-LABEL: @minimum_of_numbers
func.func @minimum_of_numbers(%x: f32, %y: f32, %v: vector<4xf16>, %w: vector<4xf16>, %d: f64, %e: f64)
    -> (f32, vector<4xf16>, f64) {
  // CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[X:.*]], %[[Y:.*]] : f32
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[Y]], %[[Y]] : f32
  // CHECK: %[[MIN:.*]] = arith.select %[[LESS]], %[[X]], %[[Y]] : f32
  // CHECK: arith.select %[[NAN]], %[[X]], %[[MIN]] : f32
  // CHECK-NOT: arith.maxnumf
  // CHECK: arith.minnumf %{{.*}} : f64
  %0 = arith.minnumf %x, %y : f32
  %1 = arith.maxnumf %v, %w : vector<4xf16>
  %2 = arith.minnumf %d, %e : f64
  return %0, %1, %2 : f32, vector<4xf16>, f64
}

// A fused multiply-add that the program asked for.

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

// CHECK-LABEL: @exp_of_double
func.func @exp_of_double(%x: vector<8xf64>) -> vector<8xf64> {
  // CHECK-NOT: math.exp
  // CHECK: arith.shli {{.*}} : vector<8xi64>
  // CHECK: arith.mulf {{.*}} : vector<8xf64>
  // CHECK: return
  %0 = math.exp %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// Other functions stay. So does an op that is an instruction.

// CHECK-LABEL: @left
func.func @left(%x: f64, %y: f32) -> (f64, f64, f32) {
  // CHECK-NEXT: math.log
  // CHECK-NEXT: math.tanh
  // CHECK-NEXT: math.sqrt
  // CHECK-NEXT: return
  %0 = math.log %x : f64
  %1 = math.tanh %x : f64
  %2 = math.sqrt %y : f32
  return %0, %1, %2 : f64, f64, f32
}

// Rounded once: f32 is rounded to odd first.

// CHECK-LABEL: @narrow_double
func.func @narrow_double(%x: f64) -> bf16 {
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.extf
  // CHECK: arith.cmpf one
  // CHECK-NOT: f64 to bf16
  // CHECK: return
  %0 = arith.truncf %x : f64 to bf16
  return %0 : bf16
}

// CHECK-LABEL: @half
func.func @half(%x: vector<4xf16>, %y: f32) -> (vector<4xf32>, f16) {
  // FMA-DAG: {{arith.extf|arith.extui}}
  // OLD-NOT: arith.extf
  // OLD-NOT: arith.truncf
  // OLD: arith.bitcast %{{.*}} : i16 to f16
  // CHECK: return
  %0 = arith.extf %x : vector<4xf16> to vector<4xf32>
  %1 = arith.truncf %y : f32 to f16
  return %0, %1 : vector<4xf32>, f16
}

// CHECK-LABEL: @rounding
func.func @rounding(%x: f32, %v: vector<4xf64>) -> (f32, f32, f32, f32, vector<4xf64>) {
  // OLD-NOT: math.{{floor|ceil|trunc|round}}
  // OLD: math.copysign
  // CHECK: return
  %0 = math.floor %x : f32
  %1 = math.ceil %x : f32
  %2 = math.trunc %x : f32
  %3 = math.round %x : f32
  %4 = math.roundeven %v : vector<4xf64>
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, vector<4xf64>
}

// An integer goes through a type that represents it exactly.
// CHECK-LABEL: @integers
func.func @integers(%x: vector<4xi1>, %y: i32) -> (vector<4xbf16>, f16) {
  // CHECK-DAG: arith.uitofp %{{.*}} : vector<4xi1> to vector<4xf32>
  // CHECK-DAG: arith.sitofp %{{.*}} : i32 to f64
  // CHECK-NOT: to bf16
  // CHECK: return
  %0 = arith.uitofp %x : vector<4xi1> to vector<4xbf16>
  %1 = arith.sitofp %y : i32 to f16
  return %0, %1 : vector<4xbf16>, f16
}
