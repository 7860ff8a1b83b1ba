// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-checks --split-input-file --verify-diagnostics | FileCheck %s

// The numbers of statuses are those of include/Recur/Target/ABI.h. The text begins with the layer that the location
// names. Equal faults share a site; the sites are those of the whole module.

// CHECK: module attributes {rt.faults = [
// CHECK-SAME: [[[INDEX:[0-9]+]], "'rows/Gather': index {0} is out of range for {1} elements"]
// CHECK-SAME: [[[OVERFLOW:[0-9]+]], "too large"]
// CHECK-SAME: ]

// CHECK-LABEL: @checks
// CHECK-SAME: (%[[OK:.*]]: i1, %[[I:.*]]: index, %[[A:.*]]: i64, %[[B:.*]]: i64, %[[M:.*]]: memref<4xf32>)
func.func @checks(%ok: i1, %i: index, %a: i64, %b: i64, %m: memref<4xf32>) -> i32 {
  // CHECK: %[[STATUS:.*]] = arith.constant [[INDEX]] : i32
  // CHECK: %[[SITE:.*]] = arith.constant 0 : i64
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: cf.cond_br %[[OK]] weights([2000, 1]), ^[[NEXT:.*]], ^[[EPILOGUE:.*]](%[[STATUS]], %[[SITE]], %[[A]], %[[B]], %[[ZERO]], %{{.*}} : i32, i64, i64, i64, i64, i64)
  // CHECK: ^[[NEXT]]:
  // The guarded value replaces the result of the check.
  // CHECK: memref.load %[[M]][%[[I]]]
  %j = rt.check %ok, index, "index {0} is out of range for {1} elements" (%a, %b) guards(%i : index) loc("rows/Gather")
  %v = memref.load %m[%j] : memref<4xf32>
  // CHECK: arith.constant [[OVERFLOW]] : i32
  // CHECK: arith.constant 1 : i64
  // CHECK: cf.cond_br %[[OK]] {{.*}}, ^[[LAST:.*]], ^[[EPILOGUE]](
  rt.check %ok, overflow, "too large"
  // CHECK: ^[[LAST]]:
  // CHECK: %[[AGAIN:.*]] = arith.constant 0 : i64
  // CHECK: cf.cond_br %[[OK]] {{.*}}, ^{{.*}}, ^[[EPILOGUE]](%{{.*}}, %[[AGAIN]], %[[B]], %[[A]],
  rt.check %ok, index, "index {0} is out of range for {1} elements" (%b, %a) loc("rows/Gather")
  %c0 = arith.constant 0 : i32
  // CHECK: return %{{.*}} : i32
  // CHECK-NEXT: ^[[EPILOGUE]](%[[CODE:.*]]: i32, %[[WHERE:.*]]: i64, %[[D0:.*]]: i64, %[[D1:.*]]: i64, %[[D2:.*]]: i64, %[[D3:.*]]: i64):
  // CHECK-NEXT: rt.fail %[[WHERE]](%[[D0]], %[[D1]], %[[D2]], %[[D3]])
  // CHECK-NEXT: return %[[CODE]] : i32
  return %c0 : i32
}

// Each function has its own epilogue, and none if it has no checks.

// CHECK-LABEL: @sizes
func.func @sizes(%ok: i1) -> i32 {
  // CHECK: rt.fail
  rt.check %ok, overflow, "too large"
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}

// CHECK-LABEL: @none
func.func @none() -> i32 {
  // CHECK-NOT: rt.fail
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}

// The marker of a time loop becomes the question whether the caller allows another iteration.

// CHECK-LABEL: @iteration
// CHECK-SAME: (%[[T:.*]]: index)
func.func @iteration(%t: index) -> i32 {
  // CHECK: %[[LIMIT:.*]] = rt.iteration_limit
  // CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[T]], %[[LIMIT]]
  // CHECK: %[[DETAIL:.*]] = arith.index_cast %[[LIMIT]] : index to i64
  // CHECK: %[[ITER_LIMIT:.*]] = arith.constant 9 : i32
  // CHECK: cf.cond_br %[[BELOW]] weights([2000, 1]), ^{{.*}}, ^[[EPILOGUE:bb[0-9]+]](%[[ITER_LIMIT]], %{{[^,]*}}, %[[DETAIL]],
  // CHECK: %[[OK:.*]] = rt.may_continue
  // CHECK: %[[CANCELLED:.*]] = arith.constant 10 : i32
  // CHECK: cf.cond_br %[[OK]] weights([2000, 1]), ^{{.*}}, ^[[EPILOGUE]](%[[CANCELLED]],
  // CHECK-NOT: rt.iteration %
  rt.iteration %t
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}

// The function of a parallel region has no status. Its limits are checked before.

// CHECK-LABEL: @share
func.func @share(%t: index) {
  // CHECK-NOT: rt.iteration_limit
  // CHECK: %[[OK:.*]] = rt.may_continue
  // CHECK: cf.cond_br %[[OK]] weights([2000, 1]), ^{{.*}}, ^[[END:bb[0-9]+]]
  // CHECK: return
  // CHECK: ^[[END]]:
  // CHECK-NEXT: return
  rt.iteration %t
  return
}

// -----

// CHECK: module attributes {rt.faults = []}
module {
}

// -----

func.func @structured(%ok: i1, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{expected structured control flow to be lowered before this}}
    rt.check %ok, overflow, "too large"
  }
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

// A constant that the condition may refuse is an argument of what follows: upstream's ops refuse an offset of -1 too.
// affine.delinearize_index refuses a size of 0 even where the condition takes it.
// CHECK-LABEL: @constant
// CHECK: cf.cond_br %{{.*}}, ^[[NEXT:.*]](%{{.*}} : index), ^
// CHECK: ^[[NEXT]](%[[CHECKED:.*]]: index):
// CHECK-NOT: affine.delinearize_index
// CHECK: memref.load %{{.*}}[%{{.*}}, %[[CHECKED]]]
func.func @constant(%ok: i1, %i: index, %n: index, %m: memref<?x?xf32>) -> i32 {
  %c0 = arith.constant 0 : index
  %size = rt.check %ok, shape, "too large" guards(%c0 : index)
  %at:2 = affine.delinearize_index %i into (%n, %size) : index, index
  %v = memref.load %m[%at#0, %size] : memref<?x?xf32>
  memref.store %v, %m[%at#1, %at#0] : memref<?x?xf32>
  %status = arith.constant 0 : i32
  return %status : i32
}

// -----

// A growing buffer is reserved in a block of its own, and the fast path only compares. Another reservation stays a call.
// CHECK-LABEL: @reservations
// CHECK-NOT: rt.held
// CHECK: rt.reserve %{{.*}} keeping
// CHECK: cf.cond_br
// CHECK: rt.held %{{.*}}
// CHECK: cf.cond_br %{{.*}} weights([2000, 1]), ^{{.*}}, ^[[GROWTH:bb[0-9]+]]
// CHECK: ^[[GROWTH]]:
// CHECK-NEXT: rt.reserve growing
// CHECK-NEXT: cf.br
func.func @reservations(%cells: memref<2xi64>, %others: memref<2xi64>, %n: index, %x: i8) -> i32 {
  %c0 = arith.constant 0 : index
  %a, %ok = rt.reserve %n keeping %c0 in %cells : memref<2xi64> to memref<?xi8>
  %checked = rt.check %ok, recorded, "" guards(%a : memref<?xi8>)
  memref.store %x, %checked[%c0] : memref<?xi8>
  %b, %also = rt.reserve growing %n keeping %c0 in %others : memref<2xi64> to memref<?xi8>
  %grown = rt.check %also, recorded, "" guards(%b : memref<?xi8>)
  memref.store %x, %grown[%c0] : memref<?xi8>
  %status = arith.constant 0 : i32
  return %status : i32
}
