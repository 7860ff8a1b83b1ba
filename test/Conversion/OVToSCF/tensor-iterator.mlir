// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// The example of the pass's documentation. A state has two slots. An iteration reads the slot of its parity and writes
// the other one.

// CHECK-LABEL: @example
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[S0:.*]]: tensor<1x4xf32>)
// CHECK-SAME: attributes {rt.time_loops = 1 : i64}
func.func @example(%x: tensor<8x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: %[[SLOTS:.*]] = memref.alloc() : memref<2x1x4xf32>
  // CHECK: %[[FIRST:.*]] = memref.subview %[[SLOTS]][0, 0, 0] [1, 1, 4] [1, 1, 1] : {{.*}} to memref<1x4xf32, {{.*}}>
  // CHECK: bufferization.materialize_in_destination %[[S0]] in restrict writable %[[FIRST]]
  // CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]] step %[[C1]] {
  // CHECK-NEXT: rt.iteration %[[T]]
  // CHECK-DAG: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[T]], 0] [1, 4] [1, 1]
  // CHECK-DAG: %[[CURRENT:.*]] = arith.andi %[[T]], %[[C1]]
  // CHECK-DAG: %[[OTHER:.*]] = arith.xori %[[CURRENT]], %[[C1]]
  // CHECK-DAG: %[[FROM:.*]] = memref.subview %[[SLOTS]][%[[CURRENT]], 0, 0] [1, 1, 4] [1, 1, 1]
  // CHECK-DAG: %[[S:.*]] = bufferization.to_tensor %[[FROM]] restrict
  // CHECK-DAG: %[[TO:.*]] = memref.subview %[[SLOTS]][%[[OTHER]], 0, 0] [1, 1, 4] [1, 1, 1]
  // CHECK: %[[N:.*]] = ov.add %[[PART]], %[[S]]
  // CHECK-NEXT: bufferization.materialize_in_destination %[[N]] in restrict writable %[[TO]]
  // CHECK-NEXT: }
  %h = ov.tensor_iterator slices(%x_t = %x along 0 [0:-1:1] part 1 : tensor<8x4xf32> to tensor<1x4xf32>)
      carried(%s = %s0 : tensor<1x4xf32>) {
    %n = ov.add %x_t, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.yield next(%n : tensor<1x4xf32>)
  }
  // After an even number of iterations it is in the first slot.
  // CHECK: %[[R:.*]] = bufferization.to_tensor %[[FIRST]] restrict
  // CHECK: return %[[R]]
  return %h : tensor<1x4xf32>
}

// -----

// After an odd number of iterations the result is in the second slot. States that are swapped need no copy.

// CHECK-LABEL: @exchange
func.func @exchange(%x: tensor<3xf32>, %s0: tensor<4xf32>, %t0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc() : memref<2x4xf32>
  // CHECK: %[[B:.*]] = memref.alloc() : memref<2x4xf32>
  // CHECK: scf.for
  // CHECK-DAG: %[[A_FROM:.*]] = memref.subview %[[A]][%[[CURRENT:.*]], 0]
  // CHECK-DAG: %[[S:.*]] = bufferization.to_tensor %[[A_FROM]] restrict
  // CHECK-DAG: %[[A_TO:.*]] = memref.subview %[[A]][%[[OTHER:.*]], 0]
  // CHECK-DAG: %[[B_FROM:.*]] = memref.subview %[[B]][%[[CURRENT]], 0]
  // CHECK-DAG: %[[T:.*]] = bufferization.to_tensor %[[B_FROM]] restrict
  // CHECK-DAG: %[[B_TO:.*]] = memref.subview %[[B]][%[[OTHER]], 0]
  // CHECK-DAG: bufferization.materialize_in_destination %[[T]] in restrict writable %[[A_TO]]
  // CHECK-DAG: bufferization.materialize_in_destination %[[S]] in restrict writable %[[B_TO]]
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<3xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<4xf32>, %t = %t0 : tensor<4xf32>) {
    ov.yield next(%t, %s : tensor<4xf32>, tensor<4xf32>)
  }
  // CHECK: %[[SECOND:.*]] = memref.subview %[[A]][1, 0]
  // CHECK: bufferization.to_tensor %[[SECOND]] restrict
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// States of one element are iter_args of their scalar types.

// CHECK-LABEL: @scalars
// CHECK-SAME: (%{{.*}}: tensor<5xf32>, %[[S0:[^:]*]]: tensor<1x1xf32>, %[[T0:[^:]*]]: tensor<i64>)
func.func @scalars(%x: tensor<5xf32>, %s0: tensor<1x1xf32>, %t0: tensor<i64>)
    -> (tensor<1x1xf32>, tensor<i64>, tensor<i1>) {
  %zero = ov.constant dense<0> : tensor<i64>
  // CHECK-NOT: memref.alloc
  // CHECK-DAG: %[[S_IN:.*]] = tensor.extract %[[S0]][%{{.*}}, %{{.*}}]
  // CHECK-DAG: %[[T_IN:.*]] = tensor.extract %[[T0]][]
  // CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[S:.*]] = %[[S_IN]], %[[T:.*]] = %[[T_IN]], %{{.*}} = %{{.*}}) -> (f32, i64, i1)
  // CHECK-DAG: tensor.from_elements %[[S]] : tensor<1x1xf32>
  // CHECK-DAG: tensor.from_elements %[[T]] : tensor<i64>
  %r:3 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<5xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<1x1xf32>, %t = %t0 : tensor<i64>) last(tensor<i1>) {
    // CHECK-DAG: %[[N:.*]] = ov.exp
    // CHECK-DAG: %[[M:.*]] = ov.abs
    // CHECK-DAG: %[[L:.*]] = ov.less
    %n = ov.exp %s : tensor<1x1xf32>
    %m = ov.abs %t : tensor<i64>
    %l = ov.less %t, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    // CHECK-DAG: %[[N_OUT:.*]] = tensor.extract %[[N]]
    // CHECK-DAG: %[[M_OUT:.*]] = tensor.extract %[[M]][]
    // CHECK-DAG: %[[L_OUT:.*]] = tensor.extract %[[L]][]
    // CHECK: scf.yield %[[N_OUT]], %[[M_OUT]], %[[L_OUT]] : f32, i64, i1
    ov.yield next(%n, %m : tensor<1x1xf32>, tensor<i64>) last(%l : tensor<i1>)
  }
  // CHECK-DAG: %[[R0:.*]] = tensor.from_elements %[[R]]#0 : tensor<1x1xf32>
  // CHECK-DAG: %[[R1:.*]] = tensor.from_elements %[[R]]#1 : tensor<i64>
  // CHECK-DAG: %[[R2:.*]] = tensor.from_elements %[[R]]#2 : tensor<i1>
  // CHECK: return %[[R0]], %[[R1]], %[[R2]]
  return %r#0, %r#1, %r#2 : tensor<1x1xf32>, tensor<i64>, tensor<i1>
}

// -----

// Both the slice and the concatenation go from the end to the start, in parts [5, 7), [3, 5), [1, 3).

// CHECK-LABEL: @backward
// CHECK-SAME: (%[[X:.*]]: tensor<7x4xf32>)
func.func @backward(%x: tensor<7x4xf32>) -> (tensor<6x4xf32>, tensor<2x4xf32>) {
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
  // CHECK-DAG: %[[M2:.*]] = arith.constant -2 : index
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK: %[[LAST:.*]] = memref.alloc() : memref<2x4xf32>
  // CHECK: %[[ALL:.*]] = memref.alloc() : memref<6x4xf32>
  // CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[C3]]
  // CHECK-DAG: %[[STEP:.*]] = arith.muli %[[T]], %[[M2]]
  // CHECK-DAG: %[[AT:.*]] = arith.addi %[[STEP]], %[[C5]]
  // CHECK-DAG: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[AT]], 0] [2, 4] [1, 1]
  // CHECK-DAG: %[[PLACE:.*]] = arith.subi %[[C2]], %[[T]]
  // CHECK-DAG: %[[OFFSET:.*]] = arith.muli %[[PLACE]], %[[C2]]
  // CHECK-DAG: %[[TO:.*]] = memref.subview %[[ALL]][%[[OFFSET]], 0] [2, 4] [1, 1]
  // CHECK: %[[E:.*]] = ov.exp %[[PART]]
  // CHECK-DAG: bufferization.materialize_in_destination %[[E]] in restrict writable %[[LAST]]
  // CHECK-DAG: bufferization.materialize_in_destination %[[E]] in restrict writable %[[TO]]
  %r:2 = ov.tensor_iterator slices(%x_t = %x along 0 [-1:1:-2] part 2 : tensor<7x4xf32> to tensor<2x4xf32>)
      last(tensor<2x4xf32>) concats(along 0 reverse : tensor<6x4xf32>) {
    %e = ov.exp %x_t : tensor<2x4xf32>
    ov.yield last(%e : tensor<2x4xf32>) concat(%e : tensor<2x4xf32>)
  }
  // CHECK: %[[R1:.*]] = bufferization.to_tensor %[[LAST]] restrict
  // CHECK: %[[R0:.*]] = bufferization.to_tensor %[[ALL]] restrict
  // CHECK: return %[[R0]], %[[R1]]
  return %r#1, %r#0 : tensor<6x4xf32>, tensor<2x4xf32>
}

// -----

// Forward, with a stride, from the middle.

// CHECK-LABEL: @strided
// CHECK-SAME: (%[[X:.*]]: tensor<2x9xf32>)
func.func @strided(%x: tensor<2x9xf32>) -> tensor<2x6xf32> {
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK: %[[ALL:.*]] = memref.alloc() : memref<2x6xf32>
  // CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[C2]]
  // CHECK-DAG: %[[STEP:.*]] = arith.muli %[[T]], %[[C3]]
  // CHECK-DAG: %[[AT:.*]] = arith.addi %[[STEP]], %[[C2]]
  // CHECK-DAG: tensor.extract_slice %[[X]][0, %[[AT]]] [2, 3] [1, 1]
  // CHECK-DAG: memref.subview %[[ALL]][0, %[[STEP]]] [2, 3] [1, 1]
  %r = ov.tensor_iterator slices(%a = %x along 1 [2:-2:3] part 3 : tensor<2x9xf32> to tensor<2x3xf32>)
      concats(along 1 : tensor<2x6xf32>) {
    ov.yield concat(%a : tensor<2x3xf32>)
  }
  return %r : tensor<2x6xf32>
}

// -----

// One iteration needs no loop.

// CHECK-LABEL: @one
// CHECK-SAME: attributes {rt.time_loops = 0 : i64}
func.func @one(%x: tensor<2x4xf32>, %s0: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: scf.for
  // CHECK-NOT: rt.iteration
  // CHECK: ov.exp
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 2 : tensor<2x4xf32> to tensor<2x4xf32>)
      carried(%s = %s0 : tensor<4xf32>) {
    %n = ov.exp %s : tensor<4xf32>
    ov.yield next(%n : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}

// -----

// Sizes that are known only at run time are checked before the loop: every axis holds a whole number of parts, and all
// hold the same number. The loop uses the results of the checks. Loop-invariant dims are computed before it.

// CHECK-LABEL: @dynamic
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x?xf32>, %[[Y:[^:]*]]: tensor<?xf32>, %[[S0:[^:]*]]: tensor<?xf32>)
func.func @dynamic(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %s0: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK: %[[X0:.*]] = tensor.dim %[[X]], %[[C0]]
  // CHECK: %[[A:.*]] = rt.check %{{.*}}, shape, "an axis of {0} elements does not hold a whole number of parts of {1} elements"({{.*}}) guards(%{{.*}} : index)
  // CHECK: %[[Y0:.*]] = tensor.dim %[[Y]], %[[C0]]
  // CHECK: %[[B:.*]] = rt.check %{{.*}}, shape, "an axis of {0} elements does not hold a whole number of parts of {1} elements"({{.*}}) guards(%{{.*}} : index)
  // CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[A]], %[[B]]
  // CHECK: %[[COUNT:.*]] = rt.check %[[SAME]], shape, "sliced inputs have {0} and {1} parts"({{.*}}) guards(%[[A]] : index)
  // CHECK: %[[S_DIM:.*]] = tensor.dim %[[S0]], %[[C0]]
  // CHECK: %[[SOME:.*]] = arith.maxui %[[S_DIM]], %{{.*}}
  // CHECK: %[[SLOTS:.*]] = memref.alloc(%[[SOME]]) : memref<2x?xf32>
  // CHECK: %[[X1:.*]] = tensor.dim %[[X]], %[[C1]]
  // The size of the concatenation cannot overflow.
  // CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[COUNT]], %{{.*}}
  // CHECK: %[[PRODUCT:.*]] = arith.muli %[[COUNT]], %[[C2]]
  // CHECK: %[[LENGTH:.*]] = rt.check %[[FITS]], overflow, "a concatenation of {0} parts is too large"({{.*}}) guards(%[[PRODUCT]] : index)
  // CHECK: %[[ALL:.*]] = memref.alloc(%[[LENGTH]], %[[X1]]) : memref<?x?xf32>
  // CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[COUNT]] step %[[C1]] {
  // CHECK-NOT: tensor.dim
  // CHECK-DAG: tensor.extract_slice %[[X]][%{{.*}}, 0] [2, %[[X1]]] [1, 1] : tensor<?x?xf32> to tensor<2x?xf32>
  // CHECK-DAG: tensor.extract_slice %[[Y]][%[[T]]] [1] [1] : tensor<?xf32> to tensor<1xf32>
  // CHECK-DAG: memref.subview %[[SLOTS]][%{{.*}}, 0] [1, %[[S_DIM]]] [1, 1]
  // CHECK-DAG: memref.subview %[[ALL]][%{{.*}}, 0] [2, %[[X1]]] [1, 1]
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [-1:0:-2] part 2 : tensor<?x?xf32> to tensor<2x?xf32>,
                                   %b = %y along 0 [0:-1:1] part 1 : tensor<?xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<?xf32>) concats(along 0 : tensor<?x?xf32>) {
    %n = ov.add %s, %b : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    %o = ov.exp %a : tensor<2x?xf32>
    ov.yield next(%n : tensor<?xf32>) concat(%o : tensor<2x?xf32>)
  }
  // The slot of the result follows from the count.
  // CHECK: }
  // CHECK: %[[PARITY:.*]] = arith.andi %[[COUNT]], %[[C1]]
  // CHECK: memref.subview %[[SLOTS]][%[[PARITY]], 0] [1, %[[S_DIM]]] [1, 1]
  return %r#0, %r#1 : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// The next value of a state may take its dims from elsewhere. If they are the same from then on, the first iteration is
// peeled, and the buffers have these dims. A state that takes its dims from such a state changes twice, so its buffers
// grow.

// CHECK-LABEL: @dims_of_another
// CHECK-SAME: (%{{[^:]*}}: tensor<4xf32>, %[[S0:[^:]*]]: tensor<2x?xf32>, %[[T0:[^:]*]]: tensor<2x?xf32>, %[[K:[^:]*]]: tensor<2x?xf32>)
func.func @dims_of_another(%x: tensor<4xf32>, %s0: tensor<2x?xf32>, %t0: tensor<2x?xf32>, %k: tensor<2x?xf32>)
    -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[S1:.*]] = tensor.dim %[[S0]], %[[C1]]
  // CHECK-DAG: %[[T1:.*]] = tensor.dim %[[T0]], %[[C1]]
  // CHECK-DAG: %[[K1:.*]] = tensor.dim %[[K]], %[[C1]]
  // CHECK-DAG: %[[SOME:.*]] = arith.maxui %[[K1]], %{{.*}}
  // CHECK-DAG: memref.alloc(%[[SOME]]) : memref<2x2x?xf32>
  // CHECK: %[[DIFFERS:.*]] = arith.cmpi ne, %[[S1]], %[[K1]]
  // CHECK: %[[FIRST:.*]] = scf.if %[[DIFFERS]] -> (index) {
  // CHECK: ov.exp %[[S0]]
  // CHECK: } else {
  // CHECK: scf.yield %[[T1]]
  // CHECK: scf.for {{.*}} iter_args(%[[T_DIM:.*]] = %[[FIRST]]) -> (index)
  // CHECK: %[[M:.*]] = ov.exp
  // CHECK: ov.exp %[[K]]
  // CHECK: %[[M1:.*]] = tensor.dim %[[M]], %[[C1]]
  // CHECK: rt.reserve growing
  // CHECK: scf.yield %[[M1]] : index
  %r:2 = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s0 : tensor<2x?xf32>, %t = %t0 : tensor<2x?xf32>) {
    %m = ov.exp %s : tensor<2x?xf32>
    %n = ov.exp %k : tensor<2x?xf32>
    ov.yield next(%n, %m : tensor<2x?xf32>, tensor<2x?xf32>)
  }
  return %r#0, %r#1 : tensor<2x?xf32>, tensor<2x?xf32>
}

// -----

// A cast that hides a static dim does not change it.

// CHECK-LABEL: @cast
func.func @cast(%x: tensor<4xf32>, %s0: tensor<3xf32>, %k: tensor<3xf32>) -> tensor<?xf32> {
  // CHECK-NOT: rt.reserve
  // CHECK: return
  %s1 = tensor.cast %s0 : tensor<3xf32> to tensor<?xf32>
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<4xf32> to tensor<1xf32>)
      carried(%s = %s1 : tensor<?xf32>) {
    %n = ov.exp %k : tensor<3xf32>
    %m = tensor.cast %n : tensor<3xf32> to tensor<?xf32>
    ov.yield next(%m : tensor<?xf32>)
  }
  return %r : tensor<?xf32>
}

// -----

// A concatenation whose declared type has more static dims than its parts is checked.

// CHECK-LABEL: @declared_dims
func.func @declared_dims(%x: tensor<?x?xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[ROWS:.*]] = rt.check %{{.*}}, overflow, "a concatenation of {0} parts is too large"
  // CHECK-DAG: %[[FOUR:.*]] = rt.check %{{.*}}, shape, "expected a concatenation with a dim of {0}, but got {1}"({{.*}}) guards(%[[ROWS]] : index)
  // CHECK-DAG: %[[THREE:.*]] = rt.check %{{.*}}, shape, "expected a concatenation with a dim of {0}, but got {1}"({{.*}}) guards(%{{.*}} : index)
  // CHECK: memref.alloc(%[[FOUR]], %[[THREE]]) : memref<?x?xf32>
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<?x?xf32> to tensor<1x?xf32>)
      concats(along 0 : tensor<4x3xf32>) {
    %e = ov.exp %a : tensor<1x?xf32>
    ov.yield concat(%e : tensor<1x?xf32>)
  }
  return %r : tensor<4x3xf32>
}

// -----

// Nested loops: the outer one is lowered first, and both are counted.

// CHECK-LABEL: @nested
// CHECK-SAME: attributes {rt.time_loops = 2 : i64}
func.func @nested(%x: tensor<3x5x4xf32>, %s0: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK: scf.for %[[T:.*]] =
  // CHECK-NEXT: rt.iteration %[[T]]
  // CHECK: memref.alloc() : memref<2x1x4xf32>
  // CHECK: scf.for %[[U:.*]] =
  // CHECK-NEXT: rt.iteration %[[U]]
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<3x5x4xf32> to tensor<1x5x4xf32>)
      carried(%s = %s0 : tensor<1x4xf32>) {
    %axis = ov.constant dense<0> : tensor<1xi64>
    %q = ov.tensor_iterator slices(%b = %a along 1 [0:-1:1] part 1 : tensor<1x5x4xf32> to tensor<1x1x4xf32>)
        carried(%t = %s : tensor<1x4xf32>) {
      %c = ov.squeeze %b, %axis : (tensor<1x1x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
      %u = ov.add %c, %t : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.yield next(%u : tensor<1x4xf32>)
    }
    ov.yield next(%q : tensor<1x4xf32>)
  }
  return %r : tensor<1x4xf32>
}

// -----

// A function without loops records that it has none.

// CHECK-LABEL: @none
// CHECK-SAME: attributes {rt.time_loops = 0 : i64}
func.func @none() {
  return
}

// -----

// An empty slice is an empty tensor, whose dynamic dim has a size that a cast tells. Nothing reads it here.

// CHECK-LABEL: @empty_slice_of_known_size
func.func @empty_slice_of_known_size(%x: tensor<23x0x4xi32>) -> tensor<?x0x4xi32> {
  %d = tensor.cast %x : tensor<23x0x4xi32> to tensor<?x0x4xi32>
  // CHECK: memref.alloc() : memref<23x0x4xi32>
  // CHECK: scf.for
  %r = ov.tensor_iterator slices(%s = %d along 2 [0:-1:1] part 1 : tensor<?x0x4xi32> to tensor<?x0x1xi32>)
      concats(along 2 : tensor<?x0x4xi32>) {
    ov.yield concat(%s : tensor<?x0x1xi32>)
  }
  return %r : tensor<?x0x4xi32>
}
