// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-use-checks --canonicalize | FileCheck %s

// The first iteration has its own branch if the dims differ, which the check excludes. The loop begins with iteration 0.

// CHECK-LABEL: @first_iteration
// CHECK: rt.check
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} = %c0 to
func.func @first_iteration(%a: index, %b: index, %n: index, %m: memref<f32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %differ = arith.cmpi ne, %b, %a : index
  %first = arith.select %differ, %c1, %c0 : index
  %agree = arith.cmpi eq, %a, %b : index
  rt.check %agree, shape, "dims do not agree"
  scf.if %differ {
    memref.store %x, %m[] : memref<f32>
  }
  scf.for %i = %first to %n step %c1 {
    memref.store %x, %m[] : memref<f32>
  }
  return
}

// Before the check, nothing is known.

// CHECK-LABEL: @before
// CHECK: %[[DIFFER:.*]] = arith.cmpi ne
// CHECK: scf.if %[[DIFFER]]
// CHECK: rt.check
// CHECK: return
func.func @before(%a: index, %b: index, %m: memref<f32>, %x: f32) {
  %differ = arith.cmpi ne, %a, %b : index
  %agree = arith.cmpi eq, %a, %b : index
  scf.if %differ {
    memref.store %x, %m[] : memref<f32>
  }
  rt.check %agree, shape, "dims do not agree"
  return
}

// A check in a branch says nothing about what comes behind the branch.

// CHECK-LABEL: @in_a_branch
// CHECK: %[[DIFFER:.*]] = arith.cmpi ne
// CHECK: scf.if
// CHECK: rt.check
// CHECK: scf.if %[[DIFFER]]
func.func @in_a_branch(%a: index, %b: index, %c: i1, %m: memref<f32>, %x: f32) {
  %differ = arith.cmpi ne, %a, %b : index
  %agree = arith.cmpi eq, %a, %b : index
  scf.if %c {
    rt.check %agree, shape, "dims do not agree"
  }
  scf.if %differ {
    memref.store %x, %m[] : memref<f32>
  }
  return
}

// The condition itself is true behind the check.

// CHECK-LABEL: @condition
// CHECK: rt.check
// CHECK-NEXT: memref.store
// CHECK-NEXT: return
func.func @condition(%c: i1, %m: memref<f32>, %x: f32) {
  rt.check %c, shape, "no"
  scf.if %c {
    memref.store %x, %m[] : memref<f32>
  }
  return
}
