// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s
// RUN: ir-opt %s --convert-ov-to-linalg=in-order | FileCheck %s --check-prefix=ORDER

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[BATCH:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d3, d2)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<5x4xf32>)
func.func @matmul(%a: tensor<3x4xf32>, %b: tensor<5x4xf32>) -> tensor<3x5xf32> {
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<3x5xf32>
  // CHECK: %[[FILL:.*]] = linalg.fill ins(%cst : f32) outs(%[[EMPTY]]
  // CHECK: linalg.generic {indexing_maps = [#[[MK]], #[[NK]], #[[MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
  // CHECK-SAME: ins(%[[A]], %[[B]] : tensor<3x4xf32>, tensor<5x4xf32>) outs(%[[FILL]] : tensor<3x5xf32>)
  // CHECK: %[[P:.*]] = arith.mulf
  // CHECK: arith.addf %{{.*}}, %[[P]]
  %0 = ov.matmul %a, %b {transpose_b = true} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Sums are accumulated in f32 and rounded once.
// CHECK-LABEL: @narrow
func.func @narrow(%a: tensor<4x3xbf16>, %b: tensor<5x4xbf16>) -> tensor<3x5xbf16> {
  // CHECK: linalg.fill {{.*}} -> tensor<3x5xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[KM]], #[[NK]], #[[MN]]]
  // CHECK-COUNT-2: arith.extf
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<3x5xf32>) outs(%{{.*}} : tensor<3x5xbf16>)
  // CHECK: arith.truncf
  %0 = ov.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<4x3xbf16>, tensor<5x4xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

// CHECK-LABEL: @batch
func.func @batch(%a: tensor<7x3x4xi32>, %b: tensor<1x4x5xi32>) -> tensor<7x3x5xi32> {
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[BATCH]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
  // CHECK: arith.muli
  %0 = ov.matmul %a, %b : (tensor<7x3x4xi32>, tensor<1x4x5xi32>) -> tensor<7x3x5xi32>
  return %0 : tensor<7x3x5xi32>
}

// CHECK-LABEL: @vectors
func.func @vectors(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  // CHECK: linalg.generic {indexing_maps = [#[[K]], #[[K]], #[[NONE]]], iterator_types = ["reduction"]}
  %0 = ov.matmul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The contracted dims are checked, and no operand can be read before the check.
// CHECK-LABEL: func.func @contracted(
// CHECK-SAME: %[[A:.*]]: tensor<3x?xf32>, %[[B:.*]]: tensor<?x5xf32>)
func.func @contracted(%a: tensor<3x?xf32>, %b: tensor<?x5xf32>) -> tensor<3x5xf32> {
  // CHECK: %[[G:.*]]:2 = rt.check %{{.*}}, shape, "dims {0} and {1} do not agree"
  // CHECK-DAG: tensor.extract_slice %[[A]][0, %[[G]]#1] [3, %[[G]]#0] [1, 1]
  // CHECK-DAG: tensor.extract_slice %[[B]][%[[G]]#1, 0] [%[[G]]#0, 5] [1, 1]
  %0 = ov.matmul %a, %b : (tensor<3x?xf32>, tensor<?x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// A batch dim that may or may not be 1 is repeated before the product.
// CHECK-LABEL: @dynamic_batch
func.func @dynamic_batch(%a: tensor<?x3x4xf32>, %b: tensor<?x4x5xf32>) -> tensor<?x3x5xf32> {
  // CHECK: %[[G:.*]]:3 = rt.check %{{.*}}, shape, "dims {0} and {1} do not broadcast"
  // CHECK-COUNT-2: tensor.extract
  // CHECK: linalg.fill ins(%{{.*}}) outs(%{{.*}} : tensor<?x3x5xf32>)
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  %0 = ov.matmul %a, %b : (tensor<?x3x4xf32>, tensor<?x4x5xf32>) -> tensor<?x3x5xf32>
  return %0 : tensor<?x3x5xf32>
}

// The addition says how many columns decide the order of a sum: those of the result. If only A is a constant, its rows
// do, because a transpose of the result may exchange A and B.
// CHECK-LABEL: func.func @columns(
// ORDER-LABEL: func.func @columns(
func.func @columns(%a: tensor<3x4xf32>, %b: tensor<4x?xf32>) -> (tensor<3x1xf32>, tensor<3x?xf32>, tensor<2x?xf32>) {
  %w = ov.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %v = ov.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  // ORDER: arith.addf {{.*}} {rt.any_rows, rt.columns = 1 : i64}
  // CHECK: arith.addf {{.*}} {rt.columns = 1 : i64}
  // CHECK: arith.addf {{.*}} {rt.columns = -1 : i64}
  // CHECK: arith.addf {{.*}} {rt.columns = 2 : i64}
  %0 = ov.matmul %a, %w : (tensor<3x4xf32>, tensor<4x1xf32>) -> tensor<3x1xf32>
  %1 = ov.matmul %a, %b : (tensor<3x4xf32>, tensor<4x?xf32>) -> tensor<3x?xf32>
  %2 = ov.matmul %v, %b : (tensor<2x4xf32>, tensor<4x?xf32>) -> tensor<2x?xf32>
  return %0, %1, %2 : tensor<3x1xf32>, tensor<3x?xf32>, tensor<2x?xf32>
}
