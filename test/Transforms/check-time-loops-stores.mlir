// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --check-time-loops --split-input-file --verify-diagnostics

// Elements that are stored more than once in an iteration.

// A reduction that is accumulated in memory.
func.func @accumulator(%n: index, %x: memref<16x8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<16xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c16 step %c1 {
      // expected-note @+1 {{by iterations of this loop}}
      scf.for %k = %c0 to %c8 step %c1 {
        %0 = memref.load %x[%i, %k] : memref<16x8xf32>
        %1 = memref.load %y[%i] : memref<16xf32>
        %2 = arith.addf %0, %1 : f32
        // expected-error @+1 {{element of a buffer that outlives the iteration may be stored more than once in an iteration}}
        memref.store %2, %y[%i] : memref<16xf32>
      }
    }
  }
  return
}

// -----

// A fill and the stores after it: two stores to each element.
func.func @fill(%n: index, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c37 = arith.constant 37 : index
  %w = rt.workspace : memref<?xi8>
  // expected-note @+1 {{this is the buffer}}
  %state = memref.view %w[%c0][] : memref<?xi8> to memref<2x37xf32>
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c37 step %c1 {
    memref.store %zero, %state[%c0, %i] : memref<2x37xf32>
  }
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %current = arith.andi %t, %c1 : index
    %other = arith.xori %current, %c1 : index
    scf.for %i = %c0 to %c37 step %c1 {
      // expected-note @+1 {{by this store too}}
      memref.store %zero, %state[%other, %i] : memref<2x37xf32>
    }
    scf.for %i = %c0 to %c37 step %c1 {
      // expected-error @+1 {{may be stored more than once in an iteration}}
      memref.store %x, %state[%other, %i] : memref<2x37xf32>
    }
  }
  return
}

// -----

// The same with ops on buffers, in a loop with a condition.
func.func @ops_in_while(%more: i1, %x: memref<4x8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<8x4xf32>
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{this is the time loop}}
  %end = scf.while (%t = %c0) : (index) -> index {
    scf.condition(%more) %t : index
  } do {
  ^bb0(%t: index):
    rt.iteration %t
    %part = memref.subview %y[%t, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    // expected-note @+1 {{by this store too}}
    linalg.fill ins(%zero : f32) outs(%part : memref<4xf32, strided<[1], offset: ?>>)
    // expected-note @+2 {{by iterations of this op}}
    // expected-error @+1 {{may be stored more than once in an iteration}}
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<4x8xf32>) outs(%part : memref<4xf32, strided<[1], offset: ?>>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
    // expected-error @+1 {{may be stored more than once in an iteration}}
    linalg.fill ins(%zero : f32) outs(%part : memref<4xf32, strided<[1], offset: ?>>)
    %next = arith.addi %t, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// Two copies to one slot, which has two names.
func.func @copies(%n: index, %a: memref<16xf32>, %b: memref<16xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = rt.workspace : memref<?xi8>
  // expected-note @+1 {{this is the buffer}}
  %state = memref.view %w[%c0][] : memref<?xi8> to memref<2x16xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %current = arith.andi %t, %c1 : index
    %other = arith.xori %current, %c1 : index
    %also = arith.subi %c1, %current : index
    %slot = memref.subview %state[%other, 0] [1, 16] [1, 1]
        : memref<2x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    %same = memref.subview %state[%also, 0] [1, 16] [1, 1]
        : memref<2x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    // expected-note @+1 {{by this store too}}
    memref.copy %a, %slot : memref<16xf32> to memref<16xf32, strided<[1], offset: ?>>
    // expected-error @+1 {{may be stored more than once in an iteration}}
    memref.copy %b, %same : memref<16xf32> to memref<16xf32, strided<[1], offset: ?>>
  }
  %last = memref.subview %state[0, 0] [1, 16] [1, 1] : memref<2x16xf32> to memref<16xf32>
  memref.copy %last, %a : memref<16xf32> to memref<16xf32>
  return
}

// -----

func.func @copies_in_while(%more: i1, %a: memref<16xf32>, %b: memref<16xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<16xf32>
  // expected-note @+1 {{this is the time loop}}
  %end = scf.while (%t = %c0) : (index) -> index {
    // expected-note @+1 {{by this store too}}
    memref.copy %a, %y : memref<16xf32> to memref<16xf32>
    scf.condition(%more) %t : index
  } do {
  ^bb0(%t: index):
    rt.iteration %t
    // expected-error @+1 {{may be stored more than once in an iteration}}
    memref.copy %b, %y : memref<16xf32> to memref<16xf32>
    scf.yield %t : index
  }
  return
}

// -----

// A remainder that is one element too long, a mask that is one lane too long, rows that overlap, and vectors that are
// longer than the distance between them.
func.func @ranges(%n: index, %v: vector<8xf32>, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c37 = arith.constant 37 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<37xf32>
  // expected-note @+1 {{this is the buffer}}
  %z = rt.output 1() : memref<48xf32>
  // expected-note @+1 {{this is the buffer}}
  %flat = rt.output 2() : memref<148xf32>
  // expected-note @+1 {{this is the buffer}}
  %dense = rt.output 3() : memref<48xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c32 step %c8 {
      // expected-note @+1 {{by this store too}}
      vector.store %v, %y[%i] : memref<37xf32>, vector<8xf32>
    }
    scf.for %i = %c31 to %c37 step %c1 {
      // expected-error @+1 {{may be stored more than once in an iteration}}
      memref.store %x, %y[%i] : memref<37xf32>
    }
    %mask = vector.create_mask %c6 : vector<8xi1>
    // expected-note @+1 {{by this store too}}
    vector.maskedstore %z[%c32], %mask, %v : memref<48xf32>, vector<8xi1>, vector<8xf32>
    // expected-error @+1 {{may be stored more than once in an iteration}}
    memref.store %x, %z[%c37] : memref<48xf32>
    // expected-note @+1 {{by iterations of this loop}}
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c37 step %c1 {
        %at = affine.apply affine_map<(d0, d1) -> (d0 * 36 + d1)>(%i, %j)
        // expected-error @+1 {{may be stored more than once in an iteration}}
        memref.store %x, %flat[%at] : memref<148xf32>
      }
    }
    // expected-note @+1 {{by iterations of this loop}}
    scf.for %i = %c0 to %c32 step %c4 {
      // expected-error @+1 {{may be stored more than once in an iteration}}
      vector.store %v, %dense[%i] : memref<48xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// An inner loop with a condition, which always stores to the same place.
func.func @while_inside(%n: index, %x: f32, %p: memref<16xi1>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<16xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-note @+1 {{by iterations of this loop}}
    %end = scf.while (%s = %c0) : (index) -> index {
      %more = memref.load %p[%s] : memref<16xi1>
      scf.condition(%more) %s : index
    } do {
    ^bb0(%s: index):
      // expected-error @+1 {{may be stored more than once in an iteration}}
      memref.store %x, %y[%t] : memref<16xf32>
      %next = arith.addi %s, %c1 : index
      scf.yield %next : index
    }
  }
  return
}

// -----

// Not scratch: the second loop reads an element that only the first loop wrote.
func.func @shared(%n: index, %x: f32) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %w = rt.workspace : memref<?xi8>
  // expected-note @+1 {{this is the buffer}}
  %a = memref.view %w[%c0][] : memref<?xi8> to memref<16xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-note @+1 {{by this store too}}
    memref.store %x, %a[%c8] : memref<16xf32>
    %0 = memref.load %a[%c8] : memref<16xf32>
    // expected-error @+1 {{may be stored more than once in an iteration}}
    memref.store %0, %a[%c8] : memref<16xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c8 step %c1 {
      memref.store %x, %a[%i] : memref<16xf32>
    }
    scf.for %i = %c0 to %c9 step %c1 {
      %0 = memref.load %a[%i] : memref<16xf32>
    }
  }
  return
}

// -----

// Neighbours in one loop: the next iteration stores the same elements again.
func.func @neighbours(%n: index, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<17xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c16 step %c1 {
      %j = arith.addi %i, %c1 : index
      // expected-note @+1 {{by this store too}}
      memref.store %x, %y[%i] : memref<17xf32>
      // expected-error @+1 {{may be stored more than once in an iteration}}
      memref.store %x, %y[%j] : memref<17xf32>
    }
  }
  return
}

// -----

// The branches exclude each other in one iteration, but not in two.
func.func @branches(%n: index, %x: f32, %p: memref<16xi1>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<16xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c16 step %c1 {
      %c = memref.load %p[%i] : memref<16xi1>
      scf.if %c {
        // expected-note @+1 {{by this store too}}
        memref.store %x, %y[%i] : memref<16xf32>
      } else {
        %j = arith.subi %c15, %i : index
        // expected-error @+1 {{may be stored more than once in an iteration}}
        memref.store %x, %y[%j] : memref<16xf32>
      }
    }
  }
  return
}

// -----

// A fill, a sweep and a last pass over a part: the places of the sweep depend on data, so they cannot be told apart.
func.func @sweep(%n: index, %parents: memref<8x4xindex>, %x: i32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<16x8x4xi32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %part = memref.subview %y[%t, 0, 0] [1, 8, 4] [1, 1, 1]
        : memref<16x8x4xi32> to memref<8x4xi32, strided<[4, 1], offset: ?>>
    // expected-note @+1 {{by this store too}}
    linalg.fill ins(%x : i32) outs(%part : memref<8x4xi32, strided<[4, 1], offset: ?>>)
    scf.for %b = %c0 to %c4 step %c1 {
      scf.for %s = %c0 to %c8 step %c1 iter_args(%at = %b) -> index {
        // expected-error @+1 {{may be stored more than once in an iteration}}
        memref.store %x, %part[%s, %at] : memref<8x4xi32, strided<[4, 1], offset: ?>>
        %next = memref.load %parents[%s, %at] : memref<8x4xindex>
        scf.yield %next : index
      }
    }
    scf.for %b = %c0 to %c4 step %c1 {
      scf.for %s = %c0 to %c8 step %c1 {
        // expected-error @+1 {{may be stored more than once in an iteration}}
        memref.store %x, %part[%s, %b] : memref<8x4xi32, strided<[4, 1], offset: ?>>
      }
    }
  }
  return
}

// -----

// Elements that the inner loop overwrites in each iteration are stored many times by the outer one.
func.func @nested(%n: index, %x: f32) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{this is the buffer}}
  %y = rt.output 0() : memref<16xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-note @+1 {{by iterations of this loop}}
    scf.for %s = %c0 to %n step %c1 {
      rt.iteration %s
      scf.for %i = %c0 to %c16 step %c1 {
        // expected-error @+1 {{may be stored more than once in an iteration}}
        memref.store %x, %y[%i] : memref<16xf32>
      }
    }
  }
  return
}

// -----

// The inner loop has its own iterations, and its own scratch.
func.func @nested_state(%n: index, %x: f32) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %w = rt.workspace : memref<?xi8>
  // expected-note @+1 {{this is the buffer}}
  %state = memref.view %w[%c0][] : memref<?xi8> to memref<2x16xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c16 step %c1 {
      memref.store %x, %state[%c0, %i] : memref<2x16xf32>
    }
    // expected-note @+1 {{this is the time loop}}
    scf.for %s = %c0 to %n step %c1 {
      rt.iteration %s
      scf.for %i = %c0 to %c16 step %c1 {
        // expected-note @+1 {{by this store too}}
        memref.store %x, %state[%c1, %i] : memref<2x16xf32>
      }
      // expected-error @+1 {{may be stored more than once in an iteration}}
      memref.store %x, %state[%c1, %c0] : memref<2x16xf32>
    }
  }
  return
}

// -----

// A buffer that the loop carries outlives the iteration, whatever its name.
func.func @carried(%n: index, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %w = rt.workspace : memref<?xi8>
  %a = memref.view %w[%c0][] : memref<?xi8> to memref<16xf32>
  // expected-note @+1 {{this is the buffer}}
  %b = memref.view %w[%c64][] : memref<?xi8> to memref<16xf32>
  // expected-note @+1 {{this is the time loop}}
  %end:2 = scf.for %t = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<16xf32>, memref<16xf32>) {
    rt.iteration %t
    // expected-note @+1 {{by this store too}}
    memref.store %x, %to[%c0] : memref<16xf32>
    // expected-error @+1 {{may be stored more than once in an iteration}}
    memref.store %x, %to[%c0] : memref<16xf32>
    memref.store %x, %to[%c1] : memref<16xf32>
    scf.yield %to, %from : memref<16xf32>, memref<16xf32>
  }
  return
}

// -----

// Two stores to a part at an unknown offset in a buffer of bytes are disjoint, whatever the offset is.
func.func @part_among_bytes(%n: index, %x: vector<8xf32>, %y: vector<3xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c44 = arith.constant 44 : index
  %w = rt.workspace : memref<?xi8>
  %cell = memref.view %w[%c0][] : memref<?xi8> to memref<2xi64>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %keep = arith.muli %t, %c44 : index
    %bytes = arith.addi %keep, %c44 : index
    %buffer, %ok = rt.reserve growing %bytes keeping %keep in %cell : memref<2xi64> to memref<?xi8>
    %part = memref.view %buffer[%keep][] : memref<?xi8> to memref<1x11xf32>
    vector.store %x, %part[%c0, %c0] : memref<1x11xf32>, vector<8xf32>
    vector.store %y, %part[%c0, %c8] : memref<1x11xf32>, vector<3xf32>
  }
  return
}

// -----

// The second part begins in the last element of the first.
func.func @parts_overlap(%n: index, %x: vector<8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c28 = arith.constant 28 : index
  %c60 = arith.constant 60 : index
  %w = rt.workspace : memref<?xi8>
  %cell = memref.view %w[%c0][] : memref<?xi8> to memref<2xi64>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    // expected-note @+1 {{this is the buffer}}
    %buffer, %ok = rt.reserve growing %c60 keeping %c0 in %cell : memref<2xi64> to memref<?xi8>
    %first = memref.view %buffer[%c0][] : memref<?xi8> to memref<8xf32>
    %second = memref.view %buffer[%c28][] : memref<?xi8> to memref<8xf32>
    // expected-note @+1 {{by this store too}}
    vector.store %x, %first[%c0] : memref<8xf32>, vector<8xf32>
    // expected-error @+1 {{may be stored more than once in an iteration}}
    vector.store %x, %second[%c0] : memref<8xf32>, vector<8xf32>
  }
  return
}

// -----

// The last iteration of an inner loop writes the state. If none runs, the old value stays there.
func.func @chosen(%n: index, %m: index, %x: f32) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %w = rt.workspace : memref<?xi8>
  %state = rt.output 0() : memref<2x4xf32>
  %slots = memref.view %w[%c64][] : memref<?xi8> to memref<2x4xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %current = arith.andi %t, %c1 : index
    %other = arith.xori %current, %c1 : index
    %home = memref.subview %state[%other, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %none = arith.cmpi sle, %m, %c0 : index
    scf.if %none {
      scf.for %i = %c0 to %c4 step %c1 {
        %0 = memref.load %state[%current, %i] : memref<2x4xf32>
        memref.store %0, %home[%i] : memref<4xf32, strided<[1], offset: ?>>
      }
    }
    %last = arith.subi %m, %c1 : index
    scf.for %u = %c0 to %m step %c1 {
      rt.iteration %u
      %from = arith.andi %u, %c1 : index
      %to = arith.xori %from, %c1 : index
      %slot = memref.subview %slots[%to, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      %is_last = arith.cmpi eq, %u, %last : index
      %place = arith.select %is_last, %home, %slot : memref<4xf32, strided<[1], offset: ?>>
      scf.for %i = %c0 to %c4 step %c1 {
        %0 = memref.load %slots[%from, %i] : memref<2x4xf32>
        %1 = arith.addf %0, %x : f32
        memref.store %1, %place[%i] : memref<4xf32, strided<[1], offset: ?>>
      }
    }
  }
  return
}

// -----

// All iterations but the last one write the state.
func.func @chosen_often(%n: index, %m: index, %x: f32) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %w = rt.workspace : memref<?xi8>
  // expected-note @+1 {{this is the buffer}}
  %state = rt.output 0() : memref<2x4xf32>
  %slots = memref.view %w[%c64][] : memref<?xi8> to memref<2x4xf32>
  // expected-note @+1 {{this is the time loop}}
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    %current = arith.andi %t, %c1 : index
    %other = arith.xori %current, %c1 : index
    %home = memref.subview %state[%other, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    // expected-note @+1 {{by iterations of this loop}}
    scf.for %u = %c0 to %c8 step %c1 {
      rt.iteration %u
      %from = arith.andi %u, %c1 : index
      %to = arith.xori %from, %c1 : index
      %slot = memref.subview %slots[%to, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      %is_early = arith.cmpi slt, %u, %c4 : index
      %place = arith.select %is_early, %home, %slot : memref<4xf32, strided<[1], offset: ?>>
      scf.for %i = %c0 to %c4 step %c1 {
        %0 = memref.load %slots[%from, %i] : memref<2x4xf32>
        %1 = arith.addf %0, %x : f32
        // expected-error @+1 {{element of a buffer that outlives the iteration may be stored more than once in an iteration}}
        memref.store %1, %place[%i] : memref<4xf32, strided<[1], offset: ?>>
      }
    }
  }
  return
}

// -----

// The iterations of a time loop over strips are those of the marked loop. They may store the same elements, but each
// of them only once.
func.func @strips(%n: index, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{this is the buffer}}
  %state = rt.output 0() : memref<4xf32>
  scf.for %s = %c0 to %n step %c16 {
    rt.iteration %s
    %end = arith.addi %s, %c16 : index
    scf.for %t = %s to %end step %c1 {
      scf.for %i = %c0 to %c4 step %c1 {
        memref.store %x, %state[%i] : memref<4xf32>
      }
    } {rt.steps}
    // expected-note @+1 {{this is the time loop}}
    scf.for %t = %s to %end step %c1 {
      // expected-note @+1 {{by iterations of this loop}}
      scf.for %i = %c0 to %c4 step %c1 {
        // expected-error @+1 {{element of a buffer that outlives the iteration may be stored more than once in an iteration}}
        memref.store %x, %state[%c0] : memref<4xf32>
      }
    } {rt.steps}
  }
  return
}
