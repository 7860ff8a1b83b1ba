// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-split-accumulators{vector-bits=256},cse))' \
// RUN:   --split-input-file | FileCheck %s
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-split-accumulators{vector-bits=512}))' \
// RUN:   --split-input-file | FileCheck %s --check-prefix=TURNS
// RUN: ir-opt %s --rt-split-accumulators --split-input-file | FileCheck %s --check-prefix=OFF

// OFF-NOT: arith.addf

// Two registers: four steps at once. The sum of the first and the third comes first, as in the kernels.

// CHECK-LABEL: @two_registers
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
func.func @two_registers(%a: memref<64xf32>, %w: memref<64x16xf32>, %start: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %x = memref.load %a[%k] : memref<64xf32>
    %v = vector.broadcast %x : f32 to vector<16xf32>
    %row = vector.load %w[%k, %c0] : memref<64x16xf32>, vector<16xf32>
    %next = math.fma %v, %row, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  } {some.mark}
  return %sum : vector<16xf32>
}

// -----

// Eight registers are enough; four steps do not divide 62; a sum that is read on the way, a store, an unknown length,
// and a kernel stay.

// CHECK-LABEL: @left
// CHECK-NOT: arith.addf
// CHECK: return
func.func @left(%v: vector<16xf32>, %start: vector<16xf32>, %wide: vector<64xf32>, %m: memref<64x16xf32>, %n: index)
    -> (vector<64xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c62 = arith.constant 62 : index
  %c64 = arith.constant 64 : index
  %0 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %wide) -> (vector<64xf32>) {
    %next = math.fma %wide, %wide, %s : vector<64xf32>
    scf.yield %next : vector<64xf32>
  }
  %1 = scf.for %k = %c0 to %c62 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %next = math.fma %v, %v, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %next = math.fma %v, %s, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %3 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    vector.store %v, %m[%k, %c0] : memref<64x16xf32>, vector<16xf32>
    %next = math.fma %v, %v, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %4 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
    %next = math.fma %v, %v, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  return %0, %1, %2, %3, %4 : vector<64xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
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

// -----

// A tile of a row that reads packed blocks by turns keeps the order of sums of a tile of four blocks. Six blocks are
// not read by turns, because two would be left over.

// TURNS-LABEL: @by_turns
// TURNS-NOT: arith.addf
// TURNS: return
// TURNS-LABEL: @six
// TURNS-COUNT-2: arith.addf
func.func @by_turns(%a: memref<128xf32>, %w: memref<8x128x32xf32>, %start: vector<32xf32>)
    -> (vector<32xf32>, vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %sums:2 = scf.for %k = %c0 to %c128 step %c1 iter_args(%s = %start, %t = %start) -> (vector<32xf32>, vector<32xf32>) {
    %x = memref.load %a[%k] : memref<128xf32>
    %v = vector.broadcast %x : f32 to vector<32xf32>
    %row = vector.load %w[%c0, %k, %c0] : memref<8x128x32xf32>, vector<32xf32>
    %other = vector.load %w[%c1, %k, %c0] : memref<8x128x32xf32>, vector<32xf32>
    %next = math.fma %v, %row, %s : vector<32xf32>
    %last = math.fma %v, %other, %t : vector<32xf32>
    scf.yield %next, %last : vector<32xf32>, vector<32xf32>
  }
  return %sums#0, %sums#1 : vector<32xf32>, vector<32xf32>
}

func.func @six(%a: memref<128xf32>, %w: memref<6x128x32xf32>, %start: vector<32xf32>)
    -> (vector<32xf32>, vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %sums:2 = scf.for %k = %c0 to %c128 step %c1 iter_args(%s = %start, %t = %start) -> (vector<32xf32>, vector<32xf32>) {
    %x = memref.load %a[%k] : memref<128xf32>
    %v = vector.broadcast %x : f32 to vector<32xf32>
    %row = vector.load %w[%c0, %k, %c0] : memref<6x128x32xf32>, vector<32xf32>
    %other = vector.load %w[%c1, %k, %c0] : memref<6x128x32xf32>, vector<32xf32>
    %next = math.fma %v, %row, %s : vector<32xf32>
    %last = math.fma %v, %other, %t : vector<32xf32>
    scf.yield %next, %last : vector<32xf32>, vector<32xf32>
  }
  return %sums#0, %sums#1 : vector<32xf32>, vector<32xf32>
}
