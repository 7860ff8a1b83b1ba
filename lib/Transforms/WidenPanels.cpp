// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WidenPanels.cpp - Widen a panel once for all rows ------------------===//
//
// A product with a packed matrix of f16 or bf16 widens the elements in registers. If it has many tiles of rows, each
// of them would widen all elements again. So the columns of one block are widened first, and all tiles read the result
// from L2. The kernel for convolutions reads each filter many times, so some tiles of filters are widened first.
//
//===----------------------------------------------------------------------===//

#include "MatchProduct.h"
#include "NarrowWeights.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "TargetFacts.h"
#include "TileSchedule.h"

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

namespace {
/// A product that is to be cut: the narrow input, the loop that indexes the parts of it, and the steps of that loop for
/// a panel.
struct Cut {
  unsigned input, loop;
  int64_t size;
};
} // namespace

/// True if input `i` is narrower than the result.
static bool isNarrow(linalg::GenericOp op, unsigned i) {
  return getElementTypeOrSelf(op.getDpsInputs()[i]) != getElementTypeOrSelf(op.getDpsInits()[0]);
}

/// How a product of packed narrow weights of many rows, all of them static, is cut.
static std::optional<Cut> cutProduct(linalg::GenericOp op, int64_t vectorRegisters) {
  std::optional<MatchedProduct> product = matchProduct(op);
  if (!product || product->isDots || product->blocks.size() != 1 || !product->batch.empty() ||
      !isNarrow(op, product->matrix))
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t rows = 1;
  for (unsigned loop : product->rowLoops) {
    if (ShapedType::isDynamic(ranges[loop]))
      return std::nullopt;
    rows *= ranges[loop];
  }
  if (rows <= getMostRowsInRegisters(getAccumulators(vectorRegisters) / 2))
    return std::nullopt;
  return Cut{product->matrix, product->blocks.front(), 1};
}

/// How many tiles of narrow filters a panel has that stays in L2, all if the filters are no expanded constant with a
/// row for each tile.
static int64_t getTilesOfPanel(rt::ConvolutionOp op) {
  // Smaller panels are nearer. But the data of a convolution with strides is copied for each of them.
  bool hasStrides = llvm::any_of(op.getStrides(), [](int64_t stride) { return stride != 1; });
  int64_t most = hasStrides ? kHalfL2Bytes : kHalfL2Bytes / 4;
  auto filters = cast<RankedTensorType>(op.getFilters().getType());
  auto expand = op.getFilters().getDefiningOp<tensor::ExpandShapeOp>();
  int64_t tiles = filters.getDimSize(1), bytes = filters.getNumElements() * sizeof(float), parts = 1;
  if (!expand || expand.getSrcType().getRank() != 2 || expand.getSrcType().getDimSize(0) != tiles)
    return tiles;
  while (parts < tiles && (tiles % parts != 0 || bytes / parts > most))
    ++parts;
  return tiles / parts;
}

/// The elements of a panel, the narrow input `input` of a product or of a convolution, as f32.
static Value widenPanel(RewriterBase &rewriter, Location loc, Value input) {
  // Vectors run along the rows of the constant that was expanded.
  auto slice = input.getDefiningOp<tensor::ExtractSliceOp>();
  auto expand = (slice ? slice.getSource() : input).getDefiningOp<tensor::ExpandShapeOp>();
  auto isRowOfTile = [](tensor::ExpandShapeOp expand) {
    return expand.getSrcType().getRank() == 2 && expand.getSrcType().getDimSize(0) == expand.getType().getDimSize(1);
  };
  if (!expand || !isRowOfTile(expand))
    return widen(rewriter, loc, input);
  auto type = cast<RankedTensorType>(input.getType());
  OpFoldResult unit = rewriter.getIndexAttr(1), zero = rewriter.getIndexAttr(0);
  Value rows = tensor::ExtractSliceOp::create(
      rewriter, loc, expand.getSrc(), {slice ? slice.getMixedOffsets()[1] : zero, zero},
      {rewriter.getIndexAttr(type.getDimSize(1)), rewriter.getIndexAttr(expand.getSrcType().getDimSize(1))},
      {unit, unit});
  return unflatten(rewriter, loc, widen(rewriter, loc, rows), type.getShape());
}

/// Replaces the body's extension of the argument `narrow` by the argument, which becomes wide.
static void dropExtension(RewriterBase &rewriter, BlockArgument narrow) {
  auto extension = cast<arith::ExtFOp>(*narrow.getUsers().begin());
  narrow.setType(extension.getType());
  rewriter.replaceOp(extension, narrow);
}

/// Cuts `op`, which starts from a fill, into a loop over panels, each of which is widened first.
static LogicalResult widenPanels(RewriterBase &rewriter, linalg::GenericOp op, Cut cut, int64_t vectorBits) {
  // The order of a sum is that of the whole product.
  rewriter.modifyOpInPlace(op, [&] {
    op->setAttr(rt::kAccumulatorsAttr, rewriter.getI64IntegerAttr(getAccumulatorsOfSum(op, vectorBits)));
  });
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Value start = fill.getInputs()[0];
  rewriter.modifyOpInPlace(op, [&] { op.getDpsInitsMutable()[0].set(fill.getOutputs()[0]); });
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  sizes[cut.loop] = cut.size;
  linalg::GenericOp inner = op;
  if (op.getStaticLoopRanges()[cut.loop] != cut.size) {
    scf::SCFTilingOptions options;
    options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), sizes));
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTilingResult> tiled =
        scf::tileUsingSCF(rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (failed(tiled))
      return op.emitError("cannot cut this product into panels");
    rewriter.replaceOp(op, tiled->replacements);
    inner = cast<linalg::GenericOp>(tiled->tiledOps.front());
  }
  Location loc = inner.getLoc();
  rewriter.setInsertionPoint(inner);
  Value zeros = linalg::FillOp::create(rewriter, loc, start, inner.getDpsInits()[0]).getResult(0);
  Value panel = widenPanel(rewriter, loc, inner.getDpsInputs()[cut.input]);
  rewriter.modifyOpInPlace(inner, [&] {
    inner.getDpsInputOperand(cut.input)->set(panel);
    inner.getDpsInitsMutable()[0].set(zeros);
    dropExtension(rewriter, inner.getBody()->getArgument(cut.input));
  });
  return success();
}

/// Cuts a convolution with narrow filters into a loop over panels of `size` tiles, each of which is widened first.
static void widenFilters(RewriterBase &rewriter, rt::ConvolutionOp op, int64_t size) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  int64_t tiles = op.getFilters().getType().getDimSize(1);
  if (tiles == size) {
    Value wide = widenPanel(rewriter, loc, op.getFilters());
    rewriter.modifyOpInPlace(op, [&] { op.getFiltersMutable().assign(wide); });
    return;
  }
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(rewriter, loc, value).getResult(); };
  auto loop = scf::ForOp::create(rewriter, loc, index(0), index(tiles), index(size), op.getInit());
  rewriter.setInsertionPointToStart(loop.getBody());
  auto cut = [&](Value tensor, unsigned dim, Value first, OpFoldResult count) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, tensor),
                              from(sizes.size(), rewriter.getIndexAttr(0)),
                              steps(sizes.size(), rewriter.getIndexAttr(1));
    from[dim] = first;
    sizes[dim] = count;
    return tensor::ExtractSliceOp::create(rewriter, loc, tensor, from, sizes, steps);
  };
  // The tiles are dim 1 of the filters, and their channels are dim 2 of the result, which the last tile may not fill.
  Value tile = loop.getInductionVar(), out = loop.getRegionIterArg(0);
  int64_t perTile = op.getFilters().getType().getShape().back();
  OpFoldResult channels = tensor::getMixedSize(rewriter, loc, out, 2), count = rewriter.getIndexAttr(size * perTile);
  Value first = rewriter.createOrFold<arith::MulIOp>(loc, tile, index(perTile));
  if (std::optional<int64_t> known = getConstantIntValue(channels); !known || *known % (size * perTile) != 0) {
    Value left = arith::SubIOp::create(rewriter, loc, getValueOrCreateConstantIndexOp(rewriter, loc, channels), first);
    count = arith::MinUIOp::create(rewriter, loc, left, index(size * perTile)).getResult();
  }
  Value wide = widenPanel(rewriter, loc, cut(op.getFilters(), 1, tile, rewriter.getIndexAttr(size)));
  tensor::ExtractSliceOp panel = cut(out, 2, first, count);
  auto inner = rt::ConvolutionOp::create(rewriter, loc, panel.getType(), ValueRange{wide, op.getData(), panel},
                                         op.getProperties(), op->getDiscardableAttrDictionary().getValue());
  Value all = tensor::InsertSliceOp::create(rewriter, loc, inner.getResult(), out, panel.getMixedOffsets(),
                                            panel.getMixedSizes(), panel.getMixedStrides());
  scf::YieldOp::create(rewriter, loc, all);
  rewriter.replaceOp(op, loop.getResults());
}

namespace {
struct WidenPanels final : recur::impl::WidenPanelsBase<WidenPanels> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    auto report = [](Operation *op, int64_t size, int64_t blocks) {
      remarkPassed(op->getLoc(), "rt-widen-panels", "widened",
                   "the call widens {0} of {1} blocks of the narrow operand at a time, for all rows", size,
                   JoinedSizes(blocks));
    };
    for (linalg::GenericOp op : ops) {
      std::optional<Cut> cut = cutProduct(op, vectorRegisters);
      if (!cut || !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
        continue;
      report(op, cut->size, op.getStaticLoopRanges()[cut->loop]);
      if (failed(widenPanels(rewriter, op, *cut, vectorBits)))
        return signalPassFailure();
    }
    SmallVector<rt::ConvolutionOp> convolutions;
    getOperation().walk([&](rt::ConvolutionOp op) {
      if (getElementTypeOrSelf(op.getFilters()) != getElementTypeOrSelf(op.getInit()))
        convolutions.push_back(op);
    });
    for (rt::ConvolutionOp op : convolutions) {
      int64_t size = getTilesOfPanel(op);
      report(op, size, op.getFilters().getType().getDimSize(1));
      widenFilters(rewriter, op, size);
    }
  }
};
} // namespace
