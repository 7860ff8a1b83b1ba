// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// Booleans are bytes, unsigned integers signless; the op knows the sign.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @less(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xi8>, %[[B:.*]]: tensor<8xi8>) -> tensor<4x8xi8>
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

// Ordered, but for not_equal.
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

// f16 and bf16 are computed in f32.
// CHECK-LABEL: @narrow
func.func @narrow(%a: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[R:.*]] = arith.subf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.truncf %[[R]] : f32 to f16
  %0 = ov.subtract %a, %b : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: @arithmetic
func.func @arithmetic(%a: tensor<4xf32>, %i: tensor<4xi32>, %u: tensor<4xui32>)
    -> (tensor<4xf32>, tensor<4xi32>, tensor<4xui32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) {
  // CHECK: arith.maximumf
  // CHECK: arith.maxsi
  // CHECK: arith.minui
  // CHECK: arith.divf
  // CHECK: arith.muli
  // CHECK: arith.addf
  %0 = ov.maximum %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ov.maximum %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = ov.minimum %u, %u : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %3 = ov.divide %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = ov.multiply %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %5 = ov.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xi32>, tensor<4xui32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
}

// NaN stays in relu and clamp, so they compare and select.
// CHECK-LABEL: @unary
func.func @unary(%a: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) {
  // CHECK: %[[L:.*]] = arith.cmpf olt, %[[X:.*]], %{{.*}} : f32
  // CHECK: arith.select %[[L]], %{{.*}}, %[[X]] : f32
  // CHECK: arith.cmpf olt
  // CHECK: arith.cmpf
  // The bounds of integers are rounded inwards.
  // CHECK-NOT: arith.cmpf
  // CHECK: arith.cmpi slt, %{{.*}}, %c-1_i32
  // CHECK: arith.cmpi sgt, %{{.*}}, %c2_i32
  // CHECK: arith.subi %c0_i32
  // CHECK: arith.subi %c0_i32
  // CHECK: arith.select
  // CHECK: math.sqrt
  %0 = ov.relu %a : tensor<4xf32>
  %1 = ov.clamp %a {min = -1.5, max = 2.5} : tensor<4xf32>
  %2 = ov.clamp %i {min = -1.5, max = 2.5} : tensor<4xi32>
  %3 = ov.negative %i : tensor<4xi32>
  %4 = ov.abs %i : tensor<4xi32>
  %5 = ov.sqrt %a : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>
}

// CHECK-LABEL: @logical
func.func @logical(%a: tensor<4xi1>, %b: tensor<4xi1>, %x: tensor<4xi1>, %y: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK-COUNT-2: arith.cmpi ne, %{{.*}}, %c0_i8 : i8
  // CHECK: arith.andi %{{.*}}, %{{.*}} : i1
  // CHECK: arith.cmpi eq, %{{.*}}, %c0_i8 : i8
  // Select looks at the condition alone.
  // CHECK: %[[C:.*]] = arith.cmpi ne
  // CHECK-NEXT: arith.select %[[C]], %{{.*}}, %{{.*}} : i8
  %0 = ov.logical_and %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = ov.logical_not %0 : tensor<4xi1>
  %2 = ov.select %1, %x, %y : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %2 : tensor<4xi1>
}

// One element is a scalar: nothing but the ends of the function knows of tensors.
// CHECK-LABEL: func.func @counter(
// CHECK-SAME: %[[N:.*]]: tensor<i64>, %[[M:.*]]: tensor<1xi64>)
func.func @counter(%n: tensor<i64>, %m: tensor<1xi64>) -> tensor<1xi1> {
  %one = ov.constant dense<1> : tensor<i64>
  // CHECK-DAG: %[[X:.*]] = tensor.extract %[[N]][]
  // CHECK: %[[SUM:.*]] = arith.addi %[[X]], %c1_i64
  // CHECK: %[[Y:.*]] = tensor.extract %[[M]][%c0]
  // CHECK: %[[C:.*]] = arith.cmpi slt, %[[SUM]], %[[Y]]
  // CHECK: %[[R:.*]] = arith.extui %[[C]]
  // CHECK: tensor.from_elements %[[R]] : tensor<1xi8>
  // CHECK-NOT: linalg
  %0 = ov.add %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = ov.less %0, %m : (tensor<i64>, tensor<1xi64>) -> tensor<1xi1>
  return %1 : tensor<1xi1>
}

// A splat and an operand of one element are scalars in the payload.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>, %[[S:.*]]: tensor<1xf32>)
func.func @scalars(%x: tensor<64xf32>, %s: tensor<1xf32>) -> tensor<64xf32> {
  %half = ov.constant dense<0.5> : tensor<64xf32>
  // CHECK-DAG: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<64xf32>)
  // CHECK: arith.mulf %{{.*}}, %[[HALF]]
  // CHECK: %[[E:.*]] = tensor.extract %[[S]]
  // CHECK: arith.addf %{{.*}}, %[[E]]
  %0 = ov.multiply %x, %half : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %1 = ov.add %0, %s : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
