// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShortLoops.h - loops that are not worth vectors ----------*- C++ -*-===//
//
// optimizeModule looks at the loops whose iterations LLVM can count, and rt-keep-time-loops at those that only MLIR can
// bound.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_SHORTLOOPS_H
#define RECUR_TARGET_SHORTLOOPS_H

#include <cstdint>

namespace recur {

/// A loop of fewer iterations fills no vector of most CPUs.
inline constexpr int64_t kFewIterations = 16;

} // namespace recur

#endif // RECUR_TARGET_SHORTLOOPS_H
