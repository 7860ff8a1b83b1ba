// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-forward-outputs | FileCheck %s

// CHECK-LABEL: @forward
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @forward(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[OUT:.*]] = rt.output 0() : memref<4xf32>
  // CHECK-NOT: memref.alloc
  // CHECK: memref.store %[[X]], %[[OUT]]
  // CHECK-NOT: memref.copy
  %out = rt.output 0 () : memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  return
}

// An output that stands below the allocation is moved above it, with what its dims are computed from.

// CHECK-LABEL: @move
// CHECK-SAME: (%[[X:.*]]: f32, %[[N:.*]]: index)
func.func @move(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[M:.*]] = arith.addi %[[N]], %[[N]]
  // CHECK: %[[OUT:.*]] = rt.output 0(%[[M]]) : memref<?xf32>
  // CHECK: memref.store %[[X]], %[[OUT]]
  // CHECK-NOT: memref.copy
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %a[%c0] : memref<?xf32>
  %m = arith.addi %n, %n : index
  %out = rt.output 0 (%m) : memref<?xf32>
  memref.copy %a, %out : memref<?xf32> to memref<?xf32>
  return
}

// Not where the dims come from an op with effects, here a check, that would have to move too.

// CHECK-LABEL: @effects
func.func @effects(%x: f32, %n: index, %ok: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: memref.alloc
  // CHECK: rt.check
  // CHECK: rt.output
  // CHECK: memref.copy
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %a[%c0] : memref<?xf32>
  %m = rt.check %ok, shape, "no" guards(%n : index)
  %out = rt.output 0 (%m) : memref<?xf32>
  memref.copy %a, %out : memref<?xf32> to memref<?xf32>
  return
}

// Not where the output is used otherwise, where it is of another type, or where the buffer is no allocation.

// CHECK-LABEL: @refused
func.func @refused(%x: f32, %b: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK-COUNT-3: memref.copy
  %out = rt.output 0 () : memref<4xf32>
  memref.store %x, %out[%c0] : memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  %static = memref.alloc() : memref<4xf32>
  %c4 = arith.constant 4 : index
  %cast = memref.cast %static : memref<4xf32> to memref<?xf32>
  %out1 = rt.output 1 (%c4) : memref<?xf32>
  memref.copy %cast, %out1 : memref<?xf32> to memref<?xf32>
  %out2 = rt.output 2 () : memref<4xf32>
  memref.copy %b, %out2 : memref<4xf32> to memref<4xf32>
  return
}

// Of two outputs with the same contents one is computed in place, the other copied from it.

// CHECK-LABEL: @twice
func.func @twice(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[OUT0:.*]] = rt.output 0()
  // CHECK: %[[OUT1:.*]] = rt.output 1()
  // CHECK: memref.store %{{.*}}, %[[OUT0]]
  // CHECK: memref.copy %[[OUT0]], %[[OUT1]]
  // CHECK-NOT: memref.copy
  %out0 = rt.output 0 () : memref<4xf32>
  %out1 = rt.output 1 () : memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  memref.copy %a, %out0 : memref<4xf32> to memref<4xf32>
  memref.copy %a, %out1 : memref<4xf32> to memref<4xf32>
  return
}

// A buffer that changes after it was copied is not the output.

// CHECK-LABEL: @changed_later
func.func @changed_later(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: memref.alloc
  // CHECK: memref.copy
  %out = rt.output 0 () : memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  return
}
