// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @check
// CHECK-SAME: (%[[OK:.*]]: i1, %[[I:.*]]: index, %[[N:.*]]: i64, %[[M:.*]]: memref<4xf32>)
func.func @check(%ok: i1, %i: index, %n: i64, %m: memref<4xf32>) -> index {
  // CHECK: rt.check %[[OK]], shape, "nothing is guarded"{{ *$}}
  rt.check %ok, shape, "nothing is guarded"
  // CHECK: rt.check %[[OK]], trip_count, "{0} and {3}"(%[[N]], %[[N]], %[[N]], %[[N]])
  rt.check %ok, trip_count, "{0} and {3}" (%n, %n, %n, %n)
  // CHECK: %[[J:.*]] = rt.check %[[OK]], index, "index {0} is out of range"(%[[N]]) guards(%[[I]] : index)
  %j = rt.check %ok, index, "index {0} is out of range" (%n) guards(%i : index)
  // CHECK: %[[K:.*]]:2 = rt.check %[[OK]], overflow, "two" guards(%[[J]], %[[M]] : index, memref<4xf32>)
  %k:2 = rt.check %ok, overflow, "two" guards(%j, %m : index, memref<4xf32>)
  // CHECK: return %[[K]]#0
  return %k#0 : index
}

// CHECK-LABEL: @kinds
func.func @kinds(%ok: i1) {
  // CHECK: arithmetic, "a"
  rt.check %ok, arithmetic, "a"
  // CHECK: iteration_limit, "b"
  rt.check %ok, iteration_limit, "b"
  // CHECK: memory_limit, "c"
  rt.check %ok, memory_limit, "c"
  // CHECK: no_memory, "d"
  rt.check %ok, no_memory, "d"
  // CHECK: cancelled, "e"
  rt.check %ok, cancelled, "e"
  // CHECK: capacity, "f"
  rt.check %ok, capacity, "f"
  return
}

// CHECK-LABEL: @buffers
// CHECK-SAME: (%[[T:.*]]: index)
func.func @buffers(%t: index) {
  // CHECK: rt.iteration %[[T]]
  rt.iteration %t
  // CHECK: rt.iteration_limit{{ *$}}
  %limit = rt.iteration_limit
  // CHECK: rt.may_use_tiles{{ *$}}
  %tiles = rt.may_use_tiles
  // CHECK: rt.may_continue{{ *$}}
  %ok = rt.may_continue
  // CHECK: rt.input 0 : memref<?x4xf32>
  %0 = rt.input 0 : memref<?x4xf32>
  // CHECK: rt.output 0() : memref<4xf32>
  %1 = rt.output 0 () : memref<4xf32>
  // CHECK: rt.output 1(%[[T]], %[[T]]) : memref<?x4x?xi8>
  %2 = rt.output 1 (%t, %t) : memref<?x4x?xi8>
  // CHECK: rt.weights of(#ov.weights<16, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
  %3 = rt.weights of(#ov.weights<16, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
  // CHECK: rt.weights at 64 of(#ov.weights<16, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
  %4 = rt.weights at 64 of(#ov.weights<16, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
  // CHECK: rt.workspace : memref<?xi8>
  %5 = rt.workspace : memref<?xi8>
  // CHECK: rt.sizes %[[T]] dims()
  rt.sizes %t dims()
  // CHECK: rt.sizes %[[T]] dims(%[[T]], %[[T]])
  rt.sizes %t dims(%t, %t)
  return
}

// CHECK-LABEL: @fail
// CHECK-SAME: (%[[SITE:.*]]: i64, %[[D:.*]]: i64)
func.func @fail(%site: i64, %d: i64) {
  // CHECK: rt.fail %[[SITE]](%[[D]], %[[D]], %[[D]], %[[D]])
  rt.fail %site(%d, %d, %d, %d)
  return
}

// CHECK-LABEL: @broadcast_dim
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[N:.*]]: index)
func.func @broadcast_dim(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  // CHECK: rt.broadcast_dim %[[X]] along 0 to %[[N]] : tensor<?x4xf32>
  %0 = rt.broadcast_dim %x along 0 to %n : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func private @share
func.func private @share(%frame: !llvm.ptr, %index: i32, %count: i32, %n: index) {
  return
}
func.func private @share_of_nothing(%frame: !llvm.ptr, %index: i32, %count: i32) {
  return
}

// CHECK-LABEL: @parallel
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[N:.*]]: index)
func.func @parallel(%frame: !llvm.ptr, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: rt.parallel @share want %[[N]](%[[N]] : index)
  rt.parallel @share want %n (%n : index)
  // CHECK: rt.parallel @share_of_nothing want %[[N]]()
  rt.parallel @share_of_nothing want %n ()
  // CHECK: } {rt.independent}
  scf.for %i = %c0 to %n step %c1 {
  } {rt.independent}
  return
}
