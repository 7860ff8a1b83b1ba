// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExpandFloats.h - Functions of floats in plain arithmetic --*- C++ -*-===//
//
// What a target has no instructions for would become calls of a runtime library.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_EXPANDFLOATS_H
#define RECUR_LIB_TRANSFORMS_EXPANDFLOATS_H

#include "mlir/IR/PatternMatch.h"

namespace recur {

/// f32 math.exp becomes a polynomial.
void populateExpandExpPatterns(mlir::RewritePatternSet &patterns);
/// arith.extf from f16 and arith.truncf to f16 become integer arithmetic, rounding to nearest even; NaNs stay NaNs.
void populateExpandHalfPatterns(mlir::RewritePatternSet &patterns);
/// The same for bf16.
void populateExpandBFloatPatterns(mlir::RewritePatternSet &patterns);
/// arith.truncf from f64 to f16 or bf16 goes through f32, rounded to odd, so that it is rounded once. Hardware has no
/// such conversion.
void populateNarrowDoublePatterns(mlir::RewritePatternSet &patterns);
/// math.floor, ceil, trunc, round and roundeven of f32 and f64 become additions.
void populateExpandRoundingPatterns(mlir::RewritePatternSet &patterns);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_EXPANDFLOATS_H
