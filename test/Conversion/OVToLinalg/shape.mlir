// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @reshape(%x: tensor<2x3x4xf32>) -> (tensor<6x4xf32>, tensor<2x3x2x2xf32>, tensor<4x6xf32>) {
  %n0 = ov.constant dense<[6, 4]> : tensor<2xi64>
  %n1 = ov.constant dense<[0, 0, 2, -1]> : tensor<4xi64>
  %n2 = ov.constant dense<[4, 6]> : tensor<2xi64>
  // CHECK: tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  // CHECK: tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 3, 2, 2]
  // By way of one dim where no dims are groups of the others.
  // CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
  // CHECK: tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [4, 6]
  %0 = ov.reshape %x, %n0 : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  %1 = ov.reshape %x, %n1 {special_zero = true} : (tensor<2x3x4xf32>, tensor<4xi64>) -> tensor<2x3x2x2xf32>
  %2 = ov.reshape %x, %n2 : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<6x4xf32>, tensor<2x3x2x2xf32>, tensor<4x6xf32>
}

// A target that provably fits is not checked, and a dim that only moves is not computed.
// CHECK-LABEL: func.func @fits(
// CHECK-SAME: %[[X:.*]]: tensor<?x1x8xf32>, %[[Y:.*]]: tensor<?x?x8xf32>
func.func @fits(%x: tensor<?x1x8xf32>, %y: tensor<?x?x8xf32>) -> (tensor<?x8xf32>, tensor<?x1x8x1xf32>, tensor<?x?x2x4xf32>) {
  %n0 = ov.constant dense<[-1, 8]> : tensor<2xi64>
  %n1 = ov.constant dense<[-1, 1, 8, 1]> : tensor<4xi64>
  %n2 = ov.constant dense<[0, 0, 2, 4]> : tensor<4xi64>
  // CHECK-NOT: arith.muli
  // CHECK-NOT: rt.check
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2]] : tensor<?x1x8xf32> into tensor<?x8xf32>
  // CHECK-DAG: tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2, 3]] output_shape [%[[N]], 1, 8, 1]
  // CHECK-DAG: tensor.expand_shape %[[Y]] {{\[\[}}0], [1], [2, 3]] output_shape [%{{.*}}, %{{.*}}, 2, 4]
  %0 = ov.reshape %x, %n0 : (tensor<?x1x8xf32>, tensor<2xi64>) -> tensor<?x8xf32>
  %1 = ov.reshape %x, %n1 : (tensor<?x1x8xf32>, tensor<4xi64>) -> tensor<?x1x8x1xf32>
  %2 = ov.reshape %y, %n2 {special_zero = true} : (tensor<?x?x8xf32>, tensor<4xi64>) -> tensor<?x?x2x4xf32>
  return %0, %1, %2 : tensor<?x8xf32>, tensor<?x1x8x1xf32>, tensor<?x?x2x4xf32>
}

// CHECK-LABEL: func.func @run_time_target(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[N:.*]]: tensor<2xi64>
func.func @run_time_target(%x: tensor<?x4xf32>, %n: tensor<2xi64>) -> tensor<?x?xf32> {
  // CHECK: tensor.extract %[[N]][%c0]
  // CHECK: %[[G:.*]]:{{.*}} = rt.check %{{.*}}, shape, "the target shape does not fit a tensor of {0} elements"
  // CHECK-DAG: %[[S0:.*]] = arith.index_cast %[[G]]#1 : index to i64
  // CHECK-DAG: %[[S1:.*]] = arith.index_cast %[[G]]#2 : index to i64
  // CHECK: %[[SHAPE:.*]] = tensor.from_elements %[[S0]], %[[S1]] : tensor<2xi64>
  // CHECK: tensor.reshape %[[X]](%[[SHAPE]])
  %0 = ov.reshape %x, %n : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @static_target(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
func.func @static_target(%x: tensor<?xf32>) -> tensor<2x4xf32> {
  %n = ov.constant dense<[2, 4]> : tensor<2xi64>
  // CHECK: rt.check
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %0 = ov.reshape %x, %n : (tensor<?xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @scalars
func.func @scalars(%x: tensor<1x1xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<1x1xf32>) {
  %none = ov.constant dense<> : tensor<0xi64>
  %ones = ov.constant dense<1> : tensor<2xi64>
  // CHECK: tensor.collapse_shape %arg0 [] : tensor<1x1xf32> into tensor<f32>
  // CHECK: tensor.expand_shape %arg1 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %0 = ov.reshape %x, %none : (tensor<1x1xf32>, tensor<0xi64>) -> tensor<f32>
  %1 = ov.reshape %y, %ones : (tensor<f32>, tensor<2xi64>) -> tensor<1x1xf32>
  return %0, %1 : tensor<f32>, tensor<1x1xf32>
}

// CHECK-LABEL: func.func @squeeze(
// CHECK-SAME: %[[X:.*]]: tensor<2x1x3xf32>, %[[Y:.*]]: tensor<?x3xf32>
func.func @squeeze(%x: tensor<2x1x3xf32>, %y: tensor<?x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %a0 = ov.constant dense<1> : tensor<i64>
  %a1 = ov.constant dense<0> : tensor<i64>
  // CHECK-DAG: tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
  // CHECK: %[[G:.*]]:2 = rt.check %{{.*}}, shape, "dim {0} is {1}, but {2} was declared"
  // CHECK: tensor.extract_slice %[[Y]][%[[G]]#1, 0] [1, 3] [1, 1]
  %0 = ov.squeeze %x, %a0 : (tensor<2x1x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  %1 = ov.squeeze %y, %a1 : (tensor<?x3xf32>, tensor<i64>) -> tensor<3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @unsqueeze(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xi8>
func.func @unsqueeze(%x: tensor<?x3xi1>) -> tensor<1x?x1x3xi1> {
  %a = ov.constant dense<[2, 0]> : tensor<2xi64>
  // CHECK: tensor.expand_shape %[[X]] {{\[\[}}0, 1, 2], [3]] output_shape [1, %{{.*}}, 1, 3]
  %0 = ov.unsqueeze %x, %a : (tensor<?x3xi1>, tensor<2xi64>) -> tensor<1x?x1x3xi1>
  return %0 : tensor<1x?x1x3xi1>
}

// CHECK-LABEL: @shape_of
func.func @shape_of(%x: tensor<?x3xf32>) -> tensor<2xi32> {
  // CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK: tensor.from_elements %[[N]], %c3_i32 : tensor<2xi32>
  %0 = ov.shape_of %x {output_type = i32} : (tensor<?x3xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// Dynamic dims beside a dim of 0 may change, although the types are the same.
// CHECK-LABEL: @reshape_empty_alike
func.func @reshape_empty_alike(%x: tensor<0x?xf32>, %to: tensor<2xi64>) -> tensor<0x?xf32> {
  // CHECK: tensor.empty(%{{.*}}) : tensor<0x?xf32>
  %r = ov.reshape %x, %to : (tensor<0x?xf32>, tensor<2xi64>) -> tensor<0x?xf32>
  // CHECK: return
  return %r : tensor<0x?xf32>
}

// An empty tensor is reshaped to an empty tensor: no dim of 0 is merged with a dynamic dim.
// CHECK-LABEL: @reshape_empty
func.func @reshape_empty(%x: tensor<0x?x2x0xf32>, %to: tensor<3xi64>) -> tensor<0x?x0xf32> {
  // CHECK: tensor.empty
  // CHECK-NOT: collapse_shape
  %r = ov.reshape %x, %to : (tensor<0x?x2x0xf32>, tensor<3xi64>) -> tensor<0x?x0xf32>
  // CHECK: return
  return %r : tensor<0x?x0xf32>
}

// An entry that is a dim of a tensor is no dim to infer. The dim of the result is known to be equal to it.
// CHECK-LABEL: func.func @dim_of_another(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x1x2xf32>
func.func @dim_of_another(%x: tensor<?x4xf32>, %y: tensor<?x1x2xf32>) -> tensor<?x2x2xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %two = ov.constant dense<2> : tensor<2xi64>
  %dims = ov.shape_of %y {output_type = i64} : (tensor<?x1x2xf32>) -> tensor<3xi64>
  %n = ov.gather %dims, %zero, %axis : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %to = ov.concat %n, %two {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  // CHECK: %[[N:.*]] = tensor.dim %[[Y]], %c0
  // CHECK: rt.check %{{.*}}, shape, "the target shape does not fit a tensor of {0} elements"
  // CHECK-SAME: guards(%c0, %[[N]] :
  // CHECK-NOT: rt.check
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[Y]] : tensor<?x2x2xf32>, tensor<?x1x2xf32>)
  %0 = ov.reshape %x, %to : (tensor<?x4xf32>, tensor<3xi64>) -> tensor<?x2x2xf32>
  %1 = ov.add %0, %y : (tensor<?x2x2xf32>, tensor<?x1x2xf32>) -> tensor<?x2x2xf32>
  return %1 : tensor<?x2x2xf32>
}

// With special_zero, the dim of the input at its own place is copied.
// CHECK-LABEL: func.func @own_dim(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
func.func @own_dim(%x: tensor<?x?xf32>) -> tensor<?x2x?xf32> {
  %zero = ov.constant dense<0> : tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<i64>
  %rest = ov.constant dense<[2, -1]> : tensor<2xi64>
  %dims = ov.shape_of %x {output_type = i64} : (tensor<?x?xf32>) -> tensor<2xi64>
  %n = ov.gather %dims, %zero, %axis : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %to = ov.concat %n, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %c1
  // CHECK-NOT: arith.select
  // CHECK: %[[HALF:.*]] = arith.divui %[[M]], %c2
  // CHECK-NOT: arith.select
  // CHECK: rt.check %{{.*}}, shape, {{.*}} guards(%c0, %[[HALF]] :
  %0 = ov.reshape %x, %to {special_zero = true} : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x2x?xf32>
  return %0 : tensor<?x2x?xf32>
}

// A tensor that is known to have another number of elements only while it is lowered. The check always fails.
// CHECK-LABEL: func.func @never(
func.func @never(%x: tensor<3x4xf32>) -> tensor<f32> {
  %flat = ov.constant dense<-1> : tensor<1xi64>
  %none = ov.constant dense<> : tensor<0xi64>
  // CHECK: rt.check %false
  // CHECK: tensor.empty() : tensor<f32>
  %0 = ov.reshape %x, %flat : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<?xf32>
  %1 = ov.reshape %0, %none : (tensor<?xf32>, tensor<0xi64>) -> tensor<f32>
  return %1 : tensor<f32>
}
