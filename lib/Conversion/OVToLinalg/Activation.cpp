// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Activation.cpp - Lowering of activation functions ------------------===//
//
// Most activations are payloads of the element-wise pattern (Elementwise.h). Patterns of their own lower the
// activations with parameters, PRelu, and the softmax functions, which reduce along an axis. Formulas are chosen so
// that no intermediate result overflows.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Indexing.h"
#include "Payloads.h"
#include "Reducing.h"
#include "Reshaping.h"
#include "Transcendentals.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include <cmath>

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

static Value buildExp(LoweringBuilder &b, ExpOp, ValueRange args) { return math::ExpOp::create(b, args[0]); }
static Value buildSigmoid(LoweringBuilder &b, SigmoidOp, ValueRange args) { return sigmoid(b, args[0]); }

/// max(x, 0). Unsigned numbers stay as they are.
static Value buildRelu(LoweringBuilder &b, ReluOp op, ValueRange args) {
  if (isUnsigned(operandElement(op)))
    return args[0];
  return clampBetween(b, args[0], zeroOf(b, args[0].getType()), {});
}

/// Limits x to the attributes min and max. For integers, min is rounded up and max down.
static Value buildClamp(LoweringBuilder &b, ClampOp op, ValueRange args) {
  double min = op.getMin().convertToDouble(), max = op.getMax().convertToDouble();
  Type type = args[0].getType();
  if (isa<FloatType>(type))
    return ScalarMath(b, type).clamp(args[0], min, max);
  // Bounds beyond the integer type saturate, as in a conversion.
  bool unsignedArgs = isUnsigned(operandElement(op));
  auto bound = [&](double value, APFloat::roundingMode rounding) {
    APSInt result(type.getIntOrFloatBitWidth(), unsignedArgs);
    bool isExact;
    APFloat(value).convertToInteger(result, rounding, &isExact);
    return constantOf(b, type, result);
  };
  Value low = bound(min, APFloat::rmTowardPositive), high = bound(max, APFloat::rmTowardNegative);
  return clampBetween(b, args[0], low, high, unsignedArgs);
}

/// x for x >= 0, else alpha * (e^x - 1). NaN stays NaN, and 0 keeps its sign.
static Value buildElu(LoweringBuilder &b, EluOp op, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  Value x = args[0], power = m.product(exponentialMinusOne(b, x), op.getAlpha().convertToDouble());
  return m.select(m.is(arith::CmpFPredicate::UGE, x, m.real(0.0)), x, power);
}

/// x/2 * (1 + erf(x / sqrt 2)), or its approximation by x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
static Value buildGelu(LoweringBuilder &b, GeluOp op, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  Value x = args[0], half = m.product(x, 0.5);
  if (op.getApproximationMode() == GeluApproximation::Erf)
    return m.product(half, onePlusErrorFunction(b, x, op.getType().getElementType()));
  Value factor = m.sum(m.product(m.product(x, x), 0.044715), 1.0);
  Value inner = m.product(m.product(x, 0.79788456080286536), factor);
  // Near -1, the sum would cancel all digits that a narrow type has. It equals 2 / (1 + e^-2y).
  if (!x.getType().isF64() && !op.getType().getElementType().isF32())
    return m.quotient(x, m.sum(m.exponential(m.product(inner, -2.0)), 1.0));
  return m.product(half, m.sum(hyperbolicTangent(b, inner), 1.0));
}

/// min(max(x + 3, 0), 6) / 6, which HSigmoid and HSwish share. A division takes several times as long as a product with
/// 1 / 6, which rounds twice, but gives 1 for 6.
static Value hardSigmoidOfSixths(ScalarMath &m, Value x) {
  return m.product(m.clamp(m.sum(x, 3.0), 0.0, 6.0), m.real(1.0 / 6.0));
}

static Value buildHSigmoid(LoweringBuilder &b, HSigmoidOp, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  return hardSigmoidOfSixths(m, args[0]);
}

static Value buildHSwish(LoweringBuilder &b, HSwishOp, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  return m.product(args[0], hardSigmoidOfSixths(m, args[0]));
}

/// log(1 + e^x).
static Value buildSoftPlus(LoweringBuilder &b, SoftPlusOp, ValueRange args) {
  // The form max(x, 0) + log(1 + e^-|x|) cannot overflow.
  ScalarMath m(b, args[0].getType());
  Value power = m.exponential(m.negative(m.magnitude(args[0])));
  Value positive = clampBetween(b, args[0], m.real(0.0), {});
  return m.sum(positive, logarithmOfOnePlus(b, power));
}

//===----------------------------------------------------------------------===//
// With parameters
//===----------------------------------------------------------------------===//

/// min(max(alpha * x + beta, 0), 1).
static Value buildHardSigmoid(LoweringBuilder &b, HardSigmoidOp, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  return m.clamp(m.sum(m.product(args[0], args[1]), args[2]), 0.0, 1.0);
}

/// lambda * x for x >= 0, else lambda * alpha * (e^x - 1).
static Value buildSelu(LoweringBuilder &b, SeluOp, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  Value x = args[0], power = m.product(exponentialMinusOne(b, x), args[1]);
  return m.product(m.select(m.is(arith::CmpFPredicate::UGE, x, m.real(0.0)), x, power), args[2]);
}

/// x / (1 + e^(-beta x)). Without an operand beta, it is 1.
static Value buildSwish(LoweringBuilder &b, SwishOp, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  Value power = m.exponential(m.negative(args.size() == 2 ? m.product(args[0], args[1]) : args[0]));
  return m.quotient(args[0], m.sum(power, 1.0));
}

namespace {
/// Lowers an activation with parameters. These operands have one element each, which is read before the loops.
template <typename Op, Payload<Op> payload>
struct LowerParametric final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getType();
    Type element = type.getElementType();
    SmallVector<Value> args{Value()};
    for (Value parameter : adaptor.getOperands().drop_front())
      args.push_back(fromStorage(b, extractOnly(b, parameter), element));
    Broadcasting plan = planBroadcasting(b, adaptor.getOperands().take_front(), type.getShape(), /*numpy=*/false);
    auto body = [&](LoweringBuilder &inner, ValueRange stored) {
      args[0] = fromStorage(inner, stored[0], element);
      return toStorage(inner, payload(inner, op, args), element);
    };
    Value result = emitBroadcasting(b, plan, getStorageType(element), /*sideEffects=*/false, body);
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(type)));
    return success();
  }
};

/// PRelu: x for x >= 0, else slope * x. The slope broadcasts to the data along trailing dims, or along dim 1 if it has
/// rank 1.
struct LowerPRelu final : OpConversionPattern<PReluOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(PReluOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getType();
    Type element = type.getElementType();
    Value data = adaptor.getData(), slope = adaptor.getSlope();
    if (std::optional<SmallVector<int64_t>> shape = getSlopeShape(shapeOf(op.getData()), shapeOf(op.getSlope())))
      slope = insertUnitDims(b, slope, llvm::to_vector(llvm::seq<int64_t>(1, 1 + shape->size() - rankOf(slope))));
    else
      slope = alignSlope(b, data, slope);
    // The slope broadcasts to the data, but the data does not broadcast to the slope. So each dim of the data must
    // equal the size of the slope's dim if that is not 1.
    for (int64_t i = 0, first = rankOf(data) - rankOf(slope), e = rankOf(slope); i != e; ++i)
      if (int64_t dim = shapeOf(slope)[i]; dim != 1 && !ShapedType::isDynamic(dim))
        data = guardDims(b, data, {{first + i, checkSize(b, data, first + i, b.getIndexAttr(dim))}});
    Broadcasting plan = planBroadcasting(b, {data, slope}, type.getShape(), /*numpy=*/true);
    for (auto [i, size] : llvm::enumerate(plan.sizes))
      (void)checkSize(b, data, i, size);
    auto body = [&](LoweringBuilder &inner, ValueRange stored) {
      Value x = fromStorage(inner, stored[0], element);
      ScalarMath m(inner, x.getType());
      Value scaled = m.product(x, fromStorage(inner, stored[1], element));
      return toStorage(inner, m.select(m.isLess(x, 0.0), scaled, x), element);
    };
    Value result = emitBroadcasting(b, plan, getStorageType(element), /*sideEffects=*/false, body);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(type)));
    return success();
  }

private:
  /// Moves the elements of a slope of rank 1 to dim 1 of the data, if that has their number, or else to the last dim.
  static Value alignSlope(LoweringBuilder &b, Value data, Value slope) {
    int64_t last = rankOf(data) - 1;
    Value count = getDim(b, slope, 0), one = indexOf(b, 1);
    Value isChannel = compare(b, arith::CmpIPredicate::eq, count, getDim(b, data, 1));
    SmallVector<OpFoldResult> sizes(rankOf(data), b.getIndexAttr(1));
    sizes[1] = toSize(b, selectValue(b, isChannel, count, one));
    sizes[last] = toSize(b, selectValue(b, isChannel, one, count));
    return elementwise(b, {}, emptyOf(b, sizes, elementOf(slope)), [&](LoweringBuilder &inner, ValueRange) -> Value {
      // One of the two dims is 1, and the other one has all elements.
      Value i = addIndex(inner, linalg::IndexOp::create(inner, 1), linalg::IndexOp::create(inner, last));
      return tensor::ExtractOp::create(inner, slope, i);
    });
  }
};

//===----------------------------------------------------------------------===//
// Softmax and LogSoftmax
//===----------------------------------------------------------------------===//

/// Softmax: e^(x - max) * (1 / sum), along the axis. Subtracting the greatest element first prevents overflow.
/// LogSoftmax is x - max - log(sum). Sums are kept in compute type.
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
    // No result depends on the sign of a zero.
    Value greatest = reduce(b, data, element, axis, leastOf(b, compute, /*isUnsigned=*/false), maximumButForZeros);
    SmallVector<OpFoldResult> sizes = getDims(b, data);
    SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(rank));
    maps[1] = getReducedMap(b.getContext(), rank, axis);
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    constexpr bool isLog = std::is_same_v<Op, LogSoftmaxOp>;
    auto shiftDown = [&](LoweringBuilder &inner, ValueRange args) -> Value {
      return arith::SubFOp::create(inner, fromStorage(inner, args[0], element), args[1]);
    };
    Value powers = generic(b, {data, greatest}, emptyOf(b, sizes, compute), maps, iterators,
                           [&](LoweringBuilder &inner, ValueRange args) -> Value {
                             return math::ExpOp::create(inner, shiftDown(inner, args));
                           });
    auto addTo = [](LoweringBuilder &inner, Value sum, Value x, bool) { return add(inner, sum, x); };
    Value sum = reduce(b, powers, compute, axis, zeroOf(b, compute), addTo);
    Value result;
    if constexpr (isLog) {
      Value offset =
          elementwise(b, sum, emptyOf(b, getDims(b, sum), compute),
                      [&](LoweringBuilder &inner, ValueRange args) { return naturalLogarithm(inner, args[0]); });
      maps.insert(maps.begin() + 1, maps[1]);
      result = generic(b, {data, greatest, offset}, emptyOf(b, sizes, element), maps, iterators,
                       [&](LoweringBuilder &inner, ValueRange args) {
                         Value shifted = shiftDown(inner, args);
                         return toStorage(inner, arith::SubFOp::create(inner, shifted, args[2]), element);
                       });
    } else {
      // One division for a row; a division takes as long as many products.
      Value factor = elementwise(b, sum, emptyOf(b, getDims(b, sum), compute),
                                 [&](LoweringBuilder &inner, ValueRange args) -> Value {
                                   return arith::DivFOp::create(inner, oneOf(inner, compute), args[0]);
                                 });
      result = generic(b, {powers, factor}, emptyOf(b, sizes, element), maps, iterators,
                       [&](LoweringBuilder &inner, ValueRange args) {
                         return toStorage(inner, arith::MulFOp::create(inner, args[0], args[1]), element);
                       });
    }
    rewriter.replaceOp(op, castTo(b, result, op.getType()));
    return success();
  }
};
} // namespace

/// x / (1 + |x|).
static Value buildSoftSign(LoweringBuilder &b, SoftSignOp, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  return m.quotient(args[0], m.sum(m.magnitude(args[0]), 1.0));
}

/// x * tanh(log(1 + e^x)). The tanh equals (s^2 - 1) / (s^2 + 1) with s = 1 + e^x. For positive x, numerator and
/// denominator are divided by e^2x. Then only powers of t = e^-|x| remain, which cannot overflow.
static Value buildMish(LoweringBuilder &b, MishOp, ValueRange args) {
  ScalarMath m(b, args[0].getType());
  Value x = args[0], t = m.exponential(m.negative(m.magnitude(x)));
  Value isNegative = m.isLess(x, 0.0);
  Value above = m.select(isNegative, m.product(t, m.sum(t, 2.0)), m.sum(m.product(t, 2.0), 1.0));
  Value rest = m.select(isNegative, m.real(2.0), m.product(m.product(t, t), 2.0));
  return m.product(x, m.quotient(above, m.sum(above, rest)));
}

void populateActivationPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  addElementwise<ClampOp, buildClamp>(converter, patterns);
  addElementwise<EluOp, buildElu>(converter, patterns);
  addElementwise<ExpOp, buildExp>(converter, patterns);
  addElementwise<GeluOp, buildGelu>(converter, patterns);
  addElementwise<HSigmoidOp, buildHSigmoid>(converter, patterns);
  addElementwise<HSwishOp, buildHSwish>(converter, patterns);
  addElementwise<ReluOp, buildRelu>(converter, patterns);
  addElementwise<SigmoidOp, buildSigmoid>(converter, patterns);
  addElementwise<MishOp, buildMish>(converter, patterns);
  addElementwise<SoftSignOp, buildSoftSign>(converter, patterns);
  addElementwise<SoftPlusOp, buildSoftPlus>(converter, patterns);
  patterns.add<LowerParametric<HardSigmoidOp, buildHardSigmoid>, LowerParametric<SeluOp, buildSelu>,
               LowerParametric<SwishOp, buildSwish>, LowerPRelu, LowerSoftmax<SoftmaxOp>, LowerSoftmax<LogSoftmaxOp>>(
      converter, patterns.getContext());
}

} // namespace recur::ov
