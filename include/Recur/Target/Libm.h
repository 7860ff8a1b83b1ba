// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Libm.h - Functions of libm that a model may call ---------*- C++ -*-===//
//
// A compiled model calls no library functions except those of this list.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_LIBM_H
#define RECUR_TARGET_LIBM_H

#include "llvm/ADT/StringRef.h"

namespace recur {

/// The functions of libm that a model may call, only in their f64 variants. checkObject accepts them as undefined
/// symbols of an object file. Some are in the list because LLVM creates calls of them: `sincos` from `sin` and `cos`;
/// `exp2`, `exp10` and `ldexp` from `pow`.
inline constexpr llvm::StringLiteral kLibmFunctions[] = {
    "acos",  "acosh", "asin", "asinh", "atan", "atan2",  "atanh", "cbrt",  "cos", "cosh",
    "erf",   "erfc",  "exp",  "exp10", "exp2", "expm1",  "fmod",  "ldexp", "log", "log10",
    "log1p", "log2",  "pow",  "round", "sin",  "sincos", "sinh",  "tan",   "tanh"};

} // namespace recur

#endif // RECUR_TARGET_LIBM_H
