// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-translate --export-openvino %s -split-input-file -verify-diagnostics

func.func @main(%blocks: tensor<i64>, %first: tensor<1xi64>) -> tensor<?x4xui32> {
  // expected-error @+1 {{expected an operation of OpenVINO, but got 'ov.philox'}}
  %0 = ov.philox %blocks, %first {key = 1, counter = 2} : (tensor<i64>, tensor<1xi64>) -> tensor<?x4xui32>
  return %0 : tensor<?x4xui32>
}

// -----

// expected-error @+1 {{expected a function 'main' of one block, but the module has none}}
module {
  func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// -----

// The flag of a state says whether it was set. ReadValue has no output for it.
module attributes {ov.states = array<i64: 1>} {
  func.func @main(%x: tensor<2xf32>, %s: tensor<2xf32> {ov.name = "s"}, %set: tensor<i1>)
      -> (tensor<2xf32>, tensor<2xf32> {ov.name = "s"}) {
    // expected-error @+1 {{expected the flag of a state to select between the state and its initial value, but it has another use}}
    %0 = ov.select %set, %x, %s : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

func.func @main(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a slice of constant offsets, sizes and strides, without dims that are dropped}}
  %0 = tensor.extract_slice %x[2, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main() -> tensor<512xf32> {
  // expected-error @+1 {{a constant needs bytes from offset 64 that the weights file, of 0 bytes, does not have}}
  %0 = ov.constant #ov.weights<64, tensor<512xf32>> : tensor<512xf32>
  return %0 : tensor<512xf32>
}
