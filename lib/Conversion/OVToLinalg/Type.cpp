// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Type.cpp - Lowering of conversions ---------------------------------===//
//
// This file lowers Convert and ConvertLike. Conversions are not plain casts: they saturate, and they round only once.
// `convertScalar` in Payloads.h has the rules.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Payloads.h"

using namespace mlir;

namespace recur::ov {

static Value buildConvert(LoweringBuilder &b, ConvertOp op, ValueRange args) {
  return convertScalar(b, args[0], elementOf(op.getInput()), op.getType().getElementType());
}

namespace {
/// ConvertLike is not in the element-wise pattern, because its operand `like` only gives the type and takes no part in
/// the loops.
struct LowerConvertLike final : OpConversionPattern<ConvertLikeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ConvertLikeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getType();
    Type from = elementOf(op.getData()), to = type.getElementType();
    Broadcasting plan = planBroadcasting(b, adaptor.getData(), type.getShape(), /*numpy=*/false);
    auto body = [&](LoweringBuilder &inner, ValueRange stored) {
      return toStorage(inner, convertScalar(inner, fromStorage(inner, stored.front(), from), from, to), to);
    };
    Value result = emitBroadcasting(b, plan, getStorageType(to), /*sideEffects=*/false, body);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(type)));
    return success();
  }
};
} // namespace

void populateTypePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  addElementwise<ConvertOp, buildConvert>(converter, patterns);
  patterns.add<LowerConvertLike>(converter, patterns.getContext());
}

} // namespace recur::ov
