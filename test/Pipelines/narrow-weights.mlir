// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-opt %s --split-input-file --ov-to-llvm | FileCheck %s --check-prefix=SIZE
// RUN: ir-opt %s --split-input-file --ov-to-llvm='f16c=false' | FileCheck %s --check-prefix=NOF16C
// RUN: ir-opt %s --split-input-file --ov-to-llvm='optimize=false' | FileCheck %s --check-prefix=NAIVE

// The weights that the file has as f16 take as many bytes in the object, 64 * 48 * 2, for a product whose number of rows
// is known and for one whose number is not. A target without f16 gets them as f32, and so does naive code.

// SIZE: rt.weights_bytes = 6144 : i64
// NOF16C: rt.weights_bytes = 12288 : i64
// NAIVE: rt.weights_bytes = 12288 : i64
func.func @f16(%x: tensor<1x48xf32> {ov.name = "x"}, %y: tensor<?x48xf32> {ov.name = "y"}) -> (tensor<1x64xf32> {ov.name = "p"}, tensor<?x64xf32> {ov.name = "q"}) {
  %c = ov.constant #ov.weights<0, tensor<64x48xf16>> : tensor<64x48xf16>
  %w = ov.convert %c : tensor<64x48xf16> to tensor<64x48xf32>
  %p = ov.matmul %x, %w {transpose_b = true} : (tensor<1x48xf32>, tensor<64x48xf32>) -> tensor<1x64xf32>
  %q = ov.matmul %y, %w {transpose_b = true} : (tensor<?x48xf32>, tensor<64x48xf32>) -> tensor<?x64xf32>
  return %p, %q : tensor<1x64xf32>, tensor<?x64xf32>
}

// -----

// bf16 needs no instructions of its own.

// SIZE: rt.weights_bytes = 6144 : i64
// NOF16C: rt.weights_bytes = 6144 : i64
// NAIVE: rt.weights_bytes = 12288 : i64
func.func @bf16(%x: tensor<40x48xf32> {ov.name = "x"}) -> (tensor<40x64xf32> {ov.name = "p"}) {
  %c = ov.constant #ov.weights<0, tensor<64x48xbf16>> : tensor<64x48xbf16>
  %w = ov.convert %c : tensor<64x48xbf16> to tensor<64x48xf32>
  %p = ov.matmul %x, %w {transpose_b = true} : (tensor<40x48xf32>, tensor<64x48xf32>) -> tensor<40x64xf32>
  return %p : tensor<40x64xf32>
}
