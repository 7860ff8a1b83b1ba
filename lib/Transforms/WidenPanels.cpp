// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WidenPanels.cpp - Widen a panel once for all rows ------------------===//
//
// A product with a packed matrix of f16 or bf16 widens the elements in registers. If it has many tiles of rows, each
// of them would widen all elements again. So the columns of one block are widened first, and all tiles read the result
// from a near cache.
//
//===----------------------------------------------------------------------===//

#include "NarrowWeights.h"
#include "Recur/Transforms/Passes.h"
#include "RowProduct.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_WIDENPANELS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// Matches a product of packed narrow weights of many rows, all of them static.
static std::optional<RowProduct> matchManyRows(linalg::GenericOp op, int64_t vectorRegisters) {
  std::optional<RowProduct> product = matchRowProduct(op);
  if (!product || product->blocks.size() != 1 || !product->batch.empty() || callsKernel(op) ||
      getElementTypeOrSelf(op.getDpsInputs()[product->b]) == getElementTypeOrSelf(op.getDpsInits()[0]) ||
      !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t rows = 1;
  for (unsigned loop : product->rows)
    rows *= ranges[loop];
  if (rows <= getMostRowsInRegisters(getAccumulators(vectorRegisters) / 2))
    return std::nullopt;
  return product;
}

/// Replaces the body's extension of the argument `narrow` by the argument, which becomes wide.
static void dropExtension(RewriterBase &rewriter, BlockArgument narrow) {
  auto extension = cast<arith::ExtFOp>(*narrow.getUsers().begin());
  narrow.setType(extension.getType());
  rewriter.replaceOp(extension, narrow);
}

/// Cuts `op` into a loop over blocks, each of which is widened first.
static LogicalResult widen(RewriterBase &rewriter, linalg::GenericOp op, const RowProduct &product) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Value start = fill.getInputs()[0];
  rewriter.modifyOpInPlace(op, [&] { op.getDpsInitsMutable()[0].set(fill.getOutputs()[0]); });
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  sizes[product.blocks.front()] = 1;
  linalg::GenericOp inner = op;
  if (op.getStaticLoopRanges()[product.blocks.front()] != 1) {
    scf::SCFTilingOptions options;
    options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), sizes));
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTilingResult> tiled =
        scf::tileUsingSCF(rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (failed(tiled))
      return op.emitError("cannot cut this product into blocks");
    rewriter.replaceOp(op, tiled->replacements);
    inner = cast<linalg::GenericOp>(tiled->tiledOps.front());
  }
  Location loc = inner.getLoc();
  rewriter.setInsertionPoint(inner);
  Value zeros = linalg::FillOp::create(rewriter, loc, start, inner.getDpsInits()[0]).getResult(0);
  Value block = inner.getDpsInputs()[product.b];
  auto type = cast<RankedTensorType>(block.getType());
  Type wide = getElementTypeOrSelf(zeros);
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), wide);
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> kinds(type.getRank(), utils::IteratorType::parallel);
  auto panel = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), block, empty, maps, kinds, [&](OpBuilder &builder, Location at, ValueRange args) {
        linalg::YieldOp::create(builder, at, arith::ExtFOp::create(builder, at, wide, args[0]).getResult());
      });
  rewriter.modifyOpInPlace(inner, [&] {
    inner.getDpsInputOperand(product.b)->set(panel.getResult(0));
    inner.getDpsInitsMutable()[0].set(zeros);
    dropExtension(rewriter, inner.getBody()->getArgument(product.b));
  });
  return success();
}

namespace {
struct WidenPanels final : recur::impl::WidenPanelsBase<WidenPanels> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      if (std::optional<RowProduct> product = matchManyRows(op, vectorRegisters))
        if (failed(widen(rewriter, op, *product)))
          return signalPassFailure();
  }
};
} // namespace
