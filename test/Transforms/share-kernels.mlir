// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-share-kernels --split-input-file | FileCheck %s --implicit-check-not="rt.shared ="
// RUN: ir-opt %s --rt-share-kernels="target=other" --split-input-file | FileCheck %s --check-prefix=OTHER
// RUN: ir-opt %s --rt-share-kernels="target=1 common-target=a" --split-input-file > %t.1
// RUN: ir-opt %s --rt-share-kernels="target=2 common-target=a" --split-input-file > %t.2
// RUN: cat %t.1 %t.2 | FileCheck %s --check-prefix=COMMON

// The name of a shared kernel says what its code is: the same for the same code and target.

// CHECK-LABEL: @recur_model_compute
// CHECK: call @rt_fill.44d475be8c8bd2dddae008e3(
// CHECK: call @rt_fill.44d475be8c8bd2dddae008e3(
// CHECK: func.func private @rt_fill.44d475be8c8bd2dddae008e3(
// CHECK-SAME: attributes {passthrough = ["noinline", ["rt.shared", "rt_fill.44d475be8c8bd2dddae008e3"]], rt.kernel}
// CHECK: vector.store
// OTHER-NOT: rt_fill.44d475be8c8bd2dddae008e3
// OTHER: call @rt_fill.{{[0-9a-f]+}}(
func.func @recur_model_compute(%a: memref<4x8xf32>, %b: memref<?x8xf32>) {
  %cast = memref.cast %a : memref<4x8xf32> to memref<?x8xf32>
  call @rt_fill(%cast) : (memref<?x8xf32>) -> ()
  call @rt_fill(%b) : (memref<?x8xf32>) -> ()
  return
}
func.func private @rt_fill(%a: memref<?x8xf32>)
    attributes {passthrough = ["noinline"], rt.kernel, rt.shared = array<i64: 0, 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : vector<8xf32>
  %n = memref.dim %a, %c0 : memref<?x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    vector.store %x, %a[%i, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}

// -----

// Different sizes are as good as sizes that only the call tells, also if another kernel passes them on.

// CHECK-LABEL: @recur_model_compute
// CHECK: call @rt_choose(
// CHECK: call @rt_fill.[[HASH:[0-9a-f]+]](
// CHECK: func.func private @rt_choose(
// CHECK: call @rt_fill.[[HASH]](
// CHECK: func.func private @rt_fill.[[HASH]](
func.func @recur_model_compute(%a: memref<4x8xf32>, %b: memref<2x8xf32>) {
  %c = memref.cast %a : memref<4x8xf32> to memref<?x8xf32>
  %d = memref.cast %b : memref<2x8xf32> to memref<?x8xf32>
  call @rt_choose(%c) : (memref<?x8xf32>) -> ()
  call @rt_fill(%d) : (memref<?x8xf32>) -> ()
  return
}
func.func private @rt_choose(%a: memref<?x8xf32>) attributes {rt.kernel} {
  call @rt_fill(%a) : (memref<?x8xf32>) -> ()
  return
}
func.func private @rt_fill(%a: memref<?x8xf32>) attributes {rt.kernel, rt.shared = array<i64: 0, 0>} {
  return
}

// -----

// All calls have the same size, so the kernel belongs to the model.

// CHECK-LABEL: @recur_model_compute
// CHECK: call @rt_choose(
// CHECK: call @rt_fill(
// CHECK: func.func private @rt_choose(
// CHECK: call @rt_fill(
// CHECK: func.func private @rt_fill({{.*}}) attributes {rt.kernel} {
func.func @recur_model_compute(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  %c = memref.cast %a : memref<4x8xf32> to memref<?x8xf32>
  %d = memref.cast %b : memref<4x8xf32> to memref<?x8xf32>
  call @rt_choose(%c) : (memref<?x8xf32>) -> ()
  call @rt_fill(%d) : (memref<?x8xf32>) -> ()
  return
}
func.func private @rt_choose(%a: memref<?x8xf32>) attributes {rt.kernel} {
  call @rt_fill(%a) : (memref<?x8xf32>) -> ()
  return
}
func.func private @rt_fill(%a: memref<?x8xf32>) attributes {rt.kernel, rt.shared = array<i64: 0, 0>} {
  return
}

// -----

// A kernel stays in the model if it calls another one, or if there is no such operand or dim. A name that a text has is
// dropped.

// CHECK-LABEL: @recur_model_compute
// CHECK-COUNT-4: call @rt_{{[a-z]+}}(
// CHECK: func.func private @rt_calls({{.*}}) attributes {rt.kernel}
// CHECK: func.func private @rt_operand({{.*}}) attributes {rt.kernel}
// CHECK: func.func private @rt_dim({{.*}}) attributes {passthrough = ["noinline"], rt.kernel}
// CHECK: func.func private @rt_number({{.*}}) attributes {rt.kernel}
func.func @recur_model_compute(%a: memref<?x8xf32>, %i: index) {
  call @rt_calls(%a) : (memref<?x8xf32>) -> ()
  call @rt_operand(%a) : (memref<?x8xf32>) -> ()
  call @rt_dim(%a) : (memref<?x8xf32>) -> ()
  call @rt_number(%i) : (index) -> ()
  return
}
func.func private @rt_calls(%a: memref<?x8xf32>) attributes {rt.kernel, rt.shared = array<i64: 0, 0>} {
  call @rt_operand(%a) : (memref<?x8xf32>) -> ()
  return
}
func.func private @rt_operand(%a: memref<?x8xf32>) attributes {rt.kernel, rt.shared = array<i64: 77, 0>} {
  return
}
func.func private @rt_dim(%a: memref<?x8xf32>)
    attributes {passthrough = ["noinline", ["rt.shared", "x"]], rt.kernel, rt.shared = array<i64: 0, 9>} {
  return
}
func.func private @rt_number(%i: index) attributes {rt.kernel, rt.shared = array<i64: 0, 0>} {
  return
}

// -----

// Kernels that call each other are no reason to run forever.

// CHECK-LABEL: @recur_model_compute
// CHECK: func.func private @rt_first({{.*}}) attributes {rt.kernel}
func.func @recur_model_compute(%a: memref<?x8xf32>) {
  return
}
func.func private @rt_first(%a: memref<?x8xf32>) attributes {rt.kernel} {
  call @rt_second(%a) : (memref<?x8xf32>) -> ()
  return
}
func.func private @rt_second(%a: memref<?x8xf32>) attributes {rt.kernel} {
  call @rt_first(%a) : (memref<?x8xf32>) -> ()
  call @rt_third(%a) : (memref<?x8xf32>) -> ()
  return
}
func.func private @rt_third(%a: memref<?x8xf32>) attributes {rt.kernel, rt.shared = array<i64: 0, 0>} {
  return
}

// -----

// A kernel with vectors of f32 alone has the hash of the common target, and one with other elements that of its own.

// COMMON-LABEL: @plain_and_narrow
// COMMON: call @rt_fill.[[PLAIN:[0-9a-f]+]](
// COMMON: call @rt_widen.[[NARROW:[0-9a-f]+]](
// COMMON-LABEL: @plain_and_narrow
// COMMON: call @rt_fill.[[PLAIN]](
// COMMON-NOT: call @rt_widen.[[NARROW]](
func.func @plain_and_narrow(%a: memref<?x8xf32>, %b: memref<?x8xbf16>) {
  call @rt_fill(%a) : (memref<?x8xf32>) -> ()
  call @rt_widen(%b, %a) : (memref<?x8xbf16>, memref<?x8xf32>) -> ()
  return
}
func.func private @rt_fill(%a: memref<?x8xf32>) attributes {rt.kernel, rt.shared = array<i64: 0, 0>} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<?x8xf32>, vector<8xf32>
  %y = math.fma %x, %x, %x : vector<8xf32>
  vector.store %y, %a[%c0, %c0] : memref<?x8xf32>, vector<8xf32>
  return
}
func.func private @rt_widen(%a: memref<?x8xbf16>, %b: memref<?x8xf32>)
    attributes {rt.kernel, rt.shared = array<i64: 0, 0>} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<?x8xbf16>, vector<8xbf16>
  %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
  vector.store %y, %b[%c0, %c0] : memref<?x8xf32>, vector<8xf32>
  return
}
