// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-keep-time-loops | FileCheck %s

// CHECK-DAG: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[RUNTIME:.*]] = #llvm.loop_unroll<runtimeDisable = true>
// CHECK-DAG: #[[LOOP:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// CHECK-DAG: #[[ONE:.*]] = #llvm.loop_interleave<count = 1 : i32>
// CHECK-DAG: #[[INNER:.*]] = #llvm.loop_annotation<interleave = #[[ONE]], unroll = #[[RUNTIME]]>
// CHECK-DAG: #[[NEVER:.*]] = #llvm.loop_vectorize<disable = true>
// CHECK-DAG: #[[REST:.*]] = #llvm.loop_annotation<vectorize = #[[NEVER]], unroll = #[[UNROLL]]>

// CHECK-LABEL: @loops
func.func @loops(%n: index, %m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %cst = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    rt.iteration %i
    // A loop over elements may be unrolled.
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %cst, %m[%j] : memref<8xf32>
    // CHECK: memref.store
    // CHECK-NEXT: {{^ *}$}}
    }
    // CHECK-NEXT: } {llvm.loop_annotation = #[[LOOP]]}
  }
  %r = scf.while (%i = %c0) : (index) -> index {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    rt.iteration %i
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
    // CHECK: scf.yield
    // CHECK-NEXT: } attributes {llvm.loop_annotation = #[[LOOP]]}
  }
  return
}

// So does the loop over the iterations of a strip.

// CHECK-LABEL: @strips
// CHECK: memref.store
// CHECK-NEXT: } {llvm.loop_annotation = #[[LOOP]]}
func.func @strips(%n: index, %m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %cst = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    rt.iteration %i
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %cst, %m[%j] : memref<8xf32>
    } {rt.steps}
  }
  return
}

// Loops around a loop of unknown trip count stay loops, even if their own is known. The inner loop is not unrolled.
// CHECK-LABEL: @around
func.func @around(%n: index, %m: memref<2x3x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %cst = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      scf.for %k = %c0 to %n step %c1 {
        memref.store %cst, %m[%i, %j, %k] : memref<2x3x?xf32>
        // CHECK: memref.store
        // CHECK-NEXT: } {llvm.loop_annotation = #[[INNER]]}
      }
      // CHECK-NEXT: } {llvm.loop_annotation = #[[LOOP]]}
    }
    // CHECK-NEXT: } {llvm.loop_annotation = #[[LOOP]]}
  }
  return
}

// A loop over the last elements of a row has at most 15 iterations, which LLVM does not see.
// CHECK-LABEL: @rest_of_affine
func.func @rest_of_affine(%n: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.0 : f32
  %rest = affine.apply affine_map<()[s0] -> (s0 mod 16)>()[%n]
  scf.for %i = %c0 to %rest step %c1 {
    memref.store %cst, %m[%i] : memref<?xf32>
    // CHECK: memref.store
    // CHECK-NEXT: } {llvm.loop_annotation = #[[REST]]}
  }
  %more = affine.apply affine_map<()[s0] -> (s0 mod 17)>()[%n]
  scf.for %i = %c0 to %more step %c1 {
    memref.store %cst, %m[%i] : memref<?xf32>
    // CHECK: memref.store
    // CHECK-NEXT: } {llvm.loop_annotation = #[[INNER]]}
  }
  return
}

// CHECK-LABEL: @rest_of_arithmetic
func.func @rest_of_arithmetic(%n: index, %m: memref<?xf32>, %isLong: i1) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %cst = arith.constant 0.0 : f32
  %rest = arith.remui %n, %c16 : index
  %whole = arith.subi %n, %rest : index
  %start = arith.select %isLong, %n, %whole : index
  scf.for %i = %start to %n step %c1 {
    memref.store %cst, %m[%i] : memref<?xf32>
    // CHECK: memref.store
    // CHECK-NEXT: } {llvm.loop_annotation = #[[REST]]}
  }
  %more = arith.remui %n, %c32 : index
  %less = arith.subi %n, %more : index
  scf.for %i = %less to %n step %c1 {
    memref.store %cst, %m[%i] : memref<?xf32>
    // CHECK: memref.store
    // CHECK-NEXT: } {llvm.loop_annotation = #[[INNER]]}
  }
  return
}

// CHECK-LABEL: @branches
llvm.func @branches(%c: i1) {
  llvm.br ^bb1
^bb1:
  // CHECK: llvm.br ^bb{{.*}} {loop_annotation = #[[LOOP]]}
  llvm.cond_br %c, ^bb2, ^bb3
^bb2:
  llvm.br ^bb1 {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
^bb3:
  // CHECK: llvm.cond_br {{.*}} {loop_annotation = #[[LOOP]]}
  llvm.cond_br %c, ^bb3, ^bb4 {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
^bb4:
  llvm.return
}
