// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopMarks.h - What loops carry for later passes and LLVM -*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_LOOPMARKS_H
#define RECUR_LIB_TRANSFORMS_LOOPMARKS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace recur {

/// The attribute that scf-to-cf hands on from a loop to the branch back.
inline constexpr llvm::StringLiteral kLoopAnnotation = "llvm.loop_annotation";

/// A value of it; null leaves a matter to LLVM.
mlir::LLVM::LoopAnnotationAttr getLoopAnnotation(mlir::LLVM::LoopUnrollAttr unroll,
                                                 mlir::LLVM::LoopInterleaveAttr interleave = {},
                                                 mlir::LLVM::LoopVectorizeAttr vectorize = {});

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_LOOPMARKS_H
