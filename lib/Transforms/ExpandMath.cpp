// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExpandMath.cpp - Transcendental functions become arithmetic --------===//
//
// The patterns are in ExpandFloats.cpp and ExpandDivisions.cpp. This pass chooses those that the target needs.
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "ExpandFloats.h"

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace recur {
#define GEN_PASS_DEF_EXPANDMATH
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// Lowers math.fma to a product and a sum.
struct SplitFma final : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

struct ExpandMath final : recur::impl::ExpandMathBase<ExpandMath> {
  using Base::Base;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandExpPatterns(patterns, scaling);
    // Conversions of bf16 would become calls of a runtime library that not every compiler provides.
    arith::populateExpandBFloat16Patterns(patterns);
    populateNarrowDoublePatterns(patterns);
    populateExpandMinMaxNumPatterns(patterns);
    populateExpandDivisionPatterns(patterns, noFma);
    if (noF16c)
      populateExpandHalfPatterns(patterns);
    if (noRounding)
      populateExpandRoundingPatterns(patterns);
    if (noFma)
      patterns.add<SplitFma>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
