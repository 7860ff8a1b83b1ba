// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-prefetch-weights --canonicalize --cse --split-input-file | FileCheck %s
// RUN: ir-opt %s --rt-prefetch-weights --split-input-file \
// RUN:   --remarks-filter=rt-prefetch-weights --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] prefetched | Category:rt-prefetch-weights | Remark="tiles ask for weights of 64 x 512 x 32 before they need them"
// REMARK-DAG: [Passed] prefetched | Category:rt-prefetch-weights | Remark="tiles ask for weights of 32 x 512 x 32 before they need them"
// REMARK-DAG: [Passed] prefetched | Category:rt-prefetch-weights | Remark="tiles ask for weights of ? x ? x 16 before they need them"
// REMARK-DAG: [Passed] prefetched | Category:rt-prefetch-weights | Remark="tiles ask for weights of ? x 512 x 32 before they need them"

// Both cache lines of a row of 32 columns.

// CHECK-LABEL: @rows
// CHECK-SAME: (%[[W:.*]]: memref<64x512x32xf32>, %{{.*}}, %[[B:.*]]: index
// CHECK: scf.for %[[K:.*]] = %c0
// CHECK-NEXT: %[[PLACE:.*]] = arith.muli %[[K]], %c32
// CHECK-NEXT: %[[LATER:.*]] = arith.addi %[[PLACE]], %c512
// CHECK-NEXT: memref.prefetch %[[W]][%[[B]], %c0, %[[LATER]]], read, locality<2>, data
// CHECK-NEXT: %[[LINE:.*]] = arith.addi %[[PLACE]], %c528
// CHECK-NEXT: memref.prefetch %[[W]][%[[B]], %c0, %[[LINE]]], read, locality<2>, data
// CHECK-NEXT: vector.load
func.func @rows(%w: memref<64x512x32xf32>, %a: vector<4x32xf32>, %block: index) -> vector<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
    %row = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %rows = vector.broadcast %row : vector<32xf32> to vector<4x32xf32>
    %next = math.fma %a, %rows, %s : vector<4x32xf32>
    scf.yield %next : vector<4x32xf32>
  }
  return %sum : vector<4x32xf32>
}

// -----

// The first of three tiles prefetches the first 512 lines of the next block, the second one the others, and the third
// one none.

// CHECK-LABEL: @tiles
// CHECK-SAME: (%[[W:.*]]: memref<64x512x32xf32>, %{{.*}}, %[[B:.*]]: index
// CHECK: scf.for %[[R:[^ ]*]] = %{{.*}} to
// CHECK: %[[N:.*]] = arith.divui %[[R]], %c4
// CHECK: %[[FIRST:.*]] = arith.muli %[[N]], %c8192
// CHECK: %[[ASKS:.*]] = arith.cmpi ult, %[[N]], %c2
// CHECK: %[[NEXT:.*]] = arith.addi %[[B]], %c1
// CHECK: scf.for %[[K:[^ ]*]] =
// CHECK-NEXT: %[[LINE:.*]] = arith.muli %[[K]], %c16
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %[[FIRST]], %[[LINE]]
// CHECK-NEXT: scf.if %[[ASKS]] {
// CHECK-NEXT: memref.prefetch %[[W]][%[[NEXT]], %c0, %[[PLACE]]], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: vector.load
func.func @tiles(%w: memref<64x512x32xf32>, %a: vector<4x32xf32>, %block: index, %out: memref<12x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  scf.for %row = %c0 to %c12 step %c4 {
    %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
      %line = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
      %rows = vector.broadcast %line : vector<32xf32> to vector<4x32xf32>
      %next = math.fma %a, %rows, %s : vector<4x32xf32>
      scf.yield %next : vector<4x32xf32>
    }
    %first = vector.extract %sum[0] : vector<32xf32> from vector<4x32xf32>
    vector.store %first, %out[%row, %c0] : memref<12x32xf32>, vector<32xf32>
  }
  return
}

// -----

// The next block is that of the next iteration, whose direction a flag chooses.

// CHECK-LABEL: @directions
// CHECK-SAME: (%[[W:.*]]: memref<64x512x32xf32>, %{{.*}}, %[[BACKWARD:.*]]: i1
// CHECK: scf.for %[[I:[^ ]*]] = %c0 to %c64
// CHECK: %[[LATER:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[OPPOSITE:.*]] = arith.subi %c62, %[[I]]
// CHECK: %[[NEXT:.*]] = arith.select %[[BACKWARD]], %[[OPPOSITE]], %[[LATER]]
// CHECK: memref.prefetch %[[W]][%[[NEXT]], %c0,
func.func @directions(%w: memref<64x512x32xf32>, %a: vector<4x32xf32>, %backward: i1, %out: memref<12x64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %opposite = arith.subi %c63, %i : index
    %block = arith.select %backward, %opposite, %i : index
    scf.for %row = %c0 to %c12 step %c4 {
      %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
        %line = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
        %rows = vector.broadcast %line : vector<32xf32> to vector<4x32xf32>
        %next = math.fma %a, %rows, %s : vector<4x32xf32>
        scf.yield %next : vector<4x32xf32>
      }
      %first = vector.extract %sum[0] : vector<32xf32> from vector<4x32xf32>
      vector.store %first, %out[%row, %block, %c0] : memref<12x64x32xf32>, vector<32xf32>
    }
  }
  return
}

// -----

// Two tiles before this one have asked for both halves. Lines of rows that are parts of wider ones are apart, so a tile
// asks for one line of each.

// CHECK-LABEL: @rest
// CHECK: memref.prefetch %{{.*}}[%[[NEXT:.*]], %c0, %
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]], %c0, %
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @rest(%w: memref<64x512x32xf32>, %a: vector<4x32xf32>, %block: index)
    -> (vector<4x32xf32>, vector<4x32xf32>, vector<4x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  %0 = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
    %row = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %rows = vector.broadcast %row : vector<32xf32> to vector<4x32xf32>
    %next = math.fma %a, %rows, %s : vector<4x32xf32>
    scf.yield %next : vector<4x32xf32>
  }
  %1 = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
    %row = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %rows = vector.broadcast %row : vector<32xf32> to vector<4x32xf32>
    %next = math.fma %a, %rows, %s : vector<4x32xf32>
    scf.yield %next : vector<4x32xf32>
  }
  %2 = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
    %row = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %rows = vector.broadcast %row : vector<32xf32> to vector<4x32xf32>
    %next = math.fma %a, %rows, %s : vector<4x32xf32>
    scf.yield %next : vector<4x32xf32>
  }
  return %0, %1, %2 : vector<4x32xf32>, vector<4x32xf32>, vector<4x32xf32>
}

// CHECK-LABEL: @parts_of_rows
// CHECK: %[[TILE:.*]] = arith.divui
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %c16
// CHECK: scf.for %[[K:[^ ]*]] =
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[K]], %c1024
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.prefetch %{{.*}}[%{{.*}}, %c0, %[[PLACE]]], read, locality<2>, data
func.func @parts_of_rows(%w: memref<32x512x32xf32, strided<[32, 1024, 1]>>, %a: vector<4x32xf32>, %block: index,
                         %out: memref<12x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  scf.for %row = %c0 to %c12 step %c4 {
    %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
      %line = vector.load %w[%block, %k, %c0] : memref<32x512x32xf32, strided<[32, 1024, 1]>>, vector<32xf32>
      %rows = vector.broadcast %line : vector<32xf32> to vector<4x32xf32>
      %next = math.fma %a, %rows, %s : vector<4x32xf32>
      scf.yield %next : vector<4x32xf32>
    }
    %first = vector.extract %sum[0] : vector<32xf32> from vector<4x32xf32>
    vector.store %first, %out[%row, %c0] : memref<12x32xf32>, vector<32xf32>
  }
  return
}

// -----

// After the last block of a loop comes the first one in the next iteration of the loop around it.

// CHECK-LABEL: @groups
// CHECK-SAME: (%[[W:.*]]: memref<64x512x32xf32>
// CHECK: scf.for %[[G:[^ ]*]] = %c0 to %c64
// CHECK: %[[END:.*]] = arith.addi %[[G]], %c4
// CHECK: scf.for %[[B:[^ ]*]] = %[[G]] to %[[END]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[B]], %c1
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[NEXT]], %[[END]]
// CHECK: %[[LATER:.*]] = arith.select %[[INSIDE]], %[[NEXT]], %[[END]]
// CHECK: memref.prefetch %[[W]][%[[LATER]],
func.func @groups(%w: memref<64x512x32xf32>, %a: vector<4x32xf32>, %out: memref<12x64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  scf.for %group = %c0 to %c64 step %c4 {
    %end = arith.addi %group, %c4 : index
    scf.for %block = %group to %end step %c1 {
      scf.for %row = %c0 to %c12 step %c4 {
        %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
          %line = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
          %rows = vector.broadcast %line : vector<32xf32> to vector<4x32xf32>
          %next = math.fma %a, %rows, %s : vector<4x32xf32>
          scf.yield %next : vector<4x32xf32>
        }
        %first = vector.extract %sum[0] : vector<32xf32> from vector<4x32xf32>
        vector.store %first, %out[%row, %block, %c0] : memref<12x64x32xf32>, vector<32xf32>
      }
    }
  }
  return
}

// -----

// A kernel has an accumulator for each row, and does not know the size of the matrix. Two vectors of eight lanes are one
// cache line.

// CHECK-LABEL: @kernel
// CHECK: scf.for
// CHECK: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @kernel(%w: memref<?x?x16xf32>, %a: vector<8xf32>, %block: index, %n: index)
    -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>,
        vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant dense<0.0> : vector<8xf32>
  %sum:8 = scf.for %k = %c0 to %n step %c1
      iter_args(%p = %z, %q = %z, %r = %z, %s = %z, %t = %z, %u = %z, %v = %z, %x = %z)
      -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>,
          vector<8xf32>) {
    %left = vector.load %w[%block, %k, %c0] : memref<?x?x16xf32>, vector<8xf32>
    %right = vector.load %w[%block, %k, %c8] : memref<?x?x16xf32>, vector<8xf32>
    %0 = math.fma %a, %left, %p : vector<8xf32>
    %1 = math.fma %a, %left, %q : vector<8xf32>
    %2 = math.fma %a, %left, %r : vector<8xf32>
    %3 = math.fma %a, %left, %s : vector<8xf32>
    %4 = math.fma %a, %right, %t : vector<8xf32>
    %5 = math.fma %a, %right, %u : vector<8xf32>
    %6 = math.fma %a, %right, %v : vector<8xf32>
    %7 = math.fma %a, %right, %x : vector<8xf32>
    scf.yield %0, %1, %2, %3, %4, %5, %6, %7 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>,
        vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
  }
  return %sum#0, %sum#1, %sum#2, %sum#3, %sum#4, %sum#5, %sum#6, %sum#7
      : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>,
        vector<8xf32>
}

// -----

// This matrix has 1 MiB. The CPU fetches it early enough by itself.

// CHECK-LABEL: @near
// CHECK-NOT: memref.prefetch
func.func @near(%w: memref<128x64x32xf32>, %a: vector<4x32xf32>, %block: index) -> vector<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
    %row = vector.load %w[%block, %k, %c0] : memref<128x64x32xf32>, vector<32xf32>
    %rows = vector.broadcast %row : vector<32xf32> to vector<4x32xf32>
    %next = math.fma %a, %rows, %s : vector<4x32xf32>
    scf.yield %next : vector<4x32xf32>
  }
  return %sum : vector<4x32xf32>
}

// Each step reads another block.

// CHECK-LABEL: @blocks_of_steps
// CHECK-NOT: memref.prefetch
func.func @blocks_of_steps(%w: memref<64x512x32xf32>, %a: vector<4x32xf32>) -> vector<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
    %block = arith.divui %k, %c8 : index
    %row = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %rows = vector.broadcast %row : vector<32xf32> to vector<4x32xf32>
    %next = math.fma %a, %rows, %s : vector<4x32xf32>
    scf.yield %next : vector<4x32xf32>
  }
  return %sum : vector<4x32xf32>
}

// The accumulators of one row belong to several blocks, one of which is computed in the loop.

// CHECK-LABEL: @one_row
// CHECK-NOT: memref.prefetch
func.func @one_row(%w: memref<64x512x32xf32>, %a: vector<4x32xf32>, %first: index) -> vector<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
    %block = arith.addi %first, %c1 : index
    %0 = vector.load %w[%first, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %1 = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %2 = vector.load %w[%c2, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %3 = vector.load %w[%c3, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %4 = vector.insert %0, %zeros [0] : vector<32xf32> into vector<4x32xf32>
    %5 = vector.insert %1, %4 [1] : vector<32xf32> into vector<4x32xf32>
    %6 = vector.insert %2, %5 [2] : vector<32xf32> into vector<4x32xf32>
    %7 = vector.insert %3, %6 [3] : vector<32xf32> into vector<4x32xf32>
    %next = math.fma %a, %7, %s : vector<4x32xf32>
    scf.yield %next : vector<4x32xf32>
  }
  return %sum : vector<4x32xf32>
}

// -----

// A single row reads one stream. LLVM leaves its loop alone. Steps of 16 cache lines are iterations.

// CHECK-LABEL: @row
// CHECK-NOT: memref.prefetch
// CHECK: scf.for {{.*}} to %c512{{[^ ]*}} step %c1{{[^ ]*}} iter_args
// CHECK: } {llvm.loop_annotation = #{{.*}}}
func.func @row(%w: memref<4x512x256xf32>, %a: memref<512xf32>, %block: index) -> vector<256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<256xf32>
  %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<256xf32>) {
    %element = memref.load %a[%k] : memref<512xf32>
    %factor = vector.broadcast %element : f32 to vector<256xf32>
    %row = vector.load %w[%block, %k, %c0] : memref<4x512x256xf32>, vector<256xf32>
    %next = math.fma %factor, %row, %s : vector<256xf32>
    scf.yield %next : vector<256xf32>
  }
  return %sum : vector<256xf32>
}

// -----

// Three steps of eight lines are one iteration, in their order. Two steps are left.

// CHECK-LABEL: @narrow_row
// CHECK: %[[MAIN:.*]] = scf.for %{{.*}} = %c0 to %c510{{[^ ]*}} step %c3{{[^ ]*}} iter_args(%[[S:.*]] = %{{.*}})
// CHECK: %[[S0:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S]]
// CHECK: %[[S1:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S0]]
// CHECK: %[[S2:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S1]]
// CHECK: scf.yield %[[S2]]
// CHECK-NEXT: } {llvm.loop_annotation = #{{.*}}}
// CHECK: scf.for %{{.*}} = %c510{{[^ ]*}} to %c512{{[^ ]*}} step %c1{{[^ ]*}} iter_args(%{{.*}} = %[[MAIN]])
// CHECK: } {llvm.loop_annotation = #{{.*}}}
func.func @narrow_row(%w: memref<4x512x128xf32>, %a: memref<512xf32>, %block: index) -> vector<128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<128xf32>
  %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<128xf32>) {
    %element = memref.load %a[%k] : memref<512xf32>
    %factor = vector.broadcast %element : f32 to vector<128xf32>
    %row = vector.load %w[%block, %k, %c0] : memref<4x512x128xf32>, vector<128xf32>
    %next = math.fma %factor, %row, %s : vector<128xf32>
    scf.yield %next : vector<128xf32>
  }
  return %sum : vector<128xf32>
}

// -----

// The call tells how large the matrix is. It is far if it has more than 8192 rows of 32 columns in all blocks.

// CHECK-LABEL: @any_size
// CHECK: %[[FAR:.*]] = arith.cmpi ugt, %{{.*}}, %c8192
// CHECK: scf.for
// CHECK: scf.if %[[FAR]] {
// CHECK: memref.prefetch
// CHECK: memref.prefetch
// CHECK: }
func.func @any_size(%w: memref<?x512x32xf32>, %a: vector<4x32xf32>, %block: index) -> vector<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
    %row = vector.load %w[%block, %k, %c0] : memref<?x512x32xf32>, vector<32xf32>
    %rows = vector.broadcast %row : vector<32xf32> to vector<4x32xf32>
    %next = math.fma %a, %rows, %s : vector<4x32xf32>
    scf.yield %next : vector<4x32xf32>
  }
  return %sum : vector<4x32xf32>
}

// -----

// The tiles of a kernel differ in height, so the loops along the shared dim are in a switch. The loop over the tiles is
// marked.

// CHECK-LABEL: @marked
// CHECK-SAME: (%[[W:.*]]: memref<64x512x32xf32>, %{{.*}}, %[[B:.*]]: index, %[[TILES:.*]]: index, %{{.*}}: index
// CHECK: scf.for %[[N:[^ ]*]] = %c0 to %[[TILES]]
// CHECK: %[[ONLY:.*]] = arith.cmpi ule, %[[TILES]], %c1
// CHECK: %[[FIRST:.*]] = arith.muli %[[N]], %c8192
// CHECK: %[[ASKS:.*]] = arith.cmpi ult, %[[N]], %c2
// CHECK: scf.for
// CHECK: scf.if %[[ASKS]] {
// CHECK-NEXT: memref.prefetch %[[W]]
// CHECK-NEXT: scf.if %[[ONLY]] {
func.func @marked(%w: memref<64x512x32xf32>, %a: vector<4x32xf32>, %block: index, %tiles: index, %height: index,
                  %out: memref<12x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<4x32xf32>
  scf.for %tile = %c0 to %tiles step %c1 {
    scf.index_switch %height
    case 4 {
      %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<4x32xf32>) {
        %line = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
        %rows = vector.broadcast %line : vector<32xf32> to vector<4x32xf32>
        %next = math.fma %a, %rows, %s : vector<4x32xf32>
        scf.yield %next : vector<4x32xf32>
      }
      %first = vector.extract %sum[0] : vector<32xf32> from vector<4x32xf32>
      vector.store %first, %out[%tile, %c0] : memref<12x32xf32>, vector<32xf32>
      scf.yield
    }
    default {
    }
  } {rt.tiles_of_block}
  return
}
