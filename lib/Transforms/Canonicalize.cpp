// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Canonicalize.cpp - Canonical form, with shared patterns ------------===//
//
// The pipelines canonicalize after almost every pass. The patterns of all dialects are collected once for all of these
// instances, by the first one that is initialized.
//
//===----------------------------------------------------------------------===//

#include "CollectCanonicalPatterns.h"
#include "Recur/Transforms/CanonicalPatterns.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

namespace recur {
#define GEN_PASS_DEF_CANONICALIZE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

FrozenRewritePatternSet CanonicalPatterns::get(MLIRContext *context, ArrayRef<std::string> omittedOps,
                                               ArrayRef<std::string> omittedPatterns) {
  auto key = std::make_pair(SmallVector<std::string>(omittedOps), SmallVector<std::string>(omittedPatterns));
  for (const auto &[known, patterns] : collected)
    if (known == key)
      return patterns;
  RewritePatternSet patterns(context);
  addCanonicalizationPatterns(patterns, omittedOps);
  return collected.emplace_back(key, FrozenRewritePatternSet(std::move(patterns), omittedPatterns)).second;
}

namespace {
struct Canonicalize final : recur::impl::CanonicalizeBase<Canonicalize> {
  using Base::Base;
  Canonicalize(CanonicalizeOptions options, std::shared_ptr<CanonicalPatterns> shared)
      : Base(std::move(options)), shared(std::move(shared)) {}

  LogicalResult initialize(MLIRContext *context) override {
    if (!shared)
      shared = std::make_shared<CanonicalPatterns>();
    patterns = shared->get(context, llvm::to_vector(omitOps), llvm::to_vector(omitPatterns));
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    config.setMaxIterations(1);
    // As in upstream's pass, it is no error if the form might still change.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
    // Conversions of dialects pass over unreachable blocks, and would leave them as they are.
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, getOperation()->getRegions());
  }

  std::shared_ptr<CanonicalPatterns> shared;
  FrozenRewritePatternSet patterns;
};
} // namespace

std::unique_ptr<Pass> recur::createCanonicalize(CanonicalizeOptions options,
                                                std::shared_ptr<CanonicalPatterns> shared) {
  return std::make_unique<Canonicalize>(std::move(options), std::move(shared));
}
