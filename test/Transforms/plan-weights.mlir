// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-plan-weights --split-input-file --verify-diagnostics | FileCheck %s

// In program order, aligned to 64 bytes. Equal constants share an offset.

// CHECK: rt.weights_bytes = 86 : i64
// CHECK-SAME: rt.weights_plan = [
// CHECK-SAME: [#ov.weights<0, tensor<3xf32>> : tensor<3xf32>, 0]
// CHECK-SAME: [#ov.weights<64, tensor<11xf32>, [#ov.convert<f16>]> : tensor<11xf16>, 64]
// CHECK-SAME: ]
// CHECK-LABEL: @shared
func.func @shared() {
  // CHECK: rt.weights at 0 of(#ov.weights<0, tensor<3xf32>> : tensor<3xf32>)
  %0 = rt.weights of(#ov.weights<0, tensor<3xf32>> : tensor<3xf32>) : memref<3xf32>
  // CHECK: rt.weights at 64 of(#ov.weights<64, tensor<11xf32>
  %1 = rt.weights of(#ov.weights<64, tensor<11xf32>, [#ov.convert<f16>]> : tensor<11xf16>) : memref<11xf16>
  // CHECK: rt.weights at 0 of
  %2 = rt.weights of(#ov.weights<0, tensor<3xf32>> : tensor<3xf32>) : memref<3xf32>
  return
}

// -----

// A plan that another module has made stays as it is, and grows.

// CHECK: module attributes {rt.weights_bytes = 144 : i64
// CHECK-SAME: rt.weights_plan = [
// CHECK-SAME: [#ov.weights<100, tensor<4xf32>> : tensor<4xf32>, 0]
// CHECK-SAME: [#ov.weights<0, tensor<4xf32>> : tensor<4xf32>, 128]
// CHECK-SAME: ]
module attributes {rt.weights_bytes = 80 : i64,
                   rt.weights_plan = [[#ov.weights<100, tensor<4xf32>> : tensor<4xf32>, 0],
                                      [#ov.weights<200, tensor<4xf32>> : tensor<4xf32>, 64]]} {
  // CHECK-LABEL: @more
  func.func @more() {
    // CHECK: rt.weights at 128 of(#ov.weights<0
    %0 = rt.weights of(#ov.weights<0, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
    // CHECK: rt.weights at 0 of(#ov.weights<100
    %1 = rt.weights of(#ov.weights<100, tensor<4xf32>> : tensor<4xf32>) : memref<4xf32>
    return
  }
}

// -----

// CHECK: module attributes {rt.weights_bytes = 0 : i64, rt.weights_plan = []}
// CHECK-LABEL: @none
func.func @none() {
  return
}

// -----

func.func @too_many_bytes_together() {
  %0 = rt.weights of(#ov.weights<0, tensor<9223372036854775807xi8>> : tensor<9223372036854775807xi8>) : memref<9223372036854775807xi8>
  // expected-error @+1 {{expected fewer than 2^63 bytes of weights}}
  %1 = rt.weights of(#ov.weights<1, tensor<i8>> : tensor<i8>) : memref<i8>
  return
}
