// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Elementwise.cpp - Lowering of element-wise ops ---------------------===//

#include "Elementwise.h"
#include "Payloads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

static Value buildNegative(LoweringBuilder &b, NegativeOp, ValueRange args) {
  Type type = args[0].getType();
  if (isa<FloatType>(type))
    return arith::NegFOp::create(b, args[0]);
  return arith::SubIOp::create(b, zeroOf(b, type), args[0]);
}

static Value buildAbs(LoweringBuilder &b, AbsOp op, ValueRange args) {
  Type type = args[0].getType();
  if (isa<FloatType>(type))
    return math::AbsFOp::create(b, args[0]);
  if (isUnsigned(operandElement(op)))
    return args[0];
  Value zero = zeroOf(b, type);
  Value isNegative = compare(b, arith::CmpIPredicate::slt, args[0], zero);
  return arith::SelectOp::create(b, isNegative, arith::SubIOp::create(b, zero, args[0]), args[0]);
}

static Value buildExp(LoweringBuilder &b, ExpOp, ValueRange args) { return math::ExpOp::create(b, args[0]); }
static Value buildSqrt(LoweringBuilder &b, SqrtOp, ValueRange args) { return math::SqrtOp::create(b, args[0]); }
static Value buildTanh(LoweringBuilder &b, TanhOp, ValueRange args) { return hyperbolicTangent(b, args[0]); }
static Value buildSigmoid(LoweringBuilder &b, SigmoidOp, ValueRange args) { return sigmoid(b, args[0]); }

/// `low` or `high` where `x` is beyond it. NaN is not: it stays, as the ops want, and one instruction does it.
static Value clampBetween(LoweringBuilder &b, Value x, Value low, Value high, bool isUnsigned) {
  auto isBelow = [&](Value left, Value right) -> Value {
    if (isa<FloatType>(left.getType()))
      return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, left, right);
    return compare(b, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, left, right);
  };
  if (low)
    x = arith::SelectOp::create(b, isBelow(x, low), low, x);
  if (high)
    x = arith::SelectOp::create(b, isBelow(high, x), high, x);
  return x;
}

static Value buildRelu(LoweringBuilder &b, ReluOp op, ValueRange args) {
  if (isUnsigned(operandElement(op)))
    return args[0];
  return clampBetween(b, args[0], zeroOf(b, args[0].getType()), {}, /*isUnsigned=*/false);
}

static Value buildClamp(LoweringBuilder &b, ClampOp op, ValueRange args) {
  double min = op.getMin().convertToDouble(), max = op.getMax().convertToDouble();
  Type type = args[0].getType();
  if (isa<FloatType>(type))
    return clampBetween(b, args[0], constantOf(b, type, min), constantOf(b, type, max), false);
  // Bounds beyond the type saturate, as a conversion does.
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

static Value buildLogicalNot(LoweringBuilder &b, LogicalNotOp, ValueRange args) {
  return arith::XOrIOp::create(b, args[0], constantOf(b, b.getI1Type(), APInt(1, 1)));
}

static Value buildConvert(LoweringBuilder &b, ConvertOp op, ValueRange args) {
  return convertScalar(b, args[0], elementOf(op.getInput()), op.getType().getElementType());
}

static Value buildAdd(LoweringBuilder &b, AddOp, ValueRange args) { return add(b, args[0], args[1]); }
static Value buildMultiply(LoweringBuilder &b, MultiplyOp, ValueRange args) { return multiply(b, args[0], args[1]); }

static Value buildSubtract(LoweringBuilder &b, SubtractOp, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return arith::SubFOp::create(b, args[0], args[1]);
  return arith::SubIOp::create(b, args[0], args[1]);
}

static Value buildMaximum(LoweringBuilder &b, MaximumOp op, ValueRange args) {
  return maximum(b, args[0], args[1], isUnsigned(operandElement(op)));
}

static Value buildMinimum(LoweringBuilder &b, MinimumOp op, ValueRange args) {
  return minimum(b, args[0], args[1], isUnsigned(operandElement(op)));
}

static Value buildLogicalAnd(LoweringBuilder &b, LogicalAndOp, ValueRange args) {
  return arith::AndIOp::create(b, args[0], args[1]);
}

template <typename Op, arith::CmpFPredicate real, arith::CmpIPredicate withSign, arith::CmpIPredicate withoutSign>
static Value buildCompare(LoweringBuilder &b, Op op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return arith::CmpFOp::create(b, real, args[0], args[1]);
  return compare(b, isUnsigned(operandElement(op)) ? withoutSign : withSign, args[0], args[1]);
}

/// True if integers are known to have no 0 among them.
static bool hasNoZero(Value integers) {
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(integers);
  return constant && !llvm::is_contained(*constant, 0);
}

Value checkDivisor(LoweringBuilder &b, Value rhs, Value divisor) {
  if (hasNoZero(rhs))
    return divisor;
  Value isNotZero = compare(b, arith::CmpIPredicate::ne, divisor, zeroOf(b, divisor.getType()));
  return check(b, isNotZero, rt::FaultKind::Arithmetic, "integer division by zero", {}, divisor).front();
}

static Value buildDivide(LoweringBuilder &b, DivideOp op, ValueRange args) {
  if (isa<FloatType>(args[0].getType()))
    return arith::DivFOp::create(b, args[0], args[1]);
  Value divisor = checkDivisor(b, op.getRhs(), args[1]);
  return divideIntegers(b, args[0], divisor, isUnsigned(operandElement(op)), op.getMPythondiv());
}

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
// Patterns
//===----------------------------------------------------------------------===//

bool needsLoops(Operation *op) {
  Type element = operandElement(op);
  if (isa<ModOp, FloorModOp>(op) && isa<FloatType>(element))
    return !element.isF64();
  if (isa<FloatType>(element))
    return false;
  return isa<PowerOp>(op) || (isa<DivideOp, ModOp, FloorModOp>(op) && !hasNoZero(op->getOperand(1)));
}

namespace {
/// Select moves elements without looking at them; only the condition is entered.
struct LowerSelect final : OpConversionPattern<SelectOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(SelectOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getType();
    Broadcasting plan = planBroadcasting(b, adaptor.getOperands(), type.getShape(), broadcastsLikeNumPy(op));
    auto body = [&](LoweringBuilder &inner, ValueRange stored) -> Value {
      Value condition = enter(inner, stored[0], elementOf(op.getCondition()));
      return arith::SelectOp::create(inner, condition, stored[1], stored[2]);
    };
    Value result = emitBroadcasting(b, plan, getStorageType(type.getElementType()), /*sideEffects=*/false, body);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(type)));
    return success();
  }
};
} // namespace

template <typename Op, arith::CmpFPredicate real, arith::CmpIPredicate withSign, arith::CmpIPredicate withoutSign>
using LowerCompare = LowerElementwise<Op, buildCompare<Op, real, withSign, withoutSign>>;

void populateElementwisePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  patterns.add<LowerElementwise<NegativeOp, buildNegative>, LowerElementwise<AbsOp, buildAbs>,
               LowerElementwise<ExpOp, buildExp>, LowerElementwise<SqrtOp, buildSqrt>,
               LowerElementwise<TanhOp, buildTanh>, LowerElementwise<SigmoidOp, buildSigmoid>,
               LowerElementwise<ReluOp, buildRelu>, LowerElementwise<ClampOp, buildClamp>,
               LowerElementwise<LogicalNotOp, buildLogicalNot>, LowerElementwise<ConvertOp, buildConvert>,
               LowerElementwise<AddOp, buildAdd>, LowerElementwise<SubtractOp, buildSubtract>,
               LowerElementwise<MultiplyOp, buildMultiply>, LowerElementwise<DivideOp, buildDivide>,
               LowerElementwise<MaximumOp, buildMaximum>, LowerElementwise<MinimumOp, buildMinimum>,
               LowerElementwise<PowerOp, buildPower>, LowerElementwise<LogicalAndOp, buildLogicalAnd>, LowerSelect>(
      converter, patterns.getContext());
  patterns.add<LowerCompare<EqualOp, F::OEQ, I::eq, I::eq>, LowerCompare<NotEqualOp, F::UNE, I::ne, I::ne>,
               LowerCompare<LessOp, F::OLT, I::slt, I::ult>, LowerCompare<LessEqualOp, F::OLE, I::sle, I::ule>,
               LowerCompare<GreaterOp, F::OGT, I::sgt, I::ugt>, LowerCompare<GreaterEqualOp, F::OGE, I::sge, I::uge>>(
      converter, patterns.getContext());
}

} // namespace recur::ov
