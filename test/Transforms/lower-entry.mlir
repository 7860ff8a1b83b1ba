// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --rt-lower-entry --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: module attributes {
// CHECK-SAME: rt.inputs = [{dims = array<i64: 4>, name = "x", type = f32}, {dims = array<i64: 2, 3>, name = "b", type = i1}]
// CHECK-SAME: rt.outputs = [{dims = array<i64: 4>, name = "y", type = f32}]
module {
// CHECK-LABEL: func.func @recur_model_compute(
// CHECK-SAME: %{{.*}}: !llvm.ptr) -> i32 {
func.func @main(%x: tensor<4xf32> {ov.name = "x", ov.element_type = f32},
                %b: tensor<2x3xi8> {ov.name = "b", ov.element_type = i1})
    -> (tensor<4xf32> {ov.name = "y", ov.element_type = f32}) {
  // CHECK-DAG: %[[IN0:.*]] = rt.input 0 : memref<4xf32>
  // CHECK-DAG: %[[X:.*]] = bufferization.to_tensor %[[IN0]] restrict : memref<4xf32> to tensor<4xf32>
  // CHECK-DAG: rt.input 1 : memref<2x3xi8>
  // A static result has a buffer from the start.
  // CHECK: %[[OUT:.*]] = rt.output 0() : memref<4xf32>
  // CHECK: %[[Y:.*]] = math.sqrt %[[X]]
  %y = math.sqrt %x : tensor<4xf32>
  // CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[OUT]]
  // CHECK: %[[OK:.*]] = arith.constant 0 : i32
  // CHECK: return %[[OK]] : i32
  return %y : tensor<4xf32>
}
}

// -----

// Dynamic dims are -1. A result with such dims gets its buffer where they are first known. Names have defaults.

// CHECK: rt.inputs = [{dims = array<i64: -1, 4>, name = "in_0", type = f32}, {dims = array<i64>, name = "in_1", type = f32}]
// CHECK-SAME: rt.outputs = [{dims = array<i64: -1, 4>, name = "out_0", type = f32}, {dims = array<i64>, name = "out_1", type = f32}]
// CHECK-LABEL: @recur_model_compute
func.func @dynamic(%x: tensor<?x4xf32>, %unused: tensor<f32>) -> (tensor<?x4xf32>, tensor<f32>)
    attributes {rt.time_loops = 0 : i64} {
  // CHECK: rt.input 0 : memref<?x4xf32>
  // CHECK: rt.input 1 : memref<f32>
  // CHECK: %[[OUT1:.*]] = rt.output 1() : memref<f32>
  // CHECK: %[[Y:.*]] = math.sqrt
  // CHECK: %[[DIM:.*]] = tensor.dim %[[Y]]
  // CHECK: %[[OUT0:.*]] = rt.output 0(%[[DIM]]) : memref<?x4xf32>
  // CHECK: math.exp
  %y = math.sqrt %x : tensor<?x4xf32>
  %z = math.exp %unused : tensor<f32>
  // CHECK-DAG: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OUT0]]
  // CHECK-DAG: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OUT1]]
  return %y, %z : tensor<?x4xf32>, tensor<f32>
}

// -----

// A Parameter that is wired to two Results.

// CHECK-LABEL: @recur_model_compute
func.func @wires(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[X:.*]] = bufferization.to_tensor
  // CHECK: bufferization.materialize_in_destination %[[X]]
  // CHECK: bufferization.materialize_in_destination %[[X]]
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// Private functions and declarations are not entries. A module without an entry stays unchanged.

// CHECK-LABEL: func.func private @helper(%{{.*}}: tensor<4xf32>)
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-note @+1 {{this is another one}}
func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// expected-error @+1 {{expected one public function}}
func.func @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected a function of one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected arguments and results to be ranked tensors, but got 'i32'}}
func.func @scalar(%x: i32) -> tensor<4xf32> {
  %y = arith.constant dense<0.0> : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected arguments and results to be ranked tensors, but got 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<4xf32>) -> tensor<*xf32> {
  %y = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  return %y : tensor<*xf32>
}
