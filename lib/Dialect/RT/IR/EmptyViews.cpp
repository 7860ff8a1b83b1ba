// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmptyViews.cpp - Views of buffers that turn out to be empty --------===//
//
// A dim of a buffer may become the constant 0 long after the views of the buffer were made. Upstream folds the static
// type into `memref.subview`, whose verifier then refuses the offset 0, because it is not less than the dim 0. The
// view is never read or written, but it must verify.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/DroppedDims.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace recur::rt;

namespace {
/// Replaces a view that starts outside of its buffer by a view of the same type that has no bounds to verify.
///
/// Before: `%v = memref.subview %b[0, %i] [%n, 1] [1, 1] : memref<0x4xf32> to memref<?x1xf32, strided<[4, 1], ...>>`
/// After:  `%v = memref.reinterpret_cast %b to offset: [0], sizes: [%n, 1], strides: [4, 1] : ...`
struct EmptyView final : OpRewritePattern<memref::SubViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::SubViewOp op, PatternRewriter &rewriter) const override {
    auto isOutside = [](std::tuple<int64_t, int64_t> pair) {
      auto [offset, dim] = pair;
      return !ShapedType::isDynamic(offset) && !ShapedType::isDynamic(dim) && offset >= dim;
    };
    if (llvm::none_of(llvm::zip_equal(op.getStaticOffsets(), op.getSourceType().getShape()), isOutside))
      return rewriter.notifyMatchFailure(op, "expected a static offset outside of the buffer");
    MemRefType type = op.getType();
    auto [strides, offset] = type.getStridesAndOffset();
    Value zero;
    // A number that is not in the type becomes 0. The view has no elements, so any address will do.
    auto getNumber = [&](int64_t number) -> OpFoldResult {
      if (!ShapedType::isDynamic(number))
        return rewriter.getIndexAttr(number);
      if (!zero)
        zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
      return zero;
    };
    SmallVector<OpFoldResult> sizes;
    std::optional<llvm::SmallDenseSet<unsigned>> dropped = recur::rt::getDroppedDims(op);
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped || !dropped->contains(dim))
        sizes.push_back(size);
    rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(op, type, op.getSource(), getNumber(offset), sizes,
                                                           llvm::map_to_vector(strides, getNumber));
    return success();
  }
};
} // namespace

void RTDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<EmptyView>(getContext());
}
