// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// The loops contain a check, and the ops after it use the check's results.
// CHECK-LABEL: @divide
func.func @divide(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4xi32>
  // CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 iter_args(%[[ACC:.*]] = %[[EMPTY]])
  // CHECK: %[[D:.*]] = tensor.extract %arg1[%[[I]]]
  // CHECK: %[[OK:.*]] = arith.cmpi ne, %[[D]], %c0_i32
  // CHECK: %[[G:.*]] = rt.check %[[OK]], arithmetic, "integer division by zero" guards(%[[D]] : i32)
  // The least value divided by -1 is never tried.
  // CHECK: %[[M:.*]] = arith.cmpi eq, %[[G]], %c-1_i32
  // CHECK: %[[SAFE:.*]] = arith.select %[[M]], %c1_i32, %[[G]]
  // CHECK: arith.divsi %{{.*}}, %[[SAFE]]
  // CHECK: %[[R:.*]] = tensor.insert %{{.*}} into %[[ACC]][%[[I]]]
  // CHECK: scf.yield %[[R]]
  %0 = ov.divide %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @truncated
func.func @truncated(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  // CHECK: rt.check
  // CHECK: arith.divsi
  // CHECK-NOT: arith.xori
  // CHECK: tensor.from_elements
  %0 = ov.divide %a, %b {m_pythondiv = false} : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: @by_constant
func.func @by_constant(%a: tensor<4xui16>) -> tensor<4xui16> {
  %three = ov.constant dense<3> : tensor<ui16>
  // CHECK-NOT: rt.check
  // CHECK: linalg.generic
  // CHECK: arith.divui %{{.*}}, %c3_i16
  %0 = ov.divide %a, %three : (tensor<4xui16>, tensor<ui16>) -> tensor<4xui16>
  return %0 : tensor<4xui16>
}

// CHECK-LABEL: @power
func.func @power(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: scf.for
  // CHECK: scf.while
  // CHECK: arith.muli
  // CHECK: tensor.insert
  %0 = ov.power %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
