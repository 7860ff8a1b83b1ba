// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Kernels.cpp - kernels that Recur brings along ----------------------===//
//
// Has the output of recur-kernels in it.
//
//===----------------------------------------------------------------------===//
#include "Recur/Kernels.h"
#include "Recur/Target/SharedKernels.h"

#include <cstddef>

#include "EmbeddedKernels.inc"

llvm::StringRef recur::getBuiltKernels() { return {reinterpret_cast<const char *>(kernels), kernels_size}; }

void recur::registerKernels() { addSavedKernels(getBuiltKernels()); }
