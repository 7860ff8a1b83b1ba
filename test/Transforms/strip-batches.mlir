// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-strip-batches --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-strip-batches --split-input-file \
// RUN:   --remarks-filter=rt-strip-batches --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] strips | Category:rt-strip-batches | Remark="each part of the batch does 16 iterations before the next part begins"
// REMARK-DAG: [Missed] no-strips | Category:rt-strip-batches | Reason="expected parts of the batch that do not read or write what others write"

// The trip count is not known, so the last strip may be shorter. The state has two copies, and the step reads the one
// that the step before it wrote.

// CHECK-LABEL: @two_copies
// CHECK-SAME: (%[[N:.*]]: index)
// CHECK: scf.for %[[START:.*]] = %c0 to %[[N]] step %c16
// CHECK:   %[[NEXT:.*]] = arith.addi %[[START]], %c16
// CHECK:   %[[END:.*]] = arith.minsi %[[NEXT]], %[[N]]
// CHECK:   %[[LAST:.*]] = arith.subi %[[END]], %c1
// CHECK:   rt.iteration %[[LAST]]
// CHECK:   scf.for %[[B:.*]] = %c0 to %c4 step %c1
// CHECK:     scf.for %[[T:.*]] = %[[START]] to %[[END]] step %c1
// CHECK:       arith.andi %[[T]], %c1
// CHECK:       memref.load %{{.*}}[%[[T]], %[[B]]]
// CHECK:     } {rt.steps}
// CHECK-NOT: scf.for
// CHECK: return
func.func @two_copies(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c4096 = arith.constant 4096 : index
  %x = rt.input 0 : memref<?x4xf32>
  %state = memref.alloc() : memref<2x4x4096xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %from = arith.andi %t, %c1 : index
    %to = arith.xori %from, %c1 : index
    scf.for %b = %c0 to %c4 step %c1 {
      %a = memref.load %x[%t, %b] : memref<?x4xf32>
      scf.for %i = %c0 to %c4096 step %c1 {
        %s = memref.load %state[%from, %b, %i] : memref<2x4x4096xf32>
        %m = arith.mulf %a, %s : f32
        memref.store %m, %state[%to, %b, %i] : memref<2x4x4096xf32>
      }
    }
  }
  return
}

// -----

// Each part reads what the part before it wrote.

// CHECK-LABEL: @dependent
// CHECK-NOT: rt.steps
func.func @dependent(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c4096 = arith.constant 4096 : index
  %state = memref.alloc() : memref<5x4096xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %b = %c0 to %c4 step %c1 {
      %next = arith.addi %b, %c1 : index
      scf.for %i = %c0 to %c4096 step %c1 {
        %s = memref.load %state[%b, %i] : memref<5x4096xf32>
        memref.store %s, %state[%next, %i] : memref<5x4096xf32>
      }
    }
  }
  return
}

// -----

// The parts are independent within an iteration, but an iteration reads what the one before it wrote for another part.

// CHECK-LABEL: @across_iterations
// CHECK-NOT: rt.steps
func.func @across_iterations(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c4096 = arith.constant 4096 : index
  %state = memref.alloc() : memref<2x4x4096xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %from = arith.andi %t, %c1 : index
    %to = arith.xori %from, %c1 : index
    scf.for %b = %c0 to %c4 step %c1 {
      %other = arith.subi %c3, %b : index
      scf.for %i = %c0 to %c4096 step %c1 {
        %s = memref.load %state[%from, %other, %i] : memref<2x4x4096xf32>
        memref.store %s, %state[%to, %b, %i] : memref<2x4x4096xf32>
      }
    }
  }
  return
}

// -----

// L1 holds the whole state.

// CHECK-LABEL: @small
// CHECK-NOT: rt.steps
func.func @small(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %state = memref.alloc() : memref<4x1024xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %b = %c0 to %c4 step %c1 {
      scf.for %i = %c0 to %c1024 step %c1 {
        %s = memref.load %state[%b, %i] : memref<4x1024xf32>
        %m = arith.mulf %s, %s : f32
        memref.store %m, %state[%b, %i] : memref<4x1024xf32>
      }
    }
  }
  return
}

// -----

// The iteration does something else too.

// CHECK-LABEL: @more
// CHECK-NOT: rt.steps
func.func @more(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c4096 = arith.constant 4096 : index
  %state = memref.alloc() : memref<4x4096xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %b = %c0 to %c4 step %c1 {
      scf.for %i = %c0 to %c4096 step %c1 {
        %s = memref.load %state[%b, %i] : memref<4x4096xf32>
        %m = arith.mulf %s, %s : f32
        memref.store %m, %state[%b, %i] : memref<4x4096xf32>
      }
    }
    %s = memref.load %state[%c0, %c0] : memref<4x4096xf32>
    memref.store %s, %state[%c1, %c1] : memref<4x4096xf32>
  }
  return
}
