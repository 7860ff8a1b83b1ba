// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-hoist-checks --canonicalize --cse --canonicalize | FileCheck %s

func.func private @use(memref<?xf32>)

// A loop without iterations raises no fault, so the check passes then. The guarded size is known before the loop.

// CHECK-LABEL: @in_for
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[N:.*]]: index)
func.func @in_for(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) {
  // CHECK-DAG: %[[A:.*]] = tensor.dim %[[X]]
  // CHECK-DAG: %[[B:.*]] = tensor.dim %[[Y]]
  // CHECK-DAG: %[[SAME:.*]] = arith.cmpi eq, %[[A]], %[[B]]
  // CHECK-DAG: %[[SKIPPED:.*]] = arith.cmpi sle, %[[N]], %{{.*}}
  // CHECK: %[[HOLDS:.*]] = arith.ori %[[SKIPPED]], %[[SAME]]
  // CHECK: %[[SIZE:.*]] = rt.check %[[HOLDS]], shape, "no"
  // CHECK: scf.for
  // CHECK-NOT: rt.check
  // CHECK: memref.alloc(%[[SIZE]])
  // CHECK-NOT: rt.check
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %a = tensor.dim %x, %c0 : tensor<?xf32>
    %b = tensor.dim %y, %c0 : tensor<?xf32>
    %same = arith.cmpi eq, %a, %b : index
    %size = rt.check %same, shape, "no" guards(%a : index)
    // The condition of the first check is not tested again.
    %again = arith.cmpi eq, %size, %b : index
    %same_size = rt.check %again, shape, "no again" guards(%size : index)
    %m = memref.alloc(%same_size) : memref<?xf32>
    func.call @use(%m) : (memref<?xf32>) -> ()
  }
  return
}

// Out of a branch, and then out of the loop around it: both conditions are needed.

// CHECK-LABEL: @in_branch
// CHECK-SAME: (%[[A:.*]]: index, %[[N:.*]]: index, %[[C:.*]]: i1)
func.func @in_branch(%a: index, %n: index, %c: i1) {
  // CHECK-DAG: %[[FITS:.*]] = arith.cmpi ult, %[[A]]
  // CHECK-DAG: %[[OR:.*]] = arith.ori %[[C]], %[[FITS]]
  // CHECK-DAG: %[[SKIPPED:.*]] = arith.cmpi sle, %[[N]], %{{.*}}
  // CHECK: %[[BOTH:.*]] = arith.ori %[[SKIPPED]], %[[OR]]
  // CHECK: rt.check %[[BOTH]], overflow, "no"
  // CHECK: scf.for
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.if %c {
      %m = memref.alloc(%a) : memref<?xf32>
      func.call @use(%m) : (memref<?xf32>) -> ()
    } else {
      %fits = arith.cmpi ult, %a, %c8 : index
      %b = rt.check %fits, overflow, "no" guards(%a : index)
      %m = memref.alloc(%b) : memref<?xf32>
      func.call @use(%m) : (memref<?xf32>) -> ()
    }
  }
  return
}

// For a while loop the condition of the first iteration is used, if it is computed from scalars.

// CHECK-LABEL: @in_while
// CHECK-SAME: (%[[A:.*]]: index, %[[N:.*]]: index, %[[GO:.*]]: i1)
func.func @in_while(%a: index, %n: index, %go: i1) {
  // CHECK-DAG: %[[FITS:.*]] = arith.cmpi ult, %[[A]]
  // CHECK-DAG: %[[ANY:.*]] = arith.cmpi sgt, %[[N]]
  // CHECK-DAG: %[[RUNS:.*]] = arith.andi %[[ANY]], %[[GO]]
  // CHECK-DAG: %[[SKIPPED:.*]] = arith.xori %[[RUNS]]
  // CHECK: %[[HOLDS:.*]] = arith.ori %[[SKIPPED]], %[[FITS]]
  // CHECK: rt.check %[[HOLDS]], overflow, "no"
  // CHECK: scf.while
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    %both = arith.andi %more, %go : i1
    scf.condition(%both) %i : index
  } do {
  ^bb0(%i: index):
    %fits = arith.cmpi ult, %a, %c8 : index
    %b = rt.check %fits, overflow, "no" guards(%a : index)
    %m = memref.alloc(%b) : memref<?xf32>
    func.call @use(%m) : (memref<?xf32>) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// Checks that depend on the iteration, or on values computed in the loop, stay.

// CHECK-LABEL: @stays
func.func @stays(%n: index, %data: memref<?xi64>) {
  // CHECK-NOT: rt.check
  // CHECK: scf.for
  // CHECK-COUNT-2: rt.check
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  scf.for %t = %c0 to %n step %c1 {
    %even = arith.cmpi ult, %t, %n : index
    %u = rt.check %even, index, "no" guards(%t : index)
    %v = memref.load %data[%u] : memref<?xi64>
    %positive = arith.cmpi sgt, %v, %zero : i64
    %w = rt.check %positive, arithmetic, "no" guards(%v : i64)
    memref.store %w, %data[%u] : memref<?xi64>
  }
  return
}

// The first check stays, because it depends on the iteration. If it fails in the first iteration, its fault is the one
// that is reported, so the second check does not ask then.

// CHECK-LABEL: @behind_one_that_stays
// CHECK-SAME: (%[[A:.*]]: index, %[[N:.*]]: index, %[[PARTS:.*]]: index)
func.func @behind_one_that_stays(%a: index, %n: index, %parts: index) {
  // CHECK-DAG: %[[FITS:.*]] = arith.cmpi ult, %[[A]]
  // CHECK-DAG: %[[NONE:.*]] = arith.cmpi sle, %[[N]]
  // CHECK-DAG: %[[NO_PART:.*]] = arith.cmpi sle, %[[PARTS]]
  // CHECK-DAG: %[[SKIPPED:.*]] = arith.ori %[[NONE]], %[[NO_PART]]
  // CHECK: %[[HOLDS:.*]] = arith.ori %[[SKIPPED]], %[[FITS]]
  // CHECK: rt.check %[[HOLDS]], overflow, "second"
  // CHECK: scf.for
  // CHECK: rt.check %{{.*}}, trip_count, "first"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %t = %c0 to %n step %c1 {
    %has_part = arith.cmpi slt, %t, %parts : index
    rt.check %has_part, trip_count, "first"
    %fits = arith.cmpi ult, %a, %c8 : index
    %b = rt.check %fits, overflow, "second" guards(%a : index)
    %m = memref.alloc(%b) : memref<?xf32>
    func.call @use(%m) : (memref<?xf32>) -> ()
  }
  return
}

// The divisor is at least 1, so the division may run although the branch does not.

// CHECK-LABEL: @quotient
// CHECK-SAME: (%[[N:.*]]: index, %[[IF:.*]]: i1)
func.func @quotient(%n: index, %if: i1) {
  // CHECK-DAG: %[[LEAST:.*]] = arith.maxsi %[[N]], %c1
  // CHECK-DAG: arith.divui %c1000, %[[LEAST]]
  // CHECK: rt.check %{{.*}}, overflow, "too many"
  // CHECK: scf.if
  // CHECK-NOT: rt.check
  // CHECK: @use
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  scf.if %if {
    %least = arith.maxsi %n, %c1 : index
    %most = arith.divui %c1000, %least : index
    %fits = arith.cmpi uge, %most, %c1 : index
    %b = rt.check %fits, overflow, "too many" guards(%n : index)
    %m = memref.alloc(%b) : memref<?xf32>
    func.call @use(%m) : (memref<?xf32>) -> ()
  }
  return
}

// Without that, the division stays, and so does its check.

// CHECK-LABEL: @unsafe_quotient
// CHECK: scf.if
// CHECK: arith.divui
// CHECK: rt.check
func.func @unsafe_quotient(%n: index, %if: i1) {
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  scf.if %if {
    %most = arith.divui %c1000, %n : index
    %fits = arith.cmpi uge, %most, %c1 : index
    %b = rt.check %fits, overflow, "too many" guards(%n : index)
    %m = memref.alloc(%b) : memref<?xf32>
    func.call @use(%m) : (memref<?xf32>) -> ()
  }
  return
}

// A loop only runs if its check has found two sizes equal, so one of them is enough in the loop.

// CHECK-LABEL: @equal_sizes
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>
func.func @equal_sizes(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index) -> index {
  // CHECK-DAG: %[[M:.*]] = tensor.dim %[[A]]
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[B]]
  // CHECK: rt.check
  // CHECK: scf.for
  // CHECK: memref.alloc(%[[M]])
  // CHECK: memref.alloc(%[[M]])
  // CHECK: return %[[N]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %a, %c0 : tensor<?xf32>
  %other = tensor.dim %b, %c0 : tensor<?xf32>
  scf.for %t = %c0 to %n step %c1 {
    %equal = arith.cmpi eq, %other, %size : index
    rt.check %equal, shape, "sizes differ"
    %first = memref.alloc(%size) : memref<?xf32>
    %second = memref.alloc(%other) : memref<?xf32>
    func.call @use(%first) : (memref<?xf32>) -> ()
    func.call @use(%second) : (memref<?xf32>) -> ()
  }
  return %other : index
}

// An earlier check stays in the loop. What comes before it runs although the sizes may differ, so both are kept.

// CHECK-LABEL: @sizes_behind_a_check
func.func @sizes_behind_a_check(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index, %parts: index) {
  // CHECK-DAG: %[[M:.*]] = tensor.dim %arg0
  // CHECK-DAG: %[[N:.*]] = tensor.dim %arg1
  // CHECK: scf.for
  // CHECK: memref.alloc(%[[M]])
  // CHECK: rt.check %{{.*}}, trip_count
  // CHECK: memref.alloc(%[[N]])
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %a, %c0 : tensor<?xf32>
  %other = tensor.dim %b, %c0 : tensor<?xf32>
  scf.for %t = %c0 to %n step %c1 {
    %first = memref.alloc(%size) : memref<?xf32>
    func.call @use(%first) : (memref<?xf32>) -> ()
    %has_part = arith.cmpi slt, %t, %parts : index
    rt.check %has_part, trip_count, "no part"
    %equal = arith.cmpi eq, %other, %size : index
    rt.check %equal, shape, "sizes differ"
    %second = memref.alloc(%other) : memref<?xf32>
    func.call @use(%second) : (memref<?xf32>) -> ()
  }
  return
}

// The size that is known before the outer loop is kept.

// CHECK-LABEL: @outer_size
func.func @outer_size(%b: tensor<?xf32>, %d: tensor<?xindex>, %n: index, %m: index) {
  // CHECK: %[[SIZE:.*]] = tensor.dim %arg0
  // CHECK: memref.alloc(%[[SIZE]])
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %b, %c0 : tensor<?xf32>
  scf.for %t = %c0 to %n step %c1 {
    %x = tensor.extract %d[%t] : tensor<?xindex>
    scf.for %u = %c0 to %m step %c1 {
      %equal = arith.cmpi eq, %x, %size : index
      rt.check %equal, shape, "sizes differ"
      %second = memref.alloc(%size) : memref<?xf32>
      func.call @use(%second) : (memref<?xf32>) -> ()
    }
  }
  return
}
