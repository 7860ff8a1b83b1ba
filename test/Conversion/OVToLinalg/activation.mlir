// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (d1, 0)>

// relu and clamp keep NaN, so they compare and select.
// CHECK-LABEL: @relu
func.func @relu(%a: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // CHECK: %[[L:.*]] = arith.cmpf olt, %[[X:.*]], %{{.*}} : f32
  // CHECK: arith.select %[[L]], %{{.*}}, %[[X]] : f32
  // CHECK: arith.cmpf olt
  // CHECK: arith.cmpf
  // The bounds of integers are rounded inwards.
  // CHECK-NOT: arith.cmpf
  // CHECK: arith.cmpi slt, %{{.*}}, %c-1_i32
  // CHECK: arith.cmpi sgt, %{{.*}}, %c2_i32
  %0 = ov.relu %a : tensor<4xf32>
  %1 = ov.clamp %a {min = -1.5, max = 2.5} : tensor<4xf32>
  %2 = ov.clamp %i {min = -1.5, max = 2.5} : tensor<4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: @activations
func.func @activations(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK-COUNT-5: linalg.generic
  // CHECK: return
  %0 = ov.softplus %x : tensor<?xf32>
  %1 = ov.hswish %x : tensor<?xf32>
  %2 = ov.hsigmoid %x : tensor<?xf32>
  %3 = ov.elu %x {alpha = 2.0} : tensor<?xf32>
  %4 = ov.gelu %x : tensor<?xf32>
  return %0, %1, %2, %3, %4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Parameters are read before the loop.
// CHECK-LABEL: @swish
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[P:.*]]: tensor<1xf32>
func.func @swish(%x: tensor<?xf32>, %p: tensor<1xf32>) -> tensor<?xf32> {
  // CHECK: %[[B:.*]] = tensor.extract %[[P]]
  // CHECK: linalg.generic {{.*}} ins(%[[X]] :
  // CHECK: arith.mulf %{{.*}}, %[[B]]
  // CHECK: math.exp
  %0 = ov.swish %x, %p : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @selu
func.func @selu(%x: tensor<4xf32>, %p: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: linalg.generic
  // CHECK: arith.cmpf uge
  %0 = ov.selu %x, %p, %p : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK: arith.cmpf olt
  // CHECK: arith.cmpf ogt
  %1 = ov.hard_sigmoid %x, %p, %p : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @prelu
func.func @prelu(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>) -> tensor<2x3x4xf32> {
  // CHECK: %[[S:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [3, 1]
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$CHANNEL]], #{{.*}}]{{.*}} ins(%{{.*}}, %[[S]] :
  // CHECK: arith.mulf
  // CHECK: arith.cmpf olt
  %0 = ov.prelu %x, %s : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @prelu_dynamic
func.func @prelu_dynamic(%x: tensor<2x?x4xf32>, %s: tensor<3xf32>) -> tensor<2x3x4xf32> {
  // CHECK: %[[SAME:.*]] = arith.cmpi eq
  // CHECK: %[[C:.*]]:2 = rt.check %[[SAME]], shape, "dims {0} and {1} do not agree"
  // CHECK: tensor.extract_slice %{{.*}}[0, %[[C]]#1, 0] [2, 3, 4]
  // CHECK: linalg.generic
  // CHECK-NOT: linalg.index
  // CHECK: return
  %0 = ov.prelu %x, %s : (tensor<2x?x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<2x?xbf16>) -> tensor<2x?xbf16> {
  // CHECK: arith.maximumf
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x?xbf16>, tensor<2xf32>) outs(%{{.*}} : tensor<2x?xf32>)
  // CHECK: arith.subf
  // CHECK: math.exp
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: arith.addf
  // CHECK: arith.divf
  // CHECK: arith.truncf
  %0 = ov.softmax %x {axis = -1} : tensor<2x?xbf16>
  return %0 : tensor<2x?xbf16>
}

// CHECK-LABEL: @log_softmax
func.func @log_softmax(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // CHECK: arith.maximumf
  // CHECK: math.exp
  // CHECK: arith.addf
  // CHECK-NOT: math.log
  // CHECK: arith.truncf {{.*}} : f64 to f32
  // CHECK: %[[S:.*]] = arith.subf
  // CHECK: arith.subf %[[S]]
  %0 = ov.log_softmax %x : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// CHECK-LABEL: @softsign
func.func @softsign(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[M:.*]] = math.absf %[[X:.*]] : f32
  // CHECK: %[[D:.*]] = arith.addf %[[M]], %{{.*}} : f32
  // CHECK: arith.divf %[[X]], %[[D]] : f32
  %0 = ov.softsign %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A single exponential, of a number that is not positive.
// CHECK-LABEL: @mish
func.func @mish(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[M:.*]] = math.absf %[[X:.*]] : f32
  // CHECK: %[[N:.*]] = arith.negf %[[M]] : f32
  // CHECK: math.exp %[[N]] : f32
  // CHECK-NOT: math.exp
  // CHECK: %[[Q:.*]] = arith.divf
  // CHECK: arith.mulf %[[X]], %[[Q]] : f32
  %0 = ov.mish %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Only the call tells whether the slope belongs to dim 1 or to the last dim. It gets the rank of the data.
// CHECK-LABEL: @prelu_open
func.func @prelu_open(%x: tensor<?x?x?xf32>, %s: tensor<3xf32>) -> tensor<?x?x?xf32> {
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK: %[[IS:.*]] = arith.cmpi eq, {{.*}}, %[[C3]]
  // CHECK: %[[CHANNELS:.*]] = arith.select %[[IS]], %[[C3]], %[[C1]]
  // CHECK: %[[LAST:.*]] = arith.select %[[IS]], %[[C1]], %[[C3]]
  // CHECK: tensor.empty(%[[CHANNELS]], %[[LAST]]) : tensor<1x?x?xf32>
  // CHECK: linalg.generic
  // CHECK: tensor.extract %arg1
  %0 = ov.prelu %x, %s : (tensor<?x?x?xf32>, tensor<3xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
