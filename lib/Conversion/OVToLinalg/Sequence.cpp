// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sequence.cpp - Lowering of one_hot ---------------------------------===//
//
// This file lowers OneHot. The other ops of the family, the cells and sequences, are decomposed before this pass.
//
//===----------------------------------------------------------------------===//

#include "Payloads.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

namespace {
/// OneHot: one parallel loop nest over the result, which compares each position along the axis with the index. Indices
/// out of range match no position.
struct LowerOneHot final : OpConversionPattern<OneHotOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(OneHotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value indices = adaptor.getIndices();
    Type indexElement = op.getIndices().getType().getElementType();
    int64_t rank = rankOf(indices) + 1, axis = *normalizeAxis(op.getAxis(), rank);
    SmallVector<OpFoldResult> sizes = getDims(b, indices);
    // The size of the axis. A negative one is a shape fault.
    int64_t known = getPartlyKnownSizes(op.getDepth())->front();
    OpFoldResult depth = b.getIndexAttr(known);
    if (ShapedType::isDynamic(known)) {
      Value size = toIndex(b, extractOnly(b, adaptor.getDepth()));
      Value fits = compare(b, P::sge, size, indexOf(b, 0));
      depth = check(b, fits, rt::FaultKind::Shape, "depth {0} is negative", size, size).front();
    }
    sizes.insert(sizes.begin() + axis, depth);
    Value on = extractOnly(b, adaptor.getOnValue()), off = extractOnly(b, adaptor.getOffValue());
    bool countsFromDepth = op.getNegativeIndicesMode() == NegativeIndicesMode::Normalize &&
                           !cast<IntegerType>(indexElement).isUnsignedInteger();
    Value end = toInt64(b, toValue(b, depth));
    SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank).dropResult(axis), b.getMultiDimIdentityMap(rank)};
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    Value result = generic(b, indices, emptyOf(b, sizes, elementOf(adaptor.getOnValue())), maps, iterators,
                           [&](LoweringBuilder &inner, ValueRange args) {
                             Value wanted = convertScalar(inner, fromStorage(inner, args[0], indexElement),
                                                          indexElement, inner.getI64Type());
                             if (countsFromDepth) {
                               Value isNegative = compare(inner, P::slt, wanted, zeroOf(inner, inner.getI64Type()));
                               wanted = selectValue(inner, isNegative, add(inner, wanted, end), wanted);
                             }
                             Value place = toInt64(inner, linalg::IndexOp::create(inner, axis));
                             return selectValue(inner, compare(inner, P::eq, wanted, place), on, off);
                           });
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void populateSequencePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerOneHot>(converter, patterns.getContext());
}

} // namespace recur::ov
