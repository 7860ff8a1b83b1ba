// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt --rt-canonicalize --one-shot-bufferize %s | FileCheck %s
// RUN: not ir-opt --canonicalize --one-shot-bufferize %s 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: error: expected result type to be 'memref<1x1x1xf32, strided<[2, 1, 2], offset: ?>>' or a rank-reduced

// Along a dim of one element, a slice has the step 1. With another one, upstream would refuse its own view: it drops
// the last dim, but looks for the dropped dim by its stride.
// CHECK-LABEL: func.func @stepped
// CHECK: memref.subview %{{.*}}[%{{.*}}, 0, 0] [1, 1, 1] [1, 1, 1] : memref<2x2x1xf32> to memref<1x1xf32,
func.func @stepped(%a: memref<2x2x1xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = bufferization.to_tensor %a restrict : memref<2x2x1xf32> to tensor<2x2x1xf32>
  %1 = tensor.extract_slice %0[%i, 0, 0] [1, 1, 1] [1, 1, 2] : tensor<2x2x1xf32> to tensor<1x1xf32>
  %2 = tensor.extract %1[%c0, %c0] : tensor<1x1xf32>
  return %2 : f32
}
