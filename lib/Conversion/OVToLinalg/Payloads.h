// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Payloads.h - Scalar arithmetic of the ov ops -------------*- C++ -*-===//
//
// Everything here computes on scalars of compute types (Lowering.h), in straight-line code that vectorizes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_PAYLOADS_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_PAYLOADS_H

#include "Lowering.h"

namespace recur::ov {

/// From compute type to compute type, as ov.convert does; `from` and `to` are the elements.
mlir::Value convertScalar(LoweringBuilder &b, mlir::Value value, mlir::Type from, mlir::Type to);

/// `value`, of a float type, as an integer of `type`: truncated and saturated, NaN becomes 0.
mlir::Value saturateToInteger(LoweringBuilder &b, mlir::Value value, mlir::IntegerType type, bool isUnsigned);

/// The greater of two values; NaN if either is.
mlir::Value maximum(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
mlir::Value minimum(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
/// Sum and product of floats or integers.
mlir::Value add(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value multiply(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs);

/// Quotient of integers, floored or truncated; wraps, and is not defined for a divisor of 0.
mlir::Value divideIntegers(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned, bool floored);

/// What an integer division leaves, with the sign of the dividend, or, `floored`, of the divisor; not defined for a divisor
/// of 0.
mlir::Value restOfIntegers(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned, bool floored);
/// The same of floats, exactly: a loop in f32, in f64 a call.
mlir::Value restOfFloats(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool floored);

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
/// Integers to the power of integers; wraps. A negative exponent gives the truncated inverse, and 0 of 0.
mlir::Value powerOfIntegers(LoweringBuilder &b, mlir::Value base, mlir::Value exponent, bool isUnsigned);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_PAYLOADS_H
