// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --check-time-loops --split-input-file --verify-diagnostics

// Results that an iteration computes in one buffer and moves to another.

// A fill of a separate buffer, and a copy from there to a state.
func.func @fill_and_copy(%n: index, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %w = rt.workspace : memref<?xi8>
  // expected-note @+1 {{this is the buffer}}
  %scratch = memref.view %w[%c0][] : memref<?xi8> to memref<16xf32>
  %state = memref.view %w[%c64][] : memref<?xi8> to memref<2x16xf32>
  linalg.fill ins(%x : f32) outs(%state : memref<2x16xf32>)
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %other = arith.andi %t, %c1 : index
    %slot = memref.subview %state[%other, 0] [1, 16] [1, 1]
        : memref<2x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    linalg.fill ins(%x : f32) outs(%scratch : memref<16xf32>)
    // expected-error @+1 {{expected no copy in a time loop, but this copies what the iteration computed elsewhere}}
    memref.copy %scratch, %slot : memref<16xf32> to memref<16xf32, strided<[1], offset: ?>>
  }
  %last = memref.subview %state[0, 0] [1, 16] [1, 1] : memref<2x16xf32> to memref<16xf32>
  %y = rt.output 0() : memref<16xf32>
  memref.copy %last, %y : memref<16xf32> to memref<16xf32>
  return
}

// -----

// The same where the buffer is reserved in the loop: two errors.
func.func @reserve_fill_and_copy(%n: index, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %w = rt.workspace : memref<?xi8>
  %cell = memref.view %w[%c0][] : memref<?xi8> to memref<2xi64>
  memref.store %zero, %cell[%c0] : memref<2xi64>
  memref.store %zero, %cell[%c1] : memref<2xi64>
  %y = rt.output 0(%n) : memref<?xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-error @+1 {{expected no allocation in a time loop}}
    %block, %ok = rt.reserve %n keeping %c0 in %cell : memref<2xi64> to memref<?xi8>
    %b = rt.check %ok, recorded, "" guards(%block : memref<?xi8>)
    // expected-note @+1 {{this is the buffer}}
    %scratch = memref.view %b[%c0][%n] : memref<?xi8> to memref<?xf32>
    linalg.fill ins(%x : f32) outs(%scratch : memref<?xf32>)
    // expected-error @+1 {{expected no copy in a time loop}}
    memref.copy %scratch, %y : memref<?xf32> to memref<?xf32>
  }
  return
}

// -----

// Copies from scratch to scratch: the remainder of a product as vectors, its rows as scalars, all of it flat.
func.func @scratch_to_scratch(%n: index, %v: vector<8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c48 = arith.constant 48 : index
  %c192 = arith.constant 192 : index
  %w = rt.workspace : memref<?xi8>
  // expected-note @+1 {{this is the buffer}}
  %product = memref.view %w[%c0][] : memref<?xi8> to memref<6x8xf32>
  %gates = memref.view %w[%c192][] : memref<?xi8> to memref<6x8xf32>
  %flat = memref.collapse_shape %gates [[0, 1]] : memref<6x8xf32> into memref<48xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c6 step %c1 {
      vector.store %v, %product[%i, %c0] : memref<6x8xf32>, vector<8xf32>
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %from = affine.apply affine_map<(d0) -> (d0 + 4)>(%i)
      %0 = vector.load %product[%from, %c0] : memref<6x8xf32>, vector<8xf32>
      // expected-error @+1 {{expected no copy in a time loop}}
      vector.store %0, %gates[%from, %c0] : memref<6x8xf32>, vector<8xf32>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %0 = memref.load %product[%i, %j] : memref<6x8xf32>
        // expected-error @+1 {{expected no copy in a time loop}}
        memref.store %0, %gates[%i, %j] : memref<6x8xf32>
      }
    }
    scf.for %i = %c0 to %c48 step %c8 {
      %row, %column = affine.delinearize_index %i into (6, 8) : index, index
      %0 = vector.load %product[%row, %column] : memref<6x8xf32>, vector<8xf32>
      // expected-error @+1 {{expected no copy in a time loop}}
      vector.store %0, %flat[%i] : memref<48xf32>, vector<8xf32>
    }
    %sum = vector.load %gates[%c0, %c0] : memref<6x8xf32>, vector<8xf32>
  }
  return
}

// -----

// The value of a branch that is copied to a state; the state of an inner loop that is copied to that of the outer.
func.func @branch_and_inner_loop(%n: index, %c: i1, %x: f32) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %w = rt.workspace : memref<?xi8>
  // expected-note @+1 {{this is the buffer}}
  %a = memref.view %w[%c0][] : memref<?xi8> to memref<16xf32>
  %b = memref.view %w[%c64][] : memref<?xi8> to memref<16xf32>
  // expected-note @+1 {{this is the buffer}}
  %inner = memref.view %w[%c128][] : memref<?xi8> to memref<2x16xf32>
  %state = memref.view %w[%c256][] : memref<?xi8> to memref<16xf32>
  %y = rt.output 0() : memref<16xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %chosen = scf.if %c -> memref<16xf32> {
      linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
      scf.yield %a : memref<16xf32>
    } else {
      linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
      scf.yield %b : memref<16xf32>
    }
    // expected-error @+1 {{expected no copy in a time loop}}
    memref.copy %chosen, %state : memref<16xf32> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%inner : memref<2x16xf32>)
    scf.for %s = %c0 to %n step %c1 {
      rt.iteration %s
      // The inner loop's state goes from slot to slot: no scratch to that loop.
      %current = arith.andi %s, %c1 : index
      %other = arith.xori %current, %c1 : index
      %from = memref.subview %inner[%current, 0] [1, 16] [1, 1]
          : memref<2x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      %to = memref.subview %inner[%other, 0] [1, 16] [1, 1]
          : memref<2x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      linalg.copy ins(%from : memref<16xf32, strided<[1], offset: ?>>) outs(%to : memref<16xf32, strided<[1], offset: ?>>)
    }
    %last = memref.subview %inner[1, 0] [1, 16] [1, 1] : memref<2x16xf32> to memref<16xf32, strided<[1], offset: 16>>
    // expected-error @+1 {{expected no copy in a time loop}}
    memref.copy %last, %y : memref<16xf32, strided<[1], offset: 16>> to memref<16xf32>
  }
  memref.copy %state, %y : memref<16xf32> to memref<16xf32>
  return
}

// -----

// Not copies: an input that is read into scratch, a state that is also written to an output, a transposition, a
// broadcast, a reversal, rows selected by data, a scalar.
func.func @no_copies(%n: index, %v: vector<8xf32>, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %w = rt.workspace : memref<?xi8>
  %scratch = memref.view %w[%c0][] : memref<?xi8> to memref<8x8xf32>
  %other = memref.view %w[%c256][] : memref<?xi8> to memref<8x8xf32>
  %state = memref.view %w[%c512][] : memref<?xi8> to memref<8xf32>
  linalg.fill ins(%x : f32) outs(%state : memref<8xf32>)
  %in = rt.input 0 : memref<?x8x8xf32>
  %rows = rt.input 1 : memref<8xindex>
  %y = rt.output 0(%n) : memref<?x8xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %part = memref.subview %in[%t, 0, 0] [1, 8, 8] [1, 1, 1]
        : memref<?x8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %part, %scratch : memref<8x8xf32, strided<[8, 1], offset: ?>> to memref<8x8xf32>
    %slice = memref.subview %y[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.copy ins(%state : memref<8xf32>) outs(%slice : memref<8xf32, strided<[1], offset: ?>>)
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %0 = memref.load %scratch[%i, %j] : memref<8x8xf32>
        memref.store %0, %other[%j, %i] : memref<8x8xf32>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = memref.load %other[%c0, %i] : memref<8x8xf32>
      scf.for %j = %c0 to %c8 step %c1 {
        memref.store %0, %scratch[%i, %j] : memref<8x8xf32>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 {
      %place = affine.apply affine_map<(d0) -> (7 - d0)>(%i)
      %row = memref.load %rows[%i] : memref<8xindex>
      %0 = vector.load %scratch[%place, %c0] : memref<8x8xf32>, vector<8xf32>
      vector.store %0, %other[%i, %c0] : memref<8x8xf32>, vector<8xf32>
      %1 = vector.load %other[%row, %c0] : memref<8x8xf32>, vector<8xf32>
      vector.store %1, %scratch[%i, %c0] : memref<8x8xf32>, vector<8xf32>
    }
    %2 = memref.load %scratch[%c0, %c1] : memref<8x8xf32>
    memref.store %2, %state[%c0] : memref<8xf32>
  }
  %last = rt.output 1() : memref<8xf32>
  memref.copy %state, %last : memref<8xf32> to memref<8xf32>
  return
}
