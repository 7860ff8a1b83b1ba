// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Transcendentals.h - Functions in plain arithmetic --------*- C++ -*-===//
//
// Functions of scalars of type f32 and f64, in straight-line code that vectorizes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALS_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALS_H

#include "Lowering.h"

namespace recur::ov {

/// Within 2.5 ulp in f32; in f64 as good as the math library.
mlir::Value hyperbolicTangent(LoweringBuilder &b, mlir::Value x);
mlir::Value sigmoid(LoweringBuilder &b, mlir::Value x);

mlir::Value errorFunction(LoweringBuilder &b, mlir::Value x);
/// e^x - 1, and log(1 + x) for x >= 0, without losing the digits of a small x.
mlir::Value exponentialMinusOne(LoweringBuilder &b, mlir::Value x);
mlir::Value logarithmOfOnePlus(LoweringBuilder &b, mlir::Value x);
/// Within 1 ulp in f32 (of sine and cosine up to 2^20); in f64 as good as the math library.
mlir::Value naturalLogarithm(LoweringBuilder &b, mlir::Value x);
mlir::Value sine(LoweringBuilder &b, mlir::Value x);
mlir::Value cosine(LoweringBuilder &b, mlir::Value x);

/// C's pow, within 1 ulp in f32 without a call; in f64 as good as the math library.
mlir::Value power(LoweringBuilder &b, mlir::Value base, mlir::Value exponent);
/// The same for a small constant exponent, or null if there is no short form.
mlir::Value powerOfConstant(LoweringBuilder &b, mlir::Value base, double exponent);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALS_H
