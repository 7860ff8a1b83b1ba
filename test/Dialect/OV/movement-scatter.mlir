// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @scatter
func.func @scatter(%x: tensor<4x3xf32>, %i: tensor<4x2xi64>, %row: tensor<3xf32>, %at: tensor<i64>, %u: tensor<4x2xf32>,
                   %rows: tensor<4x3xf32>, %one: tensor<4x1xi64>) {
  %axis = ov.constant dense<0> : tensor<i64>
  // CHECK: ov.scatter_update %arg0, %arg3, %arg2, %{{.*}} : {{.*}} -> tensor<4x3xf32>
  %0 = ov.scatter_update %x, %at, %row, %axis : (tensor<4x3xf32>, tensor<i64>, tensor<3xf32>, tensor<i64>) -> tensor<4x3xf32>
  // CHECK: ov.scatter_elements_update %{{.*}} {reduction = #ov.scatter_elements_reduction<mean>, use_init_val = false} :
  %1 = ov.scatter_elements_update %0, %i, %u, %axis {reduction = #ov.scatter_elements_reduction<mean>, use_init_val = false} : (tensor<4x3xf32>, tensor<4x2xi64>, tensor<4x2xf32>, tensor<i64>) -> tensor<4x3xf32>
  // CHECK: ov.scatter_nd_update %{{.*}}, %arg6, %arg5 {reduction = #ov.scatter_nd_reduction<sub>} :
  %2 = ov.scatter_nd_update %1, %one, %rows {reduction = #ov.scatter_nd_reduction<sub>} : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}
