// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --rt-group-time-loops="gang-work=1" | FileCheck %s
// RUN: ir-opt %s --split-input-file --rt-group-time-loops="gang-work=100000" | FileCheck %s --check-prefix=LARGE
// RUN: ir-opt %s --split-input-file --rt-group-time-loops="gang-work=1" \
// RUN:   --remarks-filter=rt-group-time-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] grouped | Category:rt-group-time-loops | Remark="up to 2 threads run a time loop each"
// REMARK-DAG: [Passed] grouped | Category:rt-group-time-loops | Remark="up to 3 threads run a time loop each"
// REMARK-DAG: [Passed] split | Category:rt-group-time-loops | Remark="up to 2 threads run a part of each iteration"
// REMARK-DAG: [Missed] not-grouped | Category:rt-group-time-loops | Reason="expected a loop that does not need what the other one computes"
// REMARK-DAG: [Missed] not-grouped | Category:rt-group-time-loops | Reason="expected few ops between the loops, whose buffers are known"
// REMARK-DAG: [Missed] not-grouped | Category:rt-group-time-loops | Reason="expected a time loop without time loops in its body"
// REMARK-DAG: [Missed] not-grouped | Category:rt-group-time-loops | Reason="expected a time loop that cannot fail, and whose buffers are known"
// REMARK-DAG: [Missed] not-grouped | Category:rt-group-time-loops | Reason="expected about as much work as the other loop has"

// The directions of a sequence. What only one of them needs is computed where it runs; an op that needs the first one
// stays behind both.

// CHECK-LABEL: @directions
// LARGE-LABEL: @directions
// LARGE-NOT: scf.index_switch
// LARGE: return
func.func @directions(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %in = rt.input 0 : memref<8xf32>
  %y = rt.output 0 () : memref<2x8xf32>
  %sum = rt.output 1 () : memref<8xf32>
  // CHECK: %[[FORWARD:.*]] = memref.alloc() : memref<8xf32>
  %forward = memref.alloc() : memref<8xf32>
  // CHECK: %[[STATE:.*]] = memref.alloc() : memref<f32>
  // CHECK: %[[BACKWARD:.*]] = memref.alloc() : memref<8xf32>
  // CHECK: %[[COUNT:.*]] = arith.constant 2 : index
  // CHECK: scf.for %[[NUMBER:.*]] = %{{.*}} to %[[COUNT]]
  // CHECK: scf.index_switch %[[NUMBER]]
  // CHECK: case 0 {
  // CHECK: memref.store %{{.*}}, %[[FORWARD]]
  // CHECK: rt.iteration
  // CHECK: memref.store %{{.*}}, %[[STATE]][]
  // CHECK: case 1 {
  // CHECK: memref.store %{{.*}}, %[[BACKWARD]]
  // CHECK: rt.iteration
  // CHECK: default {
  // CHECK: } {rt.independent}
  // CHECK: arith.negf
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %in[%i] : memref<8xf32>
    %w = arith.addf %v, %x : f32
    memref.store %w, %forward[%i] : memref<8xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %state = memref.alloc() : memref<f32>
    %v = memref.load %forward[%t] : memref<8xf32>
    memref.store %v, %state[] : memref<f32>
    memref.store %v, %y[%c0, %t] : memref<2x8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %y[%c0, %i] : memref<2x8xf32>
    %w = arith.negf %v : f32
    memref.store %w, %sum[%i] : memref<8xf32>
  }
  %backward = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %in[%i] : memref<8xf32>
    %w = arith.mulf %v, %x : f32
    memref.store %w, %backward[%i] : memref<8xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %back = arith.subi %c7, %t : index
    %v = memref.load %backward[%back] : memref<8xf32>
    memref.store %v, %y[%c1, %back] : memref<2x8xf32>
  }
  return
}

// -----

// Both loops need the same op, which runs before them. The third one is in a loop over strips and in a branch.

// CHECK-LABEL: @shared
func.func @shared(%x: f32, %n: index, %strip: index, %one: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = rt.output 0 () : memref<3x8xf32>
  %both = memref.alloc() : memref<f32>
  // CHECK: memref.store %{{.*}}, %{{.*}}[] : memref<f32>
  // CHECK: scf.index_switch
  // CHECK: case 0 {
  // CHECK: case 1 {
  // CHECK: case 2 {
  // CHECK: scf.if
  memref.store %x, %both[] : memref<f32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %v = memref.load %both[] : memref<f32>
    memref.store %v, %y[%c0, %t] : memref<3x8xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %v = memref.load %both[] : memref<f32>
    memref.store %v, %y[%c1, %t] : memref<3x8xf32>
  }
  scf.for %s = %c0 to %n step %strip {
    %until = arith.addi %s, %strip : index
    %end = arith.minsi %until, %n : index
    scf.if %one {
      scf.for %t = %s to %end step %c1 {
        rt.iteration %t
        memref.store %x, %y[%c2, %t] : memref<3x8xf32>
      }
    }
  }
  return
}

// -----

// The second loop reads what the first one writes.

// CHECK-LABEL: @dependent
// CHECK-NOT: scf.index_switch
func.func @dependent(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = rt.output 0 () : memref<8xf32>
  %z = rt.output 1 () : memref<8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%t] : memref<8xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %v = memref.load %y[%c0] : memref<8xf32>
    memref.store %v, %z[%t] : memref<8xf32>
  }
  return
}

// -----

// The second loop reads what an op computes from the first one.

// CHECK-LABEL: @dependent_by_another
// CHECK-NOT: scf.index_switch
func.func @dependent_by_another(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = rt.output 0 () : memref<8xf32>
  %z = rt.output 1 () : memref<8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%t] : memref<8xf32>
  }
  %v = memref.load %y[%c1] : memref<8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %v, %z[%t] : memref<8xf32>
  }
  return
}

// -----

// Both write the same elements.

// CHECK-LABEL: @same
// CHECK-NOT: scf.index_switch
func.func @same(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = rt.output 0 () : memref<8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%t] : memref<8xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%t] : memref<8xf32>
  }
  return
}

// -----

// The check between the loops must not come first: another fault would be reported.

// CHECK-LABEL: @check_between
// CHECK-NOT: scf.index_switch
func.func @check_between(%x: f32, %n: index, %ok: i1) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = rt.output 0 () : memref<2x8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%c0, %t] : memref<2x8xf32>
  }
  rt.check %ok, shape, "wrong"
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%c1, %t] : memref<2x8xf32>
  }
  %status = arith.constant 0 : i32
  return %status : i32
}

// -----

// A thread has no status to return.

// CHECK-LABEL: @check_inside
// CHECK-NOT: scf.index_switch
func.func @check_inside(%x: f32, %n: index, %ok: i1) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = rt.output 0 () : memref<2x8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%c0, %t] : memref<2x8xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    rt.check %ok, shape, "wrong"
    memref.store %x, %y[%c1, %t] : memref<2x8xf32>
  }
  %status = arith.constant 0 : i32
  return %status : i32
}

// -----

// The limit of iterations of an inner time loop cannot be compared before the outer one.

// CHECK-LABEL: @nested
// CHECK-NOT: scf.index_switch
func.func @nested(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = rt.output 0 () : memref<2x8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%c0, %t] : memref<2x8xf32>
  }
  scf.for %s = %c0 to %n step %c1 {
    rt.iteration %s
    scf.for %t = %c0 to %n step %c1 {
      rt.iteration %t
      memref.store %x, %y[%c1, %t] : memref<2x8xf32>
    }
  }
  return
}

// -----

// Two loops were fused. Each part of an iteration reads large weights, and needs nothing of the other one in any
// iteration. What a part needs is computed by the same thread.

// CHECK-LABEL: @parts
// CHECK: scf.for
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK: arith.addf
// CHECK: case 1 {
// CHECK: arith.mulf
// CHECK: } {rt.independent}
// CHECK: scf.for %[[T:.*]] = %
// CHECK-NEXT: rt.iteration %[[T]]
// CHECK: arith.subi %{{.*}}, %[[T]]
// CHECK: scf.for %[[PART:.*]] = %
// CHECK-NEXT: scf.index_switch %[[PART]]
// CHECK: case 0 {
// CHECK: arith.negf
// CHECK: case 1 {
// CHECK: math.absf
// CHECK: } {rt.interchangeable}
func.func @parts(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %in = rt.input 0 : memref<8xf32>
  %a = rt.weights at 0 of(dense_resource<a> : tensor<128x128xf32>) : memref<128x128xf32>
  %b = rt.weights at 65536 of(dense_resource<b> : tensor<128x128xf32>) : memref<128x128xf32>
  %y = rt.output 0 () : memref<2x8x128xf32>
  %forward = memref.alloc() : memref<8xf32>
  %backward = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %in[%i] : memref<8xf32>
    %w = arith.addf %v, %x : f32
    memref.store %w, %forward[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %in[%i] : memref<8xf32>
    %w = arith.mulf %v, %x : f32
    memref.store %w, %backward[%i] : memref<8xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %s = memref.load %forward[%t] : memref<8xf32>
    scf.for %i = %c0 to %c128 step %c1 {
      %v = memref.load %a[%i, %c0] : memref<128x128xf32>
      %m = arith.negf %v : f32
      %w = arith.addf %m, %s : f32
      memref.store %w, %y[%c0, %t, %i] : memref<2x8x128xf32>
    }
    %back = arith.subi %c7, %t : index
    scf.for %i = %c0 to %c128 step %c1 {
      %r = memref.load %backward[%back] : memref<8xf32>
      %v = memref.load %b[%i, %c0] : memref<128x128xf32>
      %m = math.absf %v : f32
      %w = arith.addf %m, %r : f32
      memref.store %w, %y[%c1, %back, %i] : memref<2x8x128xf32>
    }
  }
  return
}

// -----

// The second part reads what the first one has written in another iteration.

// CHECK-LABEL: @dependent_parts
// CHECK-NOT: scf.index_switch
func.func @dependent_parts(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c128 = arith.constant 128 : index
  %a = rt.weights at 0 of(dense_resource<a> : tensor<128x128xf32>) : memref<128x128xf32>
  %b = rt.weights at 65536 of(dense_resource<b> : tensor<128x128xf32>) : memref<128x128xf32>
  %y = rt.output 0 () : memref<8x128xf32>
  %z = rt.output 1 () : memref<8x128xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c128 step %c1 {
      %v = memref.load %a[%i, %c0] : memref<128x128xf32>
      memref.store %v, %y[%t, %i] : memref<8x128xf32>
    }
    %back = arith.subi %c7, %t : index
    scf.for %i = %c0 to %c128 step %c1 {
      %v = memref.load %b[%i, %c0] : memref<128x128xf32>
      %u = memref.load %y[%back, %i] : memref<8x128xf32>
      %w = arith.addf %u, %v : f32
      memref.store %w, %z[%back, %i] : memref<8x128xf32>
    }
  }
  return
}

// -----

// States of small parts are kept in registers instead.

// CHECK-LABEL: @small_parts
// CHECK-NOT: scf.index_switch
func.func @small_parts(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = rt.output 0 () : memref<2x8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    memref.store %x, %y[%c0, %t] : memref<2x8xf32>
    memref.store %x, %y[%c1, %t] : memref<2x8xf32>
  }
  return
}

// -----

// Most threads would wait for the second loop.

// CHECK-LABEL: @unbalanced
// CHECK-NOT: scf.index_switch
func.func @unbalanced(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %y = rt.output 0 () : memref<2x64xf32>
  scf.for %t = %c0 to %c8 step %c1 {
    rt.iteration %t
    memref.store %x, %y[%c0, %t] : memref<2x64xf32>
  }
  scf.for %t = %c0 to %c64 step %c1 {
    rt.iteration %t
    memref.store %x, %y[%c1, %t] : memref<2x64xf32>
  }
  return
}
