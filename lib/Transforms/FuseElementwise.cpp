// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FuseElementwise.cpp - Fuse element-wise ops ------------------------===//
//
// Each producer that is fused saves a buffer and a pass over memory. The pass fuses greedily, but nothing is computed
// twice that costs more than reading it again.
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "MatchProduct.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/SumOrder.h"
#include "Recur/Transforms/Passes.h"
#include "Reductions.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

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

/// Replaces a reduction whose reduced dims all have one element, and that starts from a fill, by element-wise work.
/// Returns `op` itself if it is none.
static linalg::GenericOp dropUnitReductions(linalg::GenericOp op, RewriterBase &rewriter) {
  std::optional<ParallelForm> form = getParallelForm(op);
  bool usesIndices = !op.getBody()->getOps<linalg::IndexOp>().empty();
  if (!form || op.getNumReductionLoops() == 0 || usesIndices || !startsFromFills(op))
    return op;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> starts, outs;
  for (Value init : op.getDpsInits()) {
    starts.push_back(init.getDefiningOp<linalg::FillOp>().getInputs()[0]);
    outs.push_back(init.getDefiningOp<linalg::FillOp>().getOutputs()[0]);
  }
  auto step = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), op.getDpsInputs(), outs, form->maps,
                                        form->kinds);
  rewriter.inlineRegionBefore(op.getRegion(), step.getRegion(), step.getRegion().end());
  for (auto [arg, start] : llvm::zip_equal(step.getRegionOutputArgs(), starts))
    rewriter.replaceAllUsesWith(arg, start);
  rewriter.replaceOp(op, step.getResults());
  return step;
}

/// True if `consumer` reads each element of `operand` once: each loop indexes a dim of the operand or has one step.
static bool readsOnce(linalg::GenericOp consumer, OpOperand &operand) {
  AffineMap map = consumer.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> ranges = consumer.getStaticLoopRanges();
  return map.isProjectedPermutation() && llvm::all_of(llvm::seq<unsigned>(0, ranges.size()), [&](unsigned loop) {
           return ranges[loop] == 1 || map.isFunctionOfDim(loop);
         });
}

/// True if the result of `producer` takes no longer to compute than to read: it has one operation, one operand with as
/// many elements as the result, and others with far fewer.
static bool isAsCheapAsReading(linalg::GenericOp producer) {
  if (producer->getNumResults() != 1 || !llvm::hasNItems(producer.getBody()->getOperations(), 2) ||
      !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(producer.getBody()->front()))
    return false;
  unsigned large = 0;
  for (OpOperand *input : producer.getDpsInputOperands())
    large += producer.getMatchingIndexingMap(input).getNumResults() != 0 && readsOnce(producer, *input);
  return large == 1 && producer.getNumDpsInputs() == 2;
}

/// True if the body has a function such as an exponential, which is a long chain of ops that wait for each other.
static bool hasLongChain(linalg::GenericOp op) {
  return llvm::any_of(op.getBody()->getOperations(), llvm::IsaPred<math::ExpOp, math::ExpM1Op>);
}

/// The most instructions that a fused op may have, of which a function such as an exponential has so many. One more op
/// saves a pass over memory, but beside so many instructions this saves no time. Upstream copies the ops of a body with
/// each fusion, so without a limit a chain of ops would take time that grows with the square of its length.
static constexpr int64_t kMostInstructions = 256, kInstructionsOfFunction = 16;

/// The most results of two ops that are fused. A CPU follows only so many rows at a time.
static constexpr unsigned kMostResults = 16;

/// About how many instructions the body of `op` has.
static int64_t countInstructions(linalg::GenericOp op) {
  int64_t count = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    count += isa<math::MathDialect>(inner.getDialect()) && !isSingleInstruction(&inner) ? kInstructionsOfFunction : 1;
  return count;
}

/// True if a product still adds in its own order after `producer` was fused into it: vectors can compute the payload,
/// and, if they run along the only column, read elements that are contiguous.
static bool keepsOrder(linalg::GenericOp producer, linalg::GenericOp consumer) {
  if (!rt::getColumns(consumer))
    return true;
  if (!llvm::all_of(producer.getBody()->without_terminator(), [](Operation &op) {
        return op.getNumRegions() == 0 &&
               (OpTrait::hasElementwiseMappableTraits(&op) || op.hasTrait<OpTrait::ConstantLike>());
      }))
    return false;
  ArrayRef<AffineExpr> made = producer.getMatchingIndexingMap(producer.getDpsInitOperand(0)).getResults();
  auto last = dyn_cast_if_present<AffineDimExpr>(made.empty() ? AffineExpr() : made.back());
  if (!rt::hasOneColumn(consumer) || !last)
    return true;
  return llvm::all_of(producer.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = producer.getMatchingIndexingMap(input);
    return !map.isFunctionOfDim(last.getPosition()) || map.getResults().back() == last;
  });
}

/// True if `op` reduces a tensor, and so many elements to one that storing them takes time. Fewer stay in registers,
/// and products are matched as they are. The other loops do not count, because a step of a model has fewer iterations
/// of them, and must add as a run does.
static bool isLargeSum(linalg::GenericOp op) {
  constexpr int64_t leastElements = 16;
  if (op.getNumDpsInputs() != 1)
    return false;
  int64_t elements = 1;
  for (auto [range, kind] : llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (kind == utils::IteratorType::reduction && ShapedType::isDynamic(range))
      return true;
    if (kind == utils::IteratorType::reduction)
      elements = llvm::SaturatingMultiply<uint64_t>(elements, range);
  }
  return elements >= leastElements;
}

/// Says in a remark why an op is not computed in the one that reads it.
static void refuseToFuse(linalg::GenericOp producer, const char *reason) {
  remarkMissed(producer.getLoc(), "rt-fuse-elementwise", "not-fused", "{0}", reason);
}

/// Fuses the first producer of an operand of `consumer` that can be fused. Returns the fused op, or null if there is no
/// such producer.
static linalg::GenericOp fuseOne(linalg::GenericOp consumer, RewriterBase &rewriter) {
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || producer->getBlock() != consumer->getBlock() || !linalg::areElementwiseOpsFusable(operand))
      continue;
    if (!keepsOrder(producer, consumer)) {
      refuseToFuse(producer, "expected a payload that vectors compute, as the order of the sum requires");
      continue;
    }
    bool shared = !llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == consumer; });
    // A consumer may read an element several times, and would then compute a fused producer as often. Kernels compute
    // plain products only.
    if (!readsOnce(consumer, *operand) || callsKernel(consumer)) {
      refuseToFuse(producer, "expected a reader without a kernel that reads each element once");
      continue;
    }
    bool reduces = consumer.getNumReductionLoops() != 0;
    if (shared && (reduces ? !isAsCheapAsReading(producer) : !canServeOtherReaders(producer, consumer))) {
      refuseToFuse(producer, "expected one reader, or others that come after it");
      continue;
    }
    // The result of the producer is stored in any case. Two loops with a chain each keep the units busier than one loop
    // with a chain of twice that length, of which the CPU can overlap fewer iterations.
    if (shared && !reduces && hasLongChain(producer) && hasLongChain(consumer)) {
      refuseToFuse(producer, "expected an exponential in at most one of two ops whose results are both stored");
      continue;
    }
    if (countInstructions(producer) + countInstructions(consumer) > kMostInstructions ||
        producer->getNumResults() + consumer->getNumResults() > kMostResults) {
      refuseToFuse(producer, "expected fewer instructions, or fewer results, in two ops together");
      continue;
    }
    if (shared && reduces) {
      // The other readers keep the producer.
      rewriter.setInsertionPoint(producer);
      producer = cast<linalg::GenericOp>(rewriter.clone(*producer));
      rewriter.modifyOpInPlace(consumer, [&] { operand->set(producer->getResult(0)); });
    }
    rewriter.setInsertionPoint(consumer);
    FailureOr<linalg::ElementwiseOpFusionResult> result = linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(result))
      continue;
    remarkPassed(producer.getLoc(), "rt-fuse-elementwise", "fused", "the op is computed in the loops of {0}",
                 QuotedLayer{consumer.getLoc()});
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

/// The dim along which `slice` is a static part of its source, which it has as a whole along all others. Returns
/// nullopt if it is anything else, or if its rows are shorter than a line of the cache, so that vectors of them would
/// be too.
static std::optional<unsigned> getPartDim(tensor::ExtractSliceOp slice) {
  RankedTensorType source = slice.getSourceType(), result = slice.getType();
  if (source.getRank() != result.getRank() || !slice.hasUnitStride())
    return std::nullopt;
  std::optional<unsigned> part;
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    bool startsAtZero = !slice.isDynamicOffset(dim) && slice.getStaticOffset(dim) == 0;
    if (source.isDynamicDim(dim) ? startsAtZero : result.getDimSize(dim) == source.getDimSize(dim))
      continue;
    if (part || result.isDynamicDim(dim) || slice.isDynamicOffset(dim))
      return std::nullopt;
    part = dim;
  }
  if (!part)
    return std::nullopt;
  ArrayRef<int64_t> row = result.getShape().drop_front(*part);
  bool isLong = ShapedType::isDynamicShape(row) ||
                ShapedType::getNumElements(row) * result.getElementTypeBitWidth() >= 8 * kLineBytes;
  return isLong ? part : std::nullopt;
}

/// Lets an element-wise op that only disjoint slices read compute each slice by itself, so that the readers of the
/// slices can fuse it. The gates of a cell are such slices. Upstream's pattern moves a slice to the operands of an op
/// that has no other reader, so each slice gets an op of its own first.
static void moveSlicesUp(linalg::GenericOp op, RewriterBase &rewriter, const FrozenRewritePatternSet &patterns) {
  // Upstream's pattern does not move the indices that a body uses.
  if (!linalg::isElementwise(op) || op->getNumResults() != 1 || op->use_empty() ||
      !op.getBody()->getOps<linalg::IndexOp>().empty())
    return;
  SmallVector<tensor::ExtractSliceOp> slices;
  SmallVector<tensor::DimOp> dims;
  std::optional<unsigned> common;
  for (Operation *user : op->getUsers()) {
    // Upstream's pattern asks for dims of what a slice is taken from.
    if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      dims.push_back(dim);
      continue;
    }
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    std::optional<unsigned> part = slice && slice->getBlock() == op->getBlock() ? getPartDim(slice) : std::nullopt;
    if (!part || common.value_or(*part) != *part)
      return;
    common = part;
    slices.push_back(slice);
  }
  if (slices.empty())
    return;
  llvm::sort(slices, [&](tensor::ExtractSliceOp a, tensor::ExtractSliceOp b) {
    return a.getStaticOffset(*common) < b.getStaticOffset(*common);
  });
  for (auto [slice, next] : llvm::zip(slices, llvm::drop_begin(slices)))
    if (slice.getStaticOffset(*common) + slice.getStaticSize(*common) > next.getStaticOffset(*common))
      return;
  for (tensor::DimOp dim : dims) {
    rewriter.setInsertionPoint(dim);
    rewriter.replaceOp(dim, rewriter.createOrFold<tensor::DimOp>(dim.getLoc(), op.getDpsInits()[0], dim.getIndex()));
  }
  SmallVector<Operation *> worklist;
  for (tensor::ExtractSliceOp slice : slices) {
    rewriter.setInsertionPoint(slice);
    Operation *own = rewriter.clone(*op);
    rewriter.modifyOpInPlace(slice, [&] { slice.getSourceMutable().assign(own->getResult(0)); });
    worklist.append({slice, own});
  }
  rewriter.eraseOp(op);
  // New slices stay. They move on if the op behind them comes here.
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  (void)applyOpPatternsGreedily(worklist, patterns, config);
}

namespace {
struct FuseElementwise final : recur::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    RewritePatternSet upward(&getContext());
    linalg::populateBubbleUpExtractSliceOpPatterns(upward);
    FrozenRewritePatternSet frozen(std::move(upward));
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    // Readers come first: their slices are slices of their operands then.
    for (linalg::GenericOp op : llvm::reverse(ops))
      moveSlicesUp(op, rewriter, frozen);
    ops.clear();
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    // Fusion erases ops of the list. The listener empties their places, so that no new op at the address of an erased
    // one is taken for it.
    llvm::DenseMap<Operation *, linalg::GenericOp *> places;
    for (linalg::GenericOp &op : ops)
      places[op] = &op;
    struct Eraser : RewriterBase::Listener {
      llvm::DenseMap<Operation *, linalg::GenericOp *> &places;
      explicit Eraser(llvm::DenseMap<Operation *, linalg::GenericOp *> &places) : places(places) {}
      void notifyOperationErased(Operation *op) override {
        if (linalg::GenericOp *place = places.lookup(op))
          *place = {};
        places.erase(op);
      }
    } eraser(places);
    rewriter.setListener(&eraser);
    auto replace = [&](linalg::GenericOp &place, linalg::GenericOp op) {
      place = op;
      places[op] = &place;
    };
    for (linalg::GenericOp &op : ops) {
      // Nothing is summed along a dim of no elements. Upstream's tiling crashes on such a dim.
      if (llvm::is_contained(op.getStaticLoopRanges(), 0)) {
        rewriter.replaceOp(op, op.getDpsInits());
        continue;
      }
      linalg::GenericOp given = op, step = dropUnitReductions(given, rewriter);
      if (step != given)
        replace(op, step);
    }
    auto fuseAll = [&](bool onlyLargeSums) {
      for (linalg::GenericOp &op : ops) {
        if (!op || (onlyLargeSums && !isLargeSum(op)))
          continue;
        while (linalg::GenericOp fused = fuseOne(op, rewriter))
          replace(op, fused);
      }
    };
    // In program order, so that a consumer meets producers that are fused already. Large sums come first: the products
    // that are summed need not be stored then. Otherwise an op that is read by such a product and by others would
    // become one op with the product, of which both results are stored.
    fuseAll(/*onlyLargeSums=*/true);
    fuseAll(/*onlyLargeSums=*/false);
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
