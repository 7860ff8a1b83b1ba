// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --check-time-loops --split-input-file --verify-diagnostics

// Time loops that obey the rules.

// No attribute and no marker: the loop is not checked.
func.func @no_time_loop(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  }
  return
}

func.func @no_loop_left() attributes {rt.time_loops = 0} {
  return
}

// -----

// A main loop of vectors, remainders of scalars and of a masked vector; a state in two slots, a part, a last value.
func.func @peeled(%v: vector<8xf32>, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c37 = arith.constant 37 : index
  %c40 = arith.constant 40 : index
  %c296 = arith.constant 296 : index
  %w = rt.workspace : memref<?xi8>
  %state = memref.view %w[%c0][] : memref<?xi8> to memref<2x37xf32>
  %last = memref.view %w[%c296][] : memref<?xi8> to memref<37xf32>
  %y = rt.output 0() : memref<40x37xf32>
  %z = rt.output 1() : memref<37xf32>
  scf.for %i = %c0 to %c37 step %c1 {
    memref.store %x, %state[%c0, %i] : memref<2x37xf32>
  }
  scf.for %t = %c0 to %c40 step %c1 {
    rt.iteration %t
    %current = arith.andi %t, %c1 : index
    %other = arith.xori %current, %c1 : index
    scf.for %i = %c0 to %c32 step %c8 {
      vector.store %v, %state[%other, %i] : memref<2x37xf32>, vector<8xf32>
      vector.store %v, %y[%t, %i] : memref<40x37xf32>, vector<8xf32>
      vector.transfer_write %v, %last[%i] {in_bounds = [true]} : vector<8xf32>, memref<37xf32>
    }
    scf.for %i = %c32 to %c37 step %c1 {
      memref.store %x, %state[%other, %i] : memref<2x37xf32>
      %j = affine.apply affine_map<(d0) -> (68 - d0)>(%i)
      memref.store %x, %y[%t, %j] : memref<40x37xf32>
    }
    %mask = vector.create_mask %c5 : vector<8xi1>
    vector.maskedstore %last[%c32], %mask, %v : memref<37xf32>, vector<8xi1>, vector<8xf32>
  }
  memref.copy %last, %z : memref<37xf32> to memref<37xf32>
  return
}

// -----

// Tiles in two dims, with remainders in both, and sizes that depend on the call.
#main = affine_map<()[s0] -> (s0 - s0 mod 8)>
#rest = affine_map<(d0)[s0] -> (-d0 + s0, 8)>
func.func @tiles(%v: vector<4x8xf32>, %r: vector<1x8xf32>, %x: f32, %m: index, %n: index, %steps: index)
    attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %y = rt.output 0(%m, %n) : memref<?x?xf32>
  %m4 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%m]
  %n8 = affine.apply #main()[%n]
  scf.for %t = %c0 to %steps step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %m4 step %c4 {
      scf.for %j = %c0 to %n8 step %c8 {
        vector.transfer_write %v, %y[%i, %j] {in_bounds = [true, true]} : vector<4x8xf32>, memref<?x?xf32>
      }
      scf.for %j = %n8 to %n step %c8 {
        %size = affine.min #rest(%j)[%n]
        %mask = vector.create_mask %c4, %size : vector<4x8xi1>
        vector.transfer_write %v, %y[%i, %j], %mask {in_bounds = [true, true]} : vector<4x8xf32>, memref<?x?xf32>
      }
    }
    scf.for %i = %m4 to %m step %c1 {
      scf.for %j = %c0 to %n8 step %c8 {
        vector.transfer_write %r, %y[%i, %j] {in_bounds = [true, true]} : vector<1x8xf32>, memref<?x?xf32>
      }
      scf.for %j = %n8 to %n step %c1 {
        memref.store %x, %y[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// An unrolled tile of registers: rows and halves of rows in one loop body.
func.func @unrolled(%v: vector<8xf32>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %y = rt.output 0() : memref<10x64xf32>
  scf.for %t = %c0 to %c10 step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c10 step %c2 {
      %i1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
      scf.for %j = %c0 to %c64 step %c16 {
        %j8 = arith.addi %j, %c8 : index
        vector.store %v, %y[%i, %j] : memref<10x64xf32>, vector<8xf32>
        vector.store %v, %y[%i, %j8] : memref<10x64xf32>, vector<8xf32>
        vector.store %v, %y[%i1, %j] : memref<10x64xf32>, vector<8xf32>
        vector.store %v, %y[%i1, %j8] : memref<10x64xf32>, vector<8xf32>
      }
    }
  }
  return
}

// -----

// Branches that exclude each other, alone and in a loop.
func.func @branches(%c: i1, %x: f32, %p: memref<37xi1>) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c37 = arith.constant 37 : index
  %y = rt.output 0() : memref<37xf32>
  %z = rt.output 1() : memref<37xf32>
  %zero = arith.constant 0.0 : f32
  scf.for %t = %c0 to %c37 step %c1 {
    rt.iteration %t
    scf.if %c {
      scf.for %i = %c0 to %c37 step %c1 {
        memref.store %x, %y[%i] : memref<37xf32>
      }
    } else {
      linalg.fill ins(%zero : f32) outs(%y : memref<37xf32>)
    }
    scf.for %i = %c0 to %c37 step %c1 {
      %b = memref.load %p[%i] : memref<37xi1>
      scf.if %b {
        memref.store %x, %z[%i] : memref<37xf32>
      } else {
        memref.store %zero, %z[%i] : memref<37xf32>
      }
    }
  }
  return
}

// -----

// A tile that may be shorter at the end.
func.func @guarded_tile(%v: vector<8xf32>, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c37 = arith.constant 37 : index
  %y = rt.output 0() : memref<37xf32>
  scf.for %t = %c0 to %c37 step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %c37 step %c8 {
      %end = arith.addi %i, %c8 : index
      %whole = arith.cmpi sle, %end, %c37 : index
      scf.if %whole {
        vector.store %v, %y[%i] : memref<37xf32>, vector<8xf32>
      } else {
        scf.for %j = %i to %c37 step %c1 {
          memref.store %x, %y[%j] : memref<37xf32>
        }
      }
    }
  }
  return
}

// -----

// An accumulator in scratch is filled and updated, and its result is read once. Its views may be outside the loop.
func.func @scratch(%x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %w = rt.workspace : memref<?xi8>
  %sum = memref.view %w[%c0][] : memref<?xi8> to memref<1x16xf32>
  %flat = memref.collapse_shape %sum [[0, 1]] : memref<1x16xf32> into memref<16xf32>
  %y = rt.output 0() : memref<16x16xf32>
  %zero = arith.constant 0.0 : f32
  scf.for %t = %c0 to %c16 step %c1 {
    rt.iteration %t
    linalg.fill ins(%zero : f32) outs(%flat : memref<16xf32>)
    scf.for %i = %c0 to %c16 step %c1 {
      scf.for %k = %c0 to %c16 step %c1 {
        %old = memref.load %flat[%i] : memref<16xf32>
        %new = arith.addf %old, %x : f32
        memref.store %new, %flat[%i] : memref<16xf32>
      }
    }
    %part = memref.subview %y[%t, 0] [1, 16] [1, 1] : memref<16x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    scf.for %i = %c0 to %c16 step %c1 {
      %sum_i = memref.load %flat[%i] : memref<16xf32>
      %scaled = arith.mulf %sum_i, %x : f32
      memref.store %scaled, %part[%i] : memref<16xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// -----

// Scratch that two loops and the code between them share: each writes it before it reads it.
func.func @shared_scratch(%v: vector<8xf32>, %x: f32) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c14 = arith.constant 14 : index
  %c16 = arith.constant 16 : index
  %w = rt.workspace : memref<?xi8>
  %sums = memref.view %w[%c0][] : memref<?xi8> to memref<14xf32>
  %y = rt.output 0() : memref<16x7xf32>
  scf.for %t = %c0 to %c16 step %c1 {
    rt.iteration %t
    vector.store %v, %sums[%c0] : memref<14xf32>, vector<8xf32>
    scf.for %i = %c8 to %c14 step %c1 {
      memref.store %x, %sums[%i] : memref<14xf32>
    }
    %0 = vector.load %sums[%c0] : memref<14xf32>, vector<8xf32>
    %doubled = arith.addf %0, %0 : vector<8xf32>
    vector.store %doubled, %sums[%c0] : memref<14xf32>, vector<8xf32>
    // Half of what the vector stored, and all of what the scalars did.
    %1 = vector.load %sums[%c7] : memref<14xf32>, vector<7xf32>
    %sum = arith.addf %1, %1 : vector<7xf32>
    vector.store %sum, %y[%t, %c0] : memref<16x7xf32>, vector<7xf32>
  }
  scf.for %i = %c0 to %c14 step %c1 {
    memref.store %x, %sums[%i] : memref<14xf32>
    %2 = memref.load %sums[%i] : memref<14xf32>
  }
  scf.for %t = %c0 to %c16 step %c1 {
    rt.iteration %t
    memref.store %x, %sums[%c0] : memref<14xf32>
    %3 = memref.load %sums[%c0] : memref<14xf32>
    memref.store %x, %sums[%c0] : memref<14xf32>
  }
  return
}

// -----

// The state of the inner loop is scratch to the outer one; the inner loop fills a part of the outer one.
func.func @nested(%x: f32, %more: i1) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %w = rt.workspace : memref<?xi8>
  %state = memref.view %w[%c0][] : memref<?xi8> to memref<2x16xf32>
  %y = rt.output 0() : memref<4x4x16xf32>
  %zero = arith.constant 0.0 : f32
  %end:2 = scf.while (%t = %c0, %go = %more) : (index, i1) -> (index, i1) {
    scf.condition(%go) %t, %go : index, i1
  } do {
  ^bb0(%t: index, %go: i1):
    rt.iteration %t
    %first = memref.subview %state[0, 0] [1, 16] [1, 1] : memref<2x16xf32> to memref<16xf32>
    linalg.fill ins(%zero : f32) outs(%first : memref<16xf32>)
    scf.for %s = %c0 to %c4 step %c1 {
      rt.iteration %s
      %current = arith.andi %s, %c1 : index
      %other = arith.xori %current, %c1 : index
      scf.for %i = %c0 to %c16 step %c1 {
        %old = memref.load %state[%current, %i] : memref<2x16xf32>
        %new = arith.addf %old, %x : f32
        memref.store %new, %state[%other, %i] : memref<2x16xf32>
        memref.store %new, %y[%t, %s, %i] : memref<4x4x16xf32>
      }
    }
    %next = arith.addi %t, %c1 : index
    scf.yield %next, %more : index, i1
  }
  return
}

// -----

// A sweep whose places depend on data: loaded and carried values connect the loops to the index.
func.func @sweep(%parents: memref<8x4xindex>, %x: i32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %y = rt.output 0() : memref<8x4xi32>
  scf.for %t = %c0 to %c8 step %c1 {
    rt.iteration %t
    scf.for %b = %c0 to %c4 step %c1 {
      scf.for %s = %c0 to %c8 step %c1 iter_args(%at = %b) -> index {
        %ok = arith.cmpi ult, %at, %c4 : index
        %place = rt.check %ok, index, "a parent is out of range" guards(%at : index)
        memref.store %x, %y[%s, %place] : memref<8x4xi32>
        %next = memref.load %parents[%s, %place] : memref<8x4xindex>
        scf.yield %next : index
      }
    }
  }
  return
}

// -----

// The same in a loop with a condition.
func.func @sweep_while(%parents: memref<8x4xindex>, %x: i32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = rt.output 0() : memref<8x4xi32>
  scf.for %t = %c0 to %c8 step %c1 {
    rt.iteration %t
    %end:2 = scf.while (%s = %c0, %at = %c0) : (index, index) -> (index, index) {
      %more = arith.cmpi slt, %s, %c8 : index
      scf.condition(%more) %s, %at : index, index
    } do {
    ^bb0(%s: index, %at: index):
      memref.store %x, %y[%s, %at] : memref<8x4xi32>
      %parent = memref.load %parents[%s, %at] : memref<8x4xindex>
      %next = arith.addi %s, %c1 : index
      scf.yield %next, %parent : index, index
    }
  }
  return
}

// -----

// Parts of one buffer through different views; copies that become memcpy; the remainder of a copy.
func.func @views(%a: memref<8xf32>, %b: memref<2x4xf32>, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %y = rt.output 0() : memref<10x20xf32>
  scf.for %t = %c0 to %c10 step %c1 {
    rt.iteration %t
    // [0, 8)
    %0 = memref.subview %y[%t, 0] [1, 8] [1, 1] : memref<10x20xf32> to memref<8xf32, strided<[1], offset: ?>>
    scf.for %i = %c0 to %c4 step %c1 {
      %1 = memref.expand_shape %0 [[0, 1]] output_shape [2, 4]
          : memref<8xf32, strided<[1], offset: ?>> into memref<2x4xf32, strided<[4, 1], offset: ?>>
      memref.store %x, %1[%c0, %i] : memref<2x4xf32, strided<[4, 1], offset: ?>>
      memref.store %x, %1[%c1, %i] : memref<2x4xf32, strided<[4, 1], offset: ?>>
    }
    // [8, 16)
    %2 = memref.subview %y[%t, 8] [1, 8] [1, 1] : memref<10x20xf32> to memref<1x8xf32, strided<[20, 1], offset: ?>>
    %3 = memref.collapse_shape %2 [[0, 1]]
        : memref<1x8xf32, strided<[20, 1], offset: ?>> into memref<8xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : memref<8xf32>) outs(%3 : memref<8xf32, strided<[1], offset: ?>>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    // 16 and 18, then 17 and 19
    %4 = memref.subview %y[%t, 16] [1, 2] [1, 2] : memref<10x20xf32> to memref<2xf32, strided<[2], offset: ?>>
    scf.for %i = %c0 to %c1 step %c1 {
      memref.store %x, %4[%c0] : memref<2xf32, strided<[2], offset: ?>>
    }
    %6 = memref.subview %y[%t, 18] [1, 1] [1, 2] : memref<10x20xf32> to memref<1xf32, strided<[2], offset: ?>>
    memref.store %x, %6[%c0] : memref<1xf32, strided<[2], offset: ?>>
    %5 = memref.reinterpret_cast %y to offset: [17], sizes: [10, 2], strides: [20, 2]
        : memref<10x20xf32> to memref<10x2xf32, strided<[20, 2], offset: 17>>
    memref.store %x, %5[%t, %c0] : memref<10x2xf32, strided<[20, 2], offset: 17>>
    memref.store %x, %5[%t, %c1] : memref<10x2xf32, strided<[20, 2], offset: 17>>
  }
  return
}

// -----

// Both slots of a state, and rows of a flat buffer with a remainder.
func.func @arithmetic(%v: vector<8xf32>, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c37 = arith.constant 37 : index
  %state = rt.output 0() : memref<2x8xf32>
  %flat = rt.output 1() : memref<148xf32>
  scf.for %t = %c0 to %c4 step %c1 {
    rt.iteration %t
    %current = arith.andi %t, %c1 : index
    %other = arith.xori %current, %c1 : index
    vector.store %v, %state[%current, %c0] : memref<2x8xf32>, vector<8xf32>
    vector.store %v, %state[%other, %c0] : memref<2x8xf32>, vector<8xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %row = arith.muli %i, %c37 : index
      scf.for %j = %c0 to %c32 step %c8 {
        %at = arith.addi %row, %j : index
        vector.store %v, %flat[%at] : memref<148xf32>, vector<8xf32>
      }
      scf.for %j = %c32 to %c37 step %c1 {
        %at = affine.apply affine_map<(d0, d1) -> (d0 * 37 + d1)>(%i, %j)
        memref.store %x, %flat[%at] : memref<148xf32>
      }
    }
  }
  return
}

// -----

// Functions that are instructions or are expanded, and libm functions on f64.
func.func private @pow(f64, f64) -> f64
func.func @calls(%x: f32, %v: vector<8xf32>, %h: f16, %d: f64) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %t = %c0 to %c4 step %c1 {
    rt.iteration %t
    %0 = math.exp %x : f32
    %1 = math.exp %v : vector<8xf32>
    %2 = math.fma %x, %x, %x : f32
    %3 = math.sqrt %h : f16
    %4 = math.expm1 %d : f64
    %5 = math.powf %d, %d : f64
    %6 = arith.remf %d, %d : f64
    %7 = func.call @pow(%d, %d) : (f64, f64) -> f64
    %8 = llvm.call @exp2(%d) : (f64) -> f64
    %9 = math.ctpop %t : index
    %10 = arith.remf %v, %v : vector<8xf32>
  }
  return
}
llvm.func @exp2(f64) -> f64

// -----

// A buffer that grows with each iteration, in nested loops.
func.func @growing(%n: index, %x: f32) attributes {rt.time_loops = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %w = rt.workspace : memref<?xi8>
  %cell = memref.view %w[%c0][] : memref<?xi8> to memref<2xi64>
  memref.store %zero, %cell[%c0] : memref<2xi64>
  memref.store %zero, %cell[%c1] : memref<2xi64>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %s = %c0 to %n step %c1 {
      rt.iteration %s
      %next = arith.addi %s, %c1 : index
      %bytes = arith.muli %next, %c4 : index
      %used = arith.muli %s, %c4 : index
      %block, %ok = rt.reserve growing %bytes keeping %used in %cell : memref<2xi64> to memref<?xi8>
      %b = rt.check %ok, recorded, "" guards(%block : memref<?xi8>)
      %part = memref.view %b[%used][] : memref<?xi8> to memref<1xf32>
      memref.store %x, %part[%c0] : memref<1xf32>
    }
    %parts = rt.held %cell : memref<2xi64> to memref<?xi8>
    %first = memref.view %parts[%c0][%n] : memref<?xi8> to memref<?xf32>
    %0 = memref.load %first[%c0] : memref<?xf32>
  }
  return
}

// -----

// Rows of a byte buffer that is reserved before the loop: vectors, and a remainder of one element.
func.func @rows_of_bytes(%n: index, %m: index, %v: vector<8xf32>, %x: f32) attributes {rt.time_loops = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %w = rt.workspace : memref<?xi8>
  %cell = memref.view %w[%c0][] : memref<?xi8> to memref<2xi64>
  memref.store %zero, %cell[%c0] : memref<2xi64>
  memref.store %zero, %cell[%c1] : memref<2xi64>
  %block, %ok = rt.reserve %m keeping %c0 in %cell : memref<2xi64> to memref<?xi8>
  %b = rt.check %ok, recorded, "" guards(%block : memref<?xi8>)
  %rows = memref.view %b[%c0][%m] : memref<?xi8> to memref<?x9xf32>
  scf.for %t = %c0 to %n step %c1 {
    rt.iteration %t
    scf.for %i = %c0 to %m step %c1 {
      vector.store %v, %rows[%i, %c0] : memref<?x9xf32>, vector<8xf32>
      memref.store %x, %rows[%i, %c8] : memref<?x9xf32>
    }
  }
  return
}
