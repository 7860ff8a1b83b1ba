// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ir-compile %s -o %t.o --mcpu=x86-64-v2
// RUN: ir-compile %s -o %t.o --mcpu=x86-64-v3
// RUN: ir-compile %s -o %t.o --mcpu=x86-64-v4

// The result of each function has the sign of a number that was computed in f64 and rounded to f16. LLVM would compute
// the copysign in f16, and round its sign once more by a call of __truncdfhf2, which an object must not need. The last
// element of 17 is a vector of its own.
func.func @main(%x: tensor<1xf16> {ov.name = "x"}, %y: tensor<17xi8> {ov.name = "y"})
    -> (tensor<1xf16> {ov.name = "atan"}, tensor<1xf16> {ov.name = "asin"}, tensor<1xf16> {ov.name = "asinh"},
        tensor<1xf16> {ov.name = "tanh"}, tensor<1xf16> {ov.name = "erf"},
        tensor<17xf16> {ov.name = "last"}) {
  %0 = ov.cos %x : tensor<1xf16>
  %1 = ov.atan %0 : tensor<1xf16>
  %2 = ov.asin %0 : tensor<1xf16>
  %3 = ov.asinh %0 : tensor<1xf16>
  %4 = ov.tanh %0 : tensor<1xf16>
  %5 = ov.erf %0 : tensor<1xf16>
  %6 = ov.convert %y : tensor<17xi8> to tensor<17xf64>
  %7 = ov.atan %6 : tensor<17xf64>
  %8 = ov.convert %7 : tensor<17xf64> to tensor<17xf32>
  %9 = ov.convert %8 : tensor<17xf32> to tensor<17xf16>
  return %1, %2, %3, %4, %5, %9
      : tensor<1xf16>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>, tensor<17xf16>
}
