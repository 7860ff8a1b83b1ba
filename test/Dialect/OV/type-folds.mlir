// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @convert
func.func @convert(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xui8>, tensor<2xi1>, tensor<2xf16>, tensor<3xi8>, tensor<64x64xf32>) {
  // CHECK-DAG: %[[SAT:.*]] = ov.constant dense<[0, 255, 7, 0]> : tensor<4xui8>
  // CHECK-DAG: %[[BOOL:.*]] = ov.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-DAG: %[[F16:.*]] = ov.constant dense<[1.000000e+00, 2.550000e+02]> : tensor<2xf16>
  // CHECK-DAG: %[[WRAP:.*]] = ov.constant dense<[-1, 0, 1]> : tensor<3xi8>
  // CHECK-DAG: %[[FILE:.*]] = ov.constant #ov.weights<0, tensor<64x64xf16>, [#ov.convert<f32>]> : tensor<64x64xf32>
  // CHECK: return %arg0, %[[SAT]], %[[BOOL]], %[[F16]], %[[WRAP]], %[[FILE]]
  %0 = ov.convert %x : tensor<2xf32> to tensor<2xf32>
  %c1 = ov.constant dense<[-3.5, 1.0e10, 7.9, 0x7fc00000]> : tensor<4xf32>
  %1 = ov.convert %c1 : tensor<4xf32> to tensor<4xui8>
  %c2 = ov.constant dense<[0x7fc00000, 0.0]> : tensor<2xf32>
  %2 = ov.convert %c2 : tensor<2xf32> to tensor<2xi1>
  %c3 = ov.constant dense<[1, 255]> : tensor<2xui8>
  %3 = ov.convert %c3 : tensor<2xui8> to tensor<2xf16>
  %c4 = ov.constant dense<[255, 256, 65537]> : tensor<3xi32>
  %4 = ov.convert %c4 : tensor<3xi32> to tensor<3xi8>
  %c5 = ov.constant #ov.weights<0, tensor<64x64xf16>> : tensor<64x64xf16>
  %5 = ov.convert %c5 : tensor<64x64xf16> to tensor<64x64xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<4xui8>, tensor<2xi1>, tensor<2xf16>, tensor<3xi8>, tensor<64x64xf32>
}

// CHECK-LABEL: @convert_like
func.func @convert_like(%x: tensor<2x?xf32>, %y: tensor<3xui8>, %z: tensor<f32>) -> (tensor<2x?xui8>, tensor<2x?xf32>) {
  // CHECK: %[[C:.*]] = ov.convert %arg0 : tensor<2x?xf32> to tensor<2x?xui8>
  // CHECK: return %[[C]], %arg0
  %0 = ov.convert_like %x, %y : (tensor<2x?xf32>, tensor<3xui8>) -> tensor<2x?xui8>
  %1 = ov.convert_like %x, %z : (tensor<2x?xf32>, tensor<f32>) -> tensor<2x?xf32>
  return %0, %1 : tensor<2x?xui8>, tensor<2x?xf32>
}

// A conversion to a real type that holds all numbers, and back, is none. Back from a type that does not, it rounds.
// CHECK-LABEL: @convert_back
func.func @convert_back(%x: tensor<?xf16>, %y: tensor<?xf32>, %z: tensor<?xf16>) -> (tensor<?xf16>, tensor<?xf32>, tensor<?xf16>) {
  // CHECK-DAG: %[[F16:.*]] = ov.convert %arg1 : tensor<?xf32> to tensor<?xf16>
  // CHECK-DAG: %[[F32:.*]] = ov.convert %[[F16]] : tensor<?xf16> to tensor<?xf32>
  // CHECK-DAG: %[[BF16:.*]] = ov.convert %arg2 : tensor<?xf16> to tensor<?xbf16>
  // CHECK-DAG: %[[BACK:.*]] = ov.convert %[[BF16]] : tensor<?xbf16> to tensor<?xf16>
  %0 = ov.convert %x : tensor<?xf16> to tensor<?xf32>
  %1 = ov.convert %0 : tensor<?xf32> to tensor<?xf16>
  %2 = ov.convert %y : tensor<?xf32> to tensor<?xf16>
  %3 = ov.convert %2 : tensor<?xf16> to tensor<?xf32>
  %4 = ov.convert %z : tensor<?xf16> to tensor<?xbf16>
  %5 = ov.convert %4 : tensor<?xbf16> to tensor<?xf16>
  // CHECK: return %arg0, %[[F32]], %[[BACK]]
  return %1, %3, %5 : tensor<?xf16>, tensor<?xf32>, tensor<?xf16>
}
