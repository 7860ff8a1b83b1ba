// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --rt-outline-layers="most-ops=12 part-ops=4" | FileCheck %s

// Loops become functions in sequences. Constants and views are made again; scalars and outputs are arguments.

// CHECK-LABEL: func.func @recur_model_compute(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr, %[[X:.*]]: f32)
// CHECK: %[[OUT:.*]] = rt.output 0
// CHECK-NEXT: call @rt_layers_0(%[[FRAME]], %[[X]], %[[OUT]]) : (!llvm.ptr, f32, memref<8xf32>) -> ()
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT: call @rt_layers_1(%[[FRAME]], %[[OUT]], %[[Y]]) : (!llvm.ptr, memref<8xf32>, f32) -> ()
// CHECK-NEXT: return
// CHECK: func.func private @rt_layers_0(%{{.*}}: !llvm.ptr, %[[A:.*]]: f32, %[[O:.*]]: memref<8xf32>)
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: scf.for
// CHECK: memref.store %[[A]], %[[O]]
// CHECK: return
// CHECK: func.func private @rt_layers_1
// CHECK: %[[LOADED:.*]] = memref.load
// CHECK: %[[SUM:.*]] = arith.addf %[[LOADED]]
// CHECK: memref.store %[[SUM]]
// CHECK: scf.for
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %out = rt.output 0 () : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %x, %out[%i] : memref<8xf32>
    memref.store %x, %out[%c0] : memref<8xf32>
  }
  %y = arith.addf %x, %x : f32
  %loaded = memref.load %out[%c0] : memref<8xf32>
  %sum = arith.addf %loaded, %y : f32
  memref.store %sum, %out[%c1] : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %y, %out[%i] : memref<8xf32>
  }
  return
}

// -----

// A function with a check returns a status, and values that are used behind it. Its caller ends with that status.

// CHECK-LABEL: func.func @recur_model_compute(
// CHECK: call @rt_layers_0
// CHECK-NEXT: %[[RESULTS:.*]]:2 = call @rt_layers_1(%{{.*}}) : (!llvm.ptr, memref<8xf32>, i1, f32) -> (i32, f32)
// CHECK-NEXT: %[[STATUS:.*]] = arith.extui %[[RESULTS]]#0 : i32 to i64
// CHECK-NEXT: %[[NONE:.*]] = arith.constant 0 : i64
// CHECK-NEXT: %[[OK:.*]] = arith.cmpi eq, %[[STATUS]], %[[NONE]] : i64
// CHECK-NEXT: rt.check %[[OK]], recorded, ""(%[[STATUS]])
// CHECK-NEXT: call @rt_layers_2(%{{.*}}, %[[RESULTS]]#1,
// CHECK: func.func private @rt_layers_1({{.*}}) -> (i32, f32)
// CHECK: %[[KEPT:.*]] = memref.load
// CHECK: rt.check %{{.*}}, overflow, "too large"
// CHECK: %[[DONE:.*]] = arith.constant 0 : i32
// CHECK-NEXT: return %[[DONE]], %[[KEPT]] : i32, f32
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %out = rt.output 0 () : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %x, %out[%i] : memref<8xf32>
    memref.store %x, %out[%c0] : memref<8xf32>
  }
  %kept = memref.load %out[%c0] : memref<8xf32>
  rt.check %c, overflow, "too large"
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %x, %out[%i] : memref<8xf32>
    memref.store %x, %out[%c0] : memref<8xf32>
  }
  memref.store %kept, %out[%c1] : memref<8xf32>
  return
}

// -----

// A short block stays as it is.

// CHECK-LABEL: func.func @recur_model_compute(
// CHECK: scf.for
// CHECK-NOT: call
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %out = rt.output 0 () : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %x, %out[%i] : memref<8xf32>
    memref.store %x, %out[%c0] : memref<8xf32>
  }
  return
}

// -----

// A function may return a vector, which the next ones take as an argument, but no mask.

// CHECK-LABEL: func.func @recur_model_compute(
// CHECK: %[[ROW:.*]] = call @rt_layers_0({{.*}}) -> vector<4xf32>
// CHECK-NEXT: call @rt_layers_1(%{{.*}}, %[[ROW]]) : (!llvm.ptr, memref<4xi1>, memref<4xf32>, vector<4xf32>) -> ()
// CHECK-NEXT: return
// CHECK: func.func private @rt_layers_0
// CHECK: %[[LOADED:.*]] = vector.load
// CHECK: return %[[LOADED]] : vector<4xf32>
// CHECK: func.func private @rt_layers_1
// CHECK: vector.load {{.*}} vector<4xi1>
// CHECK-COUNT-2: vector.maskedstore
func.func @recur_model_compute(%frame: !llvm.ptr, %x: memref<4xf32>, %y: memref<4xf32>, %masks: memref<4xi1>) {
  %c0 = arith.constant 0 : index
  %row = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %row, %y[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %row, %y[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %row, %y[%c0] : memref<4xf32>, vector<4xf32>
  %mask = vector.load %masks[%c0] : memref<4xi1>, vector<4xi1>
  vector.maskedstore %y[%c0], %mask, %row : memref<4xf32>, vector<4xi1>, vector<4xf32>
  vector.store %row, %y[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %row, %y[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %row, %y[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %row, %y[%c0] : memref<4xf32>, vector<4xf32>
  vector.maskedstore %y[%c0], %mask, %row : memref<4xf32>, vector<4xi1>, vector<4xf32>
  return
}
