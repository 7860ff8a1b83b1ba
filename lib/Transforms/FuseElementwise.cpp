// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FuseElementwise.cpp - Fuse element-wise ops ------------------------===//
//
// Each producer that is fused saves a buffer and a pass over memory. The pass fuses greedily, but never so that
// something is computed twice.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace recur {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if all readers of `producer` but `consumer` come after `consumer` in its block, so that a result of the fused
/// op can replace the producer.
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

/// Merges equal inputs of `op`, and what its body computes from them twice. A consumer with two operands from one
/// producer inlines that producer twice; without this, an op would double with each such fusion.
static linalg::GenericOp mergeEqualParts(linalg::GenericOp op, RewriterBase &rewriter) {
  llvm::SmallDenseSet<std::pair<Value, AffineMap>> seen;
  bool isTwice = false;
  for (OpOperand *operand : op.getDpsInputOperands())
    isTwice |= !seen.insert({operand->get(), op.getMatchingIndexingMap(operand)}).second;
  if (!isTwice)
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> merged =
      linalg::deduplicateOperandsAndRemoveDeadResults(rewriter, op, /*removeOutputs=*/false);
  if (succeeded(merged))
    op = *merged;
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, op);
  return op;
}

/// Fuses the first producer of an operand of `consumer` that can be fused. Returns the fused op, or null if there is no
/// such producer.
static linalg::GenericOp fuseOne(linalg::GenericOp consumer, RewriterBase &rewriter) {
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || producer->getBlock() != consumer->getBlock() || !linalg::areElementwiseOpsFusable(operand))
      continue;
    bool shared = !llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == consumer; });
    // A reduction may read an element several times, and would then compute a fused producer as often.
    bool reduces = consumer.getNumReductionLoops() != 0;
    bool readsOnce = consumer.getMatchingIndexingMap(operand).isPermutation();
    if (!readsOnce || (shared && (reduces || !canServeOtherReaders(producer, consumer))))
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
    return mergeEqualParts(cast<linalg::GenericOp>(result->fusedOp), rewriter);
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
    // In program order, so that a consumer meets producers that are fused already. Fusion erases ops that are still in
    // the list, so a listener records which ones.
    struct Eraser : RewriterBase::Listener {
      llvm::DenseSet<Operation *> &gone;
      explicit Eraser(llvm::DenseSet<Operation *> &gone) : gone(gone) {}
      void notifyOperationErased(Operation *op) override { gone.insert(op); }
    } eraser(gone);
    rewriter.setListener(&eraser);
    for (linalg::GenericOp op : ops) {
      if (gone.contains(op.getOperation()))
        continue;
      // A fused op may have the address of an op that was erased.
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
