// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @compare
func.func @compare(%x: tensor<2x?xf32>, %y: tensor<3xf32>) {
  // CHECK: ov.less %{{.*}}, %{{.*}} : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %0 = ov.less %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: ov.less_equal
  %1 = ov.less_equal %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: ov.greater
  %2 = ov.greater %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: ov.greater_equal
  %3 = ov.greater_equal %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: ov.equal
  %4 = ov.equal %x, %y : (tensor<2x?xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: ov.not_equal %{{.*}}, %{{.*}} {auto_broadcast = #ov.auto_broadcast<none>}
  %5 = ov.not_equal %y, %y {auto_broadcast = #ov.auto_broadcast<none>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return
}

// CHECK-LABEL: @predicate
func.func @predicate(%x: tensor<2x?xf16>) {
  // CHECK: ov.is_nan %{{.*}} : (tensor<2x?xf16>) -> tensor<2x?xi1>
  %0 = ov.is_nan %x : (tensor<2x?xf16>) -> tensor<2x?xi1>
  return
}
