// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SpecializeRows.cpp - Code of its own for a single row --------------===//
//
// A product of a dynamic number of rows calls a kernel. In a time loop the rows are most often the batch of a cell, and
// most often one. The call, and what the kernel decides, then costs a good part of the time. So a branch computes a
// single row with inline code, which is that of a static batch of one.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "RowProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_SPECIALIZEROWS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The loop of the rows of a product that calls a kernel only because their number is dynamic.
static std::optional<unsigned> findRows(linalg::GenericOp op) {
  std::optional<RowProduct> product = matchRowProduct(op);
  if (!product || !callsKernel(op) || product->decompressed || product->pair || !op.hasPureTensorSemantics() ||
      !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  std::optional<unsigned> rows;
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    if (!ShapedType::isDynamic(range))
      continue;
    if (rows || !llvm::is_contained(product->rows, loop))
      return std::nullopt;
    rows = loop;
  }
  // More static rows than one would be a tile of several rows, for which a kernel is as fast.
  if (!rows || llvm::any_of(product->rows, [&](unsigned loop) { return loop != *rows && ranges[loop] != 1; }) ||
      llvm::any_of(product->batch, [&](unsigned loop) { return ranges[loop] != 1; }))
    return std::nullopt;
  return rows;
}

/// Emits `op`, which starts from `fill`, on tensors of which `cast` gives the types, and returns the result.
static Value emitProduct(RewriterBase &rewriter, linalg::GenericOp op, linalg::FillOp fill,
                         function_ref<Value(OpOperand &operand)> cast) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(cast(*input));
  Value init =
      linalg::FillOp::create(rewriter, fill.getLoc(), fill.getInputs(), cast(*op.getDpsInitOperand(0))).getResult(0);
  auto copy = linalg::GenericOp::create(rewriter, loc, init.getType(), inputs, init, op.getIndexingMapsArray(),
                                        op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op.getRegion(), copy.getRegion(), copy.getRegion().end());
  return copy.getResult(0);
}

/// Replaces `op` by a branch: one row, or any number of them.
static void specialize(RewriterBase &rewriter, linalg::GenericOp op, unsigned rows) {
  Location loc = op.getLoc();
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Value start = fill.getOutputs()[0];
  rewriter.setInsertionPoint(op);
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned dim = *map.getResultPosition(rewriter.getAffineDimExpr(rows));
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value isOne = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                      tensor::DimOp::create(rewriter, loc, start, dim), one);
  auto sourceOf = [&](OpOperand &operand) { return op.isDpsInit(&operand) ? start : operand.get(); };
  auto branch = scf::IfOp::create(
      rewriter, loc, isOne,
      [&](OpBuilder &, Location) {
        Value result = emitProduct(rewriter, op, fill, [&](OpOperand &operand) -> Value {
          Value source = sourceOf(operand);
          auto type = cast<RankedTensorType>(source.getType());
          SmallVector<int64_t> shape(type.getShape());
          for (auto [size, expr] : llvm::zip_equal(shape, op.getMatchingIndexingMap(&operand).getResults()))
            if (expr == rewriter.getAffineDimExpr(rows))
              size = 1;
          return rewriter.createOrFold<tensor::CastOp>(loc, type.clone(shape), source);
        });
        result = rewriter.createOrFold<tensor::CastOp>(loc, start.getType(), result);
        scf::YieldOp::create(rewriter, loc, result);
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(rewriter, loc, emitProduct(rewriter, op, fill, sourceOf)); });
  rewriter.replaceOp(op, branch.getResults());
  if (fill->use_empty())
    rewriter.eraseOp(fill);
}

namespace {
struct SpecializeRows final : recur::impl::SpecializeRowsBase<SpecializeRows> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<std::pair<linalg::GenericOp, unsigned>> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (std::optional<unsigned> rows = rt::isInTimeLoop(op) ? findRows(op) : std::nullopt)
        found.emplace_back(op, *rows);
    });
    IRRewriter rewriter(&getContext());
    for (auto [op, rows] : found)
      specialize(rewriter, op, rows);
  }
};
} // namespace
