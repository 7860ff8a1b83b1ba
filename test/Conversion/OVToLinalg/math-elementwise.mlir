// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

// CHECK: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (d1, 0)>

// CHECK-LABEL: @rounding
// CHECK-SAME: %[[I:.*]]: tensor<4xi32>
func.func @rounding(%x: tensor<?xf16>, %i: tensor<4xi32>) -> (tensor<?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<4xi32>) {
  // CHECK: linalg.generic
  // CHECK: arith.extf
  // CHECK-NEXT: math.floor %{{.*}} : f32
  // CHECK-NEXT: arith.truncf
  %0 = ov.floor %x : tensor<?xf16>
  // CHECK: math.ceil
  %1 = ov.ceiling %x : tensor<?xf16>
  // CHECK: math.roundeven
  %2 = ov.round %x : tensor<?xf16>
  // Integers are what they would be rounded to.
  // CHECK: return {{.*}}, %[[I]] :
  %3 = ov.round %i {mode = "half_away_from_zero"} : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<4xi32>
}

// CHECK-LABEL: @away
func.func @away(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = math.absf %[[X:.*]] : f32
  // CHECK: %[[F:.*]] = math.floor %[[A]]
  // CHECK: %[[D:.*]] = arith.subf %[[A]], %[[F]]
  // CHECK: arith.cmpf oge, %[[D]]
  // CHECK: math.copysign %{{.*}}, %[[X]]
  %0 = ov.round %x {mode = "half_away_from_zero"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @sign
func.func @sign(%x: tensor<4xf32>, %i: tensor<4xi8>, %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xi8>, tensor<4xui8>) {
  // CHECK: arith.cmpf olt
  // CHECK: arith.cmpf ogt
  %0 = ov.sign %x : tensor<4xf32>
  // CHECK: arith.cmpi ne, {{.*}} : i8
  // CHECK: arith.cmpi slt, {{.*}} : i8
  %1 = ov.sign %i : tensor<4xi8>
  // CHECK: arith.cmpi ne, {{.*}} : i8
  // CHECK-NOT: arith.cmpi slt
  // CHECK: return
  %2 = ov.sign %u : tensor<4xui8>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xi8>, tensor<4xui8>
}

// No calls in f32; f64 is left to the math library.
// CHECK-LABEL: @transcendental
func.func @transcendental(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: math.{{log|sin|cos|erf|tanh}}
  // CHECK: arith.extf {{.*}} : f32 to f64
  // CHECK: arith.truncf {{.*}} : f64 to f32
  // CHECK-NOT: math.{{log|sin|cos|erf|tanh}}
  // CHECK: return
  %0 = ov.log %x : tensor<4xf32>
  %1 = ov.sin %x : tensor<4xf32>
  %2 = ov.cos %x : tensor<4xf32>
  %3 = ov.erf %x : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @double
func.func @double(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  // CHECK: math.log
  %0 = ov.log %x : tensor<4xf64>
  // CHECK: math.sin
  %1 = ov.sin %x : tensor<4xf64>
  // CHECK: math.cos
  %2 = ov.cos %x : tensor<4xf64>
  // CHECK-NOT: math.erf
  // CHECK: math.exp
  %3 = ov.erf %x : tensor<4xf64>
  return %0, %1, %2, %3 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
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
  // CHECK: arith.cmpf ugt
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

// CHECK-LABEL: @binary
func.func @binary(%x: tensor<?x4xi32>, %y: tensor<4xi32>, %b: tensor<4xi1>) -> (tensor<?x4xi32>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: %[[D:.*]] = arith.subi
  // CHECK: arith.muli %[[D]], %[[D]]
  %0 = ov.squared_difference %x, %y : (tensor<?x4xi32>, tensor<4xi32>) -> tensor<?x4xi32>
  // CHECK: arith.ori
  %1 = ov.logical_or %b, %b {auto_broadcast = "none"} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK: arith.xori
  %2 = ov.logical_xor %1, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<?x4xi32>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @mod_of_constant
func.func @mod_of_constant(%x: tensor<4xi32>, %u: tensor<4xui8>) -> (tensor<4xi32>, tensor<4xui8>) {
  %two = ov.constant dense<2> : tensor<i32>
  %three = ov.constant dense<3> : tensor<ui8>
  // CHECK-NOT: rt.check
  // CHECK: linalg.generic
  // CHECK: arith.remsi
  %0 = ov.mod %x, %two : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  // CHECK: linalg.generic
  // CHECK: arith.remui
  %1 = ov.floor_mod %u, %three : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  return %0, %1 : tensor<4xi32>, tensor<4xui8>
}

// CHECK-LABEL: @floor_mod
func.func @floor_mod(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: scf.for
  // CHECK: %[[D:.*]] = rt.check %{{.*}}, arithmetic, "integer division by zero"
  // CHECK: arith.remsi
  // CHECK: arith.addi %{{.*}}, %[[D]]
  %0 = ov.floor_mod %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @mod_of_floats
func.func @mod_of_floats(%x: tensor<4xf32>, %d: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  // CHECK-NOT: arith.remf {{.*}} : f32
  // CHECK: scf.while {{.*}} : (f64) -> f64
  %0 = ov.mod %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK: arith.remf {{.*}} : f64
  %1 = ov.mod %d, %d : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %0, %1 : tensor<4xf32>, tensor<4xf64>
}
