// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-weights | FileCheck %s

// CHECK-LABEL: @weights
// CHECK-SAME: (%{{.*}}: index, %[[X:.*]]: tensor<2x3xf32>)
func.func @weights(%n: index, %x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // Each constant once, at the start of the function, where no loop is around it.
  // CHECK-NEXT: %[[A:.*]] = rt.weights of(#ov.weights<0, tensor<2x3xf32>, [#ov.transpose<[1, 0]>]> : tensor<3x2xf32>) : memref<3x2xf32>
  // CHECK-NEXT: %[[TA:.*]] = bufferization.to_tensor %[[A]] restrict : memref<3x2xf32> to tensor<3x2xf32>
  // CHECK-NEXT: %[[B:.*]] = rt.weights of(#ov.weights<0, tensor<2x3xf32>> : tensor<2x3xf32>) : memref<2x3xf32>
  // CHECK-NEXT: %[[TB:.*]] = bufferization.to_tensor %[[B]] restrict
  // CHECK-NOT: rt.weights
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = ov.constant #ov.weights<0, tensor<2x3xf32>, [#ov.transpose<[1, 0]>]> : tensor<3x2xf32>
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<2x3xf32> {
    %b = ov.constant #ov.weights<0, tensor<2x3xf32>> : tensor<2x3xf32>
    // CHECK-NEXT: arith.addf %{{.*}}, %[[TB]]
    %t = arith.addf %s, %b : tensor<2x3xf32>
    scf.yield %t : tensor<2x3xf32>
  }
  %c = ov.constant #ov.weights<0, tensor<2x3xf32>> : tensor<2x3xf32>
  // CHECK: return %[[TA]], %{{.*}}, %[[TB]]
  return %a, %r, %c : tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// A constant may be the first op of the function.

// CHECK-LABEL: @first
// CHECK-NEXT: rt.weights of(#ov.weights<0, tensor<2x3xf32>>
// CHECK: rt.weights of(#ov.weights<24, tensor<2x3xf32>>
func.func @first() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = ov.constant #ov.weights<0, tensor<2x3xf32>> : tensor<2x3xf32>
  %b = ov.constant #ov.weights<24, tensor<2x3xf32>> : tensor<2x3xf32>
  return %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
}

// Constants in the text are left alone.

// CHECK-LABEL: @dense
func.func @dense() -> tensor<2xf32> {
  // CHECK-NEXT: ov.constant dense
  %0 = ov.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
