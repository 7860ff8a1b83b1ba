// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reduction.cpp - Lowering of reductions -----------------------------===//
//
// The Reduce ops are one pattern with five parameters: the op, how an element is combined with the accumulator, the
// neutral element, the type of the accumulator, and an optional last step.
//
//===----------------------------------------------------------------------===//

#include "Payloads.h"
#include "Reducing.h"
#include "Reshaping.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

using namespace mlir;

namespace recur::ov {

static Value combineSum(LoweringBuilder &b, Value lhs, Value rhs, bool) { return add(b, lhs, rhs); }
static Value combineProduct(LoweringBuilder &b, Value lhs, Value rhs, bool) { return multiply(b, lhs, rhs); }
static Value neutralOfSum(LoweringBuilder &b, Type compute, bool) { return zeroOf(b, compute); }
static Value neutralOfProduct(LoweringBuilder &b, Type compute, bool) { return oneOf(b, compute); }

/// Adds an integer to a sum of 64 bits.
static Value combineWideSum(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned) {
  if (rhs.getType() != lhs.getType())
    rhs = isUnsigned ? arith::ExtUIOp::create(b, lhs.getType(), rhs).getResult()
                     : arith::ExtSIOp::create(b, lhs.getType(), rhs).getResult();
  return add(b, lhs, rhs);
}

/// For the L1 norm.
static Value combineMagnitudes(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned) {
  return add(b, lhs, absolute(b, rhs, isUnsigned));
}

/// For the L2 norm.
static Value combineSquares(LoweringBuilder &b, Value lhs, Value rhs, bool) {
  return add(b, lhs, multiply(b, rhs, rhs));
}

/// Combines a boolean with an accumulator of type i8, because the accumulator may be in memory, which holds no i1.
template <typename ArithOp>
static Value combineBooleans(LoweringBuilder &b, Value lhs, Value rhs, bool) {
  return ArithOp::create(b, lhs, arith::ExtUIOp::create(b, lhs.getType(), rhs));
}

/// The type of the sum of a mean: the compute type of floats, i64 for integers.
static Type getWideType(Type element) {
  Type compute = getComputeType(element);
  return isa<FloatType>(compute) ? compute : IntegerType::get(element.getContext(), 64);
}

/// Computes the result, of compute type, from the accumulator. `count` is the number of elements that were combined, in
/// the type of the accumulator.
using Finish = Value (*)(LoweringBuilder &b, Value accumulated, Value count, Type element);

/// Divides by the count. Means of integers are truncated.
static Value finishMean(LoweringBuilder &b, Value sum, Value count, Type element) {
  if (isa<FloatType>(sum.getType()))
    return arith::DivFOp::create(b, sum, count);
  // The mean of no integers is 0, so the divisor is 1.
  Value divisor = arith::MaxUIOp::create(b, count, oneOf(b, count.getType()));
  Value mean = isUnsigned(element) ? arith::DivUIOp::create(b, sum, divisor).getResult()
                                   : arith::DivSIOp::create(b, sum, divisor).getResult();
  Type compute = getComputeType(element);
  return compute == mean.getType() ? mean : arith::TruncIOp::create(b, compute, mean).getResult();
}

/// The L2 norm is the root of the sum of squares.
static Value finishRoot(LoweringBuilder &b, Value sum, Value, Type) { return math::SqrtOp::create(b, sum); }

/// The product of the dims `axes`, as a value of `type`.
static Value countAlong(LoweringBuilder &b, Value data, ArrayRef<int64_t> axes, Type type) {
  Value count = indexOf(b, 1);
  for (int64_t axis : axes)
    count = b.createOrFold<arith::MulIOp>(count, getDim(b, data, axis));
  count = toInt64(b, count);
  return isa<FloatType>(type) ? b.createOrFold<arith::SIToFPOp>(type, count) : count;
}

namespace {
/// Lowers a Reduce op with constant axes. Without axes, the result is the data.
template <typename Op, Combine combine, Value neutral(LoweringBuilder &, Type, bool), Type accumulator(Type),
          Finish finish>
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
      auto body = [&](LoweringBuilder &inner, ValueRange args) {
        return toStorage(inner, finish(inner, args[0], count, element), element);
      };
      if (finish != nullptr)
        result = elementwise(b, result, emptyOf(b, getDims(b, result), getStorageType(element)), body);
      else
        result = leaveAll(b, result, element);
    }
    if (op.getKeepDims() && !axes->empty())
      result = insertUnitDims(b, result, *axes);
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

/// Adds the pattern for one Reduce op.
template <typename Op, Combine combine, Value neutral(LoweringBuilder &, Type, bool),
          Type accumulator(Type) = getComputeType, Finish finish = nullptr>
static void addReduction(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerReduce<Op, combine, neutral, accumulator, finish>>(converter, patterns.getContext());
}

void populateReductionPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  addReduction<ReduceL1Op, combineMagnitudes, neutralOfSum>(converter, patterns);
  addReduction<ReduceL2Op, combineSquares, neutralOfSum, getComputeType, finishRoot>(converter, patterns);
  addReduction<ReduceLogicalAndOp, combineBooleans<arith::AndIOp>, neutralOfProduct, getStorageType>(converter,
                                                                                                     patterns);
  addReduction<ReduceLogicalOrOp, combineBooleans<arith::OrIOp>, neutralOfSum, getStorageType>(converter, patterns);
  addReduction<ReduceMaxOp, maximum, leastOf>(converter, patterns);
  addReduction<ReduceMeanOp, combineWideSum, neutralOfSum, getWideType, finishMean>(converter, patterns);
  addReduction<ReduceMinOp, minimum, greatestOf>(converter, patterns);
  addReduction<ReduceProdOp, combineProduct, neutralOfProduct>(converter, patterns);
  addReduction<ReduceSumOp, combineSum, neutralOfSum>(converter, patterns);
}

} // namespace recur::ov
