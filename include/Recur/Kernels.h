// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Kernels.h - kernels that Recur brings along --------------*- C++ -*-===//
//
// The code of the shared kernels that most models with dynamic dims call, for the CPUs that have them in common. It is
// made when Recur is built. A program works without it, but then the first compilation generates it.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_KERNELS_H
#define RECUR_KERNELS_H

#include "llvm/ADT/StringRef.h"

namespace recur {

/// The kernels, as saveKernels wrote them.
llvm::StringRef getBuiltKernels();

/// Lets the compilations of the process find the kernels. More calls have no effect.
void registerKernels();

} // namespace recur

#endif // RECUR_KERNELS_H
