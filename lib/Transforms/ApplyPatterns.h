// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ApplyPatterns.h - Patterns, without the rest -------------*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_APPLYPATTERNS_H
#define RECUR_LIB_TRANSFORMS_APPLYPATTERNS_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace recur {

/// Applies `patterns` in `target`, an op or a region, until nothing changes. Unlike upstream's default it does not also
/// look for unreachable blocks, unused arguments and equal blocks after each round, which took a fifth of its time:
/// regions have one block until the last stage.
template <typename Target>
llvm::LogicalResult applyPatterns(Target &&target, const mlir::FrozenRewritePatternSet &patterns) {
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::applyPatternsGreedily(target, patterns, config);
}

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_APPLYPATTERNS_H
