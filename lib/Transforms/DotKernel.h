// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DotKernel.h - Code for dot products of any size ----------*- C++ -*-===//
//
// The code of one kernel of ProductKernels.h.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_DOTKERNEL_H
#define RECUR_LIB_TRANSFORMS_DOTKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// Emits the body of ProductKernels::getDot() for vectors of `lanes` elements, and says how its calls can be divided.
void emitDotKernel(mlir::func::FuncOp kernel, mlir::FloatType type, int64_t lanes);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_DOTKERNEL_H
