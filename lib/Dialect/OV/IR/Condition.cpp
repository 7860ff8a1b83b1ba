// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Condition.cpp - If, Select, NonZero --------------------------------===//
//
// If has the interfaces of an op with regions. Its canonicalizations are here rather than MLIR's generic ones, which
// are not run on the ov dialect.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

ResultOp IfOp::getEnd(bool first) {
  return cast<ResultOp>((first ? getThenBody() : getElseBody()).front().getTerminator());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult IfOp::verify() {
  // if_c1
  RankedTensorType type = getCondition().getType();
  if (type.getRank() > 1 || !type.hasStaticShape() || type.getNumElements() != 1)
    return emitOpError() << "expected a condition with one element, but got " << type;
  return success();
}

LogicalResult ResultOp::verify() {
  // if_c2
  auto parent = cast<IfOp>((*this)->getParentOp());
  if (getValues().getTypes() != parent.getResultTypes()) {
    InFlightDiagnostic diag = emitOpError("expected values of types (")
                              << parent.getResultTypes() << "), but got (" << getValues().getTypes() << ")";
    diag.attachNote(parent.getLoc()) << "these are the types of the results";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

void IfOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent()) {
    regions.emplace_back(getOperation(), getResults());
    return;
  }
  regions.emplace_back(&getThenBody(), Block::BlockArgListType());
  regions.emplace_back(&getElseBody(), Block::BlockArgListType());
}

void IfOp::getRegionInvocationBounds(ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.assign(2, InvocationBounds(0, 1));
}

MutableOperandRange ResultOp::getMutableSuccessorOperands(RegionSuccessor) { return getValuesMutable(); }

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {
/// Inlines the body that a constant condition chooses.
struct InlineChosenBody final : OpRewritePattern<IfOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> first = getConstantBool(op.getCondition());
    if (!first)
      return rewriter.notifyMatchFailure(op, "expected a constant condition");
    ResultOp end = op.getEnd(*first);
    rewriter.inlineBlockBefore(end->getBlock(), op);
    rewriter.replaceOp(op, SmallVector<Value>(end.getValues()));
    rewriter.eraseOp(end);
    return success();
  }
};

/// Drops results that have no uses, and replaces results for which both bodies return the same value.
struct DropResults final : OpRewritePattern<IfOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    ResultOp ends[] = {op.getEnd(true), op.getEnd(false)};
    SmallVector<Value> kept;
    SmallVector<Type> types;
    SmallVector<Value> values[2];
    for (auto [result, first, second] : llvm::zip_equal(op.getResults(), ends[0].getValues(), ends[1].getValues())) {
      // Both bodies can only use the same value if it is defined above the op.
      if (first == second) {
        if (!result.use_empty())
          rewriter.replaceAllUsesWith(result, first);
      } else if (!result.use_empty()) {
        kept.push_back(result);
        types.push_back(result.getType());
        values[0].push_back(first);
        values[1].push_back(second);
      }
    }
    if (kept.size() == op.getNumResults())
      return rewriter.notifyMatchFailure(op, "expected a result that is not needed");
    auto replacement = IfOp::create(rewriter, op.getLoc(), types, op.getCondition());
    replacement->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [end, own] : llvm::zip_equal(ends, values)) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(end);
      rewriter.replaceOpWithNewOp<ResultOp>(end, own);
    }
    rewriter.inlineRegionBefore(op.getThenBody(), replacement.getThenBody(), replacement.getThenBody().end());
    rewriter.inlineRegionBefore(op.getElseBody(), replacement.getElseBody(), replacement.getElseBody().end());
    for (auto [from, to] : llvm::zip_equal(kept, replacement.getResults()))
      rewriter.replaceAllUsesWith(from, to);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<InlineChosenBody, DropResults>(context);
}

//===----------------------------------------------------------------------===//
// Select
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value condition = adaptor.getCondition(), thenValue = adaptor.getThenValue(), elseValue = adaptor.getElseValue();
  // C2
  SmallVector<int64_t> shape(shapeOf(thenValue));
  if (failed(combineShapes(report, thenValue, elseValue, adaptor.getAutoBroadcast(), shape)) ||
      failed(combineShapes(report, thenValue, condition, adaptor.getAutoBroadcast(), shape)))
    return failure();
  return addType(types, shape, elementOf(thenValue));
}

DimSource::MaybeDim SelectOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  if (getAutoBroadcast() == AutoBroadcast::None)
    return dims.getAgreed(getOperands(), dim);
  return dims.getBroadcast(getOperands(), getType().getRank(), dim);
}

bool SelectOp::canFault() {
  return canClash(getThenValue(), getElseValue(), getAutoBroadcast()) ||
         canClash(getThenValue(), getCondition(), getAutoBroadcast()) ||
         canClash(getElseValue(), getCondition(), getAutoBroadcast());
}

//===----------------------------------------------------------------------===//
// NonZero
//===----------------------------------------------------------------------===//

LogicalResult NonZeroOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return addType(types, {rankOf(adaptor.getData()), ShapedType::kDynamic}, adaptor.getOutputType());
}

// The number of elements that are not 0 is known only after they have been counted.
DimSource::MaybeDim NonZeroOp::describeDim(DimSource &, unsigned, int64_t) { return std::nullopt; }
