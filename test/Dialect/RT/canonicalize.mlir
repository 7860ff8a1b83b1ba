// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize --allow-unregistered-dialect --split-input-file | FileCheck %s

// CHECK-LABEL: @holds
// CHECK-SAME: (%[[I:.*]]: index)
// CHECK-NEXT: return %[[I]] : index
func.func @holds(%i: index) -> index {
  %true = arith.constant true
  %j = rt.check %true, index, "a" guards(%i : index)
  rt.check %true, shape, "b"
  return %j : index
}

// -----

// CHECK-LABEL: @fails
// CHECK: rt.check %{{.*}}, index, "a"
func.func @fails(%i: index) -> index {
  %false = arith.constant false
  %j = rt.check %false, index, "a" guards(%i : index)
  return %j : index
}

// -----

// A value that was found equal to %a is equal to the check's result that replaces %a.
// CHECK-LABEL: @equal
// CHECK-SAME: (%[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index)
// CHECK: %[[AB:.*]] = arith.cmpi eq, %[[A]], %[[B]]
// CHECK: %[[R:.*]] = rt.check %[[AB]], shape, "first" guards(%[[A]] : index)
// CHECK-NOT: "second"
// CHECK-NOT: "third"
// CHECK: %[[RC:.*]] = arith.cmpi eq, %[[R]], %[[C]]
// CHECK: %[[S:.*]] = rt.check %[[RC]], shape, "fourth" guards(%[[R]] : index)
// CHECK: return %[[R]], %[[R]], %[[S]]
func.func @equal(%a: index, %b: index, %c: index) -> (index, index, index) {
  %0 = arith.cmpi eq, %a, %b : index
  %r = rt.check %0, shape, "first" guards(%a : index)
  %1 = arith.cmpi eq, %r, %b : index
  %s = rt.check %1, shape, "second" guards(%r : index)
  %2 = arith.cmpi eq, %a, %s : index
  %t = rt.check %2, shape, "third" guards(%s : index)
  %3 = arith.cmpi eq, %r, %c : index
  %u = rt.check %3, shape, "fourth" guards(%r : index)
  return %s, %t, %u : index, index, index
}

// -----

// CHECK-LABEL: @same_before
// CHECK: %[[R:.*]] = rt.check %{{.*}}, shape, "first"
// CHECK: scf.for
// CHECK-NOT: rt.check
// CHECK: "use"(%[[R]])
// CHECK: }
func.func @same_before(%ok: i1, %a: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = rt.check %ok, shape, "first" guards(%a : index)
  scf.for %i = %c0 to %n step %c1 {
    %s = rt.check %ok, shape, "second" guards(%a : index)
    "use"(%s) : (index) -> ()
  }
  return
}

// -----

// Both checks stay: the one in the loop may not run, and one that guards another value protects something else.
// CHECK-LABEL: @not_same_before
// CHECK: rt.check %{{.*}}, shape, "inside"
// CHECK: rt.check %{{.*}}, shape, "after"
// CHECK: rt.check %{{.*}}, shape, "other"
func.func @not_same_before(%ok: i1, %a: index, %b: index, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = rt.check %ok, shape, "inside" guards(%a : index)
    "use"(%s) : (index) -> ()
  }
  %r = rt.check %ok, shape, "after" guards(%a : index)
  %s = rt.check %ok, shape, "other" guards(%b : index)
  return %r, %s : index, index
}

// -----

// A tensor that was made with this size needs no view; one that was made with another size does.

// CHECK-LABEL: @broadcast_dim
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index, %[[X:.*]]: f32, %[[T:.*]]: tensor<?x4xf32>)
func.func @broadcast_dim(%n: index, %m: index, %x: f32, %t: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: %[[E:.*]] = tensor.empty(%[[N]])
  // CHECK: %[[F:.*]] = linalg.fill ins(%[[X]] : f32) outs(%[[E]]
  // CHECK: %[[G:.*]] = rt.broadcast_dim %[[F]] along 0 to %[[M]]
  // CHECK: %[[H:.*]] = rt.broadcast_dim %[[T]] along 0 to %[[N]]
  // CHECK: return %[[F]], %[[G]], %[[H]]
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %filled = linalg.fill ins(%x : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = rt.broadcast_dim %filled along 0 to %n : tensor<?x4xf32>
  %1 = rt.broadcast_dim %0 along 0 to %m : tensor<?x4xf32>
  %2 = rt.broadcast_dim %t along 0 to %n : tensor<?x4xf32>
  %3 = rt.broadcast_dim %2 along 0 to %n : tensor<?x4xf32>
  return %0, %1, %3 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// The buffer turns out to be empty. No part of it is in bounds, so the view has no bounds.

// CHECK-LABEL: @empty_view
// CHECK-SAME: (%[[N:.*]]: index)
// CHECK: %[[B:.*]] = memref.alloc() : memref<0x4xf32>
// CHECK: memref.reinterpret_cast %[[B]] to offset: [0], sizes: [%[[N]]], strides: [4] : memref<0x4xf32> to memref<?xf32, strided<[4]>>
func.func @empty_view(%n: index) -> memref<?xf32, strided<[4], offset: ?>> {
  %c0 = arith.constant 0 : index
  %i = rt.iteration_limit
  %b = memref.alloc(%c0) : memref<?x4xf32>
  %v = memref.subview %b[0, %i] [%n, 1] [1, 1] : memref<?x4xf32> to memref<?xf32, strided<[4], offset: ?>>
  return %v : memref<?xf32, strided<[4], offset: ?>>
}
