// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FuseElementwise.cpp - Few loop nests out of many -------------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace recur {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if every reader of the producer but `consumer` comes after it in the block, so that a result of the fused op
/// can serve it.
static bool canServeOtherReaders(Operation *producer, Operation *consumer) {
  for (Operation *user : producer->getUsers()) {
    if (user == consumer)
      continue;
    Operation *inBlock = consumer->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock || !consumer->isBeforeInBlock(inBlock))
      return false;
  }
  return true;
}

/// Fuses the first operand of `consumer` that can be; returns the fused op or null.
static linalg::GenericOp fuseOne(linalg::GenericOp consumer, RewriterBase &rewriter) {
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || producer->getBlock() != consumer->getBlock() || !linalg::areElementwiseOpsFusable(operand))
      continue;
    bool shared = !llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == consumer; });
    // A producer that a reduction reads would be computed once for each of its elements that is read again.
    bool reduces = consumer.getNumReductionLoops() != 0;
    AffineMap map = consumer.getMatchingIndexingMap(operand);
    bool readsOnce = map.isPermutation();
    if ((shared && (reduces || !readsOnce || !canServeOtherReaders(producer, consumer))) ||
        (!readsOnce && !shared && !map.isProjectedPermutation()))
      continue;
    if (!readsOnce)
      continue;
    rewriter.setInsertionPoint(consumer);
    FailureOr<linalg::ElementwiseOpFusionResult> result = linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(result))
      continue;
    for (auto [from, to] : result->replacements)
      rewriter.replaceUsesWithIf(from, to, [&, fused = result->fusedOp](OpOperand &use) {
        return use.getOwner() != fused && use.getOwner() != producer.getOperation();
      });
    rewriter.eraseOp(consumer);
    if (producer->use_empty())
      rewriter.eraseOp(producer);
    return cast<linalg::GenericOp>(result->fusedOp);
  }
  return {};
}

namespace {
struct FuseElementwise final : recur::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    llvm::DenseSet<Operation *> gone;
    // In program order, so that a consumer meets producers that are already fused. What is fused away is erased while
    // the list is walked, so liveness is tracked through a listener.
    struct Eraser : RewriterBase::Listener {
      llvm::DenseSet<Operation *> &gone;
      explicit Eraser(llvm::DenseSet<Operation *> &gone) : gone(gone) {}
      void notifyOperationErased(Operation *op) override { gone.insert(op); }
    } eraser(gone);
    rewriter.setListener(&eraser);
    for (linalg::GenericOp op : ops) {
      if (gone.contains(op.getOperation()))
        continue;
      // A fused op may take the address of an erased one.
      for (linalg::GenericOp fused = op; fused; fused = fuseOne(fused, rewriter))
        gone.erase(fused.getOperation());
    }
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
