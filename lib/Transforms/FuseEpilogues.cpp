// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FuseEpilogues.cpp - Fuse convolutions with what follows them -------===//
//
// The reader is found from the convolution, along what joins the dims of its channels and leaves out those that fill
// the last tile. So an element of the epilogue is at the position and the channel of the sum that it is computed from.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The most ops in the body of an epilogue.
static constexpr size_t kMostOps = 64;

/// True if `collapse` joins all dims of the channels, and no others.
static bool joinsChannels(rt::ConvolutionOp convolution, tensor::CollapseShapeOp collapse) {
  unsigned others = 1 + convolution.getNumSpatialDims();
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  return groups.size() == others + 1 &&
         llvm::all_of(llvm::seq(others), [&](unsigned i) { return groups[i] == ReassociationIndices{int64_t(i)}; });
}

/// True if `slice` begins at the first element, without steps, and leaves out fewer channels than a tile of the filters
/// has. Its source has one dim of channels.
static bool keepsChannels(rt::ConvolutionOp convolution, tensor::ExtractSliceOp slice) {
  RankedTensorType source = slice.getSourceType(), type = slice.getType();
  if (source.getRank() != convolution.getNumSpatialDims() + 2 || type.getRank() != source.getRank() ||
      !slice.hasUnitStride() ||
      !llvm::all_of(slice.getMixedOffsets(), [](OpFoldResult x) { return isConstantIntValue(x, 0); }))
    return false;
  // An earlier slice may have left out some of the channels, so those of the source do not count.
  return type.getShape().back() >= convolution.getChannelRange().first;
}

/// True if `value` is a constant.
static bool isConstant(Value value) { return value.getDefiningOp<arith::ConstantOp>() != nullptr; }

/// True if the body of `op` can be emitted on vectors of `type`.
static bool hasElementwiseBody(linalg::GenericOp op, Type type) {
  Block *body = op.getBody();
  if (body->getOperations().size() > kMostOps + 1 || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      !llvm::all_of(body->getArgumentTypes(), [&](Type given) { return given == type; }))
    return false;
  auto isKnown = [&](Value value) { return value.getParentBlock() == body || isConstant(value); };
  return llvm::all_of(*body, [&](Operation &inner) {
    return llvm::all_of(inner.getOperands(), isKnown) && (isa<linalg::YieldOp>(inner) || rt::isElementwise(inner));
  });
}

/// The number of the input of `op` that has the sums of the convolution, if `op` can be its epilogue. `sums` are the
/// result of the convolution in the shape that `op` reads.
static FailureOr<unsigned> matchEpilogue(RewriterBase &rewriter, rt::ConvolutionOp convolution, linalg::GenericOp op,
                                         Value sums) {
  unsigned loops = convolution.getNumSpatialDims() + 2;
  if (op->getBlock() != convolution->getBlock() || op.getNumLoops() != loops || op.getNumParallelLoops() != loops ||
      op.getNumDpsInits() != 1)
    return rewriter.notifyMatchFailure(op, "expected an element-wise op, in the block of the convolution");
  OpOperand *target = op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(target).isIdentity() || target->get() == sums ||
      !hasElementwiseBody(op, getElementTypeOrSelf(sums)) ||
      ShapedType::isDynamic(cast<ShapedType>(target->get().getType()).getShape().back()))
    return rewriter.notifyMatchFailure(op,
                                       "expected a few ops on elements of one type, and a known number of channels");
  // The functions of f64 are no vector code, and depthwise convolutions compute little between two results.
  if (isLong(*op.getBody()) && (convolution.isDepthwise() || !getElementTypeOrSelf(sums).isF32()))
    return rewriter.notifyMatchFailure(op, "expected no function behind a depthwise convolution, or one of f64");
  std::optional<unsigned> found;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    auto slice = operand->get().getDefiningOp<tensor::ExtractSliceOp>();
    if (slice && !isConstantIntValue(slice.getMixedStrides().back(), 1))
      return rewriter.notifyMatchFailure(op, "expected other inputs whose channels follow each other");
    if (operand->get() == sums && map.isIdentity() && !found)
      found = operand->getOperandNumber();
    else if (operand->get() == sums || !rt::isIndexedByChannel(map))
      return rewriter.notifyMatchFailure(op, "expected other inputs whose last dim is the channels");
  }
  return *found;
}

/// Makes the one reader of the result of `convolution` its epilogue. Fails if it can be none.
static LogicalResult fuseEpilogue(RewriterBase &rewriter, rt::ConvolutionOp convolution) {
  if (convolution.hasEpilogue() || convolution.getChannelsFirst() ||
      !convolution.getInit().getDefiningOp<tensor::EmptyOp>())
    return rewriter.notifyMatchFailure(
        convolution, "expected a convolution with channels last into an empty tensor, without an epilogue");
  Value sums = convolution.getResult();
  SmallVector<Operation *> views;
  while (sums.hasOneUse()) {
    Operation *view = *sums.user_begin();
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(view);
    auto slice = dyn_cast<tensor::ExtractSliceOp>(view);
    if (!(collapse && joinsChannels(convolution, collapse)) && !(slice && keepsChannels(convolution, slice)))
      break;
    views.push_back(view);
    sums = view->getResult(0);
  }
  auto op = sums.hasOneUse() ? dyn_cast<linalg::GenericOp>(*sums.user_begin()) : linalg::GenericOp();
  if (!op)
    return rewriter.notifyMatchFailure(convolution, "expected one reader of the result");
  FailureOr<unsigned> number = matchEpilogue(rewriter, convolution, op, sums);
  if (failed(number))
    return failure();
  SmallVector<Value> operands{convolution.getFilters(), convolution.getData()};
  SmallVector<AffineMap> maps;
  Block *body = op.getBody();
  SmallVector<Value> arguments{body->getArgument(*number)};
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (operand->getOperandNumber() == *number)
      continue;
    operands.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
    arguments.push_back(op.getMatchingBlockArgument(operand));
  }
  operands.push_back(op.getDpsInits()[0]);
  // The layer of the epilogue names the op, as the last one that writes its result.
  rewriter.setInsertionPoint(op);
  auto fused =
      rt::ConvolutionOp::create(rewriter, op.getLoc(), op.getResultTypes(), operands, convolution.getProperties(),
                                convolution->getDiscardableAttrDictionary().getValue());
  fused.setInputMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  Type element = getElementTypeOrSelf(sums);
  Block *own = rewriter.createBlock(&fused.getEpilogue(), {}, SmallVector<Type>(arguments.size(), element),
                                    SmallVector<Location>(arguments.size(), op.getLoc()));
  IRMapping map;
  map.map(arguments, own->getArguments());
  for (Operation &inner : *body) {
    // A constant may stand in front of the op.
    for (Value operand : inner.getOperands())
      if (!map.contains(operand))
        map.map(operand, rewriter.clone(*operand.getDefiningOp())->getResult(0));
    if (auto yield = dyn_cast<linalg::YieldOp>(inner))
      rt::YieldOp::create(rewriter, yield.getLoc(), map.lookup(yield.getOperand(0)));
    else
      rewriter.clone(inner, map);
  }
  rewriter.replaceOp(op, fused.getResult());
  for (Operation *view : llvm::reverse(views))
    rewriter.eraseOp(view);
  rewriter.eraseOp(convolution);
  return success();
}

namespace {
struct FuseEpilogues final : recur::impl::FuseEpiloguesBase<FuseEpilogues> {
  void runOnOperation() override {
    SmallVector<rt::ConvolutionOp> convolutions;
    getOperation().walk([&](rt::ConvolutionOp op) { convolutions.push_back(op); });
    IRRewriter rewriter(&getContext());
    // Of two convolutions with one reader, the last one gets it: the result of the first is then there.
    for (rt::ConvolutionOp op : llvm::reverse(convolutions))
      (void)fuseEpilogue(rewriter, op);
  }
};
} // namespace
