// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arithmetic.cpp - Lowering of arithmetic ----------------------------===//

#include "Elementwise.h"
#include "Indexing.h"
#include "Payloads.h"
#include "Transcendentals.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static Value buildAbs(LoweringBuilder &b, AbsOp op, ValueRange args) {
  return absolute(b, args[0], isUnsigned(operandElement(op)));
}

static Value buildNegative(LoweringBuilder &b, NegativeOp, ValueRange args) {
  Type type = args[0].getType();
  if (isa<FloatType>(type))
    return arith::NegFOp::create(b, args[0]);
  return arith::SubIOp::create(b, zeroOf(b, type), args[0]);
}

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
  if (op.getMode() == RoundMode::HalfToEven)
    return math::RoundEvenOp::create(b, x);
  // The fraction of a magnitude is exact, so that just below one half stays below.
  ScalarMath m(b, x.getType());
  Value magnitude = m.magnitude(x);
  Value floor = math::FloorOp::create(b, magnitude);
  Value isUp = m.is(arith::CmpFPredicate::OGE, m.difference(magnitude, floor), m.real(0.5));
  Value rounded = m.select(isUp, m.sum(floor, 1.0), floor);
  return math::CopySignOp::create(b, rounded, x);
}

static Value buildSign(LoweringBuilder &b, SignOp op, ValueRange args) {
  using I = arith::CmpIPredicate;
  Value x = args[0];
  Type type = x.getType();
  if (isa<FloatType>(type)) {
    // A zero and NaN stay.
    ScalarMath m(b, type);
    Value negative = m.select(m.isLess(x, 0.0), m.real(-1.0), x);
    return m.select(m.isGreater(x, 0.0), m.real(1.0), negative);
  }
  Value zero = zeroOf(b, type);
  Value isNotZero = selectValue(b, compare(b, I::ne, x, zero), oneOf(b, type), zero);
  if (isUnsigned(operandElement(op)))
    return isNotZero;
  Value minusOne = constantOf(b, type, APInt::getAllOnes(type.getIntOrFloatBitWidth()));
  return selectValue(b, compare(b, I::slt, x, zero), minusOne, isNotZero);
}

static Value buildCos(LoweringBuilder &b, CosOp, ValueRange args) { return cosine(b, args[0]); }
static Value buildErf(LoweringBuilder &b, ErfOp, ValueRange args) { return errorFunction(b, args[0]); }
static Value buildLog(LoweringBuilder &b, LogOp, ValueRange args) { return naturalLogarithm(b, args[0]); }
static Value buildSin(LoweringBuilder &b, SinOp, ValueRange args) { return sine(b, args[0]); }
static Value buildSqrt(LoweringBuilder &b, SqrtOp, ValueRange args) { return math::SqrtOp::create(b, args[0]); }
static Value buildTanh(LoweringBuilder &b, TanhOp, ValueRange args) { return hyperbolicTangent(b, args[0]); }

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

static Value buildAdd(LoweringBuilder &b, AddOp, ValueRange args) { return add(b, args[0], args[1]); }
static Value buildMultiply(LoweringBuilder &b, MultiplyOp, ValueRange args) { return multiply(b, args[0], args[1]); }
static Value buildSubtract(LoweringBuilder &b, SubtractOp, ValueRange args) { return subtract(b, args[0], args[1]); }

static Value buildSquaredDifference(LoweringBuilder &b, SquaredDifferenceOp, ValueRange args) {
  Value difference = subtract(b, args[0], args[1]);
  return multiply(b, difference, difference);
}

static Value buildMaximum(LoweringBuilder &b, MaximumOp op, ValueRange args) {
  return maximum(b, args[0], args[1], isUnsigned(operandElement(op)));
}

static Value buildMinimum(LoweringBuilder &b, MinimumOp op, ValueRange args) {
  return minimum(b, args[0], args[1], isUnsigned(operandElement(op)));
}

/// True if integers are known to have no 0 among them.
static bool hasNoZero(Value integers) {
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(integers);
  return constant && !llvm::is_contained(*constant, 0);
}

/// `divisor`, an element of `rhs`, checked not to be 0 unless `rhs` is known to have none.
static Value checkDivisor(LoweringBuilder &b, Value rhs, Value divisor) {
  if (hasNoZero(rhs))
    return divisor;
  Value isNotZero = compare(b, arith::CmpIPredicate::ne, divisor, zeroOf(b, divisor.getType()));
  return check(b, isNotZero, rt::FaultKind::Arithmetic, "integer division by zero", {}, divisor).front();
}

static bool divideNeedsLoops(DivideOp op) { return !isa<FloatType>(operandElement(op)) && !hasNoZero(op.getRhs()); }

static Value buildDivide(LoweringBuilder &b, DivideOp op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return arith::DivFOp::create(b, args[0], args[1]);
  Value divisor = checkDivisor(b, op.getRhs(), args[1]);
  return divideIntegers(b, args[0], divisor, isUnsigned(operandElement(op)), op.getMPythondiv());
}

template <typename Op>
static bool modNeedsLoops(Op op) {
  Type element = operandElement(op);
  return isa<FloatType>(element) ? !element.isF64() : !hasNoZero(op.getRhs());
}

template <typename Op, bool floored>
static Value buildMod(LoweringBuilder &b, Op op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return restOfFloats(b, args[0], args[1], floored);
  Value divisor = checkDivisor(b, op.getRhs(), args[1]);
  return restOfIntegers(b, args[0], divisor, isUnsigned(operandElement(op)), floored);
}

static bool powerNeedsLoops(PowerOp op) { return !isa<FloatType>(operandElement(op)); }

static Value buildPower(LoweringBuilder &b, PowerOp op, ValueRange args) {
  if (!isa<FloatType>(args[0].getType()))
    return powerOfIntegers(b, args[0], args[1], isUnsigned(operandElement(op)));
  DenseFPElementsAttr exponents;
  if (matchPattern(op.getRhs(), m_Constant(&exponents)) && exponents.isSplat())
    if (Value result = powerOfConstant(b, args[0], exponents.getSplatValue<APFloat>().convertToDouble()))
      return result;
  return power(b, args[0], args[1]);
}

//===----------------------------------------------------------------------===//
// CumSum
//===----------------------------------------------------------------------===//

namespace {
/// Each element of the result is stored once; the sum is carried.
struct LowerCumSum final : OpConversionPattern<CumSumOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(CumSumOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getData().getType();
    std::optional<SmallVector<int64_t>> axes = SmallVector<int64_t>{0};
    if (op.getAxis())
      axes = getConstantAxes(op.getAxis(), type.getRank());
    if (!axes || axes->size() != 1 || type.getRank() == 0)
      return rewriter.notifyMatchFailure(op, "expected a constant axis");
    int64_t axis = axes->front();
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData();
    Type element = type.getElementType();
    SmallVector<OpFoldResult> sizes = getDims(b, data);
    Value length = getDim(b, data, axis), zero = indexOf(b, 0), nothing = zeroOf(b, getComputeType(element));
    Value last = arith::SubIOp::create(b, length, indexOf(b, 1));
    auto scan = [&](LoweringBuilder &outer, ValueRange place, ValueRange carried) -> SmallVector<Value> {
      auto step = [&](LoweringBuilder &inner, Value iv, ValueRange state) -> SmallVector<Value> {
        Value at = op.getReverse() ? arith::SubIOp::create(inner, last, iv).getResult() : iv;
        SmallVector<Value> here = placeAt(place, axis, at);
        Value sum = add(inner, state[1], enter(inner, readAt(inner, data, here), element));
        Value stored = leave(inner, op.getExclusive() ? state[1] : sum, element);
        return {writeAt(inner, stored, state[0], here), sum};
      };
      return {loop(outer, zero, length, {carried[0], nothing}, step).front()};
    };
    Value result = loopsAround(b, sizes, axis, emptyOf(b, sizes, elementOf(data)), scan).front();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void populateArithmeticPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  addElementwise<AbsOp, buildAbs>(converter, patterns);
  addElementwise<AddOp, buildAdd>(converter, patterns);
  addElementwise<CeilingOp, buildRounding<CeilingOp, math::CeilOp>>(converter, patterns);
  addElementwise<CosOp, buildCos>(converter, patterns);
  addElementwise<DivideOp, buildDivide, divideNeedsLoops>(converter, patterns);
  addElementwise<ErfOp, buildErf>(converter, patterns);
  addElementwise<FloorModOp, buildMod<FloorModOp, /*floored=*/true>, modNeedsLoops>(converter, patterns);
  addElementwise<FloorOp, buildRounding<FloorOp, math::FloorOp>>(converter, patterns);
  addElementwise<LogOp, buildLog>(converter, patterns);
  addElementwise<MaximumOp, buildMaximum>(converter, patterns);
  addElementwise<MinimumOp, buildMinimum>(converter, patterns);
  addElementwise<ModOp, buildMod<ModOp, /*floored=*/false>, modNeedsLoops>(converter, patterns);
  addElementwise<MultiplyOp, buildMultiply>(converter, patterns);
  addElementwise<NegativeOp, buildNegative>(converter, patterns);
  addElementwise<PowerOp, buildPower, powerNeedsLoops>(converter, patterns);
  addElementwise<RoundOp, buildRound>(converter, patterns);
  addElementwise<SignOp, buildSign>(converter, patterns);
  addElementwise<SinOp, buildSin>(converter, patterns);
  addElementwise<SqrtOp, buildSqrt>(converter, patterns);
  addElementwise<SquaredDifferenceOp, buildSquaredDifference>(converter, patterns);
  addElementwise<SubtractOp, buildSubtract>(converter, patterns);
  addElementwise<TanhOp, buildTanh>(converter, patterns);
  patterns.add<LowerCumSum>(converter, patterns.getContext());
}

} // namespace recur::ov
