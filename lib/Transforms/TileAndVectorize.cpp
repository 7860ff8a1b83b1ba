// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileAndVectorize.cpp - linalg on tensors as loops over vectors -----===//
//
// Lowers an op in three phases. First its parallel dims are tiled, so that the accumulators of a tile fit the vector
// registers. Then the reduced dims are tiled to one element, so that a step is element-wise work on the accumulators.
// Then the tiles are vectorized, with masks if their sizes are dynamic. Ops that do not fit this become scalar loops
// (ScalarNest.h).
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Dialect/RT/IR/SumOrder.h"
#include "Recur/Transforms/Passes.h"
#include "Reductions.h"
#include "ScalarNest.h"
#include "TargetFacts.h"
#include "TileSchedule.h"
#include "TransposeKernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Hoisting.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace recur {
#define GEN_PASS_DEF_TILEANDVECTORIZE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// Marks a tile. The value is the tile sizes of its reduced dims, by loops, for phase two.
constexpr StringLiteral kTiledAttr = "rt.tiled";

/// The vector sizes of a tile, by loops, if the tile may be the remainder of a dynamic dim and so needs a mask.
constexpr StringLiteral kVectorSizesAttr = "rt.vector_sizes";

/// True if no loop is tiled.
bool isAllZero(ArrayRef<int64_t> sizes) {
  return llvm::all_of(sizes, [](int64_t size) { return size == 0; });
}

/// Tiles and replaces `op`. Returns the op on a tile, and the loops around it. If all sizes are 0, returns `op` itself.
FailureOr<std::pair<linalg::GenericOp, SmallVector<scf::ForOp>>>
tile(RewriterBase &rewriter, linalg::GenericOp op, ArrayRef<int64_t> sizes, ArrayRef<int64_t> order) {
  SmallVector<scf::ForOp> loops;
  if (isAllZero(sizes))
    return std::make_pair(op, loops);
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), sizes));
  if (!order.empty())
    options.setInterchange(order);
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> result =
      scf::tileUsingSCF(rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(result))
    return failure();
  rewriter.replaceOp(op, result->replacements);
  for (LoopLikeOpInterface loop : result->loops)
    loops.push_back(cast<scf::ForOp>(loop.getOperation()));
  return std::make_pair(cast<linalg::GenericOp>(result->tiledOps.front()), loops);
}

/// Fuses a product that is added into one multiply-add, as one would write a loop over a reduced dim by hand. What was
/// fused into the payload rounds as it would on its own.
void fuseMultiplyAdd(RewriterBase &rewriter, linalg::GenericOp op, arith::AddFOp sum) {
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  Value product = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply || !multiply->hasOneUse() || (!sum.getType().isF32() && !sum.getType().isF64()))
    return;
  rewriter.setInsertionPoint(sum);
  rewriter.replaceOpWithNewOp<math::FmaOp>(sum, multiply.getLhs(), multiply.getRhs(), accumulator);
  rewriter.eraseOp(multiply);
}

/// Drops the reduced dims of an op, if all of them have one element: one step of a reduction is element-wise work on
/// the accumulators. Returns the new op, or `op` itself if a reduced dim is longer.
linalg::GenericOp dropUnitReductions(RewriterBase &rewriter, linalg::GenericOp op) {
  std::optional<ParallelForm> form = getParallelForm(op);
  if (!form)
    return op;
  size_t numLoops = form->kinds.size();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap &map = form->maps[operand.getOperandNumber()];
    // Vectorization requires that an operand has no more dims than the op has loops, so dims of one element are
    // dropped.
    if (op.isDpsInput(&operand) && map.getNumResults() > numLoops) {
      auto type = cast<RankedTensorType>(operand.get().getType());
      SmallVector<AffineExpr> kept;
      SmallVector<int64_t> shape;
      for (auto [expr, dim] : llvm::zip_equal(map.getResults(), type.getShape()))
        if (!isa<AffineConstantExpr>(expr) || dim != 1) {
          kept.push_back(expr);
          shape.push_back(dim);
        }
      map = AffineMap::get(numLoops, 0, kept, op.getContext());
      inputs.push_back(
          tensor::createCanonicalRankReducingExtractSliceOp(rewriter, op.getLoc(), operand.get(), type.clone(shape)));
    } else if (op.isDpsInput(&operand)) {
      inputs.push_back(operand.get());
    }
  }
  auto step = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getDpsInits(),
                                        form->maps, form->kinds);
  step->setAttr(kTiledAttr, op->getAttr(kTiledAttr));
  arith::AddFOp sum = rt::getSumOfProducts(op);
  rewriter.inlineRegionBefore(op.getRegion(), step.getRegion(), step.getRegion().end());
  rewriter.replaceOp(op, step.getResults());
  if (sum)
    fuseMultiplyAdd(rewriter, step, sum);
  return step;
}

/// Lowers all `linalg.generic` of a function.
class Vectorizer {
public:
  Vectorizer(func::FuncOp func, TileTarget target) : func(func), target(target), rewriter(func.getContext()) {}

  LogicalResult run(bool vectorize) {
    if (vectorize && (failed(tileAll()) || failed(canonicalizeTiles()) || failed(splitLanes()) ||
                      failed(tileReductions()) || failed(canonicalizeTiles()) || failed(vectorizeAll())))
      return failure();
    SmallVector<linalg::GenericOp> rest;
    func.walk([&](linalg::GenericOp op) { rest.push_back(op); });
    for (linalg::GenericOp op : rest)
      if (failed(lowerToScalarNest(rewriter, op, vectorize)))
        return op.emitError("cannot lower this op to loops");
    return success();
  }

private:
  /// Phase one: tiles the parallel dims.
  LogicalResult tileAll() {
    SmallVector<linalg::GenericOp> ops;
    func.walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      std::optional<TileSchedule> schedule = makeSchedule(op, target);
      if (!schedule)
        continue;
      if (!startsFromFills(op)) {
        refuseToVectorize(op, "expected accumulators that start from a fill");
        continue;
      }
      // A loop over panels of rows goes around all others.
      if (SmallVector<int64_t> panels = getPanelSizes(op, target); !isAllZero(panels)) {
        FailureOr<linalg::GenericOp> panel = tileParallel(op, panels, {}, {});
        if (failed(panel) || !(schedule = makeSchedule(*panel, target)))
          return op.emitError("cannot cut this op into panels");
        op = *panel;
      }
      reportSchedule(op, *schedule, target);
      SmallVector<NamedAttribute> marks{
          {rewriter.getStringAttr(kTiledAttr), rewriter.getDenseI64ArrayAttr(schedule->reduction)}};
      if (schedule->perElement > 1)
        marks.emplace_back(rewriter.getStringAttr(rt::kAccumulatorsAttr),
                           rewriter.getI64IntegerAttr(schedule->perElement));
      if (SmallVector<int64_t> masked = getMaskedSizes(op, *schedule); !masked.empty())
        marks.emplace_back(rewriter.getStringAttr(kVectorSizesAttr), rewriter.getDenseI64ArrayAttr(masked));
      if (failed(tileParallel(op, schedule->parallel, schedule->order, marks)))
        return op.emitError("cannot tile this op");
    }
    return success();
  }

  /// Tiles parallel dims of an op that `startsFromFills`, peels off the remainders, and sets the attributes `marks` on
  /// all tiles. The fills that a reduction starts from move into the tiles, so that the accumulators can start in
  /// registers. The tensor as a whole is not filled. Returns the op on a tile.
  FailureOr<linalg::GenericOp> tileParallel(linalg::GenericOp op, ArrayRef<int64_t> sizes, ArrayRef<int64_t> order,
                                            ArrayRef<NamedAttribute> marks) {
    SmallVector<Value> fills;
    if (op.getNumReductionLoops()) {
      rewriter.modifyOpInPlace(op, [&] {
        for (OpOperand &init : op.getDpsInitsMutable()) {
          auto fill = init.get().getDefiningOp<linalg::FillOp>();
          fills.push_back(fill.getInputs()[0]);
          init.set(fill.getOutputs()[0]);
        }
      });
    }
    auto tiled = tile(rewriter, op, sizes, order);
    if (failed(tiled))
      return failure();
    auto [inner, loops] = *tiled;
    rewriter.modifyOpInPlace(inner, [&, inner = inner] {
      for (NamedAttribute mark : marks)
        inner->setAttr(mark.getName(), mark.getValue());
    });
    rewriter.setInsertionPoint(inner);
    for (auto [fill, init] : llvm::zip(fills, inner.getDpsInitsMutable())) {
      auto filled = linalg::FillOp::create(rewriter, inner.getLoc(), fill, init.get());
      rewriter.modifyOpInPlace(inner, [&, &init = init] { init.set(filled.getResult(0)); });
    }
    // Inner loops come first, so that the remainder of an outer loop has peeled loops too.
    std::reverse(loops.begin(), loops.end());
    linalg::peelLoops(rewriter, loops);
    return inner;
  }

  /// Still in phase one: splits the lanes of each static tile into powers of two, such as 7 into 4, 2 and 1. LLVM's
  /// code generator for AVX-512 takes wrong elements of vectors with other numbers of lanes.
  LogicalResult splitLanes() {
    if (!hasManyRegisters(target.registers))
      return success();
    while (true) {
      SmallVector<std::pair<linalg::GenericOp, unsigned>> odd;
      func.walk([&](linalg::GenericOp op) {
        std::optional<unsigned> lane = op->hasAttr(kTiledAttr) ? getLaneLoop(op) : std::nullopt;
        if (!lane)
          return;
        int64_t lanes = op.getStaticLoopRanges()[*lane];
        if (!ShapedType::isDynamic(lanes) && !llvm::isPowerOf2_64(lanes) && startsFromFills(op))
          odd.emplace_back(op, *lane);
      });
      if (odd.empty())
        return success();
      for (auto [op, lane] : odd) {
        SmallVector<int64_t> ranges = op.getStaticLoopRanges();
        SmallVector<int64_t> sizes(ranges.size(), 0);
        sizes[lane] = llvm::bit_floor(uint64_t(ranges[lane]));
        SmallVector<NamedAttribute> marks;
        for (StringRef name : {StringRef(kTiledAttr), StringRef(rt::kAccumulatorsAttr)})
          if (Attribute mark = op->getAttr(name))
            marks.emplace_back(rewriter.getStringAttr(name), mark);
        if (failed(tileParallel(op, sizes, {}, marks)))
          return op.emitError("cannot split the lanes of this op");
      }
      if (failed(canonicalizeTiles()))
        return failure();
    }
  }

  /// Phase two: tiles the reduced dims to one element. The loops carry the accumulators of the tile.
  LogicalResult tileReductions() {
    SmallVector<linalg::GenericOp> ops;
    func.walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kTiledAttr))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      auto sizes = op->getAttrOfType<DenseI64ArrayAttr>(kTiledAttr);
      if (!isStatic(op))
        continue;
      auto tiled = tile(rewriter, op, sizes.asArrayRef(), {});
      if (failed(tiled))
        return op.emitError("cannot tile the reduction of this op");
      tiled->first->setAttr(kTiledAttr, sizes);
      Attribute accumulators = tiled->first->removeAttr(rt::kAccumulatorsAttr);
      if (accumulators && !tiled->second.empty())
        tiled->second.back()->setAttr(rt::kAccumulatorsAttr, accumulators);
      if (tiled->first.getNumReductionLoops())
        dropUnitReductions(rewriter, tiled->first);
    }
    return success();
  }

  /// Phase three: turns static tiles, and those that can have masks, into vectors.
  LogicalResult vectorizeAll() {
    SmallVector<linalg::GenericOp> ops;
    func.walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kTiledAttr) && (isStaticTile(op) || op->hasAttr(kVectorSizesAttr)))
        ops.push_back(op);
    });
    SmallVector<Operation *> fills;
    for (linalg::GenericOp op : ops) {
      for (Value init : op.getDpsInits())
        collectFill(init, fills);
      rewriter.setInsertionPoint(op);
      // The remainder of a dynamic dim is one vector with a mask.
      SmallVector<int64_t> sizes;
      if (!isStaticTile(op))
        llvm::append_range(sizes, op->getAttrOfType<DenseI64ArrayAttr>(kVectorSizesAttr).asArrayRef());
      FailureOr<linalg::VectorizationResult> result =
          linalg::vectorize(rewriter, op, sizes, SmallVector<bool>(sizes.size(), false));
      if (failed(result)) {
        op->removeAttr(kTiledAttr);
        continue;
      }
      rewriter.replaceOp(op, result->replacements);
    }
    for (Operation *fill : fills) {
      rewriter.setInsertionPoint(fill);
      FailureOr<linalg::VectorizationResult> result = linalg::vectorize(rewriter, fill);
      if (succeeded(result))
        rewriter.replaceOp(fill, result->replacements);
    }
    RewritePatternSet patterns(func.getContext());
    vector::populateSinkVectorOpsPatterns(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::TransferReadOp::getCanonicalizationPatterns(patterns, func.getContext());
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns, func.getContext());
    tensor::populateFoldTensorSubsetIntoVectorTransferPatterns(patterns);
    if (failed(applyPatterns(func, std::move(patterns))))
      return failure();
    // Makes loops carry accumulators as vectors instead of tensors, innermost loops first.
    SmallVector<LoopLikeOpInterface> loops;
    func.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (LoopLikeOpInterface loop : loops)
      if (readsInvariantSubset(loop))
        (void)hoistLoopInvariantSubsets(rewriter, loop);
    return canonicalizeTiles();
  }

  /// True if the body of a loop reads a part of a tensor that is the same part in each iteration. Without one, upstream
  /// would compare all parts that the nest reads and writes, for each of its loops, and move nothing.
  static bool readsInvariantSubset(LoopLikeOpInterface loop) {
    return llvm::any_of(loop.getLoopRegions().front()->getOps(), [&](Operation &op) {
      auto extraction = dyn_cast<SubsetExtractionOpInterface>(op);
      return extraction && llvm::all_of(op.getOpOperands(), [&](OpOperand &operand) {
               return &operand == &extraction.getSourceOperand() || loop.isDefinedOutsideOfLoop(operand.get());
             });
    });
  }

  /// Adds the fill that the accumulators of a tile start from to `fills`, if there is one.
  void collectFill(Value init, SmallVectorImpl<Operation *> &fills) {
    // Looks through the loops over reduced dims.
    while (auto arg = dyn_cast<BlockArgument>(init)) {
      auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
      if (!loop)
        return;
      init = loop.getTiedLoopInit(arg)->get();
    }
    if (auto slice = init.getDefiningOp<tensor::ExtractSliceOp>())
      return collectFill(slice.getSource(), fills);
    if (auto fill = init.getDefiningOp<linalg::FillOp>())
      if (!llvm::is_contained(fills, fill.getOperation()))
        fills.push_back(fill);
  }

  /// True if all parallel dims are static. Reduced dims may be dynamic, because they are tiled to one element.
  static bool isStatic(linalg::GenericOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    for (auto [range, kind] : llvm::zip_equal(ranges, op.getIteratorTypesArray()))
      if (ShapedType::isDynamic(range) && kind == utils::IteratorType::parallel)
        return false;
    return true;
  }
  /// True if all dims are static.
  static bool isStaticTile(linalg::GenericOp op) {
    return llvm::none_of(op.getStaticLoopRanges(), ShapedType::isDynamic);
  }

  /// True if a slice drops a dim behind two or more that it keeps. Upstream may not merge a tile with such a slice: if
  /// the first dim of the tile is 1, upstream's canonicalization of the type drops that dim instead, and the tile has
  /// its dims in another order.
  bool dropsTrailingDims() {
    WalkResult result = func.walk([](tensor::ExtractSliceOp slice) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      int last = dropped.find_last();
      return last >= 0 && last + 1 - int(dropped.count()) >= 2 ? WalkResult::interrupt() : WalkResult::advance();
    });
    return result.wasInterrupted();
  }

  /// Folds the slices, casts and loops that a phase has left, so that the next phase sees static tiles.
  LogicalResult canonicalizeTiles() {
    bool merges = !dropsTrailingDims();
    std::optional<FrozenRewritePatternSet> &patterns = tilePatterns[merges];
    if (!patterns)
      patterns = collectTilePatterns(merges);
    return applyPatterns(func, *patterns);
  }

  /// The patterns of canonicalizeTiles. `merges`: those that merge slices of slices too.
  FrozenRewritePatternSet collectTilePatterns(bool merges) {
    RewritePatternSet patterns(func.getContext());
    linalg::populateLinalgTilingCanonicalizationPatterns(patterns);
    scf::ForOp::getCanonicalizationPatterns(patterns, func.getContext());
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, func.getContext());
    tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, func.getContext());
    tensor::CastOp::getCanonicalizationPatterns(patterns, func.getContext());
    if (merges)
      tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, func.getContext());
    linalg::FillOp::getCanonicalizationPatterns(patterns, func.getContext());
    func.getContext()->getLoadedDialect<linalg::LinalgDialect>()->getCanonicalizationPatterns(patterns);
    func.getContext()->getLoadedDialect<tensor::TensorDialect>()->getCanonicalizationPatterns(patterns);
    vector::TransferReadOp::getCanonicalizationPatterns(patterns, func.getContext());
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns, func.getContext());
    return patterns;
  }

  func::FuncOp func;
  TileTarget target;
  IRRewriter rewriter;
  /// The results of collectTilePatterns for false and true, once they are needed.
  std::optional<FrozenRewritePatternSet> tilePatterns[2];
};

struct TileAndVectorize final : recur::impl::TileAndVectorizeBase<TileAndVectorize> {
  using Base::Base;
  void runOnOperation() override {
    // Brings all ops into generic form. Fills keep theirs, so that reductions can find them, and so do transposes that
    // kernels compute.
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      auto transpose = dyn_cast<linalg::TransposeOp>(op.getOperation());
      bool isForKernel = vectorize && transpose && callsKernel(transpose);
      if (!isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()) && !isForKernel)
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op))) {
        op.emitError("cannot bring this op into general form");
        return signalPassFailure();
      }
    }
    if (failed(Vectorizer(getOperation(), {vectorBits, vectorRegisters}).run(vectorize)))
      return signalPassFailure();
    // No later pass asks for the order of a sum.
    getOperation().walk(rt::dropMarks);
  }
};
} // namespace
