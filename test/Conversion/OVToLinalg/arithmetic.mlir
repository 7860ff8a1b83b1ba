// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --canonicalize --cse | FileCheck %s

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

// CHECK-LABEL: @unary
func.func @unary(%a: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) {
  // CHECK: arith.subi %c0_i32
  // CHECK: arith.subi %c0_i32
  // CHECK: arith.select
  // CHECK: math.sqrt
  %0 = ov.negative %i : tensor<4xi32>
  %1 = ov.abs %i : tensor<4xi32>
  %2 = ov.sqrt %a : tensor<4xf32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xf32>
}

// A tensor of one element becomes a scalar; tensors remain only at the function's ends.
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

// CHECK-LABEL: @rounding
// CHECK-SAME: %[[I:[a-z0-9]+]]: tensor<4xi32>
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
  %3 = ov.round %i {mode = #ov.round_mode<half_away_from_zero>} : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<4xi32>
}

// CHECK-LABEL: @away
func.func @away(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = math.absf %[[X:.*]] : f32
  // CHECK: %[[F:.*]] = math.floor %[[A]]
  // CHECK: %[[D:.*]] = arith.subf %[[A]], %[[F]]
  // CHECK: arith.cmpf oge, %[[D]]
  // CHECK: math.copysign %{{.*}}, %[[X]]
  %0 = ov.round %x {mode = #ov.round_mode<half_away_from_zero>} : tensor<4xf32>
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

// f32 needs no calls; f64 is left to the math library.
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

// f64 has no calls either. The product with 2/pi is one of integers, from halves: for vectors of several dims, LLVM has
// no product of twice as many bits.

// CHECK-LABEL: @double
func.func @double(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  // CHECK-NOT: {{math.(log|sin|cos|erf)|mului_extended}}
  // CHECK-COUNT-20: arith.muli
  // CHECK: math.exp
  // CHECK-NOT: math.{{log|sin|cos|erf}}
  // CHECK: return
  %0 = ov.log %x : tensor<4xf64>
  %1 = ov.sin %x : tensor<4xf64>
  %2 = ov.cos %x : tensor<4xf64>
  %3 = ov.erf %x : tensor<4xf64>
  return %0, %1, %2, %3 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// CHECK-LABEL: @squared_difference
func.func @squared_difference(%x: tensor<?x4xi32>, %y: tensor<4xi32>) -> tensor<?x4xi32> {
  // CHECK: %[[D:.*]] = arith.subi
  // CHECK: arith.muli %[[D]], %[[D]]
  %0 = ov.squared_difference %x, %y : (tensor<?x4xi32>, tensor<4xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
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

// Many divisors are checked in a loop of their own. A divisor of 0 becomes 1 where it is used, so that the division may
// be moved. A result without elements uses no divisor.

// CHECK-LABEL: @division_of_many
func.func @division_of_many(%x: tensor<?x9xi32>, %y: tensor<9xi32>) -> tensor<?x9xi32> {
  // CHECK: %[[LEAST:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]
  // CHECK: arith.minui
  // CHECK: %[[E:.*]] = tensor.extract %[[LEAST]]
  // CHECK: %[[VALID:.*]] = arith.cmpi ne, %[[E]]
  // CHECK: %[[EMPTY:.*]] = arith.cmpi eq
  // CHECK: %[[OK:.*]] = arith.ori %[[VALID]], %[[EMPTY]]
  // CHECK: rt.check %[[OK]], arithmetic, "integer division by zero"
  // CHECK-NOT: scf.for
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
  // CHECK: arith.select
  // CHECK: arith.divsi
  %0 = ov.divide %x, %y : (tensor<?x9xi32>, tensor<9xi32>) -> tensor<?x9xi32>
  return %0 : tensor<?x9xi32>
}

// CHECK-LABEL: @mod_of_floats
func.func @mod_of_floats(%x: tensor<4xf32>, %d: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  // CHECK-NOT: scf.
  // CHECK: linalg.generic
  // CHECK: arith.remf {{.*}} : f32
  %0 = ov.mod %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK: arith.remf {{.*}} : f64
  %1 = ov.mod %d, %d : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %0, %1 : tensor<4xf32>, tensor<4xf64>
}
