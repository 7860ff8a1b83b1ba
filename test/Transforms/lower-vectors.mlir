// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --pass-pipeline='builtin.module(func.func(rt-lower-vectors{vector-bits=256}))' | FileCheck %s --check-prefix=NARROW
// RUN: ir-opt %s --rt-lower-vectors | FileCheck %s

// CHECK-DAG: #[[FIRST:.*]] = affine_map<()[s0] -> (s0 * 2 + 1)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<()[s0] -> (s0 * 2 + 8)>
// CHECK-DAG: #[[COUNT:.*]] = affine_map<()[s0] -> (s0 * 3 - 2)>

// Transfers become loads and stores of one register each; unit dims are dropped.

// CHECK-LABEL: @unit_dims
// CHECK-SAME: (%[[M:.*]]: memref<3x37xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
func.func @unit_dims(%m: memref<3x37xf32>, %i: index, %j: index) {
  // CHECK: %[[V:.*]] = vector.load %[[M]][%[[I]], %[[J]]] : memref<3x37xf32>, vector<8xf32>
  // CHECK: %[[S:.*]] = math.sqrt %[[V]] : vector<8xf32>
  // CHECK: vector.store %[[S]], %[[M]][%[[I]], %[[J]]] : memref<3x37xf32>, vector<8xf32>
  // CHECK-NOT: vector<1x
  %p = ub.poison : f32
  %v = vector.transfer_read %m[%i, %j], %p {in_bounds = [true, true]} : memref<3x37xf32>, vector<1x8xf32>
  %s = math.sqrt %v : vector<1x8xf32>
  vector.transfer_write %s, %m[%i, %j] {in_bounds = [true, true]} : vector<1x8xf32>, memref<3x37xf32>
  return
}

// Several rows become as many registers.

// CHECK-LABEL: @rows
// CHECK-SAME: (%[[M:.*]]: memref<4x8xf32>, %[[N:.*]]: memref<4x8xf32>)
func.func @rows(%m: memref<4x8xf32>, %n: memref<4x8xf32>) {
  // CHECK-NOT: vector.transfer
  // CHECK-COUNT-4: vector.load %[[M]][%{{.*}}, %{{.*}}] : memref<4x8xf32>, vector<8xf32>
  // CHECK-COUNT-4: vector.store %{{.*}}, %[[N]][%{{.*}}, %{{.*}}] : memref<4x8xf32>, vector<8xf32>
  // CHECK-NOT: scf.for
  %c0 = arith.constant 0 : index
  %p = ub.poison : f32
  %v = vector.transfer_read %m[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x8xf32>, vector<4x8xf32>
  vector.transfer_write %v, %n[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
  return
}

// One element for all lanes becomes one load.

// CHECK-LABEL: @broadcast
// CHECK-SAME: (%[[M:.*]]: memref<4x8xf32>, %[[I:.*]]: index, %[[J:.*]]: index, %[[N:.*]]: memref<8xf32>)
func.func @broadcast(%m: memref<4x8xf32>, %i: index, %j: index, %n: memref<8xf32>) {
  // CHECK-NOT: vector.transfer
  // CHECK: %[[X:.*]] = memref.load %[[M]][%[[I]], %[[J]]]
  // CHECK: %[[V:.*]] = vector.broadcast %[[X]] : f32 to vector<8xf32>
  // CHECK: vector.store %[[V]], %[[N]]
  %c0 = arith.constant 0 : index
  %p = ub.poison : f32
  %v = vector.transfer_read %m[%i, %j], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>}
      : memref<4x8xf32>, vector<8xf32>
  vector.transfer_write %v, %n[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  return
}

// Every second element is picked from two vectors of the rows. The second one ends with the last element.

// CHECK-LABEL: @step
// CHECK-SAME: (%[[M:.*]]: memref<4x99xf32>, %[[I:.*]]: index, %[[J:.*]]: index
func.func @step(%m: memref<4x99xf32>, %i: index, %j: index) -> vector<8xf32> {
  // CHECK: %[[A:.*]] = affine.apply #[[FIRST]]()[%[[J]]]
  // CHECK: %[[LOW:.*]] = vector.load %[[M]][%[[I]], %[[A]]]
  // CHECK: %[[P:.*]] = vector.shuffle %[[LOW]], %[[LOW]] [0, 2, 4, 6, -1, -1, -1, -1]
  // CHECK: %[[B:.*]] = affine.apply #[[SECOND]]()[%[[J]]]
  // CHECK: %[[HIGH:.*]] = vector.load %[[M]][%[[I]], %[[B]]]
  // CHECK: %[[Q:.*]] = vector.shuffle %[[P]], %[[HIGH]] [0, 1, 2, 3, 9, 11, 13, 15]
  // CHECK: return %[[Q]]
  %p = ub.poison : f32
  %s = memref.subview %m[0, 1] [4, 49] [1, 2] : memref<4x99xf32> to memref<4x49xf32, strided<[99, 2], offset: 1>>
  %v = vector.transfer_read %s[%i, %j], %p {in_bounds = [true]}
      : memref<4x49xf32, strided<[99, 2], offset: 1>>, vector<8xf32>
  return %v : vector<8xf32>
}

// With a mask, only the elements up to the last that counts are loaded.

// CHECK-LABEL: @masked_step
// CHECK-SAME: (%[[M:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[LANES:.*]]: index
func.func @masked_step(%m: memref<?xf32>, %n: index, %lanes: index) -> vector<8xf32> {
  // CHECK: affine.apply #[[COUNT]]()[%[[LANES]]]
  // CHECK-COUNT-3: vector.maskedload %[[M]]
  // CHECK: return
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %s = memref.subview %m[0] [%n] [3] : memref<?xf32> to memref<?xf32, strided<[3]>>
  %k = vector.create_mask %lanes : vector<8xi1>
  %v = vector.transfer_read %s[%c0], %p, %k {in_bounds = [true]} : memref<?xf32, strided<[3]>>, vector<8xf32>
  return %v : vector<8xf32>
}

// A column is read and written element by element, at constant distances from one address.

// CHECK-LABEL: @column
// CHECK-SAME: (%[[M:.*]]: memref<4x8xf32>, %[[J:.*]]: index
func.func @column(%m: memref<4x8xf32>, %j: index, %n: memref<?x3xf32>) {
  // CHECK-NOT: vector.transfer
  // CHECK: %[[FROM:.*]] = memref.subview %[[M]][0, %[[J]]] [4, 1] [1, 1] : {{.*}} to memref<4xf32, strided<[8], offset: ?>>
  // CHECK-COUNT-4: memref.load %[[FROM]][%c{{[0-3]}}]
  // CHECK: %[[V:.*]] = vector.from_elements {{.*}} : vector<4xf32>
  // CHECK: %[[S:.*]] = math.sqrt %[[V]]
  // CHECK: %[[TO:.*]] = memref.subview %{{.*}}[0, %[[J]]] [4, 1] [1, 1] : {{.*}} to memref<4xf32, strided<[3], offset: ?>>
  // CHECK: %[[E:.*]] = vector.extract %[[S]][0]
  // CHECK: memref.store %[[E]], %[[TO]][%c0]
  // CHECK-COUNT-3: memref.store %{{.*}}, %[[TO]]
  // CHECK-NOT: scf.for
  %c0 = arith.constant 0 : index
  %p = ub.poison : f32
  %v = vector.transfer_read %m[%c0, %j], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>}
      : memref<4x8xf32>, vector<4xf32>
  %s = math.sqrt %v : vector<4xf32>
  %w = vector.shape_cast %s : vector<4xf32> to vector<4x1xf32>
  vector.transfer_write %w, %n[%c0, %j] {in_bounds = [true, true]} : vector<4x1xf32>, memref<?x3xf32>
  return
}

// With a mask, a loop has as many iterations as there are active lanes.

// CHECK-LABEL: @masked_column
// CHECK-SAME: (%[[M:.*]]: memref<?x8xf32>, %[[J:.*]]: index, %[[LANES:.*]]: index, %[[N:.*]]: memref<?x3xf32>)
func.func @masked_column(%m: memref<?x8xf32>, %j: index, %lanes: index, %n: memref<?x3xf32>) {
  // CHECK-DAG: %[[ALL:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
  // CHECK-DAG: %[[PAD:.*]] = arith.constant dense<5.000000e-01> : vector<4xf32>
  // CHECK: %[[COUNT:.*]] = arith.minsi %[[LANES]], %c4
  // CHECK: %[[FROM:.*]] = memref.subview %[[M]][0, %[[J]]] [%[[COUNT]], 1] [1, 1]
  // CHECK: %[[V:.*]] = scf.for %[[I:.*]] = %c0 to %[[COUNT]] step %c1 iter_args(%[[READ:.*]] = %[[PAD]])
  // CHECK: %[[E:.*]] = memref.load %[[FROM]][%[[I]]]
  // CHECK: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %[[ALL]] : vector<4xi32>
  // CHECK: %[[EVERYWHERE:.*]] = vector.broadcast %[[E]]
  // CHECK: arith.select %[[IS]], %[[EVERYWHERE]], %[[READ]]
  // CHECK: scf.for %[[K:.*]] = %c0 to %{{.*}} step %c1
  // CHECK: %[[F:.*]] = vector.extract %[[V]][%[[K]]]
  // CHECK: memref.store %[[F]], %{{.*}}[%[[K]]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.5 : f32
  %k = vector.create_mask %lanes, %c1 : vector<4x1xi1>
  %v = vector.transfer_read %m[%c0, %j], %p, %k {in_bounds = [true, true]} : memref<?x8xf32>, vector<4x1xf32>
  vector.transfer_write %v, %n[%c0, %j], %k {in_bounds = [true, true]} : vector<4x1xf32>, memref<?x3xf32>
  return
}

// Accumulators that a loop carries.

// CHECK-LABEL: @carried
func.func @carried(%m: memref<?x1x16xf32>, %n: index, %out: memref<1x16xf32>) {
  // CHECK: scf.for {{.*}} -> (vector<16xf32>)
  // CHECK: vector.load {{.*}} vector<16xf32>
  // CHECK: arith.addf {{.*}} : vector<16xf32>
  // CHECK: vector.store {{.*}} vector<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = ub.poison : f32
  %zeros = arith.constant dense<0.0> : vector<1x16xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zeros) -> (vector<1x16xf32>) {
    %v = vector.transfer_read %m[%k, %c0, %c0], %p {in_bounds = [true, true]} : memref<?x1x16xf32>, vector<1x16xf32>
    %s = arith.addf %a, %v : vector<1x16xf32>
    scf.yield %s : vector<1x16xf32>
  }
  vector.transfer_write %r, %out[%c0, %c0] {in_bounds = [true, true]} : vector<1x16xf32>, memref<1x16xf32>
  return
}

// A column for each lane: assembled from slices, which LLVM does not have.

// CHECK-LABEL: @transposed_broadcast
func.func @transposed_broadcast(%m: memref<?x?xi32>, %i: index, %j: index, %n: memref<2x4xi32>) {
  // CHECK: vector.load %{{.*}} : memref<?x?xi32>, vector<2xi32>
  // CHECK-NOT: strided_slice
  // CHECK-COUNT-2: vector.store
  %c0 = arith.constant 0 : index
  %p = ub.poison : i32
  %v = vector.transfer_read %m[%i, %j], %p {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, 0)>}
      : memref<?x?xi32>, vector<2x4xi32>
  vector.transfer_write %v, %n[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xi32>, memref<2x4xi32>
  return
}

// A vector of one element is loaded and stored as that element: the buffer may have no dims.

// CHECK-LABEL: @one_element
// CHECK-SAME: (%[[M:[^:]*]]: memref<f32>, %[[N:[^:]*]]: memref<1x1xf32>)
func.func @one_element(%m: memref<f32>, %n: memref<1x1xf32>) {
  // CHECK-NOT: vector.load
  // CHECK-NOT: vector.store
  // CHECK: memref.load
  // CHECK: memref.store %{{.*}}, %[[N]]
  %c0 = arith.constant 0 : index
  %p = ub.poison : f32
  %e = memref.expand_shape %m [] output_shape [1, 1] : memref<f32> into memref<1x1xf32>
  %v = vector.transfer_read %e[%c0, %c0], %p {in_bounds = [true, true]} : memref<1x1xf32>, vector<1x1xf32>
  %s = math.sqrt %v : vector<1x1xf32>
  vector.transfer_write %s, %n[%c0, %c0] {in_bounds = [true, true]} : vector<1x1xf32>, memref<1x1xf32>
  return
}

// The position of its stride does not matter.

// CHECK-LABEL: @strided_element
func.func @strided_element(%m: memref<3x1xf32, strided<[5, 5]>>, %i: index, %n: memref<8xf32>) {
  // CHECK-NOT: vector.transfer
  // CHECK: %[[X:.*]] = memref.load
  // CHECK: %[[V:.*]] = vector.broadcast %[[X]] : f32 to vector<8xf32>
  // CHECK: vector.store %[[V]]
  %c0 = arith.constant 0 : index
  %p = ub.poison : f32
  %v = vector.transfer_read %m[%i, %c0], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>}
      : memref<3x1xf32, strided<[5, 5]>>, vector<8xf32>
  vector.transfer_write %v, %n[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  return
}

// -----

// A vector that is longer than its destination is stored with a mask.

// CHECK-LABEL: @longer
func.func @longer(%v: vector<3xi64>, %m: memref<2xi64>) {
  // CHECK-NOT: transfer_write
  // CHECK: vector.maskedstore
  %c0 = arith.constant 0 : index
  vector.transfer_write %v, %m[%c0] : vector<3xi64>, memref<2xi64>
  return
}

// -----

// Ops on vectors with trailing unit dims become ops on vectors without them.

// CHECK-LABEL: @trailing_unit_dims
func.func @trailing_unit_dims(%m: memref<?x1x1xf32>, %i: index) {
  // CHECK: %[[V:.*]] = vector.load {{.*}} vector<8xf32>
  // CHECK: %[[E:.*]] = math.sqrt %[[V]] : vector<8xf32>
  // CHECK: vector.store %[[E]]
  %c0 = arith.constant 0 : index
  %p = ub.poison : f32
  %v = vector.transfer_read %m[%i, %c0, %c0], %p {in_bounds = [true, true, true]} : memref<?x1x1xf32>, vector<8x1x1xf32>
  %e = math.sqrt %v : vector<8x1x1xf32>
  vector.transfer_write %e, %m[%i, %c0, %c0] {in_bounds = [true, true, true]} : vector<8x1x1xf32>, memref<?x1x1xf32>
  return
}

// -----

// A loop over the remainder of a dim becomes a branch, but not a loop that starts elsewhere.

// CHECK-LABEL: @rest
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: memref<?xf32>, %[[X:.*]]: f32)
func.func @rest(%n: index, %m: memref<?xf32>, %x: f32) {
  // CHECK: %[[START:.*]] = affine.apply
  // CHECK-NOT: scf.for
  // CHECK: %[[SOME:.*]] = arith.cmpi slt, %[[START]], %[[N]] : index
  // CHECK: scf.if %[[SOME]] {
  // CHECK-NEXT: memref.store %[[X]], %[[M]][%[[START]]]
  // CHECK-NEXT: }
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %start = affine.apply affine_map<()[n] -> ((n floordiv 8) * 8)>()[%n]
  scf.for %i = %start to %n step %c8 {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  // CHECK: scf.for %{{.*}} = %[[START]] to %[[N]] step %c4
  scf.for %i = %start to %n step %c4 {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// A transfer of several dims that broadcasts a column leaves no transposition.

// CHECK-LABEL: @column_of_several_dims
// CHECK-NOT: vector.transpose
// CHECK-NOT: vector.transfer
// CHECK: return
func.func @column_of_several_dims(%m: memref<2x1x2x1xf32>, %n: memref<2x1x2xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %p = ub.poison : f32
  %v = vector.transfer_read %m[%c0, %c0, %i, %c0], %p {in_bounds = [true, true, true],
      permutation_map = affine_map<(d0, d1, d2, d3) -> (d0, d3, 0)>} : memref<2x1x2x1xf32>, vector<2x1x2xf32>
  %s = math.sqrt %v : vector<2x1x2xf32>
  vector.transfer_write %s, %n[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x1x2xf32>, memref<2x1x2xf32>
  return
}

// A register is stored at a time, so that a load of one finds the value of a store.

// NARROW-LABEL: @wide_store
// NARROW-SAME: %[[M:.*]]: memref<64xf32>, %[[I:.*]]: index, %[[V:.*]]: vector<16xf32>
// NARROW: %[[LOW:.*]] = vector.shuffle %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7]
// NARROW: vector.store %[[LOW]], %[[M]][%[[I]]] : memref<64xf32>, vector<8xf32>
// NARROW: %[[J:.*]] = arith.addi %[[I]], %{{.*}} : index
// NARROW: %[[HIGH:.*]] = vector.shuffle %[[V]], %[[V]] [8, 9, 10, 11, 12, 13, 14, 15]
// NARROW: vector.store %[[HIGH]], %[[M]][%[[J]]] : memref<64xf32>, vector<8xf32>
// CHECK-LABEL: @wide_store
// CHECK: vector.store %{{.*}} vector<16xf32>
func.func @wide_store(%m: memref<64xf32>, %i: index, %v: vector<16xf32>) {
  vector.store %v, %m[%i] : memref<64xf32>, vector<16xf32>
  return
}

// -----

// A permutation of a vector that a register holds stays as it is. A wider one takes the lanes of each half from both
// halves of the row.

// CHECK-LABEL: @permutation
// CHECK-COUNT-16: vector.extract %{{.*}}[%{{.*}}] : f32 from vector<16xf32>
// CHECK: vector.from_elements {{.*}} : vector<16xf32>
// NARROW-LABEL: @permutation
// NARROW-SAME: (%[[ROW:.*]]: vector<16xf32>, %[[PLACES:.*]]: vector<16xi32>)
// NARROW-DAG: %[[LOW:.*]] = vector.shuffle %[[ROW]], %[[ROW]] [0, 1, 2, 3, 4, 5, 6, 7]
// NARROW-DAG: %[[HIGH:.*]] = vector.shuffle %[[ROW]], %[[ROW]] [8, 9, 10, 11, 12, 13, 14, 15]
// NARROW: %[[P:.*]] = vector.shuffle %[[PLACES]], %[[PLACES]] [0, 1, 2, 3, 4, 5, 6, 7]
// NARROW: arith.andi %[[P]], %{{.*}} : vector<8xi32>
// NARROW: %[[UPPER:.*]] = arith.cmpi uge, %[[P]]
// NARROW-COUNT-8: vector.extract %{{.*}}[%{{.*}}] : f32 from vector<8xf32>
// NARROW: vector.from_elements {{.*}} : vector<8xf32>
// NARROW: vector.from_elements {{.*}} : vector<8xf32>
// NARROW: arith.select %[[UPPER]]
// NARROW: arith.select
// NARROW-NOT: vector.from_elements
func.func @permutation(%row: vector<16xf32>, %places: vector<16xi32>) -> vector<16xf32> {
  %n0 = vector.extract %places[0] : i32 from vector<16xi32>
  %i0 = arith.index_cast %n0 : i32 to index
  %e0 = vector.extract %row[%i0] : f32 from vector<16xf32>
  %n1 = vector.extract %places[1] : i32 from vector<16xi32>
  %i1 = arith.index_cast %n1 : i32 to index
  %e1 = vector.extract %row[%i1] : f32 from vector<16xf32>
  %n2 = vector.extract %places[2] : i32 from vector<16xi32>
  %i2 = arith.index_cast %n2 : i32 to index
  %e2 = vector.extract %row[%i2] : f32 from vector<16xf32>
  %n3 = vector.extract %places[3] : i32 from vector<16xi32>
  %i3 = arith.index_cast %n3 : i32 to index
  %e3 = vector.extract %row[%i3] : f32 from vector<16xf32>
  %n4 = vector.extract %places[4] : i32 from vector<16xi32>
  %i4 = arith.index_cast %n4 : i32 to index
  %e4 = vector.extract %row[%i4] : f32 from vector<16xf32>
  %n5 = vector.extract %places[5] : i32 from vector<16xi32>
  %i5 = arith.index_cast %n5 : i32 to index
  %e5 = vector.extract %row[%i5] : f32 from vector<16xf32>
  %n6 = vector.extract %places[6] : i32 from vector<16xi32>
  %i6 = arith.index_cast %n6 : i32 to index
  %e6 = vector.extract %row[%i6] : f32 from vector<16xf32>
  %n7 = vector.extract %places[7] : i32 from vector<16xi32>
  %i7 = arith.index_cast %n7 : i32 to index
  %e7 = vector.extract %row[%i7] : f32 from vector<16xf32>
  %n8 = vector.extract %places[8] : i32 from vector<16xi32>
  %i8 = arith.index_cast %n8 : i32 to index
  %e8 = vector.extract %row[%i8] : f32 from vector<16xf32>
  %n9 = vector.extract %places[9] : i32 from vector<16xi32>
  %i9 = arith.index_cast %n9 : i32 to index
  %e9 = vector.extract %row[%i9] : f32 from vector<16xf32>
  %n10 = vector.extract %places[10] : i32 from vector<16xi32>
  %i10 = arith.index_cast %n10 : i32 to index
  %e10 = vector.extract %row[%i10] : f32 from vector<16xf32>
  %n11 = vector.extract %places[11] : i32 from vector<16xi32>
  %i11 = arith.index_cast %n11 : i32 to index
  %e11 = vector.extract %row[%i11] : f32 from vector<16xf32>
  %n12 = vector.extract %places[12] : i32 from vector<16xi32>
  %i12 = arith.index_cast %n12 : i32 to index
  %e12 = vector.extract %row[%i12] : f32 from vector<16xf32>
  %n13 = vector.extract %places[13] : i32 from vector<16xi32>
  %i13 = arith.index_cast %n13 : i32 to index
  %e13 = vector.extract %row[%i13] : f32 from vector<16xf32>
  %n14 = vector.extract %places[14] : i32 from vector<16xi32>
  %i14 = arith.index_cast %n14 : i32 to index
  %e14 = vector.extract %row[%i14] : f32 from vector<16xf32>
  %n15 = vector.extract %places[15] : i32 from vector<16xi32>
  %i15 = arith.index_cast %n15 : i32 to index
  %e15 = vector.extract %row[%i15] : f32 from vector<16xf32>
  %r = vector.from_elements %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15 : vector<16xf32>
  return %r : vector<16xf32>
}
