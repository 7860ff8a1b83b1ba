// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-forward-copies | FileCheck %s

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

// An output defined after the allocation is moved above it, with the computation of its dims.

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

// Not if the dims come from an op with effects, here a check, which would have to move too.

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

// Not if the old contents are still read, if something else is written there while the buffer is in use, if the type
// differs, or if the buffer is not an allocation.

// CHECK-LABEL: @refused
func.func @refused(%x: f32, %b: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-COUNT-4: memref.copy
  %out = rt.output 0 () : memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  %0 = memref.load %out[%c0] : memref<4xf32>
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  %out3 = rt.output 3 () : memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  memref.store %x, %c[%c0] : memref<4xf32>
  memref.copy %c, %out3 : memref<4xf32> to memref<4xf32>
  memref.store %x, %out3[%c1] : memref<4xf32>
  %1 = memref.load %c[%c1] : memref<4xf32>
  %static = memref.alloc() : memref<4xf32>
  %c4 = arith.constant 4 : index
  %cast = memref.cast %static : memref<4xf32> to memref<?xf32>
  %out1 = rt.output 1 (%c4) : memref<?xf32>
  memref.copy %cast, %out1 : memref<?xf32> to memref<?xf32>
  %out2 = rt.output 2 () : memref<4xf32>
  memref.copy %b, %out2 : memref<4xf32> to memref<4xf32>
  return
}

// Two outputs have the same contents: one is computed in place, and the other is copied from it.

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
  memref.store %x, %a[%c0] : memref<4xf32>
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  return
}

// In a loop: the next state, whose slot is not the one that is read, and a part of a concatenation of inner loops.
// Views of the buffer become views of the destination. The state that is read is not overwritten.

// CHECK-LABEL: @in_loop
// CHECK-SAME: (%[[X:.*]]: f32, %[[N:.*]]: index)
func.func @in_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %out = rt.output 0 () : memref<9x2x4xf32>
  %state = memref.alloc() : memref<2x4xf32>
  // CHECK: scf.for %[[T:.*]] =
  scf.for %t = %c0 to %n step %c1 {
    // CHECK-DAG: %[[CURRENT:.*]] = arith.andi %[[T]]
    // CHECK-DAG: %[[OTHER:.*]] = arith.xori %[[CURRENT]]
    // CHECK-DAG: %[[NEXT:.*]] = memref.subview %{{.*}}[%[[OTHER]], 0] [1, 4] [1, 1]
    // CHECK-DAG: %[[NOW:.*]] = memref.subview %{{.*}}[%[[CURRENT]], 0] [1, 4] [1, 1]
    // CHECK: scf.for
    // CHECK: memref.load %[[NOW]]
    // CHECK: memref.store %{{.*}}, %[[NEXT]]
    // CHECK: %{{.*}} = memref.subview %{{.*}}[%[[T]], 0, 0] [1, 2, 4] [1, 1, 1] : memref<9x2x4xf32> to memref<2x4xf32
    // CHECK: scf.for %[[I:.*]] =
    // CHECK: %[[ROW:.*]] = memref.subview %{{.*}}[%[[I]], 0] [1, 4] [1, 1]
    // CHECK: memref.store %[[X]], %[[ROW]]
    // CHECK-NOT: memref.copy
    // CHECK: memref.alloc
    // CHECK: memref.load %[[NOW]]
    // CHECK: memref.copy %{{.*}}, %[[NOW]]
    %current = arith.andi %t, %c1 : index
    %other = arith.xori %current, %c1 : index
    %now = memref.subview %state[%current, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %next = memref.subview %state[%other, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %a = memref.alloc() : memref<4xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %0 = memref.load %now[%i] : memref<4xf32, strided<[1], offset: ?>>
      memref.store %0, %a[%i] : memref<4xf32>
    }
    memref.copy %a, %next : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<1x2x4xf32>
    %rows = memref.collapse_shape %b [[0, 1], [2]] : memref<1x2x4xf32> into memref<2x4xf32>
    scf.for %i = %c0 to %c1 step %c1 {
      %row = memref.subview %rows[%i, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      memref.store %x, %row[%i] : memref<4xf32, strided<[1], offset: ?>>
    }
    %part = memref.subview %out[%t, 0, 0] [1, 2, 4] [1, 1, 1] : memref<9x2x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %rows, %part : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
    %c = memref.alloc() : memref<4xf32>
    memref.store %x, %c[%c0] : memref<4xf32>
    %1 = memref.load %now[%c1] : memref<4xf32, strided<[1], offset: ?>>
    memref.copy %c, %now : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  }
  return
}

// A buffer that leaves the block, or is passed to a call, stays.

// CHECK-LABEL: @passed_on
func.func private @other(memref<4xf32>)
func.func @passed_on(%x: f32, %c: i1) {
  // CHECK-COUNT-2: memref.copy
  %c0 = arith.constant 0 : index
  %out = rt.output 0 () : memref<4xf32>
  %out1 = rt.output 1 () : memref<4xf32>
  %other = memref.alloc() : memref<4xf32>
  %0 = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
    memref.copy %a, %out : memref<4xf32> to memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %other : memref<4xf32>
  }
  memref.store %x, %0[%c0] : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  func.call @other(%b) : (memref<4xf32>) -> ()
  memref.copy %b, %out1 : memref<4xf32> to memref<4xf32>
  return
}

// Through a cast: the output may have fewer static dims than the buffer.

// CHECK-LABEL: @cast
// CHECK-SAME: (%[[X:.*]]: f32, %[[N:.*]]: index)
func.func @cast(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[OUT:.*]] = rt.output 0(%[[N]]) : memref<?xf32>
  // CHECK: %[[CAST:.*]] = memref.cast %[[OUT]] : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  // CHECK: memref.store %[[X]], %[[CAST]]
  // CHECK-NOT: memref.copy
  %out = rt.output 0 (%n) : memref<?xf32>
  %a = memref.alloc() : memref<4xf32>
  %b = memref.cast %a : memref<4xf32> to memref<?xf32, strided<[?], offset: ?>>
  memref.store %x, %b[%c0] : memref<?xf32, strided<[?], offset: ?>>
  memref.copy %a, %out : memref<4xf32> to memref<?xf32>
  return
}

// -----

// A destination with dynamic dims has no view with static dims.

// CHECK-LABEL: @unknown_dims
func.func @unknown_dims(%target: memref<?x1xf32>, %other: memref<5x1x1xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc
  // CHECK: memref.expand_shape %[[A]]
  // CHECK: memref.copy %[[A]], %{{.*}} : memref<5x1xf32> to memref<?x1xf32>
  %c = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<5x1xf32>
  linalg.fill ins(%c : f32) outs(%a : memref<5x1xf32>)
  %e = memref.expand_shape %a [[0], [1, 2]] output_shape [5, 1, 1] : memref<5x1xf32> into memref<5x1x1xf32>
  linalg.copy ins(%e : memref<5x1x1xf32>) outs(%other : memref<5x1x1xf32>)
  memref.copy %a, %target : memref<5x1xf32> to memref<?x1xf32>
  return
}

// -----

// The part of %out has a stride that only the call tells. A cast keeps it, and so does a choice between two buffers.

// CHECK-LABEL: @stride_of_a_part
func.func @stride_of_a_part(%n: index, %i: index, %isLast: i1, %x: i32) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[OUT:.*]] = rt.output 0
  // CHECK: %[[PART:.*]] = memref.subview %[[OUT]]{{.*}} to memref<2x1x3xi32, strided<[?, 3, 1], offset: ?>>
  // CHECK: %[[CAST:.*]] = memref.cast %[[PART]]
  // CHECK: %[[OTHER:.*]] = memref.cast {{.*}} to memref<2x1x3xi32, strided<[?, 3, 1], offset: ?>>
  // CHECK: %[[CHOICE:.*]] = arith.select %{{.*}}, %[[CAST]], %[[OTHER]] : memref<2x1x3xi32, strided<[?, 3, 1], offset: ?>>
  // CHECK: memref.store %{{.*}}, %[[CHOICE]]
  // CHECK-NOT: memref.copy
  %out = rt.output 0 (%n) : memref<2x?x3xi32>
  %part = memref.subview %out[0, %i, 0] [2, 1, 3] [1, 1, 1] : memref<2x?x3xi32> to memref<2x1x3xi32, strided<[?, 3, 1], offset: ?>>
  %a = memref.alloc() : memref<2x1x3xi32>
  %b = memref.cast %a : memref<2x1x3xi32> to memref<2x1x3xi32, strided<[3, 3, 1], offset: ?>>
  %scratch = memref.alloc() : memref<2x1x3xi32>
  %other = memref.cast %scratch : memref<2x1x3xi32> to memref<2x1x3xi32, strided<[3, 3, 1], offset: ?>>
  %choice = arith.select %isLast, %b, %other : memref<2x1x3xi32, strided<[3, 3, 1], offset: ?>>
  memref.store %x, %choice[%c0, %c0, %c0] : memref<2x1x3xi32, strided<[3, 3, 1], offset: ?>>
  memref.copy %a, %part : memref<2x1x3xi32> to memref<2x1x3xi32, strided<[?, 3, 1], offset: ?>>
  return
}
