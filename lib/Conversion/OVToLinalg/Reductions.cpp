// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reductions.cpp - Lowering of reductions and softmax ----------------===//

#include "Lowering.h"
#include "Payloads.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace recur::ov {

/// Combines two values of compute type.
using Combine = Value (*)(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned);

static Value combineSum(LoweringBuilder &b, Value lhs, Value rhs, bool) { return add(b, lhs, rhs); }
static Value neutralOfSum(LoweringBuilder &b, Type compute, bool) { return zeroOf(b, compute); }

/// The least value of the type.
static Value neutralOfMax(LoweringBuilder &b, Type compute, bool isUnsigned) {
  if (isa<FloatType>(compute))
    return constantOf(b, compute, -std::numeric_limits<double>::infinity());
  unsigned width = compute.getIntOrFloatBitWidth();
  return constantOf(b, compute, isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width));
}

/// Reads dims of `data` but those of `axes`.
static AffineMap getKeptMap(MLIRContext *context, int64_t rank, ArrayRef<int64_t> axes) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, context);
  llvm::SmallBitVector dropped(rank);
  for (int64_t axis : axes)
    dropped.set(axis);
  return map.dropResults(dropped);
}

/// Reduces `data`, whose elements are of type `element`, along `axes`, to elements of the compute type.
static Value reduce(LoweringBuilder &b, Value data, Type element, ArrayRef<int64_t> axes, Value neutral,
                    Combine combine) {
  int64_t rank = rankOf(data);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i != rank; ++i) {
    if (llvm::is_contained(axes, i))
      iterators[i] = IteratorType::reduction;
    else
      sizes.push_back(getDimOrAttr(b, data, i));
  }
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank), getKeptMap(b.getContext(), rank, axes)};
  return generic(b, data, filledOf(b, sizes, neutral), maps, iterators, [&](LoweringBuilder &inner, ValueRange args) {
    return combine(inner, args[1], enter(inner, args[0], element), isUnsigned(element));
  });
}

/// From the compute type to the type in memory.
static Value leaveAll(LoweringBuilder &b, Value tensor, Type element) {
  if (elementOf(tensor) == getStorageType(element))
    return tensor;
  Value empty = emptyOf(b, getDims(b, tensor), element);
  return elementwise(b, tensor, empty,
                     [&](LoweringBuilder &inner, ValueRange args) { return leave(inner, args[0], element); });
}

namespace {
template <typename Op, Combine combine, Value neutral(LoweringBuilder &, Type, bool)>
struct LowerReduce final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> axes = getConstantAxes(op.getReductionAxes(), op.getData().getType().getRank());
    if (!axes)
      return rewriter.notifyMatchFailure(op, "expected constant axes");
    llvm::sort(*axes);
    LoweringBuilder b(op.getLoc(), rewriter);
    Type element = op.getType().getElementType();
    Value init = neutral(b, getComputeType(element), isUnsigned(element));
    Value result = axes->empty() ? adaptor.getData()
                                 : leaveAll(b, reduce(b, adaptor.getData(), element, *axes, init, combine), element);
    if (op.getKeepDims() && !axes->empty())
      result = insertUnitDims(b, result, *axes);
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

struct LowerSoftmax final : OpConversionPattern<SoftmaxOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(SoftmaxOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData();
    Type element = elementOf(data), compute = getComputeType(element);
    int64_t rank = rankOf(data);
    int64_t axis = *normalizeAxis(op.getAxis(), rank);
    Value greatest = reduce(b, data, element, axis, neutralOfMax(b, compute, false), maximum);
    SmallVector<OpFoldResult> sizes = getDims(b, data);
    SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(rank));
    maps[1] = getKeptMap(b.getContext(), rank, axis);
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    Value powers = generic(b, {data, greatest}, emptyOf(b, sizes, compute), maps, iterators,
                           [&](LoweringBuilder &inner, ValueRange args) -> Value {
                             Value x = enter(inner, args[0], element);
                             return math::ExpOp::create(inner, arith::SubFOp::create(inner, x, args[1]));
                           });
    Value sum = reduce(b, powers, compute, axis, zeroOf(b, compute), combineSum);
    Value result = generic(b, {powers, sum}, emptyOf(b, sizes, element), maps, iterators,
                           [&](LoweringBuilder &inner, ValueRange args) {
                             return leave(inner, arith::DivFOp::create(inner, args[0], args[1]), element);
                           });
    rewriter.replaceOp(op, castTo(b, result, op.getType()));
    return success();
  }
};
} // namespace

void populateReductionPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerReduce<ReduceSumOp, combineSum, neutralOfSum>, LowerReduce<ReduceMaxOp, maximum, neutralOfMax>,
               LowerSoftmax>(converter, patterns.getContext());
}

} // namespace recur::ov
