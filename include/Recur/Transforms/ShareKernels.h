// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShareKernels.h - rt-share-kernels with known kernels -----*- C++ -*-===//
//
// The pass, for a compiler that keeps the code of kernels.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TRANSFORMS_SHAREKERNELS_H
#define RECUR_TRANSFORMS_SHAREKERNELS_H

#include "Recur/Transforms/Passes.h"

#include <functional>

namespace recur {

/// Tells whether there is code for the kernel `name`, which the pass then needs no body of.
using HasKernelCode = std::function<bool(llvm::StringRef name)>;

/// Makes the pass rt-share-kernels, which turns the kernels that `hasCode` knows into declarations.
std::unique_ptr<mlir::Pass> createShareKernels(ShareKernelsOptions options, HasKernelCode hasCode);

} // namespace recur

#endif // RECUR_TRANSFORMS_SHAREKERNELS_H
