// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExpandMath.cpp - Transcendental functions become arithmetic --------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace recur {
#define GEN_PASS_DEF_EXPANDMATH
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// Lower math.fma to a product and a sum.
struct SplitFma final : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

/// Lower f32 math.floor to a conversion and back; targets without fused multiply-add may lack instructions that round,
/// too, and would call floorf.
struct ExpandFloor final : OpRewritePattern<math::FloorOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FloorOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    Location loc = op.getLoc();
    Value x = op.getOperand();
    auto constant = [&](float value) -> Value {
      TypedAttr attr = rewriter.getF32FloatAttr(value);
      if (auto shaped = dyn_cast<ShapedType>(type))
        attr = DenseElementsAttr::get(shaped, attr);
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    Type integer = rewriter.getI32Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      integer = shaped.clone(integer);
    // From 2^23 on every value is an integer; below, the conversion fits.
    Value small = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT,
                                        math::AbsFOp::create(rewriter, loc, x), constant(8388608.0f));
    Value safe = arith::SelectOp::create(rewriter, loc, small, x, constant(0.0f));
    Value truncated =
        arith::SIToFPOp::create(rewriter, loc, type, arith::FPToSIOp::create(rewriter, loc, integer, safe));
    Value above = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT, truncated, safe);
    Value floor = arith::SelectOp::create(rewriter, loc, above,
                                          arith::SubFOp::create(rewriter, loc, truncated, constant(1.0f)), truncated);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, small, floor, x);
    return success();
  }
};

struct ExpandMath final : recur::impl::ExpandMathBase<ExpandMath> {
  using Base::Base;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns,
                                                [](StringRef name) { return name == math::ExpOp::getOperationName(); });
    // Conversions of bf16 would be calls of a runtime library that not every compiler brings.
    arith::populateExpandBFloat16Patterns(patterns);
    if (noFma) {
      patterns.add<SplitFma, ExpandFloor>(&getContext());
    }
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
