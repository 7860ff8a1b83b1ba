// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-loops | FileCheck %s
// An op without attributes does not say where its dims come from, so the dims of a captured tile are its own.

// CHECK-LABEL: func @tile
func.func @tile(%x: tensor<?xf32>) -> tensor<?xf32> {
  %twice = ov.constant dense<2> : tensor<1xi32>
  // CHECK: %[[TILE:.*]] = ov.tile
  %t = ov.tile %x, %twice : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  // CHECK: tensor.dim %[[TILE]], %{{.*}} : tensor<?xf32>
  // CHECK: memref.alloc
  %r = ov.tensor_iterator slices(%a = %x along 0 [0:-1:1] part 1 : tensor<?xf32> to tensor<1xf32>)
      concats(along 0 : tensor<?xf32>) {
    ov.yield concat(%t : tensor<?xf32>)
  }
  return %r : tensor<?xf32>
}
