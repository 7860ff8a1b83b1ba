// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-form-parallel-regions="gang-work=1" --canonicalize --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-form-parallel-regions="gang-work=4096" --split-input-file | FileCheck %s --check-prefix=LARGE
// RUN: ir-opt %s --rt-form-parallel-regions="gang-work=1" --split-input-file \
// RUN:   --remarks-filter=rt-form-parallel-regions --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: ir-opt %s --rt-form-parallel-regions="gang-work=4096" --split-input-file \
// RUN:   --remarks-filter=rt-form-parallel-regions --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW

// FEW: [Missed] one-thread | Category:rt-form-parallel-regions | Reason="expected work of 8192 or more vector instructions and parts for several threads"
// REMARK-DAG: [Passed] divided | Category:rt-form-parallel-regions | Remark="up to 32 threads share the work"
// REMARK-DAG: [Passed] divided | Category:rt-form-parallel-regions | Remark="up to ? threads share the work"
// REMARK-DAG: [Passed] divided | Category:rt-form-parallel-regions | Remark="up to 5 threads share the work"
// REMARK-DAG: [Passed] divided | Category:rt-form-parallel-regions | Remark="up to 3 threads share the work"
// REMARK-DAG: [Passed] divided | Category:rt-form-parallel-regions | Remark="up to 100 threads share the work"
// REMARK-DAG: [Missed] undivided | Category:rt-form-parallel-regions | Reason="expected more work for each cache line of the result, which a time loop on one thread reads"

// A marked loop becomes a function of its share. The function makes constants and views of the workspace again; it gets
// other values as arguments.

// CHECK-LABEL: @recur_model_compute
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[X:.*]]: f32)
// LARGE-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  // CHECK-DAG: %[[OUT:.*]] = rt.output 0()
  // CHECK-DAG: %[[WANT:.*]] = arith.constant 32 : index
  %out = rt.output 0 () : memref<64xf32>
  %bytes = rt.workspace : memref<?xi8>
  %place = memref.view %bytes[%c64][] : memref<?xi8> to memref<64xf32>
  // CHECK-NOT: scf.for
  // CHECK: rt.parallel @rt_part_0 want %[[WANT]](%[[X]], %[[OUT]] : f32, memref<64xf32>)
  // LARGE-NOT: rt.parallel
  // LARGE: scf.for
  scf.for %i = %c0 to %c63 step %c2 {
    memref.store %x, %out[%i] : memref<64xf32>
    memref.store %x, %place[%i] : memref<64xf32>
  } {rt.independent}
  return
}

// CHECK: func.func private @rt_part_0(%[[FRAME:.*]]: !llvm.ptr, %[[I:.*]]: i32, %[[N:.*]]: i32, %[[XX:.*]]: f32,
// CHECK-SAME: %[[Y:.*]]: memref<64xf32>)
// CHECK-DAG: %[[TRIPS:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[SIXTYFOUR:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[BYTES:.*]] = rt.workspace
// CHECK-DAG: %[[PLACE:.*]] = memref.view %[[BYTES]][%[[SIXTYFOUR]]]
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[I]]
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[N]]
// CHECK: %[[SHARE:.*]]:2 = call @rt_share(%[[TRIPS]], %[[ONE]], %[[INDEX]], %[[COUNT]])
// CHECK: %[[LOWER:.*]] = arith.muli %[[SHARE]]#0, %[[TWO]]
// CHECK: %[[UPPER:.*]] = arith.muli %[[SHARE]]#1, %[[TWO]]
// CHECK: scf.for %[[K:.*]] = %[[LOWER]] to %[[UPPER]] step %[[TWO]]
// CHECK: memref.store %[[XX]], %[[Y]][%[[K]]]
// CHECK: memref.store %[[XX]], %[[PLACE]][%[[K]]]

// All parts have one function for the bounds of their shares. A single index has all units, without divisions.

// CHECK: func.func private @rt_share(%[[UNITS:.*]]: index, %[[GRAIN:.*]]: index, %[[INDEX:.*]]: index,
// CHECK-SAME: %[[COUNT:.*]]: index) -> (index, index) attributes {passthrough = ["noinline"]}
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[ALONE:.*]] = arith.cmpi eq, %[[COUNT]], %[[ONE]]
// CHECK: scf.if %[[ALONE]]
// CHECK-NEXT: scf.yield %[[ZERO]], %[[UNITS]]
// CHECK-NEXT: else
// CHECK: %[[GROUPS:.*]] = arith.divui %[[UNITS]], %[[GRAIN]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[INDEX]], %[[ONE]]
// CHECK: %[[A:.*]] = arith.muli %[[GROUPS]], %[[INDEX]]
// CHECK: %[[B:.*]] = arith.divui %[[A]], %[[COUNT]]
// CHECK: %[[FROM:.*]] = arith.muli %[[B]], %[[GRAIN]]
// CHECK: %[[C:.*]] = arith.muli %[[GROUPS]], %[[NEXT]]
// CHECK: %[[D:.*]] = arith.divui %[[C]], %[[COUNT]]
// CHECK: %[[END:.*]] = arith.muli %[[D]], %[[GRAIN]]
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[NEXT]], %[[COUNT]]
// CHECK: %[[TO:.*]] = arith.select %[[LAST]], %[[UNITS]], %[[END]]
// CHECK: scf.yield %[[FROM]], %[[TO]]

// -----

// The number of threads follows from the trip counts if they are not constants.

// CHECK-LABEL: @recur_model_compute
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: f32, %[[N:.*]]: index)
// LARGE-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %out = rt.output 0 (%n) : memref<?xf32>
  // CHECK: %[[TRIPS:.*]] = arith.maxsi %[[N]]
  // CHECK: %[[WANT:.*]] = arith.minui %{{.*}}, %[[TRIPS]]
  // CHECK: rt.parallel @rt_part_0 want %[[WANT]](%{{.*}} : f32, memref<?xf32>, index)
  // LARGE: %[[LEAST:.*]] = arith.constant 262144 : index
  // LARGE: arith.divui %{{.*}}, %[[LEAST]]
  // LARGE: rt.parallel
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %out[%i] : memref<?xf32>
  } {rt.independent}
  return
}

// -----

// The dims that the kernel names are cut at multiples of the grain. A number counts from their start.

func.func private @kernel(%a: memref<?x4xf32, strided<[?, 1], offset: ?>>, %b: memref<?xf32, strided<[1], offset: ?>>,
                          %n: index)
    attributes {rt.kernel, rt.parts = {along = [[0, 0], [1, 0], [2, 3]], grain = 4, sizes = [[0, 0], [0, 1]], cost = 64}} {
  return
}

// CHECK-LABEL: @recur_model_compute
// CHECK: %[[WANT:.*]] = arith.constant 5 : index
// CHECK: rt.parallel @rt_part_0 want %[[WANT]]({{.*}})
// LARGE-LABEL: @recur_model_compute
// LARGE: call @kernel
func.func @recur_model_compute(%frame: !llvm.ptr) {
  %x = rt.input 0 : memref<23x4xf32>
  %y = rt.output 0 () : memref<23xf32>
  %a = memref.cast %x : memref<23x4xf32> to memref<?x4xf32, strided<[?, 1], offset: ?>>
  %b = memref.cast %y : memref<23xf32> to memref<?xf32, strided<[1], offset: ?>>
  %n = arith.constant 67 : index
  func.call @kernel(%a, %b, %n)
      : (memref<?x4xf32, strided<[?, 1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>, index) -> ()
  return
}

// CHECK: func.func private @rt_part_0
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 23 : index
// CHECK-DAG: %[[GRAIN:.*]] = arith.constant 4 : index
// CHECK: %[[SHARE:.*]]:2 = call @rt_share(%[[SIZE]], %[[GRAIN]],
// CHECK: %[[EXTENT:.*]] = arith.subi %[[SHARE]]#1, %[[SHARE]]#0
// CHECK-DAG: memref.subview %{{.*}}[%[[SHARE]]#0, 0] [%[[EXTENT]], 4] [1, 1]
// CHECK-DAG: memref.subview %{{.*}}[%[[SHARE]]#0] [%[[EXTENT]]] [1]
// CHECK: %[[BEFORE:.*]] = arith.muli %[[SHARE]]#0, %c3 : index
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[BEFORE]] : index
// CHECK: call @kernel({{.*}}, %[[LEFT]])

// -----

// There are no more parts than the scratch has room for. Part i has index i of it.

func.func private @kernel(%a: memref<?xf32, strided<[1], offset: ?>>, %scratch: memref<?x8xf32, strided<[8, 1], offset: ?>>)
    attributes {rt.kernel, rt.parts = {along = [[0, 0]], grain = 2, sizes = [[0, 0]], cost = 64, scratch = 1}} {
  return
}

// CHECK-LABEL: @recur_model_compute
// CHECK: %[[WANT:.*]] = arith.constant 3 : index
// CHECK: rt.parallel @rt_part_0 want %[[WANT]]({{.*}})
// LARGE-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %bytes = rt.workspace : memref<?xi8>
  %x = rt.output 0 () : memref<64xf32>
  %room = memref.view %bytes[%c0][] : memref<?xi8> to memref<3x8xf32>
  %a = memref.cast %x : memref<64xf32> to memref<?xf32, strided<[1], offset: ?>>
  %scratch = memref.cast %room : memref<3x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
  func.call @kernel(%a, %scratch)
      : (memref<?xf32, strided<[1], offset: ?>>, memref<?x8xf32, strided<[8, 1], offset: ?>>) -> ()
  return
}

// CHECK: func.func private @rt_part_0(%{{[^:]*}}: !llvm.ptr, %[[I:[^:]*]]: i32
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: memref.subview %{{.*}}[%[[INDEX]], 0] [1, 8] [1, 1]
// CHECK: call @kernel

// -----

// In a loop, work that is worth one thread is done by a direct call: of the kernel, or of the function, which exists
// once. Outside of a loop, and if the number of threads is a constant, there is no such call.

func.func private @kernel(%a: memref<?xf32, strided<[1], offset: ?>>, %b: memref<?xf32, strided<[1], offset: ?>>)
    attributes {rt.kernel, rt.parts = {along = [[0, 0], [1, 0]], grain = 1, sizes = [[0, 0]], cost = 64}} {
  return
}

// CHECK-LABEL: @recur_model_compute
// CHECK-SAME: (%[[FRAME:.*]]: !llvm.ptr, %[[X:.*]]: f32, %[[N:.*]]: index, %[[Z:.*]]: memref<?xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[T:.*]] =
// CHECK: %[[WANT:.*]] = arith.minui
// CHECK: %[[SMALL:.*]] = arith.cmpi ult, %[[WANT]], %[[TWO]]
// CHECK: scf.if %[[SMALL]] {
// CHECK-NEXT: call @rt_part_0(%[[FRAME]], %[[ZERO]], %[[ONE]], %[[X]], %[[Z]], %[[TRIPS:.*]]) :
// CHECK-NEXT: } else {
// CHECK-NEXT: rt.parallel @rt_part_0 want %[[WANT]](%[[X]], %[[Z]], %[[TRIPS]] : f32, memref<?xf32>, index)
// CHECK: scf.if
// CHECK-NEXT: call @kernel
// CHECK-NEXT: } else {
// CHECK-NEXT: rt.parallel @rt_part_1
// CHECK: rt.parallel @rt_part_2 want
// CHECK-NOT: scf.if
// CHECK: return
// CHECK: func.func private @rt_part_0({{.*}}) attributes {passthrough = ["noinline"]}
// CHECK: func.func private @rt_part_1({{[^)]*}}) {
// CHECK: func.func private @rt_part_2({{[^)]*}}) {
// LARGE-LABEL: @recur_model_compute
// LARGE-NOT: rt_part_2
// LARGE: scf.for
// LARGE: scf.for
// LARGE: return
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32, %n: index, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %y = rt.output 0 (%n) : memref<?xf32>
  %a = memref.reinterpret_cast %z to offset: [0], sizes: [%n], strides: [1]
      : memref<?xf32> to memref<?xf32, strided<[1]>>
  %b = memref.cast %a : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
  %c = memref.cast %y : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  scf.for %t = %c0 to %c100 step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %z[%i] : memref<?xf32>
    } {rt.independent}
    func.call @kernel(%b, %c)
        : (memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>) -> ()
    scf.for %i = %c0 to %c100 step %c1 {
      memref.store %x, %z[%i] : memref<?xf32>
    } {rt.independent}
  }
  return
}

// -----

// One thread computes what is marked so.

// CHECK-LABEL: @recur_model_compute
// CHECK-NOT: rt.parallel
// CHECK: return
// LARGE-LABEL: @recur_model_compute
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %out = rt.output 0 () : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    memref.store %x, %out[%i] : memref<64xf32>
  } {rt.independent, rt.undivided}
  return
}

// -----

// A parallel region raises no fault, so the limits of its time loops are checked in front of it, as far as the loops run at all,
// and the call ends behind it if the caller has cancelled it.

// CHECK-LABEL: @recur_model_compute
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32, %[[N:[a-z0-9]+]]: index, %[[ONE:[a-z0-9]+]]: i1)
// CHECK: %[[LIMIT:.*]] = rt.iteration_limit
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %{{.*}}, %[[LIMIT]]
// CHECK: %[[OK:.*]] = arith.ori %[[BELOW]], %{{.*}}
// CHECK: rt.check %[[OK]], iteration_limit, "reached max_iterations, which is {0}"
// CHECK: rt.iteration_limit
// CHECK: rt.check %{{.*}}, iteration_limit, "reached max_iterations, which is {0}"
// CHECK: rt.parallel @rt_part_0
// CHECK: %[[CONTINUE:.*]] = rt.may_continue
// CHECK: rt.check %[[CONTINUE]], cancelled, "cancelled by the caller"
// CHECK-NOT: rt.check
// CHECK: func.func private @rt_part_0
// CHECK: scf.index_switch
// CHECK: rt.iteration
// CHECK: rt.iteration
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32, %n: index, %one: i1) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %y = rt.output 0 () : memref<2x512xf32>
  scf.for %number = %c0 to %c2 step %c1 {
    scf.index_switch %number
    case 0 {
      scf.for %t = %c0 to %n step %c1 {
        rt.iteration %t
        memref.store %x, %y[%c0, %t] : memref<2x512xf32>
      }
      scf.yield
    }
    case 1 {
      scf.for %s = %c0 to %n step %c8 {
        %until = arith.addi %s, %c8 : index
        %end = arith.minsi %until, %n : index
        scf.if %one {
          scf.for %t = %s to %end step %c1 {
            rt.iteration %t
            memref.store %x, %y[%c1, %t] : memref<2x512xf32>
          }
        }
      }
      scf.yield
    }
    default {
    }
  } {rt.independent}
  %status = arith.constant 0 : i32
  return %status : i32
}

// -----

// The number of iterations depends on what the loop computes, so it stays on one thread.

// CHECK-LABEL: @recur_model_compute
// CHECK-NOT: rt.parallel
// CHECK: return
func.func @recur_model_compute(%frame: !llvm.ptr, %n: memref<2xindex>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %number = %c0 to %c2 step %c1 {
    %trips = memref.load %n[%number] : memref<2xindex>
    scf.for %t = %c0 to %trips step %c1 {
      rt.iteration %t
    }
    memref.store %c0, %n[%number] : memref<2xindex>
  } {rt.independent}
  %status = arith.constant 0 : i32
  return %status : i32
}

// -----

// A thread runs all iterations of a time loop with some of the parts of each.

// CHECK-LABEL: @recur_model_compute
// CHECK: rt.check %{{.*}}, iteration_limit, "reached max_iterations, which is {0}"
// CHECK: rt.parallel @rt_part_0
// CHECK: rt.check %{{.*}}, cancelled, "cancelled by the caller"
// CHECK: func.func private @rt_part_0
// CHECK: %[[SHARE:.*]]:2 = call @rt_share(
// CHECK: scf.for
// CHECK-NEXT: rt.iteration
// CHECK-NEXT: scf.for %{{.*}} = %[[SHARE]]#0 to %[[SHARE]]#1
func.func @recur_model_compute(%frame: !llvm.ptr, %x: f32, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = rt.output 0 () : memref<2x512xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %part = %c0 to %c2 step %c1 {
      memref.store %x, %y[%part, %t] : memref<2x512xf32>
    } {rt.interchangeable}
  }
  %status = arith.constant 0 : i32
  return %status : i32
}

// -----

// The kernel has blocks in fours and rows. Seven blocks make one part, and 30 rows make five, so rows are divided.

func.func private @kernel(%a: memref<?x8xf32, strided<[?, 1], offset: ?>>, %b: memref<?x8xf32, strided<[?, 1], offset: ?>>)
    attributes {rt.kernel, rt.parts = {along = [[1, 0]], grain = 4, other = {along = [[0, 0]], least = 6},
                                       sizes = [[0, 0], [1, 0]], cost = 64}} {
  return
}

// CHECK-LABEL: @recur_model_compute
// CHECK: %[[WANT:.*]] = arith.constant 5 : index
// CHECK: rt.parallel @rt_part_0 want %[[WANT]]({{.*}})
func.func @recur_model_compute(%frame: !llvm.ptr) {
  %x = rt.input 0 : memref<30x8xf32>
  %y = rt.output 0 () : memref<7x8xf32>
  %a = memref.cast %x : memref<30x8xf32> to memref<?x8xf32, strided<[?, 1], offset: ?>>
  %b = memref.cast %y : memref<7x8xf32> to memref<?x8xf32, strided<[?, 1], offset: ?>>
  func.call @kernel(%a, %b)
      : (memref<?x8xf32, strided<[?, 1], offset: ?>>, memref<?x8xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}

// A part may have any number of rows.
// CHECK: func.func private @rt_part_0
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 30 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: call @rt_share(%[[SIZE]], %[[ONE]],
// CHECK: %[[ROWS:.*]] = memref.subview
// CHECK-NOT: memref.subview
// CHECK: call @kernel

// -----

// If only the call knows the sizes, it chooses. The dims that are not divided are whole.

func.func private @kernel(%a: memref<?x8xf32, strided<[?, 1], offset: ?>>, %b: memref<?x8xf32, strided<[?, 1], offset: ?>>)
    attributes {rt.kernel, rt.parts = {along = [[1, 0]], grain = 4, other = {along = [[0, 0]], least = 6},
                                       sizes = [[0, 0], [1, 0]], cost = 64}} {
  return
}

// CHECK-LABEL: @recur_model_compute
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index,
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[M]], %c4
// CHECK: %[[ROWS:.*]] = arith.divui %[[N]], %c6
// CHECK: %[[BY_ROWS:.*]] = arith.cmpi uge, %[[ROWS]], %[[BLOCKS]]
// CHECK: %[[MOST:.*]] = arith.maxui %[[BLOCKS]], %[[ROWS]]
// CHECK: %[[WANT:.*]] = arith.minui %{{.*}}, %[[MOST]]
// CHECK: rt.parallel @rt_part_0 want %[[WANT]]({{.*}})
func.func @recur_model_compute(%frame: !llvm.ptr, %n: index, %m: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %rows = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 8], strides: [8, 1]
      : memref<?xf32> to memref<?x8xf32, strided<[8, 1]>>
  %blocks = memref.reinterpret_cast %y to offset: [0], sizes: [%m, 8], strides: [8, 1]
      : memref<?xf32> to memref<?x8xf32, strided<[8, 1]>>
  %a = memref.cast %rows : memref<?x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
  %b = memref.cast %blocks : memref<?x8xf32, strided<[8, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
  func.call @kernel(%a, %b)
      : (memref<?x8xf32, strided<[?, 1], offset: ?>>, memref<?x8xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}

// CHECK: func.func private @rt_part_0
// CHECK: %[[SIZE:.*]] = arith.select %[[CHOICE:.*]], %[[N:.*]], %[[M:.*]] : index
// CHECK: %[[GRAIN:.*]] = arith.select %[[CHOICE]], %c1, %c4 : index
// CHECK: %[[SHARE:.*]]:2 = call @rt_share(%[[SIZE]], %[[GRAIN]],
// CHECK-DAG: arith.select %[[CHOICE]], %c0, %[[SHARE]]#0
// CHECK-DAG: arith.select %[[CHOICE]], %[[M]], %[[SHARE]]#1
// CHECK-DAG: arith.select %[[CHOICE]], %[[SHARE]]#0, %c0
// CHECK-DAG: arith.select %[[CHOICE]], %[[SHARE]]#1, %[[N]]
// CHECK: call @kernel

// -----

// Dims whose size is not known in front of the call are not divided. Others may be.

func.func private @kernel(%a: memref<?x8xf32, strided<[?, 1], offset: ?>>, %b: memref<?x8xf32, strided<[?, 1], offset: ?>>)
    attributes {rt.kernel, rt.parts = {along = [[1, 0]], grain = 4, other = {along = [[0, 0]], least = 6},
                                       sizes = [[0, 0], [1, 0]], cost = 64}} {
  return
}

// CHECK-LABEL: @recur_model_compute
// CHECK: rt.parallel @rt_part_0 want
func.func @recur_model_compute(%frame: !llvm.ptr, %a: memref<?x8xf32, strided<[?, 1], offset: ?>>) {
  %y = rt.output 0 () : memref<90x8xf32>
  %b = memref.cast %y : memref<90x8xf32> to memref<?x8xf32, strided<[?, 1], offset: ?>>
  func.call @kernel(%a, %b)
      : (memref<?x8xf32, strided<[?, 1], offset: ?>>, memref<?x8xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}

// CHECK: func.func private @rt_part_0
// CHECK: %[[BLOCKS:.*]] = memref.subview
// CHECK: %[[SHARE:.*]] = memref.cast %[[BLOCKS]]
// CHECK: call @kernel(%{{.*}}, %[[SHARE]])
