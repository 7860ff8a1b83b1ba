// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CanonicalPatterns.h - The patterns of the canonical form -*- C++ -*-===//
//
// Upstream's canonicalizer collects the patterns of all dialects and ops itself, and works on all of an op that is
// isolated. Passes that work on less, or without the patterns of an op, collect them here.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CANONICALPATTERNS_H
#define RECUR_LIB_TRANSFORMS_CANONICALPATTERNS_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Adds the canonicalization patterns of all loaded dialects and all registered ops but `omitted`.
inline void addCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::TypeID omitted = {}) {
  mlir::MLIRContext *context = patterns.getContext();
  for (mlir::Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (mlir::RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getTypeID() != omitted)
      op.getCanonicalizationPatterns(patterns, context);
}

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CANONICALPATTERNS_H
