// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --check-time-loops --split-input-file --verify-diagnostics

// Calls of kernels.

// A kernel with code for each number of rows: tiles of two rows and a remainder, and scratch that it fills.
func.func private @kernel(%a: memref<?x8xf32>, %c: memref<?x8xf32, strided<[8, 1], offset: ?>>) attributes {rt.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %a, %c0 : memref<?x8xf32>
  scf.index_switch %rows
  case 1 {
    %0 = vector.load %a[%c0, %c0] : memref<?x8xf32>, vector<8xf32>
    vector.store %0, %c[%c0, %c0] : memref<?x8xf32, strided<[8, 1], offset: ?>>, vector<8xf32>
    scf.yield
  }
  case 2 {
    %0 = vector.load %a[%c1, %c0] : memref<?x8xf32>, vector<8xf32>
    vector.store %0, %c[%c1, %c0] : memref<?x8xf32, strided<[8, 1], offset: ?>>, vector<8xf32>
    scf.yield
  }
  default {
  }
  return
}
func.func @calls(%n: index, %a: memref<?x8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %y = rt.output 0() : memref<7x8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c6 step %c2 {
      %tile = memref.subview %y[%i, 0] [2, 8] [1, 1] : memref<7x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
      %cast = memref.cast %tile
          : memref<2x8xf32, strided<[8, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
      func.call @kernel(%a, %cast) : (memref<?x8xf32>, memref<?x8xf32, strided<[8, 1], offset: ?>>) -> ()
    }
    %rest = memref.subview %y[6, 0] [1, 8] [1, 1] : memref<7x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 48>>
    %cast = memref.cast %rest
        : memref<1x8xf32, strided<[8, 1], offset: 48>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    func.call @kernel(%a, %cast) : (memref<?x8xf32>, memref<?x8xf32, strided<[8, 1], offset: ?>>) -> ()
  }
  return
}

// -----

// A switch in the loop itself: one store to each element, whichever case runs.
func.func @switch(%n: index, %rows: index, %v: vector<8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = rt.output 0(%rows) : memref<?x8xf32>
  %main = affine.apply affine_map<()[s0] -> ((s0 floordiv 3) * 3)>()[%rows]
  %rest = affine.apply affine_map<()[s0] -> (s0 mod 3)>()[%rows]
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %main step %c3 {
      %i1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
      %i2 = affine.apply affine_map<(d0) -> (d0 + 2)>(%i)
      vector.store %v, %y[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      vector.store %v, %y[%i1, %c0] : memref<?x8xf32>, vector<8xf32>
      vector.store %v, %y[%i2, %c0] : memref<?x8xf32>, vector<8xf32>
    }
    %next = affine.apply affine_map<()[s0] -> ((s0 floordiv 3) * 3 + 1)>()[%rows]
    scf.index_switch %rest
    case 1 {
      vector.store %v, %y[%main, %c0] : memref<?x8xf32>, vector<8xf32>
      scf.yield
    }
    case 2 {
      vector.store %v, %y[%main, %c0] : memref<?x8xf32>, vector<8xf32>
      vector.store %v, %y[%next, %c0] : memref<?x8xf32>, vector<8xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// -----

// Two cases that store the same elements are one store; a store after the switch is a second one.
func.func @after_switch(%n: index, %rows: index, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<8xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.index_switch %rows
    case 1 {
      memref.store %x, %y[%c0] : memref<8xf32>
      scf.yield
    }
    default {
      // expected-note @+1 {{by this store too}}
      memref.store %x, %y[%c0] : memref<8xf32>
    }
    // expected-error @+1 {{may be stored more than once in an iteration}}
    memref.store %x, %y[%c0] : memref<8xf32>
  }
  return
}

// -----

// Not kernels: a function without the mark, and a public one.
func.func private @unmarked(%a: memref<8xf32>) {
  return
}
func.func @public(%a: memref<8xf32>) {
  return
}
func.func @other_calls(%n: index, %a: memref<8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-error @+1 {{expected no call in a time loop, but this calls 'unmarked'}}
    func.call @unmarked(%a) : (memref<8xf32>) -> ()
    // expected-error @+1 {{expected no call in a time loop, but this calls 'public'}}
    func.call @public(%a) : (memref<8xf32>) -> ()
  }
  return
}

// -----

// expected-error @+1 {{expected a kernel to be a private function with a body}}
func.func @public_kernel() attributes {rt.kernel} {
  return
}

// -----

// expected-error @+1 {{expected a kernel to be a private function with a body}}
func.func private @external_kernel() attributes {rt.kernel}

// -----

// A kernel must not do anything that a time loop must not do. It may call only kernels that come after it.
func.func private @other(%a: memref<8xf32>) attributes {rt.kernel} {
  return
}
// expected-note @+1 {{this is the kernel}}
func.func private @bad(%a: memref<8xf32>, %x: f32, %b: memref<4x8xf32, strided<[9, 1]>>) attributes {rt.kernel} {
  // A buffer of fixed size is a part of the stack frame, but not one that a loop makes.
  %frame = memref.alloca() : memref<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @+1 {{expected no allocation in a kernel}}
    %2 = memref.alloca() : memref<8xf32>
  }
  // expected-error @+1 {{expected no allocation in a kernel}}
  %0 = memref.alloc() : memref<8xf32>
  // expected-error @+1 {{expected no call in a kernel, but this calls 'other'}}
  func.call @other(%a) : (memref<8xf32>) -> ()
  // expected-error @+1 {{expected no call in a kernel, but 'math.tanh' of 'f32' becomes one}}
  %1 = math.tanh %x : f32
  // expected-error @+1 {{expected no call in a kernel, but a copy that is not contiguous becomes one}}
  memref.copy %b, %b : memref<4x8xf32, strided<[9, 1]>> to memref<4x8xf32, strided<[9, 1]>>
  return
}

// -----

func.func private @choice(%a: memref<8xf32>) attributes {rt.kernel} {
  func.call @later(%a) : (memref<8xf32>) -> ()
  return
}
// expected-note @+1 {{this is the kernel}}
func.func private @later(%a: memref<8xf32>) attributes {rt.kernel} {
  // expected-error @+1 {{expected no call in a kernel, but this calls 'later'}}
  func.call @later(%a) : (memref<8xf32>) -> ()
  return
}
func.func @calls(%n: index, %a: memref<8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    func.call @choice(%a) : (memref<8xf32>) -> ()
  }
  return
}

// -----

// A kernel counts as storing to every buffer that it gets and stores to: here twice to the same rows. A buffer that it
// only reads is not stored to.
func.func private @kernel(%a: memref<8xf32>, %c: memref<8xf32>) attributes {rt.kernel} {
  %c0 = arith.constant 0 : index
  %0 = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %0, %c[%c0] : memref<8xf32>, vector<8xf32>
  return
}
func.func @twice(%n: index, %a: memref<8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<8xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-note @+1 {{by this store too}}
    func.call @kernel(%a, %y) : (memref<8xf32>, memref<8xf32>) -> ()
    // expected-error @+1 {{may be stored more than once in an iteration}}
    func.call @kernel(%a, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  }
  return
}

// -----

// A tile is a register: to load it is no store to memory. A kernel that stores tiles writes the buffer.
func.func private @tiles(%a: memref<16x32xbf16>, %c: memref<16x16xf32>) attributes {rt.kernel} {
  %c0 = arith.constant 0 : index
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  %x = amx.tile_load %a[%c0, %c0] : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %y = amx.tile_mulf %x, %x, %zero : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
  amx.tile_store %c[%c0, %c0], %y : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}
func.func @stores_tiles(%n: index, %a: memref<16x32xbf16>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<16x16xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-note @+1 {{by this store too}}
    func.call @tiles(%a, %y) : (memref<16x32xbf16>, memref<16x16xf32>) -> ()
    // expected-error @+1 {{may be stored more than once in an iteration}}
    func.call @tiles(%a, %y) : (memref<16x32xbf16>, memref<16x16xf32>) -> ()
  }
  return
}
