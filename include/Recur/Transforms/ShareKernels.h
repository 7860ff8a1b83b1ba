// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShareKernels.h - rt-share-kernels with known kernels -----*- C++ -*-===//
//
// The pass, for a compiler that keeps the code of kernels.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TRANSFORMS_SHAREKERNELS_H
#define RECUR_TRANSFORMS_SHAREKERNELS_H

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace recur {

/// Is told of a shared kernel, which has its name, and whether that is for the option `common-target`. Returns true if
/// its code is generated apart from the module, which then needs no body of it.
using TakeKernel = std::function<bool(mlir::func::FuncOp kernel, bool isCommon)>;

/// Makes the pass rt-share-kernels, which turns the kernels that `take` takes into declarations.
std::unique_ptr<mlir::Pass> createShareKernels(ShareKernelsOptions options, TakeKernel take);

} // namespace recur

#endif // RECUR_TRANSFORMS_SHAREKERNELS_H
