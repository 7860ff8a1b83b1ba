// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Transcendentals.h - Functions in straight-line arithmetic *- C++ -*-===//
//
// Transcendental functions of f32 and f64 scalars. They are straight-line code without calls, so loops over them
// vectorize, and a model needs no libm. Only the power of f64 is a call.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALS_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALS_H

#include "Lowering.h"

namespace recur::ov {

/// Errors are within 2.5 ulp (units in the last place) in f32, and within 3 ulp in f64.
mlir::Value hyperbolicTangent(LoweringBuilder &b, mlir::Value x);
mlir::Value sigmoid(LoweringBuilder &b, mlir::Value x);

/// The error function erf.
mlir::Value errorFunction(LoweringBuilder &b, mlir::Value x);
/// 1 + erf(x / sqrt 2). It keeps its digits where erf is near -1: those that the type `element` has, to which the
/// result will be rounded.
mlir::Value onePlusErrorFunction(LoweringBuilder &b, mlir::Value x, mlir::Type element);
/// e^x - 1, and log(1 + x) for x >= 0, in f32 for x <= 1 too. Both keep the digits of a small x.
mlir::Value exponentialMinusOne(LoweringBuilder &b, mlir::Value x);
mlir::Value logarithmOfOnePlus(LoweringBuilder &b, mlir::Value x);
/// Errors are within 1 ulp in f32; those of sine and cosine for arguments up to 2^20. In f64 they are within 3 ulp, for
/// all arguments.
mlir::Value naturalLogarithm(LoweringBuilder &b, mlir::Value x);
mlir::Value sine(LoweringBuilder &b, mlir::Value x);
mlir::Value cosine(LoweringBuilder &b, mlir::Value x);
mlir::Value tangent(LoweringBuilder &b, mlir::Value x);
/// The inverses of the trigonometric functions, the hyperbolic functions, and their inverses, with the same accuracy.
mlir::Value arcSine(LoweringBuilder &b, mlir::Value x);
mlir::Value arcCosine(LoweringBuilder &b, mlir::Value x);
mlir::Value arcTangent(LoweringBuilder &b, mlir::Value x);
mlir::Value hyperbolicSine(LoweringBuilder &b, mlir::Value x);
mlir::Value hyperbolicCosine(LoweringBuilder &b, mlir::Value x);
mlir::Value inverseHyperbolicSine(LoweringBuilder &b, mlir::Value x);
mlir::Value inverseHyperbolicCosine(LoweringBuilder &b, mlir::Value x);
mlir::Value inverseHyperbolicTangent(LoweringBuilder &b, mlir::Value x);

/// C's pow, with all its special cases. In f32 the error is within 1 ulp and there is no call. In f64 it is as accurate
/// as the math library.
mlir::Value power(LoweringBuilder &b, mlir::Value base, mlir::Value exponent);
/// The power for some constant exponents, within 4 ulp: 0 to 4, fourths below 3, -1, -2, and fourths above -1. Null for
/// all others.
mlir::Value powerOfConstant(LoweringBuilder &b, mlir::Value base, double exponent);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALS_H
