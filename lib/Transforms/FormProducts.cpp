// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FormProducts.cpp - Products that kernels compute -------------------===//
//
// From here on, a product that a kernel computes is an op of its own, so no later pass must find out which ones these
// are.
//
//===----------------------------------------------------------------------===//

#include "MatchProduct.h"

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Dialect/RT/IR/SumOrder.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_FORMPRODUCTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The columns that decide the order of a sum, as `rt.product` names them.
static int64_t getColumns(linalg::GenericOp op, const MatchedProduct &product) {
  if (std::optional<int64_t> marked = rt::getColumns(op))
    return *marked;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t columns = ranges[product.lane];
  for (unsigned loop : product.blocks)
    columns = ShapedType::isDynamic(columns) || ShapedType::isDynamic(ranges[loop]) ? ShapedType::kDynamic
                                                                                    : columns * ranges[loop];
  return ShapedType::isDynamic(columns) ? -1 : columns;
}

/// Replaces a product that a kernel shall compute, and the fill that it starts from.
static LogicalResult formProduct(RewriterBase &rewriter, linalg::GenericOp op) {
  std::optional<MatchedProduct> product = matchProduct(op);
  if (!product || !callsKernel(op, *product) || !op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "expected a product that is worth the call of a kernel");
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || fill.getInputs()[0].getType() != getElementTypeOrSelf(op.getResult(0)))
    return rewriter.notifyMatchFailure(op, "expected a product that starts from a fill");
  // The loops of the new op are in the order of the dims of the result, and the summed one is the last.
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<AffineExpr> loops(op.getNumLoops());
  for (auto [i, expr] : llvm::enumerate(result.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = rewriter.getAffineDimExpr(i);
  unsigned last = result.getNumResults();
  loops[product->shared] = rewriter.getAffineDimExpr(last);
  auto renumber = [&](unsigned input) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(input));
    return map.replaceDimsAndSymbols(loops, {}, last + 1, 0);
  };
  rewriter.setInsertionPoint(op);
  auto formed = rt::ProductOp::create(rewriter, op.getLoc(), op.getDpsInputs()[product->rows],
                                      op.getDpsInputs()[product->matrix], fill.getInputs()[0], fill.getOutputs()[0],
                                      renumber(product->rows), renumber(product->matrix), getColumns(op, *product));
  rewriter.replaceOp(op, formed);
  if (fill->use_empty())
    rewriter.eraseOp(fill);
  return success();
}

namespace {
struct FormProducts final : recur::impl::FormProductsBase<FormProducts> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      (void)formProduct(rewriter, op);
  }
};
} // namespace
