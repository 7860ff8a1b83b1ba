// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --one-shot-bufferize --canonicalize --cse --split-input-file | FileCheck %s

// A repeated dim has a stride of 0.

// CHECK-LABEL: @view
// CHECK-SAME: (%[[X:.*]]: memref<?x4xf32>, %[[N:.*]]: index, %[[I:.*]]: index)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %{{.*}}, %{{.*}}, %[[SIZES:.*]]:2, %{{.*}} = memref.extract_strided_metadata %[[X]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[SIZES]]#0, %[[N]]
// CHECK: %[[STRIDE:.*]] = arith.select %[[SAME]], %[[C4]], %[[C0]]
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[N]], 4], strides: [%[[STRIDE]], 1]
// CHECK: memref.load %[[VIEW]][%[[I]], %[[C0]]]
func.func @view(%x: memref<?x4xf32>, %n: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %x restrict : memref<?x4xf32> to tensor<?x4xf32>
  %0 = rt.broadcast_dim %t along 0 to %n : tensor<?x4xf32>
  %1 = tensor.extract %0[%i, %c0] : tensor<?x4xf32>
  return %1 : f32
}

// -----

// The view is never written to, because several of its elements share memory.

// CHECK-LABEL: @not_written
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy %[[VIEW]], %[[COPY]]
// CHECK: memref.store %{{.*}}, %[[COPY]]
func.func @not_written(%x: memref<?x4xf32>, %n: index, %v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %x restrict writable : memref<?x4xf32> to tensor<?x4xf32>
  %0 = rt.broadcast_dim %t along 0 to %n : tensor<?x4xf32>
  %1 = tensor.insert %v into %0[%c0, %c0] : tensor<?x4xf32>
  %2 = tensor.extract %1[%c0, %c0] : tensor<?x4xf32>
  return %2 : f32
}

// -----

// A computed value that is only read by the view is computed in place.

// CHECK-LABEL: @computed
// CHECK: %[[BUFFER:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[BUFFER]]
// CHECK: linalg.exp ins(%[[BUFFER]] : {{.*}}) outs(%[[BUFFER]]
// CHECK-NOT: memref.copy
// CHECK: memref.reinterpret_cast %[[BUFFER]]
func.func @computed(%v: f32, %rows: index, %n: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %e = bufferization.alloc_tensor(%rows) : tensor<?x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %x = linalg.exp ins(%f : tensor<?x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = rt.broadcast_dim %x along 0 to %n : tensor<?x4xf32>
  %1 = tensor.extract %0[%i, %c0] : tensor<?x4xf32>
  return %1 : f32
}

// -----

// A convolution overwrites its destination, which it does not read. It works on buffers as it worked on tensors.

// CHECK-LABEL: @convolution
// CHECK-SAME: (%[[W:.*]]: memref<3x8xf32>, %[[X:.*]]: memref<1x9x8xf32>, %[[B:.*]]: memref<8xf32>, %[[Y:.*]]: memref<1x7x8xf32>)
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: rt.convolution ins(%[[W]], %[[X]] : memref<3x8xf32>, memref<1x9x8xf32>) with(%[[B]] : memref<8xf32>) outs(%[[Y]] : memref<1x7x8xf32>)
// CHECK-SAME: strides = array<i64: 1>
// CHECK: arith.addf
// CHECK: rt.yield
func.func @convolution(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %b: memref<8xf32>, %y: memref<1x7x8xf32>) {
  %filters = bufferization.to_tensor %w restrict : memref<3x8xf32> to tensor<3x8xf32>
  %data = bufferization.to_tensor %x restrict : memref<1x9x8xf32> to tensor<1x9x8xf32>
  %bias = bufferization.to_tensor %b restrict : memref<8xf32> to tensor<8xf32>
  %e = bufferization.to_tensor %y restrict writable : memref<1x7x8xf32> to tensor<1x7x8xf32>
  %r = rt.convolution ins(%filters, %data : tensor<3x8xf32>, tensor<1x9x8xf32>) with(%bias : tensor<8xf32>)
      outs(%e : tensor<1x7x8xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, input_maps = [affine_map<(n, s, c) -> (c)>]} epilogue {
  ^bb0(%sum: f32, %i: f32):
    %0 = arith.addf %sum, %i : f32
    rt.yield %0 : f32
  } -> tensor<1x7x8xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<1x7x8xf32>, memref<1x7x8xf32>) -> ()
  return
}

// -----

// What it adds must not be in the destination: a kernel stores some results before it reads all inputs.

// CHECK-LABEL: @residual
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<1x7x8xf32>)
// CHECK: %[[ALLOC:.*]] = memref.alloc
// CHECK: rt.convolution {{.*}} with(%[[Y]] : memref<1x7x8xf32>) outs(%[[ALLOC]] : memref<1x7x8xf32>)
func.func @residual(%w: memref<3x8xf32>, %x: memref<1x9x8xf32>, %y: memref<1x7x8xf32>) {
  %filters = bufferization.to_tensor %w restrict : memref<3x8xf32> to tensor<3x8xf32>
  %data = bufferization.to_tensor %x restrict : memref<1x9x8xf32> to tensor<1x9x8xf32>
  %e = bufferization.to_tensor %y restrict writable : memref<1x7x8xf32> to tensor<1x7x8xf32>
  %r = rt.convolution ins(%filters, %data : tensor<3x8xf32>, tensor<1x9x8xf32>) with(%e : tensor<1x7x8xf32>)
      outs(%e : tensor<1x7x8xf32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, input_maps = [affine_map<(n, s, c) -> (n, s, c)>]} epilogue {
  ^bb0(%sum: f32, %i: f32):
    %0 = arith.addf %sum, %i : f32
    rt.yield %0 : f32
  } -> tensor<1x7x8xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<1x7x8xf32>, memref<1x7x8xf32>) -> ()
  return
}

// -----

// A product too. What it starts from is a scalar.

// CHECK-LABEL: @product
// CHECK-SAME: (%[[X:.*]]: memref<3x32xf32>, %[[W:.*]]: memref<2x32x16xi8>, %[[S:.*]]: memref<2x1x16xf32>, %[[Y:.*]]: memref<3x2x16xf32>, %[[START:.*]]: f32)
// CHECK-NOT: memref.alloc
// CHECK: rt.product ins(%[[X]], %[[W]] : memref<3x32xf32>, memref<2x32x16xi8>) scale(%[[S]] : memref<2x1x16xf32>) start(%[[START]] : f32) outs(%[[Y]] : memref<3x2x16xf32>)
// CHECK-SAME: signed_matrix
func.func @product(%x: memref<3x32xf32>, %w: memref<2x32x16xi8>, %s: memref<2x1x16xf32>, %y: memref<3x2x16xf32>,
                   %start: f32) {
  %rows = bufferization.to_tensor %x restrict : memref<3x32xf32> to tensor<3x32xf32>
  %matrix = bufferization.to_tensor %w restrict : memref<2x32x16xi8> to tensor<2x32x16xi8>
  %scale = bufferization.to_tensor %s restrict : memref<2x1x16xf32> to tensor<2x1x16xf32>
  %e = bufferization.to_tensor %y restrict writable : memref<3x2x16xf32> to tensor<3x2x16xf32>
  %r = rt.product ins(%rows, %matrix : tensor<3x32xf32>, tensor<2x32x16xi8>) scale(%scale : tensor<2x1x16xf32>)
      start(%start : f32) outs(%e : tensor<3x2x16xf32>)
      {rows_map = affine_map<(m, b, j, k) -> (m, k)>, matrix_map = affine_map<(m, b, j, k) -> (b, k, j)>,
       elements = #rt<elements bytes>, signed_matrix, columns = 32} -> tensor<3x2x16xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<3x2x16xf32>, memref<3x2x16xf32>) -> ()
  return
}
