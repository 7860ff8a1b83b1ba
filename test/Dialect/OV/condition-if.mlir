// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file | FileCheck %s --check-prefixes=CHECK,PRINT
// RUN: ir-opt %s --split-input-file --canonicalize | FileCheck %s --check-prefixes=CHECK,CANON

// CHECK-LABEL: func.func @prints(
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<2xf32>)
func.func @prints(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<?xf32> {
  // CHECK: %[[R:.*]] = ov.if %[[C]] : tensor<i1> -> tensor<?xf32> {
  // CHECK:   %[[CAST:.*]] = tensor.cast %[[X]]
  // CHECK:   ov.result %[[CAST]] : tensor<?xf32>
  // CHECK: } else {
  // CHECK:   ov.concat
  // CHECK: }
  // CHECK: return %[[R]]
  %0 = ov.if %c : tensor<i1> -> tensor<?xf32> {
    %1 = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
    ov.result %1 : tensor<?xf32>
  } else {
    %1 = ov.concat %x, %x {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %2 = tensor.cast %1 : tensor<4xf32> to tensor<?xf32>
    ov.result %2 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @constant_condition(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>)
func.func @constant_condition(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // PRINT-COUNT-2: ov.if
  // CANON-NOT: ov.if
  // CANON: %[[E:.*]] = ov.exp %[[X]]
  // CANON: %[[T:.*]] = ov.tanh %[[X]]
  // CANON: return %[[E]], %[[T]]
  %true = ov.constant dense<true> : tensor<1xi1>
  %false = ov.constant dense<false> : tensor<i1>
  %0 = ov.if %true : tensor<1xi1> -> tensor<2xf32> {
    %1 = ov.exp %x : tensor<2xf32>
    ov.result %1 : tensor<2xf32>
  } else {
    ov.result %x : tensor<2xf32>
  }
  %1 = ov.if %false : tensor<i1> -> tensor<2xf32> {
    ov.result %x : tensor<2xf32>
  } else {
    %2 = ov.tanh %x : tensor<2xf32>
    ov.result %2 : tensor<2xf32>
  }
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Unused results are removed, and so are results that do not depend on the condition.
// CHECK-LABEL: func.func @drop_results(
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<2xf32>)
func.func @drop_results(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CANON: %[[R:.*]] = ov.if %[[C]] : tensor<i1> -> tensor<2xf32> {
  // CANON-NEXT: ov.result %[[X]] : tensor<2xf32>
  // CANON-NEXT: } else {
  // CANON-NEXT: %[[N:.*]] = ov.negative %[[X]]
  // CANON-NEXT: ov.result %[[N]] : tensor<2xf32>
  // CANON-NEXT: }
  // CANON-NEXT: return %[[R]], %[[X]]
  %0:3 = ov.if %c : tensor<i1> -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32> {
    %1 = ov.exp %x : tensor<2xf32>
    ov.result %1, %x, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  } else {
    %1 = ov.negative %x : tensor<2xf32>
    ov.result %x, %1, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#1, %0#2 : tensor<2xf32>, tensor<2xf32>
}

// -----

// A body that can fault stays, although its results are unused.
// CHECK-LABEL: func.func @faulting(
func.func @faulting(%c: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>) {
  // CHECK: ov.if
  // CHECK: ov.add
  %0 = ov.if %c : tensor<i1> -> tensor<?xf32> {
    %1 = ov.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ov.result %1 : tensor<?xf32>
  } else {
    ov.result %x : tensor<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @dead(
func.func @dead(%c: tensor<i1>, %x: tensor<?xf32>) {
  // CANON-NOT: ov.if
  // CANON: return
  %0 = ov.if %c : tensor<i1> -> tensor<?xf32> {
    %1 = ov.exp %x : tensor<?xf32>
    ov.result %1 : tensor<?xf32>
  } else {
    ov.result %x : tensor<?xf32>
  }
  return
}
