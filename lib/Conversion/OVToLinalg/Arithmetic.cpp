// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arithmetic.cpp - Lowering of arithmetic ----------------------------===//
//
// Arithmetic on elements is lowered by payloads of the element-wise pattern (Elementwise.h). CumSum has a pattern of
// its own. Payloads with a check of the divisor or with a loop are emitted in scf.for instead of linalg.generic. Many
// divisors are checked before the loops.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Indexing.h"
#include "Payloads.h"
#include "Reducing.h"
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

/// Rounds floats by an op of the math dialect. Integers stay as they are.
template <typename Op, typename MathOp>
static Value buildRounding(LoweringBuilder &b, Op, ValueRange args) {
  if (!isa<FloatType>(args[0].getType()))
    return args[0];
  return MathOp::create(b, args[0]);
}

/// Rounds to the nearest integer; ties go to the even one or away from zero, as the mode says.
static Value buildRound(LoweringBuilder &b, RoundOp op, ValueRange args) {
  Value x = args[0];
  if (!isa<FloatType>(x.getType()))
    return x;
  if (op.getMode() == RoundMode::HalfToEven)
    return math::RoundEvenOp::create(b, x);
  // The fraction of a magnitude is computed exactly, so a number just below one half is rounded down.
  ScalarMath m(b, x.getType());
  Value magnitude = m.magnitude(x);
  Value floor = math::FloorOp::create(b, magnitude);
  Value isUp = m.is(arith::CmpFPredicate::OGE, m.difference(magnitude, floor), m.real(0.5));
  Value rounded = m.select(isUp, m.sum(floor, 1.0), floor);
  return math::CopySignOp::create(b, rounded, x);
}

/// -1, 0 or 1.
static Value buildSign(LoweringBuilder &b, SignOp op, ValueRange args) {
  using I = arith::CmpIPredicate;
  Value x = args[0];
  Type type = x.getType();
  if (isa<FloatType>(type)) {
    // Zeros keep their sign, and NaN stays NaN.
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

/// Functions of Transcendentals.h that take and return one real number.
template <typename Op, Value (*function)(LoweringBuilder &, Value)>
static Value buildFunction(LoweringBuilder &b, Op, ValueRange args) {
  return function(b, args[0]);
}

static Value buildSqrt(LoweringBuilder &b, SqrtOp, ValueRange args) { return math::SqrtOp::create(b, args[0]); }

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

/// True if the integers are constant and none is 0.
static bool hasNoZero(Value integers) {
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(integers);
  return constant && !llvm::is_contained(*constant, 0);
}

/// True if `op` divides by integers that may be 0.
template <typename Op>
static bool needsCheck(Op op) {
  return !isa<FloatType>(operandElement(op)) && !hasNoZero(op.getRhs());
}

/// True if each divisor is checked where it is used: a few elements, of a shape mostly, do not pay for two loops.
template <typename Op>
static bool divisionNeedsLoops(Op op) {
  constexpr int64_t few = 16;
  return needsCheck(op) && op.getType().hasStaticShape() && op.getType().getNumElements() <= few;
}

/// A failure is an arithmetic fault.
static ValueRange checkNotZero(LoweringBuilder &b, Value isNotZero, ValueRange guarded) {
  return check(b, isNotZero, rt::FaultKind::Arithmetic, "integer division by zero", {}, guarded);
}

static Value isNotZero(LoweringBuilder &b, Value x) {
  return compare(b, arith::CmpIPredicate::ne, x, zeroOf(b, x.getType()));
}

/// Checks all divisors before the loops, if the loops do not. Divisors that an empty result does not use may be 0.
template <typename Op>
static void checkDivisors(LoweringBuilder &b, Op op, ValueRange operands, const Broadcasting &plan) {
  if (!needsCheck(op) || divisionNeedsLoops(op))
    return;
  Value divisors = operands[1], least;
  if (hasOneElement(divisors)) {
    least = extractOnly(b, divisors);
  } else {
    Type type = getComputeType(operandElement(op));
    Value greatest = constantOf(b, type, APInt::getAllOnes(type.getIntOrFloatBitWidth()));
    auto combine = [](LoweringBuilder &inner, Value lhs, Value rhs, bool) {
      return minimum(inner, lhs, rhs, /*isUnsigned=*/true);
    };
    auto axes = llvm::to_vector(llvm::seq(rankOf(divisors)));
    least = extractOnly(b, reduce(b, divisors, operandElement(op), axes, greatest, combine));
  }
  Value isValid = isNotZero(b, least);
  for (OpFoldResult size : plan.sizes) {
    if (getConstantIntValue(size).value_or(0) != 0)
      continue;
    Value isEmpty = compare(b, arith::CmpIPredicate::eq, toValue(b, size), indexOf(b, 0));
    isValid = arith::OrIOp::create(b, isValid, isEmpty);
  }
  checkNotZero(b, isValid, {});
}

/// The divisor for the payload of `op`. It is not 0: after a check before the loops, a 0 becomes 1, because LLVM may
/// move the division above the check.
template <typename Op>
static Value getDivisor(LoweringBuilder &b, Op op, Value divisor) {
  if (!needsCheck(op))
    return divisor;
  Value isValid = isNotZero(b, divisor);
  if (divisionNeedsLoops(op))
    return checkNotZero(b, isValid, divisor).front();
  return selectValue(b, isValid, divisor, oneOf(b, divisor.getType()));
}

/// Quotients of integers are rounded down if m_pythondiv is set, else toward zero.
static Value buildDivide(LoweringBuilder &b, DivideOp op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return arith::DivFOp::create(b, args[0], args[1]);
  Value divisor = getDivisor(b, op, args[1]);
  return divideIntegers(b, args[0], divisor, isUnsigned(operandElement(op)), op.getMPythondiv());
}

template <typename Op, bool floored>
static Value buildMod(LoweringBuilder &b, Op op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return restOfFloats(b, args[0], args[1], floored);
  Value divisor = getDivisor(b, op, args[1]);
  return restOfIntegers(b, args[0], divisor, isUnsigned(operandElement(op)), floored);
}

/// The power of integers is a loop over the bits of the exponent.
static bool powerNeedsLoops(PowerOp op) { return !isa<FloatType>(operandElement(op)); }

/// Constant exponents for which there is a short form are multiplied out.
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
/// CumSum: a nest of scf.for around a loop along the axis, which carries the sum. Each element of the result is stored
/// once. linalg has no op for a scan.
class LowerCumSum final : public OpConversionPattern<CumSumOp> {
public:
  using Base::Base;
  LogicalResult matchAndRewrite(CumSumOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    int64_t rank = op.getType().getRank();
    if (rank == 0 || (op.getAxis() && !hasOneElement(op.getAxis())))
      return rewriter.notifyMatchFailure(op, "expected data of rank 1 or more, and an axis of one element");
    std::optional<int64_t> axis = op.getAxis() ? getConstantAxis(op.getAxis(), rank) : 0;
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData();
    SmallVector<OpFoldResult> sizes = getDims(b, data);
    Value init = emptyOf(b, sizes, elementOf(data));
    Value result;
    if (axis) {
      result = sumAlong(b, op, data, *axis, sizes, init);
    } else {
      Value given = toIndex(b, extractOnly(b, adaptor.getAxis()));
      result = sumAlong(b, op, data, checkAxis(b, given, rank), sizes, init);
    }
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  using PlaceOf = function_ref<SmallVector<Value>(LoweringBuilder &, Value at)>;

  /// The cumulative sums along a constant axis.
  static Value sumAlong(LoweringBuilder &b, CumSumOp op, Value data, int64_t axis, ArrayRef<OpFoldResult> sizes,
                        Value init) {
    Value length = getDim(b, data, axis), last = subIndex(b, length, indexOf(b, 1));
    auto body = [&](LoweringBuilder &outer, ValueRange place, ValueRange carried) -> SmallVector<Value> {
      return {sumLine(outer, op, data, length, last, carried.front(),
                      [&](LoweringBuilder &, Value at) { return placeAt(place, axis, at); })};
    };
    return loopsAround(b, sizes, axis, init, body).front();
  }

  /// The cumulative sums along an axis that is known only at run time. Any dim may be the axis, so there is a loop over
  /// each dim, and the loop over the axis has one iteration.
  static Value sumAlong(LoweringBuilder &b, CumSumOp op, Value data, Value axis, ArrayRef<OpFoldResult> sizes,
                        Value init) {
    Value one = indexOf(b, 1), length = one;
    SmallVector<Value> isAxis;
    SmallVector<OpFoldResult> around;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      isAxis.push_back(compare(b, arith::CmpIPredicate::eq, axis, indexOf(b, i)));
      length = selectValue(b, isAxis.back(), toValue(b, size), length);
      around.push_back(toSize(b, selectValue(b, isAxis.back(), one, toValue(b, size))));
    }
    Value last = subIndex(b, length, one);
    auto body = [&](LoweringBuilder &outer, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
      auto placeOf = [&](LoweringBuilder &inner, Value at) {
        SmallVector<Value> place;
        for (auto [is, iv] : llvm::zip_equal(isAxis, ivs))
          place.push_back(selectValue(inner, is, at, iv));
        return place;
      };
      return {sumLine(outer, op, data, length, last, carried.front(), placeOf)};
    };
    return loopNest(b, around, init, body).front();
  }

  /// Stores the cumulative sums of one line of `length` elements in `sums`, and returns the new tensor. `placeOf` maps
  /// an index along the axis to the indices of the element.
  static Value sumLine(LoweringBuilder &b, CumSumOp op, Value data, Value length, Value last, Value sums,
                       PlaceOf placeOf) {
    Type element = operandElement(op);
    auto step = [&](LoweringBuilder &inner, Value iv, ValueRange state) -> SmallVector<Value> {
      SmallVector<Value> here = placeOf(inner, op.getReverse() ? subIndex(inner, last, iv) : iv);
      Value sum = add(inner, state[1], fromStorage(inner, readAt(inner, data, here), element));
      Value stored = toStorage(inner, op.getExclusive() ? state[1] : sum, element);
      return {writeAt(inner, stored, state[0], here), sum};
    };
    Value nothing = zeroOf(b, getComputeType(element));
    return loop(b, indexOf(b, 0), length, {sums, nothing}, step).front();
  }
};
} // namespace

void populateArithmeticPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  addElementwise<AbsOp, buildAbs>(converter, patterns);
  addElementwise<AcosOp, buildFunction<AcosOp, arcCosine>>(converter, patterns);
  addElementwise<AcoshOp, buildFunction<AcoshOp, inverseHyperbolicCosine>>(converter, patterns);
  addElementwise<AddOp, buildAdd>(converter, patterns);
  addElementwise<AsinOp, buildFunction<AsinOp, arcSine>>(converter, patterns);
  addElementwise<AsinhOp, buildFunction<AsinhOp, inverseHyperbolicSine>>(converter, patterns);
  addElementwise<AtanOp, buildFunction<AtanOp, arcTangent>>(converter, patterns);
  addElementwise<AtanhOp, buildFunction<AtanhOp, inverseHyperbolicTangent>>(converter, patterns);
  addElementwise<CeilingOp, buildRounding<CeilingOp, math::CeilOp>>(converter, patterns);
  addElementwise<CosOp, buildFunction<CosOp, cosine>>(converter, patterns);
  addElementwise<CoshOp, buildFunction<CoshOp, hyperbolicCosine>>(converter, patterns);
  addElementwise<DivideOp, buildDivide, divisionNeedsLoops, checkDivisors>(converter, patterns);
  addElementwise<ErfOp, buildFunction<ErfOp, errorFunction>>(converter, patterns);
  addElementwise<FloorModOp, buildMod<FloorModOp, /*floored=*/true>, divisionNeedsLoops, checkDivisors>(converter,
                                                                                                        patterns);
  addElementwise<FloorOp, buildRounding<FloorOp, math::FloorOp>>(converter, patterns);
  addElementwise<LogOp, buildFunction<LogOp, naturalLogarithm>>(converter, patterns);
  addElementwise<MaximumOp, buildMaximum>(converter, patterns);
  addElementwise<MinimumOp, buildMinimum>(converter, patterns);
  addElementwise<ModOp, buildMod<ModOp, /*floored=*/false>, divisionNeedsLoops, checkDivisors>(converter, patterns);
  addElementwise<MultiplyOp, buildMultiply>(converter, patterns);
  addElementwise<NegativeOp, buildNegative>(converter, patterns);
  addElementwise<PowerOp, buildPower, powerNeedsLoops>(converter, patterns);
  addElementwise<RoundOp, buildRound>(converter, patterns);
  addElementwise<SignOp, buildSign>(converter, patterns);
  addElementwise<SinOp, buildFunction<SinOp, sine>>(converter, patterns);
  addElementwise<SinhOp, buildFunction<SinhOp, hyperbolicSine>>(converter, patterns);
  addElementwise<SqrtOp, buildSqrt>(converter, patterns);
  addElementwise<SquaredDifferenceOp, buildSquaredDifference>(converter, patterns);
  addElementwise<SubtractOp, buildSubtract>(converter, patterns);
  addElementwise<TanOp, buildFunction<TanOp, tangent>>(converter, patterns);
  addElementwise<TanhOp, buildFunction<TanhOp, hyperbolicTangent>>(converter, patterns);
  patterns.add<LowerCumSum>(converter, patterns.getContext());
}

} // namespace recur::ov
