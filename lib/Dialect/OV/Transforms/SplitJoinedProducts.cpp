// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitJoinedProducts.cpp - Products of joined inputs and states -----===//
//
// Exporters of TensorFlow, and authors of cells of their own, join the input of a cell and its state, and multiply both
// by one matrix. The part of the product that belongs to the input does not depend on the state. If it is a product of
// its own, ov-hoist-time-parallel can move it out of the loop, and an iteration reads only the rest of the matrix.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "WeightParts.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace recur::ov {
#define GEN_PASS_DEF_SPLITJOINEDPRODUCTS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur;
using namespace recur::ov;

/// True if `value` is a part of a sliced input of `loop`, possibly reshaped.
template <typename LoopT>
static bool isPartOfInput(LoopT loop, Value value) {
  auto source = dyn_cast<BlockArgument>(lookThroughReshapes(value));
  return source && llvm::is_contained(loop.getSliceArgs(), source);
}

/// The concatenation along the contracted dim that `product` has as its left operand, if some of its operands are parts
/// of sliced inputs and others are not. Returns null if there is none, or if the product cannot be split: a sum of two
/// rounded products of 16 bits would be less exact.
template <typename LoopT>
static ConcatOp matchJoined(LoopT loop, MatMulOp product) {
  auto joined = product.getA().template getDefiningOp<ConcatOp>();
  auto weights = cast<RankedTensorType>(product.getB().getType());
  if (!joined || product.getTransposeA() || !(weights.getElementType().isF32() || weights.getElementType().isF64()) ||
      weights.getRank() != 2 || loop.getBody().isAncestor(product.getB().getParentRegion()))
    return nullptr;
  auto type = cast<RankedTensorType>(joined.getType());
  bool isLastDim = normalizeAxis(joined.getAxis(), type.getRank()) == type.getRank() - 1;
  int64_t shared = weights.getDimSize(product.getTransposeB() ? 1 : 0);
  if (type.getRank() != 2 || !isLastDim || shared != type.getDimSize(1) || ShapedType::isDynamic(shared))
    return nullptr;
  unsigned parts = 0;
  for (Value operand : joined.getInputs()) {
    if (ShapedType::isDynamic(cast<RankedTensorType>(operand.getType()).getDimSize(1)))
      return nullptr;
    parts += isPartOfInput(loop, operand);
  }
  return parts != 0 && parts != joined.getInputs().size() ? joined : nullptr;
}

/// Replaces `product` by the sum of the products of the operands of `joined`. The concatenation stays: it may fail.
static void split(MatMulOp product, ConcatOp joined, Operation *loop, RewriterBase &rewriter) {
  int64_t axis = product.getTransposeB() ? 1 : 0, start = 0;
  Location loc = product.getLoc();
  Value sum;
  for (Value operand : joined.getInputs()) {
    int64_t size = cast<RankedTensorType>(operand.getType()).getDimSize(1);
    rewriter.setInsertionPoint(loop);
    Value weights = extractPart(rewriter, loc, product.getB(), axis, start, size);
    rewriter.setInsertionPoint(product);
    Value part = MatMulOp::create(rewriter, loc, operand, weights, /*transpose_a=*/false, product.getTransposeB());
    sum = sum ? AddOp::create(rewriter, loc, sum, part, AutoBroadcast::None) : part;
    start += size;
  }
  if (sum.getType() != product.getType())
    sum = tensor::CastOp::create(rewriter, loc, product.getType(), sum);
  rewriter.replaceOp(product, sum);
}

/// Splits the products of joined inputs and states in the body of `loop`.
template <typename LoopT>
static void splitAll(LoopT loop, RewriterBase &rewriter) {
  for (MatMulOp product : llvm::make_early_inc_range(loop.getBodyBlock()->template getOps<MatMulOp>()))
    if (ConcatOp joined = matchJoined(loop, product)) {
      remarkPassed(product.getLoc(), "ov-split-joined-products", "split",
                   "the product of {0} joined inputs and states is a sum of as many products",
                   joined.getInputs().size());
      split(product, joined, loop, rewriter);
    }
}

namespace {
struct SplitJoinedProducts final : recur::ov::impl::SplitJoinedProductsBase<SplitJoinedProducts> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](Operation *op) {
      if (auto loop = dyn_cast<LoopOp>(op))
        splitAll(loop, rewriter);
      else if (auto loop = dyn_cast<TensorIteratorOp>(op))
        splitAll(loop, rewriter);
    });
  }
};
} // namespace
