// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-eliminate-empty-tensors --split-input-file | FileCheck %s

// CHECK-LABEL: @compute_in_destination
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[OUT:.*]]: memref<4xf32>
func.func @compute_in_destination(%x: tensor<4xf32>, %out: memref<4xf32>) {
  // CHECK: %[[D:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
  // CHECK: linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[D]] : tensor<4xf32>)
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// A value that is stored twice, also in another shape, is computed in one of the two destinations.

// CHECK-LABEL: @stored_twice
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[A:[^:]*]]: memref<4xf32>, %[[B:[^:]*]]: memref<1x4xf32>
func.func @stored_twice(%x: tensor<4xf32>, %a: memref<4xf32>, %b: memref<1x4xf32>) {
  // CHECK: %[[D:.*]] = bufferization.to_tensor %[[A]] restrict writable
  // CHECK: linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[D]] : tensor<4xf32>)
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = tensor.expand_shape %y [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
  bufferization.materialize_in_destination %y in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %z in restrict writable %b : (tensor<1x4xf32>, memref<1x4xf32>) -> ()
  return
}

// -----

// A scalar is computed in a buffer of one element, also where the type of the buffer does not know that it has one.

// CHECK-LABEL: @one_element
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?xf32>
func.func @one_element(%x: f32, %out: memref<?xf32>) {
  // CHECK: %[[CAST:.*]] = memref.cast %[[OUT]] : memref<?xf32> to memref<1xf32>
  // CHECK: %[[SCALAR:.*]] = memref.collapse_shape %[[CAST]] [] : memref<1xf32> into memref<f32>
  // CHECK: %[[D:.*]] = bufferization.to_tensor %[[SCALAR]] restrict writable
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[D]] : tensor<f32>)
  %e = tensor.empty() : tensor<f32>
  %y = linalg.fill ins(%x : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %z = tensor.expand_shape %y [] output_shape [1] : tensor<f32> into tensor<1xf32>
  bufferization.materialize_in_destination %z in restrict writable %out : (tensor<1xf32>, memref<?xf32>) -> ()
  return
}

// -----

// %z uses the buffer of %y where it may. But %b cannot serve both, because %y is read after %b has been written.

// CHECK-LABEL: @read_after_update
// CHECK-SAME: %[[B:[^:]*]]: memref<4xf32>, %[[A:[^:]*]]: memref<4xf32>
func.func @read_after_update(%x: tensor<4xf32>, %b: memref<4xf32>, %a: memref<4xf32>) {
  // CHECK: %[[D:.*]] = bufferization.to_tensor %[[A]] restrict writable
  // CHECK: %[[Y:.*]] = linalg.exp ins(%{{.*}}) outs(%[[D]]
  // CHECK: %[[Z:.*]] = tensor.insert_slice %{{.*}} into %[[Y]]
  // CHECK: bufferization.materialize_in_destination %[[Z]] in restrict writable %[[B]]
  // CHECK: bufferization.materialize_in_destination %[[Y]] in writable %[[A]]
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %part = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %z = tensor.insert_slice %part into %y[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %z in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %y in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// The destination %a is changed before the value is read again; %b is not.

// CHECK-LABEL: @destination_changes
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %{{.*}}: memref<4xf32>, %[[B:[^:]*]]: memref<4xf32>
func.func @destination_changes(%x: tensor<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>, %v: f32) {
  // CHECK: %[[D:.*]] = bufferization.to_tensor %[[B]] restrict writable
  // CHECK: linalg.exp ins(%{{.*}}) outs(%[[D]]
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %y in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  memref.store %v, %a[%c0] : memref<4xf32>
  bufferization.materialize_in_destination %y in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// The next iteration of a loop reads what is written in this one.

// CHECK-LABEL: @made_outside
func.func @made_outside(%x: tensor<4xf32>, %a: memref<4xf32>, %n: index) {
  // CHECK: %[[E:.*]] = tensor.empty()
  // CHECK: linalg.exp ins(%{{.*}}) outs(%[[E]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    bufferization.materialize_in_destination %y in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// -----

// A value that is written in another shape is computed in the destination with its own shape, if that is contiguous.

// CHECK-LABEL: @other_shapes
// CHECK-SAME: %[[A:[^:,]*]]: memref<1x1x4xf32, strided<[40, 20, 1], offset: ?>>, %[[B:[^:]*]]: memref<4xf32>, %[[C:[^:]*]]: memref<2x2xf32, strided<[5, 1]>>)
func.func @other_shapes(%x: tensor<4xf32>, %w: tensor<2x2xf32>, %a: memref<1x1x4xf32, strided<[40, 20, 1], offset: ?>>,
                        %b: memref<4xf32>, %c: memref<2x2xf32, strided<[5, 1]>>) {
  // CHECK: %[[VIEW_B:.*]] = memref.expand_shape %[[B]] {{\[\[}}0, 1]]
  // CHECK: %[[VIEW_A:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0, 1, 2]]
  // CHECK-DAG: %[[INTO_A:.*]] = bufferization.to_tensor %[[VIEW_A]] restrict writable
  // CHECK-DAG: %[[INTO_B:.*]] = bufferization.to_tensor %[[VIEW_B]] restrict writable
  // CHECK: linalg.exp {{.*}} outs(%[[INTO_A]]
  // CHECK: linalg.exp {{.*}} outs(%[[INTO_B]]
  // CHECK: linalg.log {{.*}} outs(%[[OWN:.*]] : tensor<4xf32>)
  // CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[C]]
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<2x2xf32>
  %g = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%w : tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = linalg.log ins(%x : tensor<4xf32>) outs(%g : tensor<4xf32>) -> tensor<4xf32>
  %3 = tensor.expand_shape %0 [[0, 1, 2]] output_shape [1, 1, 4] : tensor<4xf32> into tensor<1x1x4xf32>
  %4 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %5 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  bufferization.materialize_in_destination %3 in restrict writable %a
      : (tensor<1x1x4xf32>, memref<1x1x4xf32, strided<[40, 20, 1], offset: ?>>) -> ()
  bufferization.materialize_in_destination %4 in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %5 in restrict writable %c
      : (tensor<2x2xf32>, memref<2x2xf32, strided<[5, 1]>>) -> ()
  return
}

// -----

// A destination that only omits unit dims: their strides do not matter.

// CHECK-LABEL: @unit_dims
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %[[PART:[^:]*]]: memref<
func.func @unit_dims(%x: tensor<?x4xf32>, %part: memref<?x1x1x4xf32, strided<[?, ?, 4, 1], offset: ?>>, %n: index) {
  // CHECK: %[[ROWS:.*]] = memref.subview %[[PART]][0, 0, 0, 0] [%{{.*}}, 1, 1, 4] [1, 1, 1, 1] : {{.*}} to memref<?x4xf32, strided<[?, 1], offset: ?>>
  // CHECK: %[[D:.*]] = bufferization.to_tensor %[[ROWS]] restrict writable
  // CHECK: linalg.exp ins(%[[X]] : tensor<?x4xf32>) outs(%[[D]] : tensor<?x4xf32>)
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.exp ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = tensor.expand_shape %y [[0, 1, 2], [3]] output_shape [%n, 1, 1, 4] : tensor<?x4xf32> into tensor<?x1x1x4xf32>
  bufferization.materialize_in_destination %z in restrict writable %part
    : (tensor<?x1x1x4xf32>, memref<?x1x1x4xf32, strided<[?, ?, 4, 1], offset: ?>>) -> ()
  return
}

// -----

// A value that is stored and also inserted into another tensor is computed where it is stored.

// CHECK-LABEL: @inserted_too
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[OUT:.*]]: memref<4xf32>
func.func @inserted_too(%x: tensor<4xf32>, %out: memref<4xf32>) -> tensor<6xf32> {
  // CHECK: %[[D:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
  // CHECK: %[[A:.*]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[D]] : tensor<4xf32>)
  // CHECK: tensor.insert_slice %[[A]] into %{{.*}}[2] [4] [1]
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<6xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %part = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %0 = tensor.insert_slice %part into %f[0] [2] [1] : tensor<2xf32> into tensor<6xf32>
  %1 = tensor.insert_slice %a into %0[2] [4] [1] : tensor<4xf32> into tensor<6xf32>
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return %1 : tensor<6xf32>
}

// -----

// A slice without its unit dims.

// CHECK-LABEL: @reduced_slice
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x4xf32>, %[[N:[^:]*]]: index, %[[T:[^:]*]]: index
func.func @reduced_slice(%x: tensor<?x?x4xf32>, %n: index, %t: index) -> tensor<?x4xf32> {
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][0, %[[T]], 0] [%[[N]], 1, 4] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x4xf32>
  // CHECK: return %[[S]]
  %s = tensor.extract_slice %x[0, %t, 0] [%n, 1, 4] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x1x4xf32>
  %c = tensor.collapse_shape %s [[0, 1], [2]] : tensor<?x1x4xf32> into tensor<?x4xf32>
  return %c : tensor<?x4xf32>
}

// -----

// Static sizes of a tensor of dynamic dims: its strides are dynamic, so the collapse would be a copy. Which of the dims of
// 1 is dropped makes no difference here.

// CHECK-LABEL: @static_slice
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x4x?x8xf32>, %[[T:[^:]*]]: index
func.func @static_slice(%x: tensor<1x4x?x8xf32>, %t: index) -> tensor<1x4x8xf32> {
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][0, 0, %[[T]], 0] [1, 4, 1, 8] [1, 1, 1, 1] : tensor<1x4x?x8xf32> to tensor<1x4x8xf32>
  // CHECK: return %[[S]]
  %s = tensor.extract_slice %x[0, 0, %t, 0] [1, 4, 1, 8] [1, 1, 1, 1] : tensor<1x4x?x8xf32> to tensor<1x4x1x8xf32>
  %c = tensor.collapse_shape %s [[0], [1, 2], [3]] : tensor<1x4x1x8xf32> into tensor<1x4x8xf32>
  return %c : tensor<1x4x8xf32>
}

// -----

// The strides of a static tensor are known. The collapse of its slice is a view anyway.

// CHECK-LABEL: @static_source
// CHECK: tensor.collapse_shape
func.func @static_source(%x: tensor<1x4x9x8xf32>, %t: index) -> tensor<1x4x8xf32> {
  %s = tensor.extract_slice %x[0, 0, %t, 0] [1, 4, 1, 8] [1, 1, 1, 1] : tensor<1x4x9x8xf32> to tensor<1x4x1x8xf32>
  %c = tensor.collapse_shape %s [[0], [1, 2], [3]] : tensor<1x4x1x8xf32> into tensor<1x4x8xf32>
  return %c : tensor<1x4x8xf32>
}

// -----

// Not if one of them remains, and the sizes are not known.

// CHECK-LABEL: @one_left
// CHECK: tensor.collapse_shape
func.func @one_left(%x: tensor<1x?x?x4xf32>, %n: index, %t: index) -> tensor<1x?x4xf32> {
  %s = tensor.extract_slice %x[0, 0, %t, 0] [1, %n, 1, 4] [1, 1, 1, 1] : tensor<1x?x?x4xf32> to tensor<1x?x1x4xf32>
  %c = tensor.collapse_shape %s [[0], [1, 2], [3]] : tensor<1x?x1x4xf32> into tensor<1x?x4xf32>
  return %c : tensor<1x?x4xf32>
}

// -----

// A dim of unknown size that is alone in its group keeps its size.

// CHECK-LABEL: @reshaped_rows
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?x8xf32>
func.func @reshaped_rows(%x: tensor<?x2x4xf32>, %n: index, %out: memref<?x8xf32>) {
  // CHECK: %[[N:.*]] = memref.dim %[[OUT]], %c0
  // CHECK: %[[VIEW:.*]] = memref.expand_shape %[[OUT]] {{\[\[}}0], [1, 2]] output_shape [%[[N]], 2, 4]
  // CHECK: %[[D:.*]] = bufferization.to_tensor %[[VIEW]] restrict writable
  // CHECK: linalg.exp ins({{.*}}) outs(%[[D]] : tensor<?x2x4xf32>)
  %e = tensor.empty(%n) : tensor<?x2x4xf32>
  %y = linalg.exp ins(%x : tensor<?x2x4xf32>) outs(%e : tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
  %z = tensor.collapse_shape %y [[0], [1, 2]] : tensor<?x2x4xf32> into tensor<?x8xf32>
  bufferization.materialize_in_destination %z in restrict writable %out : (tensor<?x8xf32>, memref<?x8xf32>) -> ()
  return
}

// A dim of unknown size that the reshape has merged cannot be split.

// CHECK-LABEL: @merged_rows
// CHECK: tensor.empty
func.func @merged_rows(%x: tensor<?x4xf32>, %n: index, %out: memref<?xf32>) {
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.exp ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = tensor.collapse_shape %y [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  bufferization.materialize_in_destination %z in restrict writable %out : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

// Dims of 0 and of unknown size cannot be merged, because upstream takes the result to be static.

// CHECK-LABEL: @empty_rows
// CHECK: tensor.empty
// CHECK-NOT: memref.collapse_shape
func.func @empty_rows(%x: tensor<?xf32>, %n: index, %out: memref<0x?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %z = tensor.expand_shape %y [[0, 1]] output_shape [0, %n] : tensor<?xf32> into tensor<0x?xf32>
  bufferization.materialize_in_destination %z in restrict writable %out : (tensor<0x?xf32>, memref<0x?xf32>) -> ()
  return
}

// -----

// A chain of paddings, each around the one before, is not computed in one buffer: bufferization takes a time for nested
// slices that grows with the fourth power of their number.

// CHECK-LABEL: @nested
// CHECK: %[[FIRST:.*]] = tensor.empty() : tensor<30xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[FIRST]][27]
// CHECK-COUNT-8: tensor.extract_slice
// CHECK-NOT: tensor.extract_slice
// CHECK: %[[LAST:.*]] = tensor.empty() : tensor<39xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[LAST]][36]
func.func @nested(%x: tensor<3xf32>) -> tensor<39xf32> {
  %e1 = tensor.empty() : tensor<6xf32>
  %p1 = tensor.insert_slice %x into %e1[3] [3] [1] : tensor<3xf32> into tensor<6xf32>
  %r1 = tensor.insert_slice %x into %p1[0] [3] [1] : tensor<3xf32> into tensor<6xf32>
  %e2 = tensor.empty() : tensor<9xf32>
  %p2 = tensor.insert_slice %x into %e2[6] [3] [1] : tensor<3xf32> into tensor<9xf32>
  %r2 = tensor.insert_slice %r1 into %p2[0] [6] [1] : tensor<6xf32> into tensor<9xf32>
  %e3 = tensor.empty() : tensor<12xf32>
  %p3 = tensor.insert_slice %x into %e3[9] [3] [1] : tensor<3xf32> into tensor<12xf32>
  %r3 = tensor.insert_slice %r2 into %p3[0] [9] [1] : tensor<9xf32> into tensor<12xf32>
  %e4 = tensor.empty() : tensor<15xf32>
  %p4 = tensor.insert_slice %x into %e4[12] [3] [1] : tensor<3xf32> into tensor<15xf32>
  %r4 = tensor.insert_slice %r3 into %p4[0] [12] [1] : tensor<12xf32> into tensor<15xf32>
  %e5 = tensor.empty() : tensor<18xf32>
  %p5 = tensor.insert_slice %x into %e5[15] [3] [1] : tensor<3xf32> into tensor<18xf32>
  %r5 = tensor.insert_slice %r4 into %p5[0] [15] [1] : tensor<15xf32> into tensor<18xf32>
  %e6 = tensor.empty() : tensor<21xf32>
  %p6 = tensor.insert_slice %x into %e6[18] [3] [1] : tensor<3xf32> into tensor<21xf32>
  %r6 = tensor.insert_slice %r5 into %p6[0] [18] [1] : tensor<18xf32> into tensor<21xf32>
  %e7 = tensor.empty() : tensor<24xf32>
  %p7 = tensor.insert_slice %x into %e7[21] [3] [1] : tensor<3xf32> into tensor<24xf32>
  %r7 = tensor.insert_slice %r6 into %p7[0] [21] [1] : tensor<21xf32> into tensor<24xf32>
  %e8 = tensor.empty() : tensor<27xf32>
  %p8 = tensor.insert_slice %x into %e8[24] [3] [1] : tensor<3xf32> into tensor<27xf32>
  %r8 = tensor.insert_slice %r7 into %p8[0] [24] [1] : tensor<24xf32> into tensor<27xf32>
  %e9 = tensor.empty() : tensor<30xf32>
  %p9 = tensor.insert_slice %x into %e9[27] [3] [1] : tensor<3xf32> into tensor<30xf32>
  %r9 = tensor.insert_slice %r8 into %p9[0] [27] [1] : tensor<27xf32> into tensor<30xf32>
  %e10 = tensor.empty() : tensor<33xf32>
  %p10 = tensor.insert_slice %x into %e10[30] [3] [1] : tensor<3xf32> into tensor<33xf32>
  %r10 = tensor.insert_slice %r9 into %p10[0] [30] [1] : tensor<30xf32> into tensor<33xf32>
  %e11 = tensor.empty() : tensor<36xf32>
  %p11 = tensor.insert_slice %x into %e11[33] [3] [1] : tensor<3xf32> into tensor<36xf32>
  %r11 = tensor.insert_slice %r10 into %p11[0] [33] [1] : tensor<33xf32> into tensor<36xf32>
  %e12 = tensor.empty() : tensor<39xf32>
  %p12 = tensor.insert_slice %x into %e12[36] [3] [1] : tensor<3xf32> into tensor<39xf32>
  %r12 = tensor.insert_slice %r11 into %p12[0] [36] [1] : tensor<36xf32> into tensor<39xf32>
  return %r12 : tensor<39xf32>
}
