// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CollectCanonicalPatterns.h - Patterns of all dialects ----*- C++ -*-===//
//
// Upstream's canonicalizer collects the patterns of all dialects and ops itself, and works on all of an op that is
// isolated. Passes that work on less, or without the patterns of an op, collect them here.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_COLLECTCANONICALPATTERNS_H
#define RECUR_LIB_TRANSFORMS_COLLECTCANONICALPATTERNS_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Adds the canonicalization patterns of all loaded dialects, and of all registered ops but those named in `omitted`.
inline void addCanonicalizationPatterns(mlir::RewritePatternSet &patterns, llvm::ArrayRef<std::string> omitted = {}) {
  mlir::MLIRContext *context = patterns.getContext();
  for (mlir::Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (mlir::RegisteredOperationName op : context->getRegisteredOperations())
    if (!llvm::is_contained(omitted, op.getStringRef()))
      op.getCanonicalizationPatterns(patterns, context);
}

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_COLLECTCANONICALPATTERNS_H
