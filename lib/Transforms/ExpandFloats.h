// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExpandFloats.h - Functions of floats in plain arithmetic --*- C++ -*-===//
//
// Patterns for operations that a target may have no instructions for. Without them LLVM would call a runtime library.
// ExpandMath uses upstream's patterns for bf16. These do what upstream's do not:
//
//  * upstream's approximation of exp reduces its argument by one f32 ln 2, and gives the least normal number where the
//    result is a denormal one;
//  * arith-expand has no conversions between f32 and f16, and none from f64;
//  * upstream has no remainder of floats, and no division of vectors of integers;
//  * math-expand-ops rounds to an integer by a conversion to i64, which has no defined result for large numbers.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_EXPANDFLOATS_H
#define RECUR_LIB_TRANSFORMS_EXPANDFLOATS_H

#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Replaces math.exp of f32 and f64, and math.expm1 of f32, by polynomials, with errors of at most 1 and 1.5 ulp,
/// or 1.25 and 1.5 without fused multiply-add. `scales` says that the target has an instruction for LLVM's ldexp; the
/// results are the same.
void populateExpandExpPatterns(mlir::RewritePatternSet &patterns, bool scales);
/// Replaces arith.minnumf and arith.maxnumf, except of f64, by comparisons.
void populateExpandMinMaxNumPatterns(mlir::RewritePatternSet &patterns);
/// Replaces arith.extf from f16, and arith.truncf from f32 to f16, by arithmetic on their bits. Rounds to nearest even;
/// NaNs stay NaNs.
void populateExpandHalfPatterns(mlir::RewritePatternSet &patterns);
/// Replaces arith.truncf from f64 to f16 or bf16 by two conversions through f32. The first one rounds to odd, so that
/// only the second one rounds the result. Hardware has no instruction for the whole conversion. Replaces conversions of
/// integers to f16 or bf16 by two, the first of which is exact up to 53 bits.
void populateNarrowDoublePatterns(mlir::RewritePatternSet &patterns);
/// Replaces math.floor, ceil, trunc, round and roundeven of f32 and f64 by additions and comparisons.
void populateExpandRoundingPatterns(mlir::RewritePatternSet &patterns);
/// Replaces arith.remf, and divisions and remainders of vectors of integers unless the divisor is one constant, by
/// divisions of floats. Without fused multiply-add, arith.remf of f64 stays.
void populateExpandDivisionPatterns(mlir::RewritePatternSet &patterns, bool noFma);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_EXPANDFLOATS_H
