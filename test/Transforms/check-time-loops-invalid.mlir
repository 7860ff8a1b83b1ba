// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --check-time-loops --split-input-file --verify-diagnostics

// The number of time loops, allocations and calls. check-time-loops-stores.mlir tests repeated stores.

// expected-error @+1 {{expected 2 time loops, as 'rt.time_loops' says, but found 1}}
func.func @one_lost(%n: index) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is a time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
  }
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}

// -----

// expected-error @+1 {{expected 1 time loops, as 'rt.time_loops' says, but found 0}}
func.func @all_lost() attributes {rt.time_loops = 1} {
  return
}

// -----

// expected-error @+1 {{expected 1 time loops, as 'rt.time_loops' says, but found 2}}
func.func @doubled(%n: index, %more: i1) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is a time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
  }
  // expected-note @+1 {{this is a time loop}}
  %end = scf.while (%t = %c0) : (index) -> index {
    scf.condition(%more) %t : index
  } do {
  ^bb0(%t: index):
    rt.iteration %t
    scf.yield %t : index
  }
  return
}

// -----

// expected-error @+1 {{expected 'rt.time_loops' to tell the number of time loops, which is 1}}
func.func @not_told(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is a time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
  }
  return
}

// -----

func.func @stray_markers(%n: index, %c: i1) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected 'rt.iteration' to stand in the body of a loop}}
  rt.iteration %c0
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.if %c {
      // expected-error @+1 {{expected 'rt.iteration' to stand in the body of a loop}}
      rt.iteration %t
    }
  }
  return
}

// -----

func.func @allocations_in_for(%n: index, %x: memref<4xf32>, %heap: memref<?xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = llvm.mlir.constant(1 : i64) : i64
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-error @+1 {{expected no allocation in a time loop}}
    %0 = memref.alloc() : memref<4xf32>
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{expected no allocation in a time loop}}
      %1 = memref.alloca() : memref<4xf32>
    }
    // expected-error @+1 {{expected no allocation in a time loop}}
    %2 = memref.realloc %heap(%n) : memref<?xf32> to memref<?xf32>
    // expected-error @+1 {{expected no allocation in a time loop}}
    %3 = bufferization.clone %x : memref<4xf32> to memref<4xf32>
    // expected-error @+1 {{expected no allocation in a time loop}}
    %4 = llvm.alloca %one x f32 : (i64) -> !llvm.ptr
    // expected-error @+1 {{expected no deallocation in a time loop}}
    memref.dealloc %0 : memref<4xf32>
  }
  return
}

// -----

// The region that computes the condition belongs to the time loop too.
func.func @allocations_in_while(%more: memref<4xi1>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the time loop}}
  %end = scf.while (%t = %c0) : (index) -> index {
    // expected-error @+1 {{expected no allocation in a time loop}}
    %0 = memref.alloc() : memref<4xi1>
    %go = memref.load %more[%t] : memref<4xi1>
    scf.condition(%go) %t : index
  } do {
  ^bb0(%t: index):
    rt.iteration %t
    // expected-error @+1 {{expected no allocation in a time loop}}
    %1 = memref.alloc() : memref<4xi1>
    %next = arith.addi %t, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// One error for each op, with a note at the innermost time loop.
func.func @nested(%n: index) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-note @+1 {{this is the time loop}}
    scf.for %s = %c0 to %n step %c1 {
      rt.iteration %s
      // expected-error @+1 {{expected no allocation in a time loop}}
      %0 = memref.alloc() : memref<4xf32>
    }
    // expected-error @+1 {{expected no allocation in a time loop}}
    %1 = memref.alloc() : memref<4xf32>
  }
  return
}

// -----

func.func @tensors(%n: index, %x: memref<4xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-error @+1 {{expected buffers in a time loop, but this is an op on tensors}}
    %0 = bufferization.alloc_tensor() : tensor<4xf32>
    // expected-error @+1 {{expected buffers in a time loop, but this is an op on tensors}}
    bufferization.materialize_in_destination %0 in restrict writable %x : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// -----

func.func private @f(f32) -> f32
func.func private @exp(f32) -> f32
func.func private @lgamma(f64) -> f64
func.func @calls(%n: index, %x: f32, %d: f64, %f: (f32) -> f32, %p: !llvm.ptr, %size: i64)
    attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-error @+1 {{expected no call in a time loop, but this calls 'f'}}
    %0 = func.call @f(%x) : (f32) -> f32
    // expected-error @+1 {{expected no call in a time loop, but this calls 'exp'}}
    %1 = func.call @exp(%x) : (f32) -> f32
    // expected-error @+1 {{expected no call in a time loop, but this calls 'lgamma'}}
    %2 = func.call @lgamma(%d) : (f64) -> f64
    // expected-error @+1 {{expected no call in a time loop, but this calls what a pointer points to}}
    %3 = func.call_indirect %f(%x) : (f32) -> f32
    // expected-error @+1 {{expected no call in a time loop, but this calls what a pointer points to}}
    %4 = llvm.call %p(%d) : !llvm.ptr, (f64) -> f64
    // expected-error @+1 {{expected no call in a time loop, but this calls 'malloc'}}
    %5 = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  }
  return
}
llvm.func @malloc(i64) -> !llvm.ptr

// -----

func.func @call_in_while(%more: i1, %x: vector<8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the time loop}}
  %end = scf.while (%t = %c0) : (index) -> index {
    scf.condition(%more) %t : index
  } do {
  ^bb0(%t: index):
    rt.iteration %t
    // expected-error @+1 {{expected no call in a time loop, but 'math.tanh' of 'f32' becomes one}}
    %0 = math.tanh %x : vector<8xf32>
    scf.yield %t : index
  }
  return
}

// -----

// Ops that become calls later.
func.func @calls_later(%n: index, %x: f32, %h: f16, %d: f64, %i: i32, %c: i1, %y: memref<4x8xf32, strided<[9, 1]>>)
    attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-error @+1 {{expected no call in a time loop, but 'math.exp' of 'f16' becomes one}}
    %0 = math.exp %h : f16
    // expected-error @+1 {{expected no call in a time loop, but 'math.powf' of 'f32' becomes one}}
    %1 = math.powf %x, %x : f32
    // expected-error @+1 {{expected no call in a time loop, but 'math.fpowi' of 'f64' becomes one}}
    %2 = math.fpowi %d, %i : f64, i32
    // expected-error @+1 {{expected no call in a time loop, but 'arith.remf' of 'f16' becomes one}}
    %3 = arith.remf %h, %h : f16
    // expected-error @+1 {{expected no call in a time loop, but 'cf.assert' becomes one}}
    cf.assert %c, "no"
    // expected-error @+1 {{expected no call in a time loop, but a copy that is not contiguous becomes one}}
    memref.copy %y, %y : memref<4x8xf32, strided<[9, 1]>> to memref<4x8xf32, strided<[9, 1]>>
  }
  return
}

// -----

func.func @unknown(%n: index, %p: !llvm.ptr, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-error @+1 {{expected to know what this does to memory in a time loop}}
    llvm.store %x, %p : f32, !llvm.ptr
    // expected-error @+1 {{expected to know what this does to memory in a time loop}}
    llvm.inline_asm has_side_effects "nop", "" : () -> ()
  }
  return
}
