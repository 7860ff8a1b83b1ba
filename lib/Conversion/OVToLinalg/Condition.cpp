// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Condition.cpp - Lowering of select and non_zero --------------------===//
//
// Select is element-wise but moves elements of any type, so it has its own pattern. The size of the result of NonZero
// depends on the data, so its lowering passes over the data twice.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Indexing.h"
#include "Payloads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace recur::ov {

namespace {
/// Select copies elements in their storage types. Only the condition is converted to i1.
struct LowerSelect final : OpConversionPattern<SelectOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(SelectOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getType();
    Broadcasting plan =
        planBroadcasting(b, adaptor.getOperands(), type.getShape(), broadcastsLikeNumPy(op), op->getOperands());
    auto body = [&](LoweringBuilder &inner, ValueRange stored) -> Value {
      Value condition = fromStorage(inner, stored[0], elementOf(op.getCondition()));
      return arith::SelectOp::create(inner, condition, stored[1], stored[2]);
    };
    Value result = emitBroadcasting(b, plan, getStorageType(type.getElementType()), /*sideEffects=*/false, body);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(type)));
    return success();
  }
};

/// NonZero. The first loop nest counts the elements that are not 0, which gives the size of the result. The second one
/// stores the indices of these elements: row d of the result has the indices of dim d.
struct LowerNonZero final : OpConversionPattern<NonZeroOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(NonZeroOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), one = indexOf(b, 1), zero = indexOf(b, 0);
    Type element = op.getData().getType().getElementType(), output = op.getOutputType();
    SmallVector<OpFoldResult> sizes = getDims(b, data);
    auto isNotZero = [&](LoweringBuilder &inner, ValueRange place) {
      return convertScalar(inner, fromStorage(inner, readAt(inner, data, place), element), element, inner.getI1Type());
    };
    auto count = [&](LoweringBuilder &inner, ValueRange place, ValueRange carried) -> SmallVector<Value> {
      Value step = arith::SelectOp::create(inner, isNotZero(inner, place), one, zero);
      return {arith::AddIOp::create(inner, carried[0], step)};
    };
    Value number = loopNest(b, sizes, zero, count).front();
    SmallVector<OpFoldResult> resultSizes{b.getIndexAttr(rankOf(data)), getAsOpFoldResult(number)};
    // Carries the result and the number of elements found so far.
    auto note = [&](LoweringBuilder &outer, ValueRange place, ValueRange carried) -> SmallVector<Value> {
      Value holds = isNotZero(outer, place);
      auto branch = scf::IfOp::create(
          outer, holds,
          [&](OpBuilder &nested, Location loc) {
            LoweringBuilder inner(loc, nested, outer);
            Value result = carried[0];
            for (auto [dim, index] : llvm::enumerate(place))
              result = writeAt(inner, arith::IndexCastOp::create(inner, output, index), result,
                               ValueRange{indexOf(inner, dim), carried[1]});
            scf::YieldOp::create(inner, ValueRange{result, arith::AddIOp::create(inner, carried[1], one)});
          },
          [&](OpBuilder &nested, Location loc) {
            LoweringBuilder inner(loc, nested, outer);
            scf::YieldOp::create(inner, carried);
          });
      return llvm::to_vector(ValueRange(branch.getResults()));
    };
    Value result = loopNest(b, sizes, {emptyOf(b, resultSizes, output), zero}, note).front();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void populateConditionPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerSelect, LowerNonZero>(converter, patterns.getContext());
}

} // namespace recur::ov
