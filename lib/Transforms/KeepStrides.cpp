// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KeepStrides.cpp - Strides of buffers after bufferization -----------===//
//
// Bufferization gives the result of a branch dynamic strides if its two buffers have different layouts. Then nobody
// knows that the elements of a row are contiguous, and vectors are loaded element by element. It also leaves views with
// steps that drop dims, whose strides mislead later passes of upstream.
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace recur {
#define GEN_PASS_DEF_KEEPSTRIDES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The buffer that was cast to `value`, or `value` itself.
static Value getSource(Value value) {
  auto cast = value.getDefiningOp<memref::CastOp>();
  return cast && isa<MemRefType>(cast.getSource().getType()) ? cast.getSource() : value;
}

/// `type` with the strides and the offset that both `a` and `b` have. Returns null if one of them has no strides.
static MemRefType getJoinedType(MemRefType type, MemRefType a, MemRefType b) {
  SmallVector<int64_t> strides, others;
  int64_t offset, other;
  if (a.getRank() != type.getRank() || b.getRank() != type.getRank() ||
      failed(a.getStridesAndOffset(strides, offset)) || failed(b.getStridesAndOffset(others, other)))
    return {};
  // Contiguous buffers say more than their strides, of which dynamic dims are factors.
  if (a.getLayout().isIdentity() && b.getLayout().isIdentity())
    return MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
  for (auto [stride, otherStride] : llvm::zip_equal(strides, others))
    if (stride != otherStride)
      stride = ShapedType::kDynamic;
  if (offset != other)
    offset = ShapedType::kDynamic;
  return MemRefType::get(type.getShape(), type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(), offset, strides), type.getMemorySpace());
}

namespace {
struct KeepStridesOfBranch final : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IfOp op, PatternRewriter &rewriter) const override {
    SmallVector<std::pair<unsigned, MemRefType>> known;
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      auto type = dyn_cast<MemRefType>(result.getType());
      SmallVector<int64_t> strides;
      int64_t offset;
      if (!type || type.getLayout().isIdentity() || failed(type.getStridesAndOffset(strides, offset)) ||
          !llvm::any_of(strides, ShapedType::isDynamic))
        continue;
      MemRefType joined = getJoinedType(type, cast<MemRefType>(getSource(op.thenYield().getOperand(i)).getType()),
                                        cast<MemRefType>(getSource(op.elseYield().getOperand(i)).getType()));
      if (joined && joined != type && memref::CastOp::areCastCompatible(joined, type))
        known.emplace_back(i, joined);
    }
    if (known.empty())
      return rewriter.notifyMatchFailure(op, "expected a result whose strides both branches know");
    for (auto [i, type] : known) {
      for (scf::YieldOp yield : {op.thenYield(), op.elseYield()}) {
        Value source = getSource(yield.getOperand(i));
        rewriter.setInsertionPoint(yield);
        if (source.getType() != type)
          source = memref::CastOp::create(rewriter, op.getLoc(), type, source);
        rewriter.modifyOpInPlace(yield, [&, i = i] { yield.setOperand(i, source); });
      }
      Value result = op.getResult(i);
      Type old = result.getType();
      rewriter.modifyOpInPlace(op, [&, type = type] { result.setType(type); });
      rewriter.setInsertionPointAfter(op);
      Value cast = memref::CastOp::create(rewriter, op.getLoc(), old, result);
      rewriter.replaceAllUsesExcept(result, cast, cast.getDefiningOp());
    }
    return success();
  }
};

/// Makes a view with steps that drops some of its dims of one element two views. To find the dims that a view drops,
/// upstream compares its strides with those of the source, which fails if they are multiplied by steps.
struct SplitSteppedView final : OpRewritePattern<memref::SubViewOp> {
  SplitSteppedView(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(memref::SubViewOp op, PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(), sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    int64_t dropped = op.getSourceType().getRank() - op.getType().getRank();
    int64_t ofOne = llvm::count_if(op.getStaticSizes(), [](int64_t size) { return size == 1; });
    if (op.hasUnitStride() || dropped == 0 || dropped == ofOne)
      return rewriter.notifyMatchFailure(op, "expected a view with steps that drops some dims of one element");
    Location loc = op.getLoc();
    Value whole = memref::SubViewOp::create(rewriter, loc, op.getSource(), offsets, sizes, strides);
    SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
        ones(sizes.size(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<memref::SubViewOp>(op, op.getType(), whole, zeros, sizes, ones);
    return success();
  }
};

struct KeepStrides final : recur::impl::KeepStridesBase<KeepStrides> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<KeepStridesOfBranch, SplitSteppedView>(context);
    // The users of a result, among them other branches, see its strides behind the cast.
    memref::CastOp::getCanonicalizationPatterns(patterns, context);
    memref::SubViewOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
