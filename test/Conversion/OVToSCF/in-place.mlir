// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-loops-to-scf --canonicalize --cse --split-input-file | FileCheck %s
// RUN: ir-opt %s --ov-loops --ov-linalg --ov-schedule --ov-bufferize --split-input-file | FileCheck %s --check-prefix=BUFFERS

// A carried value that each iteration writes into has one buffer; an iteration touches only what it writes.

// CHECK-LABEL: @row
// CHECK: memref.alloc() : memref<1x8x4xf32>
// CHECK: scf.for
// CHECK: bufferization.to_tensor %{{.*}} restrict writable
// BUFFERS-LABEL: func.func @recur_model_compute
// BUFFERS: scf.for
// BUFFERS: rt.iteration
// BUFFERS-NOT: memref.copy
// BUFFERS-NOT: scf.for
// BUFFERS: vector.store
// BUFFERS-NEXT: }
func.func @row(%s0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %n = ov.constant dense<6> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64>
  %r = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%s = %s0 : tensor<8x4xf32>) {
    %old = ov.gather %s, %i, %axis : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %new = ov.exp %old : tensor<4xf32>
    %next = ov.scatter_update %s, %i, %new, %axis : (tensor<8x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<8x4xf32>
    ov.yield while(%true : tensor<i1>) next(%next : tensor<8x4xf32>)
  }
  return %r : tensor<8x4xf32>
}

// -----

// The old value is read after the write, which needs two slots.

// CHECK-LABEL: @read_after
// CHECK: memref.alloc() : memref<2x8x4xf32>
// CHECK-NOT: writable :
func.func @read_after(%s0: tensor<8x4xf32>, %u: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %n = ov.constant dense<6> : tensor<i64>
  %true = ov.constant dense<true> : tensor<i1>
  %axis = ov.constant dense<0> : tensor<i64>
  %r:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) index(%i : tensor<i64>)
      carried(%s = %s0 : tensor<8x4xf32>, %t = %s0 : tensor<8x4xf32>) {
    %next = ov.scatter_update %s, %i, %u, %axis : (tensor<8x4xf32>, tensor<i64>, tensor<4xf32>, tensor<i64>) -> tensor<8x4xf32>
    ov.yield while(%true : tensor<i1>) next(%next, %s : tensor<8x4xf32>, tensor<8x4xf32>)
  }
  return %r#0, %r#1 : tensor<8x4xf32>, tensor<8x4xf32>
}
