// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CollapseLoops.cpp - Merge the loops of ops with many dims ----------===//
//
// Analyses of a loop, ours and those of LLVM, take time that grows with the depth of its nest more than linearly. A
// tensor of 31 dims gives such nests.
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace recur {
#define GEN_PASS_DEF_COLLAPSELOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The groups of loops of `op` that are consecutive dims of each operand, and can be one loop. A group has at most one
/// loop of a dynamic size, because upstream's lowering of views can take no more apart. Empty for an op of a few loops.
static SmallVector<ReassociationIndices> getLoopsToMerge(linalg::LinalgOp op, int64_t most) {
  SmallVector<ReassociationIndices> groups;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumLoops() <= most || !llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }))
    return groups;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isDynamic = [&](int64_t loop) { return ShapedType::isDynamic(ranges[loop]); };
  for (int64_t loop : llvm::seq<int64_t>(op.getNumLoops())) {
    if (!groups.empty() && kinds[loop] == kinds[loop - 1]) {
      ReassociationIndices longer = groups.back();
      longer.push_back(loop);
      if (llvm::count_if(longer, isDynamic) <= 1 && linalg::areDimSequencesPreserved(maps, longer)) {
        groups.back() = longer;
        continue;
      }
    }
    groups.push_back({loop});
  }
  llvm::erase_if(groups, [](const ReassociationIndices &group) { return group.size() == 1; });
  return groups;
}

namespace {
struct CollapseLoops final : recur::impl::CollapseLoopsBase<CollapseLoops> {
  using Base::Base;
  void runOnOperation() override {
    // Upstream's pattern merges the loops of generic ops alone. Fills take the shapes of their readers.
    SmallVector<linalg::LinalgOp> deep;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::FillOp>(op.getOperation()) && !getLoopsToMerge(op, mostLoops).empty())
        deep.push_back(op);
    });
    if (deep.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : deep) {
      rewriter.setInsertionPoint(op);
      if (!isa<linalg::GenericOp>(op.getOperation()))
        (void)linalg::generalizeNamedOp(rewriter, op);
    }
    RewritePatternSet patterns(&getContext());
    linalg::populateCollapseDimensions(patterns, [&](linalg::LinalgOp op) { return getLoopsToMerge(op, mostLoops); });
    // Between two ops, the dims are expanded and collapsed again.
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
    (void)applyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
