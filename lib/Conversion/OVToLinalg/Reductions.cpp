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
static Value combineProduct(LoweringBuilder &b, Value lhs, Value rhs, bool) { return multiply(b, lhs, rhs); }
static Value neutralOfSum(LoweringBuilder &b, Type compute, bool) { return zeroOf(b, compute); }

static Value neutralOfProduct(LoweringBuilder &b, Type compute, bool) {
  return isa<FloatType>(compute) ? constantOf(b, compute, 1.0)
                                 : constantOf(b, compute, APInt(compute.getIntOrFloatBitWidth(), 1));
}

/// A sum of 64 bits of narrower integers.
static Value combineWideSum(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned) {
  if (rhs.getType() != lhs.getType())
    rhs = isUnsigned ? arith::ExtUIOp::create(b, lhs.getType(), rhs).getResult()
                     : arith::ExtSIOp::create(b, lhs.getType(), rhs).getResult();
  return add(b, lhs, rhs);
}

static Value combineMagnitudes(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned) {
  if (isa<FloatType>(rhs.getType()))
    return add(b, lhs, math::AbsFOp::create(b, rhs));
  if (isUnsigned)
    return add(b, lhs, rhs);
  Value zero = zeroOf(b, rhs.getType());
  Value isNegative = compare(b, arith::CmpIPredicate::slt, rhs, zero);
  return add(b, lhs, arith::SelectOp::create(b, isNegative, arith::SubIOp::create(b, zero, rhs), rhs));
}

static Value combineSquares(LoweringBuilder &b, Value lhs, Value rhs, bool) {
  return add(b, lhs, multiply(b, rhs, rhs));
}

/// Booleans are combined as bytes: an accumulator may be in memory.
template <typename ArithOp>
static Value combineBooleans(LoweringBuilder &b, Value lhs, Value rhs, bool) {
  return ArithOp::create(b, lhs, arith::ExtUIOp::create(b, lhs.getType(), rhs));
}

/// The least value of the type.
static Value neutralOfMax(LoweringBuilder &b, Type compute, bool isUnsigned) {
  if (isa<FloatType>(compute))
    return constantOf(b, compute, -std::numeric_limits<double>::infinity());
  unsigned width = compute.getIntOrFloatBitWidth();
  return constantOf(b, compute, isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width));
}

/// The greatest value of the type.
static Value neutralOfMin(LoweringBuilder &b, Type compute, bool isUnsigned) {
  if (isa<FloatType>(compute))
    return constantOf(b, compute, std::numeric_limits<double>::infinity());
  unsigned width = compute.getIntOrFloatBitWidth();
  return constantOf(b, compute, isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
}

/// What sums are kept in for a mean.
static Type getWideType(Type element) {
  Type compute = getComputeType(element);
  return isa<FloatType>(compute) ? compute : IntegerType::get(element.getContext(), 64);
}

/// Makes the result, of compute type, of what was accumulated of `count` elements (of the accumulator's type).
using Finish = Value (*)(LoweringBuilder &b, Value accumulated, Value count, Type element);

static Value finishMean(LoweringBuilder &b, Value sum, Value count, Type element) {
  if (isa<FloatType>(sum.getType()))
    return arith::DivFOp::create(b, sum, count);
  // The mean of nothing is 0.
  Value divisor = arith::MaxUIOp::create(b, count, constantOf(b, count.getType(), APInt(64, 1)));
  Value mean = isUnsigned(element) ? arith::DivUIOp::create(b, sum, divisor).getResult()
                                   : arith::DivSIOp::create(b, sum, divisor).getResult();
  Type compute = getComputeType(element);
  return compute == mean.getType() ? mean : arith::TruncIOp::create(b, compute, mean).getResult();
}

static Value finishRoot(LoweringBuilder &b, Value sum, Value, Type) { return math::SqrtOp::create(b, sum); }

/// The number of elements along `axes`, as a value of `type`.
static Value countAlong(LoweringBuilder &b, Value data, ArrayRef<int64_t> axes, Type type) {
  Value count = indexOf(b, 1);
  for (int64_t axis : axes)
    count = b.createOrFold<arith::MulIOp>(count, getDim(b, data, axis));
  count = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), count);
  return isa<FloatType>(type) ? b.createOrFold<arith::SIToFPOp>(type, count) : count;
}

/// Reads dims of `data` but those of `axes`.
static AffineMap getKeptMap(MLIRContext *context, int64_t rank, ArrayRef<int64_t> axes) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, context);
  llvm::SmallBitVector dropped(rank);
  for (int64_t axis : axes)
    dropped.set(axis);
  return map.dropResults(dropped);
}

/// Reduces `data`, whose elements are of type `element`, along `axes`, to elements of the type of `neutral`.
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
template <typename Op, Combine combine, Value neutral(LoweringBuilder &, Type, bool),
          Type accumulator(Type) = getComputeType, Finish finish = nullptr>
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
    Value result = adaptor.getData();
    if (!axes->empty()) {
      Type wide = accumulator(element);
      Value count = finish != nullptr ? countAlong(b, result, *axes, wide) : Value();
      result = reduce(b, result, element, *axes, neutral(b, wide, isUnsigned(element)), combine);
      result = finish != nullptr ? elementwise(b, result, emptyOf(b, getDims(b, result), getStorageType(element)),
                                    [&](LoweringBuilder &inner, ValueRange args) {
                                      return leave(inner, finish(inner, args[0], count, element), element);
                                    })
                      : leaveAll(b, result, element);
    }
    if (op.getKeepDims() && !axes->empty())
      result = insertUnitDims(b, result, *axes);
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

template <typename Op>
struct LowerSoftmax final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
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
    constexpr bool isLog = std::is_same_v<Op, LogSoftmaxOp>;
    auto shiftDown = [&](LoweringBuilder &inner, ValueRange args) -> Value {
      return arith::SubFOp::create(inner, enter(inner, args[0], element), args[1]);
    };
    Value powers = generic(b, {data, greatest}, emptyOf(b, sizes, compute), maps, iterators,
                           [&](LoweringBuilder &inner, ValueRange args) -> Value {
                             return math::ExpOp::create(inner, shiftDown(inner, args));
                           });
    Value sum = reduce(b, powers, compute, axis, zeroOf(b, compute), combineSum);
    Value result;
    if constexpr (isLog) {
      Value offset =
          elementwise(b, sum, emptyOf(b, getDims(b, sum), compute),
                      [&](LoweringBuilder &inner, ValueRange args) { return naturalLogarithm(inner, args[0]); });
      maps.insert(maps.begin() + 1, maps[1]);
      result = generic(b, {data, greatest, offset}, emptyOf(b, sizes, element), maps, iterators,
                       [&](LoweringBuilder &inner, ValueRange args) {
                         Value shifted = shiftDown(inner, args);
                         return leave(inner, arith::SubFOp::create(inner, shifted, args[2]), element);
                       });
    } else {
      result = generic(b, {powers, sum}, emptyOf(b, sizes, element), maps, iterators,
                       [&](LoweringBuilder &inner, ValueRange args) {
                         return leave(inner, arith::DivFOp::create(inner, args[0], args[1]), element);
                       });
    }
    rewriter.replaceOp(op, castTo(b, result, op.getType()));
    return success();
  }
};
} // namespace

void populateReductionPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns
      .add<LowerReduce<ReduceSumOp, combineSum, neutralOfSum>, LowerReduce<ReduceMaxOp, maximum, neutralOfMax>,
           LowerReduce<ReduceMinOp, minimum, neutralOfMin>, LowerReduce<ReduceProdOp, combineProduct, neutralOfProduct>,
           LowerReduce<ReduceL1Op, combineMagnitudes, neutralOfSum>,
           LowerReduce<ReduceL2Op, combineSquares, neutralOfSum, getComputeType, finishRoot>,
           LowerReduce<ReduceMeanOp, combineWideSum, neutralOfSum, getWideType, finishMean>,
           LowerReduce<ReduceLogicalAndOp, combineBooleans<arith::AndIOp>, neutralOfProduct, getStorageType>,
           LowerReduce<ReduceLogicalOrOp, combineBooleans<arith::OrIOp>, neutralOfSum, getStorageType>,
           LowerSoftmax<SoftmaxOp>, LowerSoftmax<LogSoftmaxOp>>(converter, patterns.getContext());
}

} // namespace recur::ov
