// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-separate-destinations | FileCheck %s

// CHECK-LABEL: @shared
func.func @shared(%x: tensor<4xf32>, %y: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[B:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[C:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[C]]
  // CHECK: %[[G:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[A]]
  // CHECK: linalg.add {{.*}} outs(%[[G]]
  // CHECK: linalg.sub {{.*}} outs(%[[F]]
  // CHECK: linalg.exp {{.*}} outs(%[[B]]
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%y : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.sub ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
