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

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

namespace recur {
#define GEN_PASS_DEF_CANONICALIZE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

static bool isEmpty(RankedTensorType type) { return llvm::is_contained(type.getShape(), 0); }

namespace {
/// A slice without elements reads nothing. Upstream keeps it, and refuses it once the sliced dim is known to be 0 too.
struct ReadNothing final : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op, PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected a static dim of 0");
    SmallVector<OpFoldResult> sizes;
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped[i])
        sizes.push_back(size);
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes, op.getType().getElementType());
    if (empty.getType() != op.getType())
      empty = tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), empty);
    rewriter.replaceOp(op, empty);
    return success();
  }
};

/// The type of a slice of `sizes` without the dims `dropped`, where the type `known` may have more static dims.
static RankedTensorType getSliceType(ArrayRef<OpFoldResult> sizes, const llvm::SmallBitVector &dropped,
                                     RankedTensorType known) {
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!dropped[i]) {
      int64_t dim = known.getDimSize(shape.size());
      shape.push_back(ShapedType::isDynamic(dim) ? getConstantIntValue(size).value_or(dim) : dim);
    }
  return known.clone(shape);
}

/// Makes the sizes of a slice that drops dims static where they are constants. Once another dim is known to be 1,
/// upstream drops the first of these dims, and casts to a type that does not fit.
template <typename SliceOp>
struct KeepDroppedDims final : OpRewritePattern<SliceOp> {
  /// It comes before upstream's pattern.
  explicit KeepDroppedDims(MLIRContext *context) : OpRewritePattern<SliceOp>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "expected a slice that drops dims");
    if (failed(foldDynamicIndexList(sizes, /*onlyNonNegative=*/true)))
      return rewriter.notifyMatchFailure(op, "expected a size that is a constant");
    Location loc = op.getLoc();
    auto cast = [&](RankedTensorType type, Value value) -> Value {
      return value.getType() == type ? value : tensor::CastOp::create(rewriter, loc, type, value).getResult();
    };
    if constexpr (std::is_same_v<SliceOp, tensor::ExtractSliceOp>) {
      RankedTensorType type = getSliceType(sizes, dropped, op.getType());
      auto slice = tensor::ExtractSliceOp::create(rewriter, loc, type, op.getSource(), op.getMixedOffsets(), sizes,
                                                  op.getMixedStrides());
      rewriter.replaceOp(op, cast(op.getType(), slice));
    } else {
      Value source = cast(getSliceType(sizes, dropped, op.getSourceType()), op.getSource());
      rewriter.replaceOpWithNewOp<SliceOp>(op, source, op.getDest(), op.getMixedOffsets(), sizes, op.getMixedStrides());
    }
    return success();
  }
};

/// Gives a dim of one element of a slice the step 1, because no element follows. Otherwise the strides of a buffer
/// would be multiplied by the step, and upstream's verifier, which compares strides, may not find the dims that a view
/// drops.
template <typename SliceOp>
struct DropStepOfOne final : OpRewritePattern<SliceOp> {
  using OpRewritePattern<SliceOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> sizes = op.getMixedSizes(), strides = op.getMixedStrides();
    bool hasStep = false;
    for (auto [size, stride] : llvm::zip_equal(sizes, strides))
      if (isConstantIntValue(size, 1) && !isConstantIntValue(stride, 1)) {
        stride = rewriter.getIndexAttr(1);
        hasStep = true;
      }
    if (!hasStep)
      return rewriter.notifyMatchFailure(op, "expected a step along a dim of one element");
    if constexpr (std::is_same_v<SliceOp, tensor::ExtractSliceOp>)
      rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), op.getSource(), op.getMixedOffsets(), sizes, strides);
    else
      rewriter.replaceOpWithNewOp<SliceOp>(op, op.getSource(), op.getDest(), op.getMixedOffsets(), sizes, strides);
    return success();
  }
};

/// Writing a tensor without elements into another one changes nothing.
struct WriteNothing final : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op, PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getSourceType()))
      return rewriter.notifyMatchFailure(op, "expected a source with a static dim of 0");
    rewriter.replaceOp(op, op.getDest());
    return success();
  }
};
} // namespace

FrozenRewritePatternSet CanonicalPatterns::get(MLIRContext *context, ArrayRef<std::string> omittedOps,
                                               ArrayRef<std::string> omittedPatterns) {
  auto key = std::make_pair(SmallVector<std::string>(omittedOps), SmallVector<std::string>(omittedPatterns));
  for (const auto &[known, patterns] : collected)
    if (known == key)
      return patterns;
  RewritePatternSet patterns(context);
  addCanonicalizationPatterns(patterns, omittedOps);
  patterns
      .add<ReadNothing, WriteNothing, KeepDroppedDims<tensor::ExtractSliceOp>, KeepDroppedDims<tensor::InsertSliceOp>,
           DropStepOfOne<tensor::ExtractSliceOp>, DropStepOfOne<tensor::InsertSliceOp>>(context);
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
