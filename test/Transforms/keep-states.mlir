// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-keep-states=vector-registers=8 --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-keep-states=vector-registers=8 --split-input-file \
// RUN:   --remarks-filter=rt-keep-states --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] kept | Category:rt-keep-states | Remark="the loop keeps a state in registers, 2 of vector<4xf32>"
// REMARK-DAG: [Passed] kept | Category:rt-keep-states | Remark="the loop keeps a state in registers, 2 of f32"
// REMARK-DAG: [Passed] kept | Category:rt-keep-states | Remark="the loop keeps a state in registers, 1 of vector<4xf32>"
// REMARK-DAG: [Missed] not-kept | Category:rt-keep-states | Reason="expected a state of at most 4 registers, which are left, but got one of 5"
// REMARK-DAG: [Passed] kept | Category:rt-keep-states | Remark="the loop keeps a state in registers, 1 of f32"

// A loop of a dynamic number of iterations, over two parts. The last copy gets them.

// CHECK-LABEL: @two_parts
// CHECK-SAME: (%[[N:.*]]: index, %{{.*}}: vector<4xf32>, %[[OUT:.*]]: memref<8xf32>)
func.func @two_parts(%n: index, %one: vector<4xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[STATE:.*]] = memref.alloc() : memref<2x8xf32>
  %state = memref.alloc() : memref<2x8xf32>
  vector.store %one, %state[%c0, %c0] : memref<2x8xf32>, vector<4xf32>
  vector.store %one, %state[%c0, %c4] : memref<2x8xf32>, vector<4xf32>
  // CHECK: %[[A:.*]] = vector.load %[[STATE]][%c0{{.*}}, %c0{{.*}}]
  // CHECK: %[[B:.*]] = vector.load %[[STATE]][%c0{{.*}}, %c4{{.*}}]
  // CHECK: %[[R:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[P:.*]] = %[[A]], %[[Q:.*]] = %[[B]])
  // CHECK-NEXT: rt.iteration
  // CHECK-NOT: vector.load
  // CHECK: %[[V:.*]] = arith.addf %[[P]]
  // CHECK: %[[W:.*]] = arith.addf %[[Q]]
  // CHECK-NOT: vector.store
  // CHECK: scf.yield %[[V]], %[[W]]
  // CHECK: %[[LAST:.*]] = arith.andi %[[N]], %{{.*}}
  // CHECK: vector.store %[[R]]#0, %[[STATE]][%[[LAST]], %c0{{.*}}]
  // CHECK: vector.store %[[R]]#1, %[[STATE]][%[[LAST]], %c4{{.*}}]
  scf.for %i = %c0 to %n step %c1 {
    rt.iteration %i
    %read = arith.andi %i, %c1 : index
    %written = arith.xori %read, %c1 : index
    scf.for %j = %c0 to %c8 step %c4 {
      %s = vector.load %state[%read, %j] : memref<2x8xf32>, vector<4xf32>
      %next = arith.addf %s, %one : vector<4xf32>
      vector.store %next, %state[%written, %j] : memref<2x8xf32>, vector<4xf32>
    }
  }
  %last = arith.andi %n, %c1 : index
  %a = vector.load %state[%last, %c0] : memref<2x8xf32>, vector<4xf32>
  %b = vector.load %state[%last, %c4] : memref<2x8xf32>, vector<4xf32>
  vector.store %a, %out[%c0] : memref<8xf32>, vector<4xf32>
  vector.store %b, %out[%c4] : memref<8xf32>, vector<4xf32>
  return
}

// -----

// A condition ends the loop. Two scalars are exchanged; what is loaded after a store is what was stored.

// CHECK-LABEL: @exchange
func.func @exchange(%x: f32, %y: f32, %sum: memref<f32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %limit = arith.constant 1.0 : f32
  %state = memref.alloc() : memref<2x2xf32>
  memref.store %x, %state[%c0, %c0] : memref<2x2xf32>
  memref.store %y, %state[%c0, %c1] : memref<2x2xf32>
  // CHECK: %[[R:.*]]:3 = scf.while (%{{.*}} = %c0, %{{.*}} = %true, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
  // CHECK: scf.condition(%{{.*}}) %{{.*}}, %[[A]], %[[B]] : index, f32, f32
  // CHECK: ^bb0(%{{.*}}: index, %[[P:.*]]: f32, %[[Q:.*]]: f32):
  // CHECK-NOT: memref.load
  // CHECK: arith.cmpf olt, %[[Q]]
  // CHECK: scf.yield %{{.*}}, %{{.*}}, %[[Q]], %[[P]]
  %count = scf.while (%i = %c0, %goes = %true) : (index, i1) -> index {
    scf.condition(%goes) %i : index
  } do {
  ^bb0(%i: index):
    rt.iteration %i
    %read = arith.andi %i, %c1 : index
    %written = arith.xori %read, %c1 : index
    %a = memref.load %state[%read, %c0] : memref<2x2xf32>
    %b = memref.load %state[%read, %c1] : memref<2x2xf32>
    memref.store %b, %state[%written, %c0] : memref<2x2xf32>
    memref.store %a, %state[%written, %c1] : memref<2x2xf32>
    %again = memref.load %state[%written, %c0] : memref<2x2xf32>
    %goes = arith.cmpf olt, %again, %limit : f32
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %goes : index, i1
  }
  %last = arith.andi %count, %c1 : index
  %a = memref.load %state[%last, %c0] : memref<2x2xf32>
  %b = memref.load %state[%last, %c1] : memref<2x2xf32>
  return %a, %b : f32, f32
}

// -----

// A state of one copy. After a known number of iterations there is no question of copies either.

// CHECK-LABEL: @one_copy
func.func @one_copy(%x: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %state = memref.alloc() : memref<4xf32>
  vector.store %x, %state[%c0] : memref<4xf32>, vector<4xf32>
  // CHECK: scf.for {{.*}} iter_args
  scf.for %i = %c0 to %c9 step %c1 {
    rt.iteration %i
    %s = vector.load %state[%c0] : memref<4xf32>, vector<4xf32>
    %next = arith.mulf %s, %s : vector<4xf32>
    vector.store %next, %state[%c0] : memref<4xf32>, vector<4xf32>
  }
  %r = vector.load %state[%c0] : memref<4xf32>, vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// Each of these loops keeps its buffer: what follows reads the copy before the last one; an element is loaded at a
// place that is computed; a vector lies across two parts; a part is not stored; there are more parts than registers;
// nothing is loaded from the last iteration.

// CHECK-LABEL: @kept
// CHECK-NOT: iter_args
func.func @kept(%n: index, %k: index, %x: vector<4xf32>, %e: f32, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<2x4xf32>
  %b = memref.alloc() : memref<2x4xf32>
  %c = memref.alloc() : memref<2x8xf32>
  %d = memref.alloc() : memref<2x8xf32>
  %f = memref.alloc() : memref<2x20xf32>
  %g = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    rt.iteration %i
    %read = arith.andi %i, %c1 : index
    %written = arith.xori %read, %c1 : index
    %0 = vector.load %a[%read, %c0] : memref<2x4xf32>, vector<4xf32>
    vector.store %0, %a[%written, %c0] : memref<2x4xf32>, vector<4xf32>
    %1 = memref.load %b[%read, %k] : memref<2x4xf32>
    %2 = vector.broadcast %1 : f32 to vector<4xf32>
    vector.store %2, %b[%written, %c0] : memref<2x4xf32>, vector<4xf32>
    %3 = vector.load %c[%read, %c2] : memref<2x8xf32>, vector<4xf32>
    vector.store %3, %c[%written, %c0] : memref<2x8xf32>, vector<4xf32>
    vector.store %3, %c[%written, %c4] : memref<2x8xf32>, vector<4xf32>
    %4 = vector.load %d[%read, %c4] : memref<2x8xf32>, vector<4xf32>
    vector.store %4, %d[%written, %c0] : memref<2x8xf32>, vector<4xf32>
    %c20 = arith.constant 20 : index
    scf.for %j = %c0 to %c20 step %c4 {
      %5 = vector.load %f[%read, %j] : memref<2x20xf32>, vector<4xf32>
      vector.store %5, %f[%written, %j] : memref<2x20xf32>, vector<4xf32>
    }
    vector.store %x, %g[%c0] : memref<4xf32>, vector<4xf32>
    %6 = vector.load %g[%c0] : memref<4xf32>, vector<4xf32>
    vector.store %6, %out[%c0] : memref<8xf32>, vector<4xf32>
  }
  %last = arith.andi %n, %c1 : index
  %before = arith.xori %last, %c1 : index
  %r = vector.load %a[%before, %c0] : memref<2x4xf32>, vector<4xf32>
  vector.store %r, %out[%c4] : memref<8xf32>, vector<4xf32>
  return
}

// -----

// A loop over places that are computed is not unrolled for nothing.

// CHECK-LABEL: @computed_places
func.func @computed_places(%n: index, %x: memref<2xf32>, %places: memref<2xindex>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %state = memref.alloc() : memref<4xf32>
  // CHECK: scf.for
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    rt.iteration %i
    scf.for %j = %c0 to %c2 step %c1 {
      %value = memref.load %x[%j] : memref<2xf32>
      %place = memref.load %places[%j] : memref<2xindex>
      memref.store %value, %state[%place] : memref<4xf32>
    }
  }
  %r = memref.load %state[%c0] : memref<4xf32>
  return %r : f32
}

// -----

// Buffers of one element, one of which has two copies.

// CHECK-LABEL: @one_element
func.func @one_element(%n: index, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<f32>
  %b = memref.alloc() : memref<2xf32>
  memref.store %x, %a[] : memref<f32>
  memref.store %x, %b[%c0] : memref<2xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32)
  // CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[A]]
  // CHECK: %[[Q:.*]] = arith.mulf %[[B]], %[[B]]
  // CHECK: scf.yield %[[P]], %[[Q]]
  scf.for %i = %c0 to %n step %c1 {
    rt.iteration %i
    %read = arith.andi %i, %c1 : index
    %written = arith.xori %read, %c1 : index
    %0 = memref.load %a[] : memref<f32>
    %1 = arith.mulf %0, %0 : f32
    memref.store %1, %a[] : memref<f32>
    %2 = memref.load %b[%read] : memref<2xf32>
    %3 = arith.mulf %2, %2 : f32
    memref.store %3, %b[%written] : memref<2xf32>
  }
  %last = arith.andi %n, %c1 : index
  %r = memref.load %a[] : memref<f32>
  %s = memref.load %b[%last] : memref<2xf32>
  return %r, %s : f32, f32
}

// -----

// An inner time loop is no loop over parts.

// CHECK-LABEL: @nested
func.func @nested(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %state = memref.alloc() : memref<2xf32>
  memref.store %x, %state[%c0] : memref<2xf32>
  memref.store %x, %state[%c1] : memref<2xf32>
  // CHECK: scf.for
  // CHECK-NEXT: rt.iteration
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: rt.iteration
  scf.for %i = %c0 to %n step %c1 {
    rt.iteration %i
    scf.for %j = %c0 to %c2 step %c1 {
      rt.iteration %j
      %0 = memref.load %state[%j] : memref<2xf32>
      %1 = arith.mulf %0, %0 : f32
      memref.store %1, %state[%j] : memref<2xf32>
    }
  }
  %r = memref.load %state[%c0] : memref<2xf32>
  return %r : f32
}
