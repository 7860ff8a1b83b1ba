// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// Select looks at the condition alone.
// CHECK-LABEL: @select
func.func @select(%c: tensor<4xi1>, %x: tensor<4xi1>, %y: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK: linalg.generic
  // CHECK: %[[C:.*]] = arith.cmpi ne
  // CHECK-NEXT: arith.select %[[C]], %{{.*}}, %{{.*}} : i8
  %0 = ov.select %c, %x, %y : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @non_zero
func.func @non_zero(%x: tensor<3x?xi1>) -> tensor<2x?xi32> {
  // CHECK: %[[N:.*]] = scf.for {{.*}} -> (index)
  // CHECK: tensor.empty(%[[N]]) : tensor<2x?xi32>
  // CHECK: scf.for %[[I:[a-z0-9]+]] = {{.*}} -> (tensor<2x?xi32>, index)
  // CHECK: scf.for %[[J:[a-z0-9]+]] = {{.*}} iter_args(%{{.*}}, %[[AT:[a-z0-9]+]] = %{{.*}}) -> (tensor<2x?xi32>, index)
  // CHECK: scf.if
  // CHECK: arith.index_cast %[[I]]
  // CHECK: tensor.insert %{{.*}}[%c0, %[[AT]]]
  // CHECK: arith.index_cast %[[J]]
  // CHECK: tensor.insert %{{.*}}[%c1, %[[AT]]]
  %0 = ov.non_zero %x {output_type = i32} : (tensor<3x?xi1>) -> tensor<2x?xi32>
  return %0 : tensor<2x?xi32>
}
