// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: ir-opt %t/valid.mlir --verify-roundtrip | FileCheck %t/valid.mlir
// RUN: ir-opt %t/invalid.mlir --split-input-file --verify-diagnostics

//--- valid.mlir

// CHECK: module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 4096, hash = 18446744073709551615>}
module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 4096, hash = 18446744073709551615>} {

// CHECK-LABEL: @slice_input
// CHECK-SAME: a = #ov.slice_input<along 0 [0:-1:1] part 1>
// CHECK-SAME: b = #ov.slice_input<along 3 [-1:0:-2] part 2>
// CHECK-SAME: c = #ov.slice_input<along 1 [-9223372036854775808:9223372036854775807:1] part 1>
func.func private @slice_input() attributes {
  a = #ov.slice_input<along 0 [0:-1:1] part 1>,
  b = #ov.slice_input<along 3 [-1:0:-2] part 2>,
  c = #ov.slice_input<along 1 [-9223372036854775808:9223372036854775807:1] part 1>
}

// CHECK-LABEL: @concat_output
// CHECK-SAME: a = #ov.concat_output<along 0>
// CHECK-SAME: b = #ov.concat_output<along 3 reverse>
func.func private @concat_output() attributes {
  a = #ov.concat_output<along 0>, b = #ov.concat_output<along 3 reverse>
}

// CHECK-LABEL: @steps
// CHECK-SAME: a = #ov.convert<f32>
// CHECK-SAME: b = #ov.transpose<[1, 0]>
// CHECK-SAME: c = #ov.reshape<[2, 3]>
// CHECK-SAME: d = #ov.reshape<[]>
// CHECK-SAME: e = #ov.extract<1, 4, 8>
// CHECK-SAME: f = #ov.pack<16>
// CHECK-SAME: g = #ov.unpack<nf4, [2, 3]>
// CHECK-SAME: h = #ov.halves
// CHECK-SAME: i = #ov.broadcast<[4, 8]>
// CHECK-SAME: j = #ov.arithmetic<multiply, dense<5.000000e-01> : tensor<1xf32>>
// CHECK-SAME: k = #ov.arithmetic<subtract, #ov.weights<0, tensor<8x1xf32>> : tensor<8x1xf32>>
// CHECK-SAME: l = #ov.quantize<[1]>
// CHECK-SAME: m = #ov.quantization_scale<[0, 2]>
// CHECK-SAME: n = #ov.extract<0, 2, 3, step -1>
// CHECK-SAME: o = #ov.winograd<[1, 2]>
// CHECK-SAME: p = #ov.fake_quantize<255, dense<-1.000000e+00> : tensor<f32>, dense<1.000000e+00> : tensor<f32>, #ov.weights<0, tensor<8x1xf32>> : tensor<8x1xf32>, dense<2.000000e+00> : tensor<1x1xf32>>
func.func private @steps() attributes {
  a = #ov.convert<f32>, b = #ov.transpose<[1, 0]>, c = #ov.reshape<[2, 3]>, d = #ov.reshape<[]>,
  e = #ov.extract<1, 4, 8>, f = #ov.pack<16>, g = #ov.unpack<nf4, [2, 3]>, h = #ov.halves, i = #ov.broadcast<[4, 8]>,
  j = #ov.arithmetic<multiply, dense<0.5> : tensor<1xf32>>,
  k = #ov.arithmetic<subtract, #ov.weights<0, tensor<8x1xf32>> : tensor<8x1xf32>>,
  l = #ov.quantize<[1]>, m = #ov.quantization_scale<[0, 2]>, n = #ov.extract<0, 2, 3, step -1>,
  o = #ov.winograd<[1, 2]>,
  p = #ov.fake_quantize<255, dense<-1.0> : tensor<f32>, dense<1.0> : tensor<f32>,
    #ov.weights<0, tensor<8x1xf32>> : tensor<8x1xf32>, dense<2.0> : tensor<1x1xf32>>
}

// CHECK-LABEL: @weights
func.func @weights() {
  // CHECK: ov.constant #ov.weights<0, tensor<8x4xf32>> : tensor<8x4xf32>
  %0 = ov.constant #ov.weights<0, tensor<8x4xf32>> : tensor<8x4xf32>
  // CHECK: ov.constant #ov.weights<128, tensor<8x4xf16>, [#ov.convert<f32>, #ov.transpose<[1, 0]>, #ov.extract<1, 0, 6>, #ov.reshape<[6, 4]>, #ov.pack<16>]> : tensor<1x6x16xf32>
  %1 = ov.constant #ov.weights<128, tensor<8x4xf16>,
    [#ov.convert<f32>, #ov.transpose<[1, 0]>, #ov.extract<1, 0, 6>, #ov.reshape<[6, 4]>, #ov.pack<16>]>
    : tensor<1x6x16xf32>
  // CHECK: ov.constant #ov.weights<64, tensor<2xi1>> : tensor<2xi1>
  %2 = ov.constant #ov.weights<64, tensor<2xi1>> : tensor<2xi1>
  return
}
}

//--- invalid.mlir

// expected-error @+1 {{expected 'part'}}
func.func private @slice_input() attributes {a = #ov.slice_input<along 0 [0:-1:1]>}

// -----

// expected-error @+1 {{expected 'tensor<8x4xf32>', as the layout gives, but got 'none'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>>}

// -----

// expected-error @+1 {{expected an offset of at least 0, but got -1}}
func.func private @weights() attributes {a = #ov.weights<-1, tensor<8x4xf32>> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{expected a stored type of static shape and of fewer than 2^63 bytes, but got 'tensor<?x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<?x4xf32>> : tensor<?x4xf32>}

// -----

// expected-error @+1 {{expected a stored type of static shape and of fewer than 2^63 bytes, but got 'tensor<2305843009213693952xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<2305843009213693952xf32>> : tensor<2305843009213693952xf32>}

// -----

// expected-error @+1 {{expected 'tensor<4x8xf32>', as the layout gives, but got 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.transpose<[1, 0]>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.transpose<[0, 0]> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.transpose<[0, 0]>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.transpose<[0]> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.transpose<[0]>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.reshape<[5, 7]> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.reshape<[5, 7]>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.reshape<[-8, -4]> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.reshape<[-8, -4]>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.extract<2, 0, 1> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.extract<2, 0, 1>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.extract<0, 7, 2> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.extract<0, 7, 2>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.extract<0, -1, 2> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.extract<0, -1, 2>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.bitcast<i8> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.bitcast<i8>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.convert<i65> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.convert<i65>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.unpack<u4, [9]> does not fit a constant of type 'tensor<4xui8>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<4xui8>, [#ov.unpack<u4, [9]>]> : tensor<9xui8>}

// -----

// expected-error @+1 {{layout step #ov.unpack<f8e5m2, [2, 4]> does not fit a constant of type 'tensor<8xi8>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8xi8>, [#ov.unpack<f8e5m2, [2, 4]>]> : tensor<2x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.pack<0> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.pack<0>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.pack<4097> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.pack<4097>]> : tensor<8x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.pack<16> does not fit a constant of type 'tensor<32xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.reshape<[32]>, #ov.pack<16>]> : tensor<2x32x16xf32>}

// -----

// expected-error @+1 {{expected fewer than 2^63 bytes after layout step #ov.pack<4096>, but got 'tensor<1x2305843009213693951x4096xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<2305843009213693951x1xf32>, [#ov.pack<4096>]> : tensor<1x2305843009213693951x4096xf32>}

// -----

func.func @other_type() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "ov.constant"() <{value = #ov.weights<0, tensor<8x4xf32>> : tensor<8x4xf32>}> : () -> tensor<4x8xf32>
  return
}

// -----

// expected-error @+1 {{expected ','}}
module attributes {ov.weights_file = #ov.weights_file<"model.bin", size = 4096>} {
}

// -----

// expected-error @+2 {{layout step #ov.extract<0, 2, 4, step -1> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {
  a = #ov.weights<0, tensor<8x4xf32>, [#ov.extract<0, 2, 4, step -1>]> : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{layout step #ov.quantize<[2]> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.quantize<[2]>]> : tensor<8x4xi8>}

// -----

// expected-error @+2 {{layout step #ov.quantization_scale<[1]> does not fit a constant of type 'tensor<8x4xf16>'}}
func.func private @weights() attributes {
  a = #ov.weights<0, tensor<8x4xf16>, [#ov.quantization_scale<[1]>]> : tensor<8x1xf32>
}

// -----

// expected-error @+2 {{layout step #ov.winograd<[1, 2]> does not fit a constant of type 'tensor<8x2x3xf32>'}}
func.func private @weights() attributes {
  a = #ov.weights<0, tensor<8x2x3xf32>, [#ov.winograd<[1, 2]>]> : tensor<8x2x4xf32>
}

// -----

// expected-error @+2 {{layout step #ov.winograd<[1]> does not fit a constant of type 'tensor<8x3xf16>'}}
func.func private @weights() attributes {
  a = #ov.weights<0, tensor<8x3xf16>, [#ov.winograd<[1]>]> : tensor<8x4xf16>
}

// -----

// expected-error @+1 {{layout step #ov.halves does not fit a constant of type 'tensor<8x5xui8>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x5xui8>, [#ov.halves]> : tensor<8x2xui8>}

// -----

// expected-error @+1 {{layout step #ov.broadcast<[2, 4]> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.broadcast<[2, 4]>]> : tensor<2x4xf32>}

// -----

// expected-error @+1 {{layout step #ov.arithmetic<multiply, dense<5.000000e-01> : tensor<2xf32>> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.arithmetic<multiply, dense<0.5> : tensor<2xf32>>]> : tensor<8x4xf32>}

// -----

// expected-error-re @+1 {{layout step #ov.fake_quantize<1, {{.*}}> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.fake_quantize<1, dense<0.0> : tensor<f32>, dense<1.0> : tensor<f32>, dense<0.0> : tensor<f32>, dense<1.0> : tensor<f32>>]> : tensor<8x4xf32>}

// -----

// expected-error-re @+1 {{layout step #ov.fake_quantize<2, {{.*}}> does not fit a constant of type 'tensor<8x4xf32>'}}
func.func private @weights() attributes {a = #ov.weights<0, tensor<8x4xf32>, [#ov.fake_quantize<2, dense<0.0> : tensor<2xf32>, dense<1.0> : tensor<f32>, dense<0.0> : tensor<f32>, dense<1.0> : tensor<f32>>]> : tensor<8x4xf32>}
