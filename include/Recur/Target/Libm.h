// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Libm.h - Functions of libm that a model may call ---------*- C++ -*-===//
//
// A compiled model calls no library functions except those of this list, and these only for f64.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_LIBM_H
#define RECUR_TARGET_LIBM_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace recur {

/// The functions of libm that a model may call, for f64 only: `pow`, and `fmod` where the CPU has no fused
/// multiply-add. LLVM makes `exp2`, `exp10` and `ldexp` of some calls of `pow`.
inline constexpr llvm::StringLiteral kLibmFunctions[] = {"exp10", "exp2", "fmod", "ldexp", "pow"};

/// True if `module`, which LLVM has not optimized yet, computes a power or a remainder of f64. The object file of
/// another model may not call libm.
bool needsLibm(const llvm::Module &module);

} // namespace recur

#endif // RECUR_TARGET_LIBM_H
