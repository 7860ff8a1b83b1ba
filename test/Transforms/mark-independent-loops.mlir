// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-mark-independent-loops="gang-work=1" | FileCheck %s
// RUN: ir-opt %s --rt-mark-independent-loops="gang-work=8192" | FileCheck %s --check-prefix=LARGE
// RUN: ir-opt %s --rt-mark-independent-loops="gang-work=8192" | FileCheck %s --check-prefix=LINES
// RUN: ir-opt %s --rt-mark-independent-loops="gang-work=1" \
// RUN:   --remarks-filter=rt-mark-independent-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Missed] not-independent | Category:rt-mark-independent-loops | Reason="expected iterations that do not read or write what others write, for several threads"

// CHECK-LABEL: @rows
// LARGE-LABEL: @rows
func.func @rows() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %x = rt.input 0 : memref<64x64xf32>
  %y = rt.output 0 () : memref<64x64xf32>
  // Only the outer one of two loops is marked. If each thread must get more work, none is.
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: }
  // CHECK-NEXT: } {rt.independent}
  // LARGE-NOT: rt.independent
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c16 step %c4 {
      %v = vector.load %x[%i, %j] : memref<64x64xf32>, vector<4xf32>
      %r = math.exp %v : vector<4xf32>
      vector.store %r, %y[%i, %j] : memref<64x64xf32>, vector<4xf32>
    }
  }
  return
}

// The accesses of a buffer of so many dims are not compared.

// CHECK-LABEL: @many_dims
// CHECK-NOT: rt.independent
// CHECK: return
// LARGE-LABEL: @many_dims
func.func @many_dims() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %y = rt.output 0 () : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x64xf32>
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    %j = arith.addi %i, %c0 : index
    memref.store %v, %y[%j, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0] : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x64xf32>
  }
  return
}

// One index for dims that an access joins, as upstream writes an access of a view. The vectors go on in the next row.

// CHECK-LABEL: @joined_dims
// LARGE-LABEL: @joined_dims
func.func @joined_dims() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 390624 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  %y = rt.output 0 () : memref<5x5x5x5x5x5x5x1x5x1xf32>
  %z = rt.output 1 () : memref<5x5x5x5x5x5x5x1x5x1xf32>
  // CHECK: } {rt.independent}
  // LARGE: } {rt.independent}
  scf.for %i = %c0 to %n step %c8 {
    %k:8 = affine.delinearize_index %i into (5, 5, 5, 5, 5, 5, 5, 5) : index, index, index, index, index, index, index, index
    vector.store %v, %y[%k#0, %k#1, %k#2, %k#3, %k#4, %k#5, %k#6, %c0, %k#7, %c0] : memref<5x5x5x5x5x5x5x1x5x1xf32>, vector<8xf32>
  }
  // CHECK-NOT: rt.independent
  // LARGE-NOT: rt.independent
  // CHECK: return
  // LARGE: return
  scf.for %i = %c0 to %n step %c4 {
    %k:8 = affine.delinearize_index %i into (5, 5, 5, 5, 5, 5, 5, 5) : index, index, index, index, index, index, index, index
    vector.store %v, %z[%k#0, %k#1, %k#2, %k#3, %k#4, %k#5, %k#6, %c0, %k#7, %c0] : memref<5x5x5x5x5x5x5x1x5x1xf32>, vector<8xf32>
  }
  return
}

// Lanes along a last dim of 1 are elements along the dim before it.

// CHECK-LABEL: @columns
func.func @columns() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 4096 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  %y = rt.output 0 () : memref<1x8192x1xf32>
  %z = rt.output 1 () : memref<1x8192x1xf32>
  // CHECK: } {rt.independent}
  scf.for %i = %c0 to %n step %c8 {
    %j = arith.addi %i, %c0 : index
    vector.store %v, %y[%c0, %j, %c0] : memref<1x8192x1xf32>, vector<8xf32>
  }
  // CHECK-NOT: rt.independent
  // CHECK: return
  scf.for %i = %c0 to %n step %c4 {
    %j = arith.addi %i, %c0 : index
    vector.store %v, %z[%c0, %j, %c0] : memref<1x8192x1xf32>, vector<8xf32>
  }
  return
}

// A vector that is longer than a row goes on in the next one.

// CHECK-LABEL: @long_vectors
// CHECK-NOT: rt.independent
// CHECK: return
// LARGE-LABEL: @long_vectors
// LARGE-NOT: rt.independent
// LARGE: return
func.func @long_vectors() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4000 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  %y = rt.output 0 () : memref<4096x5xf32>
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c0 : index
    vector.store %v, %y[%j, %c0] : memref<4096x5xf32>, vector<8xf32>
  }
  return
}

// CHECK-LABEL: @ends_of_rows
// CHECK-NOT: rt.independent
// CHECK: return
func.func @ends_of_rows() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 4000 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  %active = vector.constant_mask [6] : vector<8xi1>
  %y = rt.output 0 () : memref<4096x8xf32>
  %z = rt.output 1 () : memref<4096x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c0 : index
    vector.store %v, %y[%j, %c4] : memref<4096x8xf32>, vector<8xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c0 : index
    vector.maskedstore %z[%j, %c4], %active, %v : memref<4096x8xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}

// Many quotients and remainders are not searched for integers, which would take seconds here.

// CHECK-LABEL: @many_quotients
// CHECK-NOT: rt.independent
// CHECK: return
func.func @many_quotients() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 390625 : index
  %v = arith.constant 1.0 : f32
  %y = rt.output 0 () : memref<5x5x5x5x5x5x5x5xf32>
  scf.for %i = %c0 to %n step %c1 {
    %0 = affine.apply affine_map<(d0) -> (d0 floordiv 78125)>(%i)
    %1 = affine.apply affine_map<(d0) -> (d0 floordiv 15625 mod 5)>(%i)
    %2 = affine.apply affine_map<(d0) -> (d0 floordiv 3125 mod 5)>(%i)
    %3 = affine.apply affine_map<(d0) -> (d0 floordiv 625 mod 5)>(%i)
    %4 = affine.apply affine_map<(d0) -> (d0 floordiv 125 mod 5)>(%i)
    %5 = affine.apply affine_map<(d0) -> (d0 floordiv 25 mod 5)>(%i)
    %6 = affine.apply affine_map<(d0) -> (d0 floordiv 5 mod 5)>(%i)
    %7 = affine.apply affine_map<(d0) -> (d0 mod 5)>(%i)
    memref.store %v, %y[%0, %1, %2, %3, %4, %5, %6, %7] : memref<5x5x5x5x5x5x5x5xf32>
  }
  return
}

// A trip count that only the call knows may be large.

// CHECK-LABEL: @dynamic
// LARGE-LABEL: @dynamic
func.func @dynamic(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = rt.input 0 : memref<?x?xf32>
  %y = memref.alloc(%n, %m) : memref<?x?xf32>
  // CHECK: } {rt.independent}
  // LARGE: } {rt.independent}
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Blocks of rows, the last of which ends at the end of all.

// CHECK-LABEL: @blocks_of_rows
func.func @blocks_of_rows(%n: index, %blocks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c100 = arith.constant 100 : index
  %y = memref.alloc(%n) : memref<100x?xf32>
  %v = arith.constant 1.0 : f32
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NOT: rt.independent
  // CHECK: memref.store
  // CHECK: } {rt.independent}
  scf.for %block = %c0 to %blocks step %c1 {
    %from = arith.muli %block, %c16 : index
    %left = arith.subi %n, %from : index
    %size = arith.minsi %left, %c16 : index
    scf.for %i = %c0 to %c100 step %c1 {
      scf.for %j = %c0 to %size step %c1 {
        %at = arith.addi %from, %j : index
        memref.store %v, %y[%i, %at] : memref<100x?xf32>
      }
    }
  }
  return
}

// A loop that does little for each cache line of what one thread has written, because that loop has a carried value. It
// is not so with the input. The buffer that two threads have written is read by two.

// LINES-LABEL: @of_one_thread
func.func @of_one_thread(%zero: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c100000 = arith.constant 100000 : index
  %x = rt.input 0 : memref<100000xf32>
  %y = memref.alloc() : memref<100000xf32>
  %z = memref.alloc() : memref<100000xf32>
  %a = memref.alloc() : memref<100000xf32>
  %count = scf.for %i = %c0 to %c100000 step %c1 iter_args(%n = %zero) -> i32 {
    %v = memref.load %x[%i] : memref<100000xf32>
    memref.store %v, %y[%i] : memref<100000xf32>
    %next = arith.addi %n, %n : i32
    scf.yield %next : i32
  }
  // LINES: vector.load %{{.*}} : memref<100000xf32>, vector<16xf32>
  // LINES: } {rt.independent, rt.undivided}
  scf.for %i = %c0 to %c100000 step %c16 {
    %v = vector.load %y[%i] : memref<100000xf32>, vector<16xf32>
    %w = arith.addf %v, %v : vector<16xf32>
    vector.store %w, %z[%i] : memref<100000xf32>, vector<16xf32>
  }
  // LINES: vector.load %{{.*}} : memref<100000xf32>, vector<16xf32>
  // LINES: } {rt.independent}
  scf.for %i = %c0 to %c100000 step %c16 {
    %v = vector.load %x[%i] : memref<100000xf32>, vector<16xf32>
    %w = arith.addf %v, %v : vector<16xf32>
    vector.store %w, %z[%i] : memref<100000xf32>, vector<16xf32>
  }
  // LINES: vector.load %{{.*}} : memref<100000xf32>, vector<16xf32>
  // LINES: } {rt.independent}
  scf.for %i = %c0 to %c100000 step %c16 {
    %v = vector.load %z[%i] : memref<100000xf32>, vector<16xf32>
    vector.store %v, %a[%i] : memref<100000xf32>, vector<16xf32>
  }
  return
}

// All iterations write one element.

// CHECK-LABEL: @same_element
// CHECK-NOT: rt.independent
func.func @same_element() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = rt.input 0 : memref<64xf32>
  %y = rt.output 0 () : memref<1xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %y[%c0] : memref<1xf32>
  }
  return
}

// An iteration reads what the one before it has written.

// CHECK-LABEL: @recurrence
// CHECK-NOT: rt.independent
func.func @recurrence() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %y = rt.output 0 () : memref<64xf32>
  scf.for %i = %c0 to %c63 step %c1 {
    %v = memref.load %y[%i] : memref<64xf32>
    %next = arith.addi %i, %c1 : index
    memref.store %v, %y[%next] : memref<64xf32>
  }
  return
}

// Vectors overlap if the step is less than their length.

// CHECK-LABEL: @overlapping_vectors
// CHECK-NOT: rt.independent
func.func @overlapping_vectors(%v: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c60 = arith.constant 60 : index
  %y = rt.output 0 () : memref<64xf32>
  scf.for %i = %c0 to %c60 step %c2 {
    vector.store %v, %y[%i] : memref<64xf32>, vector<4xf32>
  }
  return
}

// A fault of an iteration ends the call in program order. A buffer of an iteration has one place for all of them. A
// time loop is a recurrence.

// CHECK-LABEL: @effects
func.func @effects(%ok: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %y = rt.output 0 () : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    rt.check %ok, index, "out of range"
    memref.store %x, %y[%i] : memref<64xf32>
  }
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NEXT: memref.alloc
  scf.for %i = %c0 to %c64 step %c1 {
    %a = memref.alloc() : memref<1xf32>
    memref.store %x, %a[%c0] : memref<1xf32>
    %v = memref.load %a[%c0] : memref<1xf32>
    memref.store %v, %y[%i] : memref<64xf32>
  }
  // CHECK-NOT: rt.independent
  // CHECK: rt.iteration
  scf.for %i = %c0 to %c64 step %c1 {
    rt.iteration %i
    memref.store %x, %y[%i] : memref<64xf32>
  }
  // CHECK-NOT: rt.independent
  return
}

// A buffer of the loop is one for all iterations if each has elements of its own.

// CHECK-LABEL: @own_elements
func.func @own_elements(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %y = rt.output 0 () : memref<64xf32>
  // CHECK: memref.alloc() : memref<64xf32>
  // CHECK-NEXT: scf.for
  // CHECK: } {rt.independent}
  scf.for %i = %c0 to %c64 step %c1 {
    %a = memref.alloc() : memref<64xf32>
    memref.store %x, %a[%i] : memref<64xf32>
    %v = memref.load %a[%i] : memref<64xf32>
    memref.store %v, %y[%i] : memref<64xf32>
  }
  return
}

// A loop in a time loop is marked. Another buffer than that of the store is read at any place.

// CHECK-LABEL: @in_time_loop
func.func @in_time_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = rt.input 0 : memref<64xf32>
  %y = rt.output 0 () : memref<64xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // CHECK: memref.store
    // CHECK-NEXT: } {rt.independent}
    // CHECK-NEXT: }
    scf.for %i = %c0 to %c64 step %c1 {
      %v = memref.load %x[%c0] : memref<64xf32>
      memref.store %v, %y[%i] : memref<64xf32>
    }
  }
  return
}

// The sum of a row is carried by a loop inside. The outer loop carries nothing.

// CHECK-LABEL: @sums
func.func @sums() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %x = rt.input 0 : memref<64x64xf32>
  %y = rt.output 0 () : memref<64xf32>
  // CHECK: } {rt.independent}
  scf.for %i = %c0 to %c64 step %c1 {
    %sum = scf.for %j = %c0 to %c64 step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %x[%i, %j] : memref<64x64xf32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<64xf32>
  }
  // CHECK-NOT: rt.independent
  %total = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> f32 {
    %v = memref.load %x[%i, %c0] : memref<64x64xf32>
    %next = arith.addf %s, %v : f32
    scf.yield %next : f32
  }
  memref.store %total, %y[%c0] : memref<64xf32>
  return
}

// A kernel writes only the buffer that its body writes.

func.func private @kernel(%a: memref<64xf32, strided<[1], offset: ?>>, %b: memref<64xf32, strided<[1], offset: ?>>)
    attributes {rt.kernel} {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<64xf32, strided<[1], offset: ?>>
  memref.store %v, %b[%c0] : memref<64xf32, strided<[1], offset: ?>>
  return
}

// CHECK-LABEL: @kernel_calls
func.func @kernel_calls() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = rt.input 0 : memref<64xf32>
  %y = rt.output 0 () : memref<8x64xf32>
  %a = memref.cast %x : memref<64xf32> to memref<64xf32, strided<[1], offset: ?>>
  // CHECK: } {rt.independent}
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    func.call @kernel(%a, %b) : (memref<64xf32, strided<[1], offset: ?>>, memref<64xf32, strided<[1], offset: ?>>) -> ()
  }
  // CHECK-NOT: rt.independent
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %c = memref.subview %y[0, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32, strided<[1]>>
    %d = memref.cast %c : memref<64xf32, strided<[1]>> to memref<64xf32, strided<[1], offset: ?>>
    func.call @kernel(%d, %b) : (memref<64xf32, strided<[1], offset: ?>>, memref<64xf32, strided<[1], offset: ?>>) -> ()
  }
  return
}

// -----

// An iteration writes the blocks of its step, at constant distances from its first one. The second loop also writes the
// first block of the next step.

// CHECK-LABEL: @blocks
func.func @blocks(%v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %blocks = memref.alloc() : memref<34x16xf32>
  // CHECK: scf.for
  // CHECK: } {rt.independent}
  scf.for %i = %c0 to %c32 step %c2 {
    %next = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%i]
    vector.store %v, %blocks[%i, %c0] : memref<34x16xf32>, vector<16xf32>
    vector.store %v, %blocks[%next, %c0] : memref<34x16xf32>, vector<16xf32>
  }
  // CHECK: scf.for
  // CHECK-NOT: rt.independent
  // CHECK: return
  scf.for %i = %c0 to %c32 step %c2 {
    %other = affine.apply affine_map<(d0) -> (d0 + 2)>(%i)
    vector.store %v, %blocks[%i, %c0] : memref<34x16xf32>, vector<16xf32>
    vector.store %v, %blocks[%other, %c0] : memref<34x16xf32>, vector<16xf32>
  }
  return
}

// A loop of little work in a time loop is marked if it reads more weights than L1 holds: their order
// matters.

// LARGE-LABEL: @weights
// LARGE: scf.for
// LARGE: rt.iteration
// LARGE: scf.for
// LARGE: } {rt.independent}
// LARGE: scf.for
// LARGE: }{{$}}
// LARGE: }{{$}}
func.func @weights(%steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %w = rt.weights at 0 of(#ov.weights<0, tensor<64x256xf32>> : tensor<64x256xf32>) : memref<64x256xf32>
  %v = rt.weights at 65536 of(#ov.weights<0, tensor<64x128xf32>> : tensor<64x128xf32>) : memref<64x128xf32>
  %y = rt.output 0 () : memref<64xf32>
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c64 step %c1 {
      %x = memref.load %w[%i, %c0] : memref<64x256xf32>
      memref.store %x, %y[%i] : memref<64xf32>
    }
    scf.for %i = %c0 to %c64 step %c1 {
      %x = memref.load %v[%i, %c0] : memref<64x128xf32>
      memref.store %x, %y[%i] : memref<64xf32>
    }
  }
  return
}

// A time loop reads both results. One takes little work for each cache line, so one thread computes it. With little
// least work for a thread, as in tests, both may be divided.

// LINES-LABEL: @read_by_time_loop
// LINES: math.exp
// LINES: } {rt.independent, rt.undivided}
// LINES: math.tan
// LINES: } {rt.independent}
// CHECK-LABEL: @read_by_time_loop
// CHECK-NOT: rt.undivided
func.func @read_by_time_loop(%steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %x = rt.input 0 : memref<4096x16xf32>
  %few = memref.alloc() : memref<4096x16xf32>
  %many = memref.alloc() : memref<4096x16xf32>
  %y = rt.output 0 () : memref<16xf32>
  scf.for %i = %c0 to %c4096 step %c1 {
    %v = vector.load %x[%i, %c0] : memref<4096x16xf32>, vector<16xf32>
    %r = math.exp %v : vector<16xf32>
    vector.store %r, %few[%i, %c0] : memref<4096x16xf32>, vector<16xf32>
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %v = vector.load %x[%i, %c0] : memref<4096x16xf32>, vector<16xf32>
    %r = scf.for %k = %c0 to %c256 step %c1 iter_args(%s = %v) -> (vector<16xf32>) {
      %n = math.tan %s : vector<16xf32>
      scf.yield %n : vector<16xf32>
    }
    vector.store %r, %many[%i, %c0] : memref<4096x16xf32>, vector<16xf32>
  }
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    %a = vector.load %few[%t, %c0] : memref<4096x16xf32>, vector<16xf32>
    %b = vector.load %many[%t, %c0] : memref<4096x16xf32>, vector<16xf32>
    %s = arith.addf %a, %b : vector<16xf32>
    vector.store %s, %y[%c0] : memref<16xf32>, vector<16xf32>
  }
  return
}

// A view of the same shape has the coordinates of its source. Another shape would have other ones.

// CHECK-LABEL: @same_shape
// CHECK: scf.for
// CHECK: } {rt.independent}
// CHECK: scf.for
// CHECK-NOT: rt.independent
// CHECK: return
func.func @same_shape(%rows: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %states = memref.alloc(%rows) : memref<2x?x64xf32>
  %same = memref.reinterpret_cast %states to offset: [0], sizes: [2, 1, 64], strides: [64, 64, 1] {rt.same_shape}
      : memref<2x?x64xf32> to memref<2x1x64xf32>
  %other = memref.reinterpret_cast %states to offset: [0], sizes: [2, 1, 64], strides: [64, 64, 1]
      : memref<2x?x64xf32> to memref<2x1x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %states[%c0, %c0, %i] : memref<2x?x64xf32>
    %r = math.exp %v : f32
    memref.store %r, %same[%c1, %c0, %i] : memref<2x1x64xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %states[%c0, %c0, %i] : memref<2x?x64xf32>
    %r = math.exp %v : f32
    memref.store %r, %other[%c1, %c0, %i] : memref<2x1x64xf32>
  }
  return
}
