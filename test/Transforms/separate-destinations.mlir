// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-separate-destinations | FileCheck %s

// CHECK-LABEL: @shared
func.func @shared(%x: tensor<4xf32>, %y: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[A]]
  // CHECK: linalg.add {{.*}} outs(%[[F]]
  // CHECK: %[[B:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[G:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[B]]
  // CHECK: linalg.sub {{.*}} outs(%[[G]]
  // CHECK: %[[C:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: linalg.exp {{.*}} outs(%[[C]]
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%y : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.sub ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A destination moves into the loop that uses it. A tensor that is filled and read there stays before the loop, once.

// CHECK-LABEL: @into_loop
func.func @into_loop(%x: tensor<4xf32>, %y: f32, %n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[E:.*]] = tensor.empty()
  // CHECK: %[[READ:.*]] = linalg.fill {{.*}} outs(%[[E]]
  // CHECK-NOT: linalg.fill
  // CHECK: scf.for
  // CHECK-NEXT: %[[A:.*]] = tensor.empty()
  // CHECK-NEXT: %[[SUM:.*]] = linalg.add ins(%{{.*}}, %[[READ]] {{.*}} outs(%[[A]]
  // CHECK-NEXT: %[[B:.*]] = tensor.empty()
  // CHECK-NEXT: %[[F:.*]] = linalg.fill {{.*}} outs(%[[B]]
  // CHECK-NEXT: linalg.sub ins(%[[SUM]], %[[READ]] {{.*}} outs(%[[F]]
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%y : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %0 = linalg.add ins(%x, %f : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %1 = linalg.sub ins(%0, %f : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// A part that is extracted and inserted back stays one tensor. Another part is not inserted back.

// CHECK-LABEL: @parts
func.func @parts(%v: vector<4xf32>) -> (tensor<6xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[E:.*]] = tensor.empty()
  // CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[E]][0] [4] [1]
  // CHECK-NEXT: %[[WRITTEN:.*]] = vector.transfer_write %{{.*}}, %[[PART]]
  // CHECK-NEXT: tensor.insert_slice %[[WRITTEN]] into %[[E]][0] [4] [1]
  // CHECK: %[[OTHER:.*]] = tensor.empty()
  // CHECK-NEXT: tensor.extract_slice %[[OTHER]][4] [2] [1]
  %e = tensor.empty() : tensor<6xf32>
  %part = tensor.extract_slice %e[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %written = vector.transfer_write %v, %part[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
  %whole = tensor.insert_slice %written into %e[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
  %rest = tensor.extract_slice %e[4] [2] [1] : tensor<6xf32> to tensor<2xf32>
  return %whole, %rest : tensor<6xf32>, tensor<2xf32>
}

// Two results in parts: each op extracts its part from the tensor into which it is inserted.

// CHECK-LABEL: @parts_of_two
func.func @parts_of_two(%v: vector<4xf32>, %w: vector<4xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[A:.*]] = tensor.empty()
  // CHECK-NEXT: %[[PART_A:.*]] = tensor.extract_slice %[[A]][0] [4] [1]
  // CHECK-NEXT: %[[V:.*]] = vector.transfer_write %{{.*}}, %[[PART_A]]
  // CHECK-NEXT: %[[B:.*]] = tensor.empty()
  // CHECK-NEXT: %[[PART_B:.*]] = tensor.extract_slice %[[B]][0] [4] [1]
  // CHECK-NEXT: %[[W:.*]] = vector.transfer_write %{{.*}}, %[[PART_B]]
  // CHECK-NEXT: tensor.insert_slice %[[W]] into %[[B]][0] [4] [1]
  // CHECK-NEXT: tensor.insert_slice %[[V]] into %[[A]][0] [4] [1]
  %e = tensor.empty() : tensor<6xf32>
  %part = tensor.extract_slice %e[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %0 = vector.transfer_write %v, %part[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
  %1 = vector.transfer_write %w, %part[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
  %2 = tensor.insert_slice %1 into %e[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
  %3 = tensor.insert_slice %0 into %e[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
  return %2, %3 : tensor<6xf32>, tensor<6xf32>
}

// Another shape, which is defined before the loop: a tensor of that shape, in the loop.

// CHECK-LABEL: @reshaped
func.func @reshaped(%n: index, %out: memref<1x3x4xf32>, %other: memref<12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = arith.constant 0.0 : f32
  // CHECK: scf.for
  // CHECK-NEXT: %[[A:.*]] = tensor.empty() : tensor<1x3x4xf32>
  // CHECK-NEXT: linalg.fill {{.*}} outs(%[[A]]
  // CHECK-NEXT: %[[B:.*]] = tensor.empty() : tensor<12xf32>
  // CHECK-NEXT: linalg.fill {{.*}} outs(%[[B]]
  %e = tensor.empty() : tensor<3x4xf32>
  %expanded = tensor.expand_shape %e [[0, 1], [2]] output_shape [1, 3, 4] : tensor<3x4xf32> into tensor<1x3x4xf32>
  %collapsed = tensor.collapse_shape %e [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  scf.for %i = %c0 to %n step %c1 {
    %0 = linalg.fill ins(%y : f32) outs(%expanded : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
    %1 = linalg.fill ins(%y : f32) outs(%collapsed : tensor<12xf32>) -> tensor<12xf32>
    bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<1x3x4xf32>, memref<1x3x4xf32>) -> ()
    bufferization.materialize_in_destination %1 in restrict writable %other : (tensor<12xf32>, memref<12xf32>) -> ()
  }
  return
}

// Parts of one empty tensor, extracted before the loop, are extracted from each destination.

// CHECK-LABEL: @part_left_the_loop
func.func @part_left_the_loop(%x: vector<2x4xf32>, %n: index, %a: memref<3x4xf32>, %b: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<3x4xf32>
  %part = tensor.extract_slice %e[0, 0] [2, 4] [1, 1] : tensor<3x4xf32> to tensor<2x4xf32>
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %[[A:.*]] = tensor.empty()
    // CHECK-NEXT: %[[P:.*]] = tensor.extract_slice %[[A]]
    // CHECK-NEXT: %[[W:.*]] = vector.transfer_write %{{.*}}, %[[P]]
    // CHECK-NEXT: tensor.insert_slice %[[W]] into %[[A]]
    %0 = vector.transfer_write %x, %part[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<2x4xf32>
    %1 = tensor.insert_slice %0 into %e[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<3x4xf32>
    // CHECK: %[[B:.*]] = tensor.empty()
    // CHECK-NEXT: %[[Q:.*]] = tensor.extract_slice %[[B]]
    // CHECK-NEXT: %[[V:.*]] = vector.transfer_write %{{.*}}, %[[Q]]
    // CHECK-NEXT: tensor.insert_slice %[[V]] into %[[B]]
    %2 = vector.transfer_write %x, %part[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<2x4xf32>
    %3 = tensor.insert_slice %2 into %e[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<3x4xf32>
    bufferization.materialize_in_destination %1 in writable %a : (tensor<3x4xf32>, memref<3x4xf32>) -> ()
    bufferization.materialize_in_destination %3 in writable %b : (tensor<3x4xf32>, memref<3x4xf32>) -> ()
  }
  return
}

// Each use of a cast of an empty tensor gets a cast of its own.

// CHECK-LABEL: @cast
func.func @cast(%x: vector<4xi64>, %m: vector<4xi1>, %v: i64) -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<1xi64>
  %cast = tensor.cast %e : tensor<1xi64> to tensor<?xi64>
  // CHECK: %[[A:.*]] = tensor.empty()
  // CHECK-NEXT: %[[C:.*]] = tensor.cast %[[A]]
  // CHECK-NEXT: vector.mask %{{.*}} { vector.transfer_write %{{.*}}, %[[C]]
  %0 = vector.mask %m { vector.transfer_write %x, %cast[%c0] {in_bounds = [true]} : vector<4xi64>, tensor<?xi64> } : vector<4xi1> -> tensor<?xi64>
  // CHECK: %[[B:.*]] = tensor.empty()
  // CHECK-NEXT: %[[D:.*]] = tensor.cast %[[B]]
  // CHECK-NEXT: tensor.insert %{{.*}} into %[[D]]
  %1 = tensor.insert %v into %cast[%c0] : tensor<?xi64>
  return %0, %1 : tensor<?xi64>, tensor<?xi64>
}

// Two tensors that are padded in the same way get a frame each, before the op that computes them. A frame that is not
// shared stays as it is.

// CHECK-LABEL: @frames
func.func @frames(%x: tensor<4xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<5xf32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[A:.*]] = bufferization.alloc_tensor() : tensor<6xf32>
  // CHECK: %[[A0:.*]] = tensor.insert_slice %{{.*}} into %[[A]][0] [1] [1]
  // CHECK: %[[A1:.*]] = tensor.insert_slice %{{.*}} into %[[A0]][5] [1] [1]
  // CHECK: %[[EXP:.*]] = linalg.exp
  // CHECK: tensor.insert_slice %[[EXP]] into %[[A1]][1] [4] [1]
  // CHECK: %[[B:.*]] = bufferization.alloc_tensor() : tensor<6xf32>
  // CHECK: %[[B0:.*]] = tensor.insert_slice %{{.*}} into %[[B]][0] [1] [1]
  // CHECK: %[[B1:.*]] = tensor.insert_slice %{{.*}} into %[[B0]][5] [1] [1]
  // CHECK: %[[LOG:.*]] = linalg.log
  // CHECK: tensor.insert_slice %[[LOG]] into %[[B1]][1] [4] [1]
  // CHECK-NOT: alloc_tensor
  %edge = tensor.empty() : tensor<1xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%edge : tensor<1xf32>) -> tensor<1xf32>
  %empty = tensor.empty() : tensor<6xf32>
  %first = tensor.insert_slice %fill into %empty[0] [1] [1] : tensor<1xf32> into tensor<6xf32>
  %frame = tensor.insert_slice %fill into %first[5] [1] [1] : tensor<1xf32> into tensor<6xf32>
  %e = tensor.empty() : tensor<4xf32>
  %exp = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = tensor.insert_slice %exp into %frame[1] [4] [1] : tensor<4xf32> into tensor<6xf32>
  %log = linalg.log ins(%exp : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert_slice %log into %frame[1] [4] [1] : tensor<4xf32> into tensor<6xf32>
  %small = tensor.empty() : tensor<5xf32>
  %own = tensor.insert_slice %fill into %small[0] [1] [1] : tensor<1xf32> into tensor<5xf32>
  %2 = tensor.insert_slice %log into %own[1] [4] [1] : tensor<4xf32> into tensor<5xf32>
  return %0, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<5xf32>
}
