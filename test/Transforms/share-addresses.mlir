// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-share-addresses --canonicalize --cse --split-input-file | FileCheck %s

// Five rows have one address. The distance of two rows is known at the call, so LLVM may not see how the addresses of
// the steps are related. Row 2 is twice, and row 4 four times, the distance of row 1 away.

// CHECK-LABEL: @shared_addresses
// CHECK-SAME: (%{{[^:]*}}: memref<64x512x32xf32>, %[[A:[^:]*]]: memref<?x512xf32
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[STRIDES]]#0, %c4
// CHECK: %[[ONE:.*]] = arith.index_cast %[[BYTES]]
// CHECK: %[[TRIPLE:.*]] = arith.muli %[[STRIDES]]#0, %c12
// CHECK: %[[THREE:.*]] = arith.index_cast %[[TRIPLE]]
// CHECK: scf.for
// CHECK: %[[P:.*]] = llvm.inline_asm "", "=r,0"
// CHECK: llvm.load %[[P]]
// CHECK: llvm.getelementptr %[[P]][%[[ONE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.getelementptr %[[P]][%[[ONE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i16
// CHECK: llvm.getelementptr %[[P]][%[[THREE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.getelementptr %[[P]][%[[ONE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NOT: memref.load
// CHECK: return
func.func @shared_addresses(%w: memref<64x512x32xf32>, %a: memref<?x512xf32, strided<[?, 1], offset: ?>>,
                            %row: index, %block: index) -> vector<5x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c512 = arith.constant 512 : index
  %zeros = arith.constant dense<0.0> : vector<5x32xf32>
  %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%s = %zeros) -> (vector<5x32xf32>) {
    %line = vector.load %w[%block, %k, %c0] : memref<64x512x32xf32>, vector<32xf32>
    %lines = vector.broadcast %line : vector<32xf32> to vector<5x32xf32>
    %a0 = memref.load %a[%row, %k] : memref<?x512xf32, strided<[?, 1], offset: ?>>
    %row1 = arith.addi %row, %c1 : index
    %a1 = memref.load %a[%row1, %k] : memref<?x512xf32, strided<[?, 1], offset: ?>>
    %row2 = arith.addi %row, %c2 : index
    %a2 = memref.load %a[%row2, %k] : memref<?x512xf32, strided<[?, 1], offset: ?>>
    %row3 = arith.addi %row, %c3 : index
    %a3 = memref.load %a[%row3, %k] : memref<?x512xf32, strided<[?, 1], offset: ?>>
    %row4 = arith.addi %row, %c4 : index
    %a4 = memref.load %a[%row4, %k] : memref<?x512xf32, strided<[?, 1], offset: ?>>
    %elements = vector.from_elements %a0, %a1, %a2, %a3, %a4 : vector<5xf32>
    %column = vector.shape_cast %elements : vector<5xf32> to vector<5x1xf32>
    %factors = vector.broadcast %column : vector<5x1xf32> to vector<5x32xf32>
    %next = math.fma %factors, %lines, %s : vector<5x32xf32>
    scf.yield %next : vector<5x32xf32>
  }
  return %sum : vector<5x32xf32>
}

// -----

// The distance is known, so a load has it in its displacement. Three rows are too few.

// CHECK-LABEL: @known_distance
// CHECK-NOT: llvm.
// CHECK: return
func.func @known_distance(%a: memref<?x8xf32>, %row: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    %a0 = memref.load %a[%row, %k] : memref<?x8xf32>
    %row1 = arith.addi %row, %c1 : index
    %a1 = memref.load %a[%row1, %k] : memref<?x8xf32>
    %row2 = arith.addi %row, %c2 : index
    %a2 = memref.load %a[%row2, %k] : memref<?x8xf32>
    %row3 = arith.addi %row, %c3 : index
    %a3 = memref.load %a[%row3, %k] : memref<?x8xf32>
    memref.store %a0, %out[%c0] : memref<4xf32>
    memref.store %a1, %out[%c1] : memref<4xf32>
    memref.store %a2, %out[%c2] : memref<4xf32>
    memref.store %a3, %out[%c3] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: @three_rows
// CHECK-NOT: llvm.
// CHECK: return
func.func @three_rows(%a: memref<?x8xf32, strided<[?, 1]>>, %row: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    %a0 = memref.load %a[%row, %k] : memref<?x8xf32, strided<[?, 1]>>
    %row1 = arith.addi %row, %c1 : index
    %a1 = memref.load %a[%row1, %k] : memref<?x8xf32, strided<[?, 1]>>
    %row2 = arith.addi %row, %c2 : index
    %a2 = memref.load %a[%row2, %k] : memref<?x8xf32, strided<[?, 1]>>
    memref.store %a0, %out[%c0] : memref<4xf32>
    memref.store %a1, %out[%c1] : memref<4xf32>
    memref.store %a2, %out[%c2] : memref<4xf32>
  }
  return
}
