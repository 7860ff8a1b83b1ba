// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Libm.h - Functions of libm that a model may call ---------*- C++ -*-===//
#ifndef RECUR_TARGET_LIBM_H
#define RECUR_TARGET_LIBM_H

#include "llvm/ADT/StringRef.h"

namespace recur {

/// The functions of libm that a model may call, on f64 alone. An object may leave these undefined. LLVM itself makes
/// `sincos` of `sin` and `cos`, and `exp2`, `exp10` and `ldexp` of `pow`.
inline constexpr llvm::StringLiteral kLibmFunctions[] = {
    "acos",  "acosh", "asin", "asinh", "atan",  "atan2", "atanh", "cbrt", "cos",   "cosh",
    "erf",   "erfc",  "exp",  "exp10", "exp2",  "expm1", "fmod",  "ldexp", "log",   "log10",
    "log1p", "log2",  "pow",  "round", "sin",   "sincos", "sinh", "tan",  "tanh"};

} // namespace recur

#endif // RECUR_TARGET_LIBM_H
