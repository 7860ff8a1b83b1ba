// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s | ir-opt --verify-roundtrip | FileCheck %s
// RUN: ir-opt %s --mlir-print-op-generic | ir-opt | FileCheck %s

// CHECK-LABEL: @range
func.func @range(%i: tensor<i64>) {
  // CHECK: ov.range %arg0, %arg0, %arg0 {output_type = f16} : {{.*}} -> tensor<?xf16>
  %0 = ov.range %i, %i, %i {output_type = f16} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xf16>
  return
}

// CHECK-LABEL: @philox
func.func @philox(%n: tensor<1xi32>) {
  // CHECK: ov.philox %arg0, %arg0 {counter = 2 : i64, key = 1 : i64} : (tensor<1xi32>, tensor<1xi32>) -> tensor<?x4xui32>
  %0 = ov.philox %n, %n {key = 1, counter = 2} : (tensor<1xi32>, tensor<1xi32>) -> tensor<?x4xui32>
  return
}

// CHECK-LABEL: @mersenne_twister
func.func @mersenne_twister(%n: tensor<1xi32>) {
  // CHECK: ov.mersenne_twister %arg0 {seed = 5 : i64} : (tensor<1xi32>) -> tensor<?xui32>
  %0 = ov.mersenne_twister %n {seed = 5} : (tensor<1xi32>) -> tensor<?xui32>
  return
}
