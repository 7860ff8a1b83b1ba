// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TranscendentalsOfDouble.h - Functions of f64 -------------*- C++ -*-===//
//
// Transcendental functions of f64 scalars. They are straight-line code without calls, so an object that computes them
// needs no libm. Functions of integers are computed by them too.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALSOFDOUBLE_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALSOFDOUBLE_H

#include "Lowering.h"

namespace recur::ov {

/// The errors are within 1 ulp, for all arguments.
mlir::Value logarithmOfDouble(LoweringBuilder &b, mlir::Value x);
mlir::Value sineOfDouble(LoweringBuilder &b, mlir::Value x);
mlir::Value cosineOfDouble(LoweringBuilder &b, mlir::Value x);

/// The errors are within 3 ulp.
mlir::Value tangentOfDouble(LoweringBuilder &b, mlir::Value x);
mlir::Value arcSineOfDouble(LoweringBuilder &b, mlir::Value x);
mlir::Value arcCosineOfDouble(LoweringBuilder &b, mlir::Value x);
mlir::Value arcTangentOfDouble(LoweringBuilder &b, mlir::Value x);
mlir::Value hyperbolicSineOfDouble(LoweringBuilder &b, mlir::Value x);
mlir::Value hyperbolicCosineOfDouble(LoweringBuilder &b, mlir::Value x);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_TRANSCENDENTALSOFDOUBLE_H
