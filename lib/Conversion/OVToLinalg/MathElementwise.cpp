// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MathElementwise.cpp - Lowering of more element-wise ops ------------===//

#include "Elementwise.h"
#include "Payloads.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace recur::ov {

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

static Value compareTo(LoweringBuilder &b, F predicate, Value x, double value) {
  return arith::CmpFOp::create(b, predicate, x, constantOf(b, x.getType(), value));
}

static Value select(LoweringBuilder &b, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, condition, yes, no);
}

static Value scale(LoweringBuilder &b, Value x, double factor) {
  return arith::MulFOp::create(b, x, constantOf(b, x.getType(), factor));
}

static Value shift(LoweringBuilder &b, Value x, double summand) {
  return arith::AddFOp::create(b, x, constantOf(b, x.getType(), summand));
}

/// `x` between two bounds; NaN stays.
static Value clampTo(LoweringBuilder &b, Value x, double low, double high) {
  x = select(b, compareTo(b, F::OLT, x, low), constantOf(b, x.getType(), low), x);
  return select(b, compareTo(b, F::OGT, x, high), constantOf(b, x.getType(), high), x);
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

/// Integers are what they would be rounded to.
template <typename Op, typename MathOp>
static Value buildRounding(LoweringBuilder &b, Op, ValueRange args) {
  if (!isa<FloatType>(args[0].getType()))
    return args[0];
  return MathOp::create(b, args[0]);
}

static Value buildRound(LoweringBuilder &b, RoundOp op, ValueRange args) {
  Value x = args[0];
  if (!isa<FloatType>(x.getType()))
    return x;
  if (op.getMode() == "half_to_even")
    return math::RoundEvenOp::create(b, x);
  // The fraction of a magnitude is exact, so that just below one half stays below.
  Value magnitude = math::AbsFOp::create(b, x);
  Value floor = math::FloorOp::create(b, magnitude);
  Value fraction = arith::SubFOp::create(b, magnitude, floor);
  Value rounded = select(b, compareTo(b, F::OGE, fraction, 0.5), shift(b, floor, 1.0), floor);
  return math::CopySignOp::create(b, rounded, x);
}

static Value buildSign(LoweringBuilder &b, SignOp op, ValueRange args) {
  Value x = args[0];
  Type type = x.getType();
  if (isa<FloatType>(type)) {
    // A zero and NaN stay.
    Value negative = select(b, compareTo(b, F::OLT, x, 0.0), constantOf(b, type, -1.0), x);
    return select(b, compareTo(b, F::OGT, x, 0.0), constantOf(b, type, 1.0), negative);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = zeroOf(b, type), one = constantOf(b, type, APInt(width, 1));
  Value isNotZero = select(b, compare(b, I::ne, x, zero), one, zero);
  if (isUnsigned(operandElement(op)))
    return isNotZero;
  return select(b, compare(b, I::slt, x, zero), constantOf(b, type, APInt::getAllOnes(width)), isNotZero);
}

static Value buildLog(LoweringBuilder &b, LogOp, ValueRange args) { return naturalLogarithm(b, args[0]); }
static Value buildSin(LoweringBuilder &b, SinOp, ValueRange args) { return sine(b, args[0]); }
static Value buildCos(LoweringBuilder &b, CosOp, ValueRange args) { return cosine(b, args[0]); }
static Value buildErf(LoweringBuilder &b, ErfOp, ValueRange args) { return errorFunction(b, args[0]); }

static Value buildSoftPlus(LoweringBuilder &b, SoftPlusOp, ValueRange args) {
  // max(x, 0) + log(1 + e^-|x|): the power cannot overflow.
  Value x = args[0];
  Value power = math::ExpOp::create(b, arith::NegFOp::create(b, math::AbsFOp::create(b, x)));
  Value positive = select(b, compareTo(b, F::OLT, x, 0.0), constantOf(b, x.getType(), 0.0), x);
  return arith::AddFOp::create(b, positive, logarithmOfOnePlus(b, power));
}

/// min(max(x + 3, 0), 6) / 6.
static Value hardSigmoidOfSixths(LoweringBuilder &b, Value x) {
  return arith::DivFOp::create(b, clampTo(b, shift(b, x, 3.0), 0.0, 6.0), constantOf(b, x.getType(), 6.0));
}

static Value buildHSigmoid(LoweringBuilder &b, HSigmoidOp, ValueRange args) { return hardSigmoidOfSixths(b, args[0]); }
static Value buildHSwish(LoweringBuilder &b, HSwishOp, ValueRange args) {
  return arith::MulFOp::create(b, args[0], hardSigmoidOfSixths(b, args[0]));
}

static Value buildElu(LoweringBuilder &b, EluOp op, ValueRange args) {
  Value x = args[0];
  Value power = scale(b, exponentialMinusOne(b, x), op.getAlpha().convertToDouble());
  return select(b, compareTo(b, F::UGT, x, 0.0), x, power);
}

static Value buildGelu(LoweringBuilder &b, GeluOp op, ValueRange args) {
  Value x = args[0], inner;
  if (op.getApproximationMode() == "erf") {
    inner = errorFunction(b, scale(b, x, std::sqrt(0.5)));
  } else {
    Value square = arith::MulFOp::create(b, x, x);
    Value factor = shift(b, scale(b, square, 0.044715), 1.0);
    inner = hyperbolicTangent(b, arith::MulFOp::create(b, scale(b, x, 0.79788456080286536), factor));
  }
  return arith::MulFOp::create(b, scale(b, x, 0.5), shift(b, inner, 1.0));
}

static Value buildSelu(LoweringBuilder &b, SeluOp, ValueRange args) {
  Value x = args[0];
  Value power = arith::MulFOp::create(b, exponentialMinusOne(b, x), args[1]);
  return arith::MulFOp::create(b, select(b, compareTo(b, F::UGT, x, 0.0), x, power), args[2]);
}

static Value buildHardSigmoid(LoweringBuilder &b, HardSigmoidOp, ValueRange args) {
  Value line = arith::AddFOp::create(b, arith::MulFOp::create(b, args[0], args[1]), args[2]);
  return clampTo(b, line, 0.0, 1.0);
}

static Value buildSwish(LoweringBuilder &b, SwishOp, ValueRange args) {
  Value scaled = args.size() == 2 ? arith::MulFOp::create(b, args[0], args[1]).getResult() : args[0];
  Value power = math::ExpOp::create(b, arith::NegFOp::create(b, scaled));
  return arith::DivFOp::create(b, args[0], shift(b, power, 1.0));
}

static Value buildSquaredDifference(LoweringBuilder &b, SquaredDifferenceOp, ValueRange args) {
  Value difference = isa<FloatType>(args[0].getType()) ? arith::SubFOp::create(b, args[0], args[1]).getResult()
                                                       : arith::SubIOp::create(b, args[0], args[1]).getResult();
  return multiply(b, difference, difference);
}

template <typename Op, bool floored>
static Value buildMod(LoweringBuilder &b, Op op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return restOfFloats(b, args[0], args[1], floored);
  Value divisor = checkDivisor(b, op.getRhs(), args[1]);
  return restOfIntegers(b, args[0], divisor, isUnsigned(operandElement(op)), floored);
}

static Value buildLogicalOr(LoweringBuilder &b, LogicalOrOp, ValueRange args) {
  return arith::OrIOp::create(b, args[0], args[1]);
}

static Value buildLogicalXor(LoweringBuilder &b, LogicalXorOp, ValueRange args) {
  return arith::XOrIOp::create(b, args[0], args[1]);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// The operands but the first have one element, which is read before the loops.
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
      args.push_back(enter(b, extractOnly(b, parameter), element));
    Broadcasting plan = planBroadcasting(b, adaptor.getOperands().take_front(), type.getShape(), /*numpy=*/false);
    auto body = [&](LoweringBuilder &inner, ValueRange stored) {
      args[0] = enter(inner, stored[0], element);
      return leave(inner, payload(inner, op, args), element);
    };
    Value result = emitBroadcasting(b, plan, getStorageType(element), /*sideEffects=*/false, body);
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(type)));
    return success();
  }
};

struct LowerPRelu final : OpConversionPattern<PReluOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(PReluOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getType();
    Type element = type.getElementType();
    Value data = adaptor.getData(), slope = adaptor.getSlope();
    int64_t missing = getSlopeShape(shapeOf(op.getData()), shapeOf(op.getSlope())).size() - rankOf(slope);
    slope = insertUnitDims(b, slope, llvm::to_vector(llvm::seq<int64_t>(1, 1 + missing)));
    // The slope broadcasts to data, but not data to the slope.
    for (int64_t i = 0, first = rankOf(data) - rankOf(slope), e = rankOf(slope); i != e; ++i)
      if (int64_t dim = shapeOf(slope)[i]; dim != 1 && !ShapedType::isDynamic(dim))
        data = tieDims(b, data, {{first + i, checkSize(b, data, first + i, b.getIndexAttr(dim))}});
    Broadcasting plan = planBroadcasting(b, {data, slope}, type.getShape(), /*numpy=*/true);
    for (auto [i, size] : llvm::enumerate(plan.sizes))
      (void)checkSize(b, data, i, size);
    auto body = [&](LoweringBuilder &inner, ValueRange stored) {
      Value x = enter(inner, stored[0], element);
      Value scaled = arith::MulFOp::create(inner, x, enter(inner, stored[1], element));
      return leave(inner, select(inner, compareTo(inner, F::OLT, x, 0.0), scaled, x), element);
    };
    Value result = emitBroadcasting(b, plan, getStorageType(element), /*sideEffects=*/false, body);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(type)));
    return success();
  }
};
} // namespace

void populateMathElementwisePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerElementwise<FloorOp, buildRounding<FloorOp, math::FloorOp>>,
               LowerElementwise<CeilingOp, buildRounding<CeilingOp, math::CeilOp>>,
               LowerElementwise<RoundOp, buildRound>, LowerElementwise<SignOp, buildSign>,
               LowerElementwise<LogOp, buildLog>, LowerElementwise<SinOp, buildSin>, LowerElementwise<CosOp, buildCos>,
               LowerElementwise<ErfOp, buildErf>, LowerElementwise<SoftPlusOp, buildSoftPlus>,
               LowerElementwise<HSwishOp, buildHSwish>, LowerElementwise<HSigmoidOp, buildHSigmoid>,
               LowerElementwise<EluOp, buildElu>, LowerElementwise<GeluOp, buildGelu>>(converter,
                                                                                       patterns.getContext());
  patterns.add<LowerElementwise<SquaredDifferenceOp, buildSquaredDifference>,
               LowerElementwise<ModOp, buildMod<ModOp, /*floored=*/false>>,
               LowerElementwise<FloorModOp, buildMod<FloorModOp, /*floored=*/true>>,
               LowerElementwise<LogicalOrOp, buildLogicalOr>, LowerElementwise<LogicalXorOp, buildLogicalXor>>(
      converter, patterns.getContext());
  patterns.add<LowerParametric<SeluOp, buildSelu>, LowerParametric<HardSigmoidOp, buildHardSigmoid>,
               LowerParametric<SwishOp, buildSwish>, LowerPRelu>(converter, patterns.getContext());
}

} // namespace recur::ov
