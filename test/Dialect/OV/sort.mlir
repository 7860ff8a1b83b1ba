// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @topk
func.func @topk(%x: tensor<2x?x4xf32>, %k: tensor<1xi32>) {
  %three = ov.constant dense<3> : tensor<i64>
  // CHECK: ov.topk %{{.*}}, %{{.*}} {axis = 1 : i64, index_element_type = i32, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>} :
  // CHECK-SAME: -> (tensor<2x3x4xf32>, tensor<2x3x4xi32>)
  %0, %1 = ov.topk %x, %three {axis = 1, mode = #ov.topk_mode<max>, sort = #ov.topk_sort<value>, index_element_type = i32}
    : (tensor<2x?x4xf32>, tensor<i64>) -> (tensor<2x3x4xf32>, tensor<2x3x4xi32>)
  // CHECK: ov.topk {{.*}}stable = true
  %2, %3 = ov.topk %x, %k {axis = -1, mode = #ov.topk_mode<min>, sort = #ov.topk_sort<index>, stable = true, index_element_type = i64}
    : (tensor<2x?x4xf32>, tensor<1xi32>) -> (tensor<2x?x?xf32>, tensor<2x?x?xi64>)
  return
}

// CHECK-LABEL: @select_boxes
func.func @select_boxes(%x: tensor<?x9x4xf32>, %y: tensor<?x2x9xf32>, %n: tensor<i32>, %r: tensor<f32>) {
  // CHECK: ov.select_boxes %arg0, %arg1, %arg2, %arg3, %arg3, %arg3 {drops = true} : {{.*}} -> (tensor<?x3xi64>, tensor<?xf32>)
  %0:2 = ov.select_boxes %x, %y, %n, %r, %r, %r {drops = true} : (tensor<?x9x4xf32>, tensor<?x2x9xf32>, tensor<i32>,
      tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?xf32>)
  return
}
