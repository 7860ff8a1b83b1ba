// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-plan-workspace --canonicalize --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-plan-workspace=share=false --canonicalize --split-input-file | FileCheck %s --check-prefix=SEPARATE
// RUN: ir-opt %s --rt-plan-workspace --split-input-file \
// RUN:   --remarks-filter=rt-plan-workspace --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Analysis] workspace | Category:rt-plan-workspace | Remark="workspace of 128 bytes for 3 buffers of 192 bytes, of which 128 are alive at once"
// REMARK: Remark="workspace of 896 bytes for 3 buffers of 812 bytes, of which 808 are alive at once, if each dim that is not known at compile time is 1 or 100, alternately"

// Which buffers share bytes. Each has 64 bytes, or a multiple of a size that depends on the call.

// One after the other: the second buffer takes the place of the first. The third is read together with the second.

// CHECK: rt.workspace_bytes = 128 : i64
// SEPARATE: rt.workspace_bytes = 192 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  %0 = memref.load %a[%c0] : memref<16xf32>
  memref.store %0, %b[%c0] : memref<16xf32>
  memref.store %0, %c[%c0] : memref<16xf32>
  %1 = memref.load %b[%c0] : memref<16xf32>
  %2 = memref.load %c[%c0] : memref<16xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// The operands and results of an op are alive at once.

// CHECK: rt.workspace_bytes = 128 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.copy %a, %b : memref<16xf32> to memref<16xf32>
  %0 = memref.load %b[%c0] : memref<16xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// A buffer that is allocated before a loop and used in it lives as long as the loop: the last use of %a in the first
// iteration is not the end. The same holds for %state, though only the loop accesses it. A buffer that is allocated in
// the loop is new in each iteration: %b and %c share, and so do %c and %d.

// CHECK: rt.workspace_bytes = 192 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // CHECK-DAG: memref.view %{{.*}}[%[[A:c[0-9]+]]][] : memref<?xi8> to memref<16xf32>
  // CHECK-DAG: memref.view %{{.*}}[%[[STATE:c[0-9]+]]][] : memref<?xi8> to memref<15xf32>
  // CHECK-DAG: memref.view %{{.*}}[%[[OWN:c[0-9]+]]][] : memref<?xi8> to memref<14xf32>
  // CHECK-DAG: memref.view %{{.*}}[%[[OWN]]][] : memref<?xi8> to memref<13xf32>
  // CHECK: scf.for
  // CHECK-NOT: memref.view
  // CHECK: }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %x = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<16xf32>
  %state = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  scf.for %i = %c0 to %c9 step %c1 {
    %0 = memref.load %a[%i] : memref<16xf32>
    memref.store %0, %state[%i] : memref<15xf32>
    %b = memref.alloc() : memref<14xf32>
    memref.store %0, %b[%i] : memref<14xf32>
    %1 = memref.load %b[%i] : memref<14xf32>
    %c = memref.alloc() : memref<13xf32>
    memref.store %1, %c[%i] : memref<13xf32>
    %2 = memref.load %c[%i] : memref<13xf32>
  }
  %d = memref.alloc() : memref<12xf32>
  memref.store %x, %d[%c0] : memref<12xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// Nested loops: a buffer allocated in the outer loop, before the inner one, lives as long as the inner one.

// CHECK: rt.workspace_bytes = 128 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c9 step %c1 {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    scf.for %j = %c0 to %c9 step %c1 {
      %0 = memref.load %a[%j] : memref<16xf32>
      %b = memref.alloc() : memref<16xf32>
      memref.store %0, %b[%j] : memref<16xf32>
    }
    %c = memref.alloc() : memref<16xf32>
    memref.store %x, %c[%i] : memref<16xf32>
    %d = memref.alloc() : memref<16xf32>
    memref.copy %c, %d : memref<16xf32> to memref<16xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// Branches: %a and %b share. %c is written before and read after, so neither branch may use it. One branch leaves %d to
// the ops that follow.

// CHECK: rt.workspace_bytes = 192 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // CHECK-DAG: memref.view %{{.*}}[%[[AB:c[0-9]+]]][] : memref<?xi8> to memref<16xf32>
  // CHECK-DAG: memref.view %{{.*}}[%[[AB]]][] : memref<?xi8> to memref<15xf32>
  // CHECK: scf.if
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %in = rt.input 0 : memref<2xi1>
  %which = memref.load %in[%c0] : memref<2xi1>
  %c = memref.alloc() : memref<14xf32>
  %d = memref.alloc() : memref<13xf32>
  memref.store %x, %c[%c0] : memref<14xf32>
  scf.if %which {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
    %0 = memref.load %a[%c0] : memref<16xf32>
    memref.store %0, %d[%c0] : memref<13xf32>
    memref.store %0, %a[%c1] : memref<16xf32>
  } else {
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%c0] : memref<15xf32>
  }
  %1 = memref.load %c[%c0] : memref<14xf32>
  %2 = memref.load %d[%c0] : memref<13xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// Aliases of a buffer: a view, the value of a branch, a select, a loop-carried value. %b is written while %a is read
// under such a name.

// CHECK: rt.workspace_bytes = 128 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %x = arith.constant 1.0 : f32
  %in = rt.input 0 : memref<1xi1>
  %other = rt.input 1 : memref<4xf32>
  %which = memref.load %in[%c0] : memref<1xi1>
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  %part = memref.subview %a[0] [4] [1] : memref<16xf32> to memref<4xf32>
  %branch = scf.if %which -> memref<4xf32> {
    scf.yield %part : memref<4xf32>
  } else {
    scf.yield %other : memref<4xf32>
  }
  %choice = arith.select %which, %branch, %other : memref<4xf32>
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%carried = %choice) -> memref<4xf32> {
    scf.yield %carried : memref<4xf32>
  }
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%c0] : memref<16xf32>
  %0 = memref.load %last[%c0] : memref<4xf32>
  %1 = memref.load %b[%c0] : memref<16xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// A buffer that leaves the branch that allocates it.

// CHECK: rt.workspace_bytes = 192 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %in = rt.input 0 : memref<1xi1>
  %which = memref.load %in[%c0] : memref<1xi1>
  %branch = scf.if %which -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  } else {
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%c0] : memref<16xf32>
    scf.yield %b : memref<16xf32>
  }
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %c[%c0] : memref<16xf32>
  %0 = memref.load %branch[%c0] : memref<16xf32>
  %1 = memref.load %c[%c0] : memref<16xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// -----

// Sizes that depend on the call: %a and %c share a place that fits the larger of them, and %b is above it. All of it is
// computed at the start, also %m, whose check comes later.

// CHECK: rt.workspace_bytes = -1 : i64
module attributes {rt.outputs = []} {
// CHECK-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) -> i32 {
  // CHECK: %[[W:.*]] = rt.workspace
  // CHECK: %[[IN:.*]] = rt.input 0
  // CHECK: %[[N:.*]] = memref.dim %[[IN]], %c0
  // CHECK: %[[D:.*]] = memref.dim %[[IN]], %c1
  // CHECK: %[[M:.*]] = rt.check %{{.*}}, shape, "no"
  // CHECK: %[[BYTES_A:.*]] = arith.andi
  // CHECK: %[[BYTES_C:.*]] = arith.andi
  // CHECK: %[[B:.*]] = arith.maxui %[[BYTES_C]], %[[BYTES_A]]
  // CHECK-DAG: memref.view %[[W]][%c0][%[[N]]] : memref<?xi8> to memref<?xf32>
  // CHECK-DAG: memref.view %[[W]][%[[B]]][%[[N]]] : memref<?xi8> to memref<?x2xf32>
  // CHECK: memref.store
  // CHECK-NOT: rt.check
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %in = rt.input 0 : memref<?x?xf32>
  %n = memref.dim %in, %c0 : memref<?x?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?x2xf32>
  memref.store %x, %a[%c0] : memref<?xf32>
  memref.store %x, %b[%c0, %c0] : memref<?x2xf32>
  %0 = memref.load %a[%c0] : memref<?xf32>
  %d = memref.dim %in, %c1 : memref<?x?xf32>
  %fits = arith.cmpi ult, %d, %n : index
  %m = rt.check %fits, shape, "no" guards(%d : index)
  %c = memref.alloc(%m) : memref<?xf64>
  %y = arith.constant 1.0 : f64
  memref.store %y, %c[%c0] : memref<?xf64>
  %1 = memref.load %b[%c0, %c0] : memref<?x2xf32>
  %2 = memref.load %c[%c0] : memref<?xf64>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
// CHECK-LABEL: @recur_model_sizes
// CHECK: rt.check %{{.*}}, shape, "no"
// CHECK-COUNT-3: rt.check %{{.*}}, overflow
// CHECK: arith.maxui
// CHECK: rt.sizes
}
