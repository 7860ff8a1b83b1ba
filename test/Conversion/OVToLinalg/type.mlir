// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// The conversion saturates; numbers out of range are not converted.
// CHECK-LABEL: @float_to_int
func.func @float_to_int(%x: tensor<4xf32>) -> tensor<4xi8> {
  // CHECK-DAG: %[[LOW:.*]] = arith.cmpf olt, %[[X:.*]], %{{.*}} : f32
  // CHECK-DAG: %[[HIGH:.*]] = arith.cmpf oge, %[[X]], %{{.*}} : f32
  // CHECK-DAG: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
  // CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %cst{{.*}}, %[[X]]
  // CHECK: %[[I:.*]] = arith.fptosi %[[SAFE]] : f32 to i8
  // CHECK: %[[L:.*]] = arith.select %[[LOW]], %c-128_i8, %[[I]]
  // CHECK: arith.select %[[HIGH]], %c127_i8, %[[L]]
  %0 = ov.convert %x : tensor<4xf32> to tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @float_to_unsigned
func.func @float_to_unsigned(%x: tensor<4xf16>) -> tensor<4xui8> {
  // CHECK: arith.extf
  // CHECK: arith.fptoui %{{.*}} : f32 to i8
  // CHECK: arith.select %{{.*}}, %c-1_i8
  %0 = ov.convert %x : tensor<4xf16> to tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: @to_boolean
func.func @to_boolean(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xi1>, tensor<4xi1>) {
  // CHECK: arith.cmpf une
  // CHECK: arith.cmpi ne, %{{.*}}, %c0_i64
  %0 = ov.convert %x : tensor<4xf32> to tensor<4xi1>
  %1 = ov.convert %i : tensor<4xi64> to tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @integers
func.func @integers(%b: tensor<4xi1>, %u: tensor<4xui8>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi8>, tensor<4xi64>) {
  // CHECK: arith.uitofp %{{.*}} : i1 to f32
  // CHECK: arith.extui %{{.*}} : i8 to i32
  // CHECK: arith.trunci %{{.*}} : i32 to i8
  // CHECK: arith.extsi %{{.*}} : i32 to i64
  %0 = ov.convert %b : tensor<4xi1> to tensor<4xf32>
  %1 = ov.convert %u : tensor<4xui8> to tensor<4xi32>
  %2 = ov.convert %i : tensor<4xi32> to tensor<4xi8>
  %3 = ov.convert %i : tensor<4xi32> to tensor<4xi64>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xi32>, tensor<4xi8>, tensor<4xi64>
}

// The result is rounded once: the step through f32 rounds to odd.
// CHECK-LABEL: @double_to_half
func.func @double_to_half(%x: tensor<4xf64>) -> tensor<4xf16> {
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.ori %{{.*}}, %c1_i32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %0 = ov.convert %x : tensor<4xf64> to tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: @convert_like
// CHECK-SAME: (%[[X:.*]]: tensor<?xf16>, %{{.*}}: tensor<3xi8> {ov.element_type = ui8}) -> (tensor<?xi8> {ov.element_type = ui8})
func.func @convert_like(%x: tensor<?xf16>, %y: tensor<3xui8>) -> tensor<?xui8> {
  // CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<?xf16>)
  // CHECK: arith.fptoui %{{.*}} : f32 to i8
  %0 = ov.convert_like %x, %y : (tensor<?xf16>, tensor<3xui8>) -> tensor<?xui8>
  return %0 : tensor<?xui8>
}
