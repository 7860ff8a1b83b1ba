// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-profile-layers --split-input-file --verify-diagnostics | FileCheck %s

// The rows: a copy, a time loop, a loop nest of two layers in it, and code that writes a result. The size of the second
// loop belongs to it, and the address of a constant, which other layers may read too, to none.

// CHECK: rt.profile = [
// CHECK-SAME: ["Copy_1 (model.xml:3)", -1],
// CHECK-SAME: ["Loop_2 (model.xml:5)", -1],
// CHECK-SAME: ["Add_3 (model.xml:7), Relu_4 (model.xml:8)", 1],
// CHECK-SAME: ["Store_5 (model.xml:9)", -1]]
// CHECK: func.func private @rt_profile_mark(i64, i64)

// CHECK-LABEL: func.func @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // CHECK: %[[START:.*]] = arith.constant -1 : i64
  // CHECK: call @rt_profile_mark(%[[START]], %{{.*}})
  %ok = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %a = rt.input 0 : memref<4xf32>
  %b = rt.output 0() : memref<4xf32>
  // CHECK: memref.copy
  // CHECK-NEXT: %[[ROW0:.*]] = arith.constant 0 : i64
  // CHECK-NEXT: %[[ONCE0:.*]] = arith.constant 1 : i64
  // CHECK-NEXT: call @rt_profile_mark(%[[ROW0]], %[[ONCE0]])
  %w = rt.weights at 0 of(#ov.weights<0, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
    loc("Constant_6"("models/model.xml":2:1))
  memref.copy %a, %b : memref<4xf32> to memref<4xf32> loc("Copy_1"("models/model.xml":3:1))
  // CHECK: scf.for
  // CHECK-NEXT: rt.iteration
  // CHECK-NEXT: %[[ROW1:.*]] = arith.constant 1 : i64
  // CHECK-NEXT: %[[ONCE1:.*]] = arith.constant 1 : i64
  // CHECK-NEXT: call @rt_profile_mark(%[[ROW1]], %[[ONCE1]])
  scf.for %t = %c0 to %c4 step %c1 {
    rt.iteration %t
    // CHECK: %[[END:.*]] = arith.addi
    // CHECK-NEXT: scf.for
    %end = arith.addi %c1, %c1 : index loc("Add_3"("models/model.xml":7:1))
    scf.for %i = %c0 to %end step %c1 {
      // CHECK-NOT: rt_profile_mark
      %x = memref.load %b[%i] : memref<4xf32> loc("Add_3"("models/model.xml":7:1))
      %y = arith.maximumf %x, %zero : f32 loc("Relu_4"("models/model.xml":8:1))
      memref.store %y, %b[%i] : memref<4xf32> loc("Relu_4"("models/model.xml":8:1))
    }
    // CHECK: }
    // CHECK-NEXT: %[[ROW2:.*]] = arith.constant 2 : i64
    // CHECK-NEXT: %[[ONCE2:.*]] = arith.constant 1 : i64
    // CHECK-NEXT: call @rt_profile_mark(%[[ROW2]], %[[ONCE2]])
    // CHECK-NEXT: }
  } loc("Loop_2"("models/model.xml":5:1))
  // What is left of the loop is no iteration.
  // CHECK-NEXT: %[[ROW1:.*]] = arith.constant 1 : i64
  // CHECK-NEXT: %[[NONE:.*]] = arith.constant 0 : i64
  // CHECK-NEXT: call @rt_profile_mark(%[[ROW1]], %[[NONE]])
  memref.store %zero, %b[%c0] : memref<4xf32> loc("Store_5"("models/model.xml":9:1))
  // CHECK: memref.store
  // CHECK-NEXT: %[[ROW3:.*]] = arith.constant 3 : i64
  // CHECK-NEXT: %[[ONCE3:.*]] = arith.constant 1 : i64
  // CHECK-NEXT: call @rt_profile_mark(%[[ROW3]], %[[ONCE3]])
  // CHECK-NEXT: return
  return %ok : i32
}

// -----

// A model without work has a row too.

// CHECK: rt.profile = [
// CHECK-SAME: ["other code", -1]]
// CHECK-LABEL: func.func @recur_model_compute
// CHECK-COUNT-2: call @rt_profile_mark
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// expected-error@+1 {{expected a function 'recur_model_compute' of one block}}
module {
}
