// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FuseBatches.cpp - One loop over the batch of a chain of ops --------===//
//
// Each op on a batch of matrices reads or writes the whole batch, which then leaves L1 before the next op
// reads it. This pass gives a chain of such ops one loop over the batch. Upstream's tiling does the work; which ops
// share the loop is decided here.
//
//===----------------------------------------------------------------------===//

#include "ByteCount.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace recur {
#define GEN_PASS_DEF_FUSEBATCHES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The bytes of an element of the batch, which is dim `dim` of a tensor. Returns nullopt if the other dims are not
/// static, or if the elements are not numbers.
static std::optional<int64_t> getBytes(Value value, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 1;
  return ShapedType::isDynamicShape(shape) ? std::nullopt : getStaticBytes(type.clone(shape));
}

/// The loop of `op` that indexes dim `dim` of `map`, if nothing else is added to it.
static std::optional<unsigned> getLoop(AffineMap map, unsigned dim) {
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
  return expr ? std::optional<unsigned>(expr.getPosition()) : std::nullopt;
}

/// The dim of the result of `op` that `loop` indexes.
static unsigned getBatchDim(linalg::GenericOp op, unsigned loop) {
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return *written.getResultPosition(getAffineDimExpr(loop, op.getContext()));
}

/// True if `loop` is one over a batch: each part of the batch has its own data. The rows of a product by a matrix,
/// which all rows need, are not a batch.
static bool isBatchLoop(linalg::GenericOp op, unsigned loop) {
  return op.getNumReductionLoops() == 0 || llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return !isa<ShapedType>(input->get().getType()) || op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
         });
}

/// True if an input of `op` that has other dims too is contiguous along `loop`. An iteration would have one element of
/// each vector.
static bool isAlongVectors(linalg::GenericOp op, unsigned loop) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    SmallVector<AffineExpr> dims;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr); !dim || ranges[dim.getPosition()] != 1)
        dims.push_back(expr);
    return dims.size() > 1 && dims.back() == getAffineDimExpr(loop, op.getContext());
  });
}

namespace {
/// Ops of a block that share a loop over a batch: the last one, and producers of what it reads, directly or not.
struct Chain {
  linalg::GenericOp last;
  /// Each op, with its loop over the batch.
  llvm::DenseMap<Operation *, unsigned> loops;
  /// The elements of the batch: at least 2, or dynamic.
  int64_t batch = 0;
};
} // namespace

/// The loop of `producer` over the batch, if it may join the chain: exactly one op of the chain reads it, at one
/// operand, and all others come after the chain.
static std::optional<unsigned> findBatchLoop(linalg::GenericOp producer, const Chain &chain) {
  if (producer->getNumResults() != 1)
    return std::nullopt;
  std::optional<unsigned> loop;
  for (OpOperand &use : producer->getUses()) {
    auto inChain = chain.loops.find(use.getOwner());
    if (inChain == chain.loops.end()) {
      Operation *reader = producer->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!reader || !chain.last->isBeforeInBlock(reader))
        return std::nullopt;
      continue;
    }
    auto consumer = cast<linalg::GenericOp>(use.getOwner());
    AffineMap read = consumer.getMatchingIndexingMap(&use);
    AffineMap written = producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
    if (loop || !consumer.isDpsInput(&use))
      return std::nullopt;
    for (unsigned dim = 0; dim < read.getNumResults(); ++dim)
      if (getLoop(read, dim) == inChain->second)
        loop = getLoop(written, dim);
    if (!loop || !isBatchLoop(producer, *loop) || isAlongVectors(producer, *loop))
      return std::nullopt;
  }
  return loop;
}

/// Finds the chain that ends with `last`, if it has a tensor that fits the cache only when one element of the batch is
/// worked on at a time.
static std::optional<Chain> findChain(linalg::GenericOp last) {
  if (last->getNumResults() == 0)
    return std::nullopt;
  Chain chain;
  chain.last = last;
  AffineMap written = last.getMatchingIndexingMap(last.getDpsInitOperand(0));
  if (llvm::any_of(last.getDpsInitsMutable(),
                   [&](OpOperand &init) { return last.getMatchingIndexingMap(&init) != written; }))
    return std::nullopt;
  SmallVector<int64_t> ranges = last.getStaticLoopRanges();
  auto isBatch = [](int64_t size) { return ShapedType::isDynamic(size) || size > 1; };
  for (unsigned dim = 0; dim < written.getNumResults() && !isBatch(chain.batch); ++dim) {
    std::optional<unsigned> loop = getLoop(written, dim);
    if (!loop)
      return std::nullopt;
    chain.batch = ranges[*loop];
    chain.loops[last] = *loop;
  }
  // A loop over any number of elements costs little around work that a time loop repeats, if vectors are left.
  bool hasRows = llvm::count_if(ranges, isBatch) > 1;
  if (!isBatch(chain.batch) || (ShapedType::isDynamic(chain.batch) && !(hasRows && rt::isInTimeLoop(last))) ||
      !isBatchLoop(last, chain.loops.lookup(last)) || isAlongVectors(last, chain.loops.lookup(last)))
    return std::nullopt;
  bool isWorthwhile = false;
  // The producers that may join the chain, which are still to be met on the way to the front of the block.
  llvm::SmallDenseSet<Operation *> open;
  auto addProducers = [&](linalg::GenericOp op) {
    for (Value input : op.getDpsInputs())
      if (auto producer = input.getDefiningOp<linalg::GenericOp>();
          producer && producer->getBlock() == last->getBlock())
        open.insert(producer);
  };
  addProducers(last);
  // Ops of the chain move to its end, so nothing may be written between them.
  auto isPassed = [](Operation *op) { return isa<bufferization::ToTensorOp>(op) || isMemoryEffectFree(op); };
  for (Operation *op = last->getPrevNode(); op && !open.empty() && isPassed(op); op = op->getPrevNode()) {
    if (!open.erase(op))
      continue;
    auto producer = cast<linalg::GenericOp>(op);
    if (std::optional<unsigned> loop = findBatchLoop(producer, chain)) {
      chain.loops[producer] = *loop;
      addProducers(producer);
      std::optional<int64_t> bytes = getBytes(producer->getResult(0), getBatchDim(producer, *loop));
      isWorthwhile |=
          bytes && *bytes <= kL1Bytes / 2 && (ShapedType::isDynamic(chain.batch) || *bytes > kL1Bytes / chain.batch);
    }
  }
  return isWorthwhile ? std::optional(chain) : std::nullopt;
}

/// Gives the chain one loop over its batch.
static LogicalResult fuse(const Chain &chain, RewriterBase &rewriter) {
  linalg::GenericOp last = chain.last;
  SmallVector<int64_t> sizes(last.getNumLoops(), 0);
  sizes[chain.loops.lookup(last)] = 1;
  scf::SCFTilingOptions tiling;
  tiling.setTileSizes(getAsIndexOpFoldResult(last.getContext(), sizes));
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling);
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult made, bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (isa<linalg::FillOp>(made.getOwner()))
          return scf::SCFTileAndFuseOptions::ControlFnResult{false};
        if (!chain.loops.contains(made.getOwner()))
          return std::nullopt;
        bool isReadAfter = llvm::any_of(made.getUsers(), [&](Operation *user) {
          return last->getBlock() == user->getBlock() && last->isBeforeInBlock(user) && !isa<scf::ForOp>(user);
        });
        return scf::SCFTileAndFuseOptions::ControlFnResult{isReadAfter};
      });
  rewriter.setInsertionPoint(last);
  FailureOr<scf::SCFTileAndFuseResult> result =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, cast<TilingInterface>(last.getOperation()), options);
  if (failed(result))
    return last.emitError("cannot give this op and its producers a common loop");
  Operation *loop = result->loops[0];
  for (auto [from, to] : result->replacements)
    rewriter.replaceUsesWithIf(from, to, [&](OpOperand &use) {
      Operation *reader = loop->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return reader && loop->isBeforeInBlock(reader);
    });
  rewriter.eraseOp(last);
  // Slices of the old results are left in the loop.
  auto eraseIfDead = [&](Operation *op) {
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  };
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(result->loops[0].getLoopRegions()[0]->front())))
    eraseIfDead(&op);
  for (Operation *op = loop->getPrevNode(); op;) {
    Operation *previous = op->getPrevNode();
    eraseIfDead(op);
    op = previous;
  }
  return success();
}

namespace {
struct FuseBatches final : recur::impl::FuseBatchesBase<FuseBatches> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    llvm::DenseSet<Operation *> done;
    for (linalg::GenericOp op : llvm::reverse(ops)) {
      if (done.contains(op.getOperation()))
        continue;
      std::optional<Chain> chain = findChain(op);
      if (!chain)
        continue;
      remarkPassed(op.getLoc(), "rt-fuse-batches", "fused", "{0} ops share one loop over a batch of {1}",
                   chain->loops.size(), JoinedSizes(chain->batch));
      if (failed(fuse(*chain, rewriter)))
        return signalPassFailure();
      for (auto [member, loop] : chain->loops)
        done.insert(member);
    }
  }
};
} // namespace
