// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --convert-ov-to-linalg --cse | FileCheck %s

// CHECK-LABEL: func.func @constants(
// CHECK-SAME: ) -> (tensor<2xi8> {ov.element_type = i1}, tensor<2xi16> {ov.element_type = ui16}, tensor<64x64xi8> {ov.element_type = ui8}, tensor<f32>)
func.func @constants() -> (tensor<2xi1>, tensor<2xui16>, tensor<64x64xui8>, tensor<f32>) {
  // CHECK: arith.constant dense<[1, 0]> : tensor<2xi8>
  // CHECK: arith.constant dense<-1> : tensor<2xi16>
  // CHECK: ov.constant #ov.weights<0, tensor<64x64xui8>, [#ov.bitcast<i8>]> : tensor<64x64xi8>
  // CHECK: arith.constant dense<2.000000e+00> : tensor<f32>
  %0 = ov.constant dense<[true, false]> : tensor<2xi1>
  %1 = ov.constant dense<65535> : tensor<2xui16>
  %2 = ov.constant #ov.weights<0, tensor<64x64xui8>> : tensor<64x64xui8>
  %3 = ov.constant dense<2.0> : tensor<f32>
  return %0, %1, %2, %3 : tensor<2xi1>, tensor<2xui16>, tensor<64x64xui8>, tensor<f32>
}

// Loops, slices, buffers: every op with such a type is converted.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8> {ov.element_type = ui8}, %[[M:.*]]: memref<4xi8> {ov.element_type = i1}, %[[N:.*]]: index)
func.func @loop(%x: tensor<4xui8> {ov.element_type = ui8}, %m: memref<4xi1>, %n: index) -> tensor<4xui8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[ACC:.*]] = %[[X]]) -> (tensor<4xi8>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<4xui8>) {
    // CHECK: %[[S:.*]] = tensor.extract_slice %[[ACC]][%[[I]]] [1] [1] : tensor<4xi8> to tensor<1xi8>
    %s = tensor.extract_slice %acc[%i] [1] [1] : tensor<4xui8> to tensor<1xui8>
    // CHECK: %[[E:.*]] = tensor.extract %{{.*}} : tensor<1xi8>
    %e = tensor.extract %s[%c0] : tensor<1xui8>
    // CHECK: memref.load %[[M]][%[[I]]] : memref<4xi8>
    // CHECK: arith.cmpi ne, %{{.*}}, %c0_i8
    %b = memref.load %m[%i] : memref<4xi1>
    // CHECK: arith.extui %{{.*}} : i1 to i8
    // CHECK: memref.store %{{.*}} : memref<4xi8>
    memref.store %b, %m[%c0] : memref<4xi1>
    // CHECK: scf.if %{{.*}} -> (i8)
    %v = scf.if %b -> (ui8) {
      scf.yield %e : ui8
    } else {
      %f = tensor.extract %acc[%c1] : tensor<4xui8>
      scf.yield %f : ui8
    }
    // CHECK: tensor.insert %{{.*}} into %[[ACC]][%[[I]]] : tensor<4xi8>
    %next = tensor.insert %v into %acc[%i] : tensor<4xui8>
    scf.yield %next : tensor<4xui8>
  }
  return %r : tensor<4xui8>
}

// A condition is a scalar of type i1; only in tensors it is a byte.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[T:.*]]: tensor<i8> {ov.element_type = i1}, %[[A:.*]]: i64)
func.func @scalars(%t: tensor<i1>, %a: i64) -> (tensor<2xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: %[[E:.*]] = tensor.extract %[[T]][] : tensor<i8>
  // CHECK: %[[C:.*]] = arith.cmpi ne, %[[E]], %c0_i8 : i8
  // CHECK: %[[D:.*]] = arith.cmpi eq, %[[A]], %[[A]] : i64
  // CHECK-DAG: %[[CB:.*]] = arith.extui %[[C]] : i1 to i8
  // CHECK-DAG: %[[DB:.*]] = arith.extui %[[D]] : i1 to i8
  // CHECK: tensor.from_elements %[[CB]], %[[DB]] : tensor<2xi8>
  // CHECK: tensor.splat %[[CB]] : tensor<4xi8>
  // CHECK: linalg.fill ins(%[[DB]] : i8) outs(%{{.*}} : tensor<4xi8>)
  // CHECK: tensor.insert %[[DB]] into %{{.*}} : tensor<4xi8>
  %c = tensor.extract %t[] : tensor<i1>
  %d = arith.cmpi eq, %a, %a : i64
  %0 = tensor.from_elements %c, %d : tensor<2xi1>
  %1 = tensor.splat %c : tensor<4xi1>
  %empty = tensor.empty() : tensor<4xi1>
  %2 = linalg.fill ins(%d : i1) outs(%empty : tensor<4xi1>) -> tensor<4xi1>
  %zero = arith.constant 0 : index
  %3 = tensor.insert %d into %1[%zero] : tensor<4xi1>
  return %0, %1, %2, %3 : tensor<2xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @buffers(
func.func @buffers(%x: tensor<?xi1>, %n: index) -> tensor<?xi1> {
  // CHECK: memref.alloc(%{{.*}}) : memref<?xi8>
  // CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %{{.*}} : (tensor<?xi8>, memref<?xi8>) -> ()
  // CHECK: bufferization.to_tensor %{{.*}} restrict : memref<?xi8> to tensor<?xi8>
  %m = memref.alloc(%n) : memref<?xi1>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<?xi1>, memref<?xi1>) -> ()
  %r = bufferization.to_tensor %m restrict : memref<?xi1> to tensor<?xi1>
  return %r : tensor<?xi1>
}
