// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopMarks.h - Marks of loops, and annotations for LLVM ---*- C++ -*-===//
//
// LLVM would unroll and vectorize loops that are in their final form already. Annotations forbid it. They are set on
// scf loops and travel through the lowering as a discardable attribute.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_LOOPMARKS_H
#define RECUR_LIB_TRANSFORMS_LOOPMARKS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace recur {

/// The discardable attribute that convert-scf-to-cf moves from a loop to its back edge.
inline constexpr llvm::StringLiteral kLoopAnnotation = "llvm.loop_annotation";

/// Creates a value of the annotation. `unroll` must not be null; a null `interleave` or `vectorize` leaves the choice
/// to LLVM.
mlir::LLVM::LoopAnnotationAttr getLoopAnnotation(mlir::LLVM::LoopUnrollAttr unroll,
                                                 mlir::LLVM::LoopInterleaveAttr interleave = {},
                                                 mlir::LLVM::LoopVectorizeAttr vectorize = {});

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_LOOPMARKS_H
