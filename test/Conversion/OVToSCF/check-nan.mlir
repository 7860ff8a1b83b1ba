// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --ov-check-nan --split-input-file | FileCheck %s
// RUN: ir-opt %s --ov-loops=check-nan=true --split-input-file | FileCheck %s --check-prefix=STAGE
// RUN: ir-opt %s --ov-loops --split-input-file | FileCheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: rt.check
// STAGE: rt.check %{{.*}}, nan

// Inputs are checked in front of all ops, and a result before the op that reads it.

// CHECK-LABEL: @order
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x3xf16>
// CHECK: %[[NAN:.*]] = ov.is_nan %[[X]]
// CHECK: %[[AXES:.*]] = ov.constant dense<[0, 1]> : tensor<2xi64>
// CHECK: %[[ANY:.*]] = ov.reduce_logical_or %[[NAN]], %[[AXES]] : (tensor<2x3xi1>, tensor<2xi64>) -> tensor<i1>
// CHECK: %[[BAD:.*]] = tensor.extract %[[ANY]][]
// CHECK: %[[OK:.*]] = arith.xori %[[BAD]]
// CHECK: rt.check %[[OK]], nan, "a NaN in the input"
// CHECK: %[[LOG:.*]] = ov.log %[[X]]
// CHECK: ov.is_nan %[[LOG]]
// CHECK: rt.check %{{.*}}, nan, "a NaN in the result"
// CHECK: %[[EXP:.*]] = ov.exp %[[LOG]]
// CHECK: ov.is_nan %[[EXP]]
// CHECK: rt.check
// CHECK-NOT: rt.check
func.func @order(%x: tensor<2x3xf16> {ov.name = "x"}) -> tensor<2x3xf16> {
  %0 = ov.log %x : tensor<2x3xf16>
  %1 = ov.exp %0 : tensor<2x3xf16>
  return %1 : tensor<2x3xf16>
}

// -----

// A scalar needs no reduction. Integers and booleans cannot be NaN.

// CHECK-LABEL: @scalar
// CHECK-SAME: (%[[X:[^:]*]]: tensor<f64>
// CHECK: %[[NAN:.*]] = ov.is_nan %[[X]]
// CHECK: tensor.extract %[[NAN]][]
// CHECK: rt.check
// CHECK-NOT: rt.check
func.func @scalar(%x: tensor<f64>, %n: tensor<4xi32>) -> (tensor<i1>, tensor<4xi32>) {
  %0 = ov.less %x, %x : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %1 = ov.add %n, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1 : tensor<i1>, tensor<4xi32>
}

// -----

// Constants are not checked, nor what is computed from constants alone.

// CHECK-LABEL: @constants
// CHECK: rt.check %{{.*}}, nan, "a NaN in the input"
// CHECK-NOT: rt.check
// CHECK: ov.add
// CHECK: rt.check %{{.*}}, nan, "a NaN in the result"
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = ov.constant dense<0x7FC00000> : tensor<2xf32>
  %0 = ov.exp %c : tensor<2xf32>
  %1 = ov.add %x, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// The argument of a state holds anything until the state is set. The result of the op that reads it is checked.

// CHECK-LABEL: @state
// CHECK: ov.select
// CHECK: rt.check %{{.*}}, nan, "a NaN in the result"
// CHECK-NOT: rt.check
module attributes {ov.states = array<i64: 1>} {
  func.func @state(%x: tensor<2xi32>, %state: tensor<2xf32>, %is_set: tensor<i1>) -> (tensor<2xi32>, tensor<2xf32>) {
    %zero = ov.constant dense<0.0> : tensor<2xf32>
    %0 = ov.select %is_set, %state, %zero : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %x, %0 : tensor<2xi32>, tensor<2xf32>
  }
}

// -----

// A check in a time loop tells the iteration, also if it is in a branch.

// CHECK-LABEL: @loop
// CHECK: scf.for %[[I:.*]] = %{{.*}} to
// CHECK: ov.log
// CHECK: %[[N:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: rt.check %{{.*}}, nan, "a NaN in the result, in iteration {0}"{{ *}}(%[[N]])
// CHECK: scf.if
// CHECK: ov.exp
// CHECK: %[[M:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: rt.check %{{.*}}, nan, "a NaN in the result, in iteration {0}"{{ *}}(%[[M]])
// CHECK-NOT: rt.check
func.func @loop(%x: tensor<?xi32>, %yes: i1, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    rt.iteration %i
    %n = bufferization.to_tensor %out restrict : memref<?xf32> to tensor<?xf32>
    %0 = ov.log %n : tensor<?xf32>
    scf.if %yes {
      %1 = ov.exp %0 : tensor<?xf32>
      bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<?xf32>, memref<?xf32>) -> ()
    }
  }
  return
}
