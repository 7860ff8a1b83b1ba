// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerKernel.h - LLVM IR of a shared kernel ---------------*- C++ -*-===//
//
// Implementation of compile.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_LOWERKERNEL_H
#define RECUR_COMPILER_LOWERKERNEL_H

#include "Recur/Pipelines/Pipelines.h"
#include "Recur/Target/SharedKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// Returns a function that lowers a copy of `kernel`, in a context of its own, by the passes that follow
/// rt-share-kernels. `describe` sets what they need to know about a machine. If `verifies` is set, the module is
/// verified after each pass.
SharedKernels::Make lowerKernel(mlir::func::FuncOp kernel, bool verifies,
                                void (*describe)(const llvm::TargetMachine &, PipelineOptions &));

} // namespace recur

#endif // RECUR_COMPILER_LOWERKERNEL_H
