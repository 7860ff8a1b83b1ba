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
