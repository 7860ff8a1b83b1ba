// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RTProfile.h - the rows of a profile ----------------------*- C++ -*-===//
//
// The attribute of a module that is compiled with marks for a profile (`rt-profile-layers`). The dialect verifies its
// form (RTAttributes.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_RT_IR_RTPROFILE_H
#define RECUR_DIALECT_RT_IR_RTPROFILE_H

#include "llvm/ADT/StringRef.h"

namespace recur::rt {
/// Module, an array of pairs `[text, loop]`: the rows of a profile. The text lists the layers of a row with their
/// places. `loop` is the row of the time loop that the row is in, or -1.
inline constexpr llvm::StringLiteral kProfileAttr = "rt.profile";
} // namespace recur::rt

#endif // RECUR_DIALECT_RT_IR_RTPROFILE_H
