// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-skip-empty-nests --cse | FileCheck %s

// A vector loop and its rest do nothing if the row is empty.
// CHECK-LABEL: @rows
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index, %[[K:.*]]: index, %{{.*}}: memref
func.func @rows(%n: index, %m: index, %k: index, %x: memref<?x?x?xf32>, %v: vector<8xf32>, %mask: vector<8xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK-DAG: %[[WHOLE:.*]] = affine.apply
  // CHECK-DAG: %[[FEW:.*]] = arith.cmpi sle, %[[WHOLE]], %c0 : index
  // CHECK-DAG: %[[REST:.*]] = arith.cmpi slt, %[[WHOLE]], %[[M]] : index
  // CHECK-DAG: %[[NO_REST:.*]] = arith.xori %[[REST]], %true
  // CHECK-DAG: %[[ROW:.*]] = arith.andi %[[FEW]], %[[NO_REST]] : i1
  // CHECK-DAG: %[[ROWS:.*]] = arith.cmpi sle, %[[K]], %c0 : index
  // CHECK-DAG: %[[IDLE:.*]] = arith.ori %[[ROW]], %[[ROWS]] : i1
  // CHECK: %[[END:.*]] = arith.select %[[IDLE]], %c0, %[[N]] : index
  // CHECK: scf.for %{{.*}} = %c0 to %[[END]]
  scf.for %i = %c0 to %n step %c1 {
    scf.for %l = %c0 to %k step %c1 {
      %whole = affine.apply affine_map<()[s0] -> ((s0 floordiv 8) * 8)>()[%m]
      scf.for %j = %c0 to %whole step %c8 {
        vector.store %v, %x[%i, %l, %j] : memref<?x?x?xf32>, vector<8xf32>
      }
      %rest = arith.cmpi slt, %whole, %m : index
      scf.if %rest {
        vector.maskedstore %x[%i, %l, %whole], %mask, %v : memref<?x?x?xf32>, vector<8xi1>, vector<8xf32>
      }
    }
  }
  return
}

// A sum over nothing is its initial value. The results of loops without an iteration are their initial values too.
// CHECK-LABEL: @sum
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index
func.func @sum(%n: index, %m: index, %x: memref<?x?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[IDLE:.*]] = arith.cmpi sle, %[[M]], %c0 : index
  // CHECK: %[[END:.*]] = arith.select %[[IDLE]], %c0, %[[N]] : index
  // CHECK: scf.for %{{.*}} = %c0 to %[[END]]
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> f32 {
    %row = scf.for %j = %c0 to %m step %c1 iter_args(%s = %before) -> f32 {
      %e = memref.load %x[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %e : f32
      scf.yield %t : f32
    }
    scf.yield %row : f32
  }
  return %sum : f32
}

// The sums of empty rows are stored. The inner loop of the second nest has other bounds in each iteration, a constant
// number of iterations always ends, and an iteration that counts itself changes what the loop carries.
// CHECK-LABEL: @stay
// CHECK-NOT: arith.select
func.func @stay(%n: index, %m: index, %x: memref<?x?xf32>, %y: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %row = scf.for %j = %c0 to %m step %c1 iter_args(%s = %zero) -> f32 {
      %e = memref.load %x[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %e : f32
      scf.yield %t : f32
    }
    memref.store %row, %y[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      memref.store %zero, %x[%i, %j] : memref<?x?xf32>
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      memref.store %zero, %x[%i, %j] : memref<?x?xf32>
    }
  }
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%before = %c0) -> index {
    scf.for %j = %c0 to %m step %c1 {
      memref.store %zero, %x[%i, %j] : memref<?x?xf32>
    }
    %next = arith.addi %before, %c1 : index
    scf.yield %next : index
  }
  return %count : index
}
