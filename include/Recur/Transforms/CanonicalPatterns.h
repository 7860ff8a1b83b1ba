// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CanonicalPatterns.h - Patterns that passes share ---------*- C++ -*-===//
//
// The patterns of the canonical form, for the instances of rt-canonicalize in a pipeline.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TRANSFORMS_CANONICALPATTERNS_H
#define RECUR_TRANSFORMS_CANONICALPATTERNS_H

#include "Recur/Transforms/Passes.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace recur {

/// The patterns of all dialects of one context, collected when they are first asked for. Passes of one pass manager
/// share an instance, because a pass manager loads all dialects that its passes need before it initializes the first
/// of them, and initializes them one after the other.
class CanonicalPatterns {
public:
  /// The canonicalization patterns but those of the ops `omittedOps`, and those whose class is named in
  /// `omittedPatterns`. `context` must be the same in all calls.
  mlir::FrozenRewritePatternSet get(mlir::MLIRContext *context, llvm::ArrayRef<std::string> omittedOps,
                                    llvm::ArrayRef<std::string> omittedPatterns);

private:
  using Omitted = std::pair<llvm::SmallVector<std::string>, llvm::SmallVector<std::string>>;
  llvm::SmallVector<std::pair<Omitted, mlir::FrozenRewritePatternSet>> collected;
};

/// Makes the pass rt-canonicalize, which takes its patterns from `shared`.
std::unique_ptr<mlir::Pass> createCanonicalize(CanonicalizeOptions options, std::shared_ptr<CanonicalPatterns> shared);

} // namespace recur

#endif // RECUR_TRANSFORMS_CANONICALPATTERNS_H
