// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// Booleans are bytes and unsigned integers are signless; the op has the signedness.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @less(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xi8> {ov.element_type = ui8}, %[[B:.*]]: tensor<8xi8> {ov.element_type = ui8}) -> (tensor<4x8xi8> {ov.element_type = i1})
func.func @less(%a: tensor<4x8xui8>, %b: tensor<8xui8>) -> tensor<4x8xi1> {
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xi8>
  // CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
  // CHECK-SAME: ins(%[[A]], %[[B]] : tensor<4x8xi8>, tensor<8xi8>) outs(%[[EMPTY]] : tensor<4x8xi8>)
  // CHECK: %[[C:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i8
  // CHECK: arith.extui %[[C]] : i1 to i8
  %0 = ov.less %a, %b : (tensor<4x8xui8>, tensor<8xui8>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// CHECK-LABEL: @less_signed
func.func @less_signed(%a: tensor<4x8xi8>, %b: tensor<4x1xi8>) -> tensor<4x8xi1> {
  // CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[COLUMN]], #[[ID]]]
  // CHECK: arith.cmpi slt
  %0 = ov.less %a, %b : (tensor<4x8xi8>, tensor<4x1xi8>) -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// All comparisons but not_equal are ordered.
// CHECK-LABEL: @compare
func.func @compare(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: arith.cmpf oeq
  // CHECK: arith.cmpf une
  // CHECK: arith.cmpf ole
  // CHECK: arith.cmpf ogt
  // CHECK: arith.cmpf oge
  %0 = ov.equal %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = ov.not_equal %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = ov.less_equal %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = ov.greater %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = ov.greater_equal %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @is_nan
func.func @is_nan(%a: tensor<?xf16>) -> tensor<?xi1> {
  // CHECK: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.cmpf uno, %[[X]], %[[X]] : f32
  %0 = ov.is_nan %a : (tensor<?xf16>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}
