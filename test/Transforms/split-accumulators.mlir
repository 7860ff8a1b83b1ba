// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-split-accumulators,cse))' --split-input-file | FileCheck %s

// Four steps at once. The sum of the first and the third comes first, as in the kernels.

// CHECK-LABEL: @four_steps
// CHECK-SAME: %[[START:[a-z0-9]+]]: vector<16xf32>
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[S:.*]]:4 = scf.for %[[K:[^ ]*]] = %{{.*}} step %[[C4]]
// CHECK-SAME: iter_args(%[[A:.*]] = %[[START]], %[[B:.*]] = %[[ZEROS]], %[[C:.*]] = %[[ZEROS]], %[[D:.*]] = %[[ZEROS]])
// CHECK: memref.load %{{.*}}[%[[K]]]
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[A]]
// CHECK: %[[L:.*]] = arith.addi %[[K]]
// CHECK: memref.load %{{.*}}[%[[L]]]
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[B]]
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[C]]
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[D]]
// CHECK: {some.mark}
// CHECK: %[[E:.*]] = arith.addf %[[S]]#0, %[[S]]#2
// CHECK: %[[F:.*]] = arith.addf %[[S]]#1, %[[S]]#3
// CHECK: %[[SUM:.*]] = arith.addf %[[E]], %[[F]]
// CHECK: return %[[SUM]]
func.func @four_steps(%a: memref<64xf32>, %w: memref<64x16xf32>, %start: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %x = memref.load %a[%k] : memref<64xf32>
    %v = vector.broadcast %x : f32 to vector<16xf32>
    %row = vector.load %w[%k, %c0] : memref<64x16xf32>, vector<16xf32>
    %next = math.fma %v, %row, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  } {rt.accumulators = 4 : i64, some.mark}
  return %sum : vector<16xf32>
}

// -----

// Two steps do not divide 63. The last step comes after the addition. A length that only the call tells leaves any rest.

// CHECK-LABEL: @rest
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C62:.*]] = arith.constant 62 : index
// CHECK-DAG: %[[C63:.*]] = arith.constant 63 : index
// CHECK: %[[S:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[C62]] step %[[C2]]
// CHECK: %[[SUM:.*]] = arith.addf %[[S]]#0, %[[S]]#1
// CHECK: %[[A:.*]] = scf.for %{{.*}} = %[[C62]] to %[[C63]] step %{{.*}} iter_args(%{{.*}} = %[[SUM]])
// CHECK: %[[REST:.*]] = arith.remui %[[N]], %[[C2]]
// CHECK: %[[WHOLE:.*]] = arith.subi %[[N]], %[[REST]]
// CHECK: %[[T:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[WHOLE]] step %[[C2]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[T]]#0, %[[T]]#1
// CHECK: %[[B:.*]] = scf.for %{{.*}} = %[[WHOLE]] to %[[N]] step %{{.*}} iter_args(%{{.*}} = %[[NEXT]])
// CHECK: return %[[A]], %[[B]]
func.func @rest(%v: vector<16xf32>, %start: vector<16xf32>, %n: index) -> (vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %0 = scf.for %k = %c0 to %c63 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %next = math.fma %v, %v, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  } {rt.accumulators = 2 : i64}
  %1 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %next = math.fma %v, %v, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  } {rt.accumulators = 2 : i64}
  return %0, %1 : vector<16xf32>, vector<16xf32>
}

// -----

// A loop without the mark, a sum that is read on the way, a store, and a kernel stay. No mark is left.

// CHECK-LABEL: @left
// CHECK-NOT: arith.addf
// CHECK-NOT: rt.accumulators
// CHECK: return
func.func @left(%v: vector<16xf32>, %start: vector<16xf32>, %m: memref<64x16xf32>)
    -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %0 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %next = math.fma %v, %v, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %1 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %next = math.fma %v, %s, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  } {rt.accumulators = 2 : i64}
  %2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    vector.store %v, %m[%k, %c0] : memref<64x16xf32>, vector<16xf32>
    %next = math.fma %v, %v, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  } {rt.accumulators = 2 : i64}
  return %0, %1, %2 : vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// CHECK-LABEL: @kernel
// CHECK-NOT: arith.addf
// CHECK: return
func.func private @kernel(%v: vector<16xf32>, %start: vector<16xf32>) -> vector<16xf32> attributes {rt.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %0 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %next = math.fma %v, %v, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  return %0 : vector<16xf32>
}
