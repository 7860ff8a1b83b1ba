// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Payloads.cpp - Scalar arithmetic of the ov ops ---------------------===//
//
// Scalar functions for payloads: arithmetic, conversions between all element types, integer division and power, and the
// exact remainder of floats. LLVM leaves some results undefined, such as that of a cast of a float that does not fit
// the integer. Selects avoid these cases, except for an integer divisor of 0, which the caller checks.
//
//===----------------------------------------------------------------------===//

#include "Payloads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Numbers, floats or integers
//===----------------------------------------------------------------------===//

Value add(LoweringBuilder &b, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return arith::AddFOp::create(b, lhs, rhs);
  return arith::AddIOp::create(b, lhs, rhs);
}

Value subtract(LoweringBuilder &b, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return arith::SubFOp::create(b, lhs, rhs);
  return arith::SubIOp::create(b, lhs, rhs);
}

Value multiply(LoweringBuilder &b, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return arith::MulFOp::create(b, lhs, rhs);
  return arith::MulIOp::create(b, lhs, rhs);
}

Value absolute(LoweringBuilder &b, Value x, bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return math::AbsFOp::create(b, x);
  if (isUnsigned)
    return x;
  Value zero = zeroOf(b, x.getType());
  Value isNegative = compare(b, arith::CmpIPredicate::slt, x, zero);
  return selectValue(b, isNegative, arith::SubIOp::create(b, zero, x), x);
}

Value maximum(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned) {
  if (isa<FloatType>(lhs.getType()))
    return arith::MaximumFOp::create(b, lhs, rhs);
  if (isUnsigned)
    return arith::MaxUIOp::create(b, lhs, rhs);
  return arith::MaxSIOp::create(b, lhs, rhs);
}

Value minimum(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned) {
  if (isa<FloatType>(lhs.getType()))
    return arith::MinimumFOp::create(b, lhs, rhs);
  if (isUnsigned)
    return arith::MinUIOp::create(b, lhs, rhs);
  return arith::MinSIOp::create(b, lhs, rhs);
}

Value maximumButForZeros(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned) {
  if (isa<FloatType>(lhs.getType()))
    return arith::MaximumFOp::create(b, lhs, rhs, arith::FastMathFlags::nsz);
  return maximum(b, lhs, rhs, isUnsigned);
}

Value clampBetween(LoweringBuilder &b, Value x, Value low, Value high, bool isUnsigned) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  bool isFloat = isa<FloatType>(x.getType());
  if (low) {
    Value isBelow = isFloat ? compare(b, F::OLT, x, low) : compare(b, isUnsigned ? I::ult : I::slt, x, low);
    x = selectValue(b, isBelow, low, x);
  }
  if (high) {
    Value isAbove = isFloat ? compare(b, F::OGT, x, high) : compare(b, isUnsigned ? I::ugt : I::sgt, x, high);
    x = selectValue(b, isAbove, high, x);
  }
  return x;
}

Value leastOf(LoweringBuilder &b, Type type, bool isUnsigned) {
  if (isa<FloatType>(type))
    return constantOf(b, type, -std::numeric_limits<double>::infinity());
  unsigned width = type.getIntOrFloatBitWidth();
  return constantOf(b, type, isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width));
}

Value greatestOf(LoweringBuilder &b, Type type, bool isUnsigned) {
  if (isa<FloatType>(type))
    return constantOf(b, type, std::numeric_limits<double>::infinity());
  unsigned width = type.getIntOrFloatBitWidth();
  return constantOf(b, type, isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Converts a float to an integer: truncates, saturates, and makes NaN 0. The cast itself gets 0 if the value does not
/// fit, because its result would be undefined.
static Value saturateToInteger(LoweringBuilder &b, Value value, IntegerType type, bool isUnsigned) {
  unsigned width = type.getWidth();
  Type real = value.getType();
  // Both bounds are powers of two, so that every float type holds them.
  Value zero = constantOf(b, real, 0.0);
  Value low = isUnsigned ? zero : constantOf(b, real, -std::ldexp(1.0, width - 1));
  Value high = constantOf(b, real, std::ldexp(1.0, isUnsigned ? width : width - 1));
  Value isLow = compare(b, arith::CmpFPredicate::OLT, value, low);
  Value isHigh = compare(b, arith::CmpFPredicate::OGE, value, high);
  Value isNan = compare(b, arith::CmpFPredicate::UNO, value, value);
  Value isOut = arith::OrIOp::create(b, arith::OrIOp::create(b, isLow, isHigh), isNan);
  Value safe = selectValue(b, isOut, zero, value);
  Value result = isUnsigned ? arith::FPToUIOp::create(b, type, safe).getResult()
                            : arith::FPToSIOp::create(b, type, safe).getResult();
  result = selectValue(b, isLow, leastOf(b, type, isUnsigned), result);
  return selectValue(b, isHigh, greatestOf(b, type, isUnsigned), result);
}

/// Rounds an f64 to f32 such that a second rounding, to f16 or bf16, gives the same result as rounding once. An inexact
/// result is rounded toward zero and its last bit is set (round to odd).
static Value roundToOdd(LoweringBuilder &b, Value value) {
  Type f32 = b.getF32Type(), f64 = b.getF64Type(), i32 = b.getI32Type();
  Value nearest = arith::TruncFOp::create(b, f32, value);
  Value back = arith::ExtFOp::create(b, f64, nearest);
  Value isInexact = compare(b, arith::CmpFPredicate::ONE, back, value);
  Value isGreater =
      compare(b, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back), math::AbsFOp::create(b, value));
  Value one = oneOf(b, i32);
  Value bits = arith::BitcastOp::create(b, i32, nearest);
  Value towardZero = selectValue(b, isGreater, arith::SubIOp::create(b, bits, one), bits);
  Value odd = arith::BitcastOp::create(b, f32, arith::OrIOp::create(b, towardZero, one));
  return selectValue(b, isInexact, odd, nearest);
}

/// Converts between float types. A value for f16 or bf16 stays f32 here; `leave` rounds it later.
static Value floatToFloat(LoweringBuilder &b, Value value, Type to) {
  Type compute = getComputeType(to);
  unsigned from = value.getType().getIntOrFloatBitWidth(), width = compute.getIntOrFloatBitWidth();
  if (from < width)
    return arith::ExtFOp::create(b, compute, value);
  if (from == width)
    return value;
  return compute == to ? arith::TruncFOp::create(b, compute, value).getResult() : roundToOdd(b, value);
}

/// An i64 that f64 holds exactly, and that lies on the same side of each number of f32 and of a narrower type as
/// `value`. From 2^53 on, the lowest bit that f64 holds is set if a lower bit of `value` is (rounding to odd).
static Value roundToOdd(LoweringBuilder &b, Value value, bool isUnsigned) {
  Type i64 = b.getI64Type();
  auto number = [&](uint64_t bits) { return constantOf(b, i64, APInt(64, bits)); };
  constexpr uint64_t exact = uint64_t(1) << 53, lowest = 1 << 11;
  Value low = arith::AndIOp::create(b, value, number(lowest - 1));
  Value isInexact = compare(b, arith::CmpIPredicate::ne, low, number(0));
  Value high = arith::AndIOp::create(b, value, number(~(lowest - 1)));
  Value odd = arith::OrIOp::create(b, high, selectValue(b, isInexact, number(lowest), number(0)));
  // -2^53 <= value <= 2^53
  Value shifted = isUnsigned ? value : arith::AddIOp::create(b, value, number(exact)).getResult();
  Value isExact = compare(b, arith::CmpIPredicate::ule, shifted, number(isUnsigned ? exact : 2 * exact));
  return selectValue(b, isExact, value, odd);
}

/// Converts an integer of element type `from` to the compute type of `to`.
static Value integerToFloat(LoweringBuilder &b, Value value, Type from, Type to) {
  // f16 and bf16 are rounded by way of f64, which holds integers of up to 53 bits exactly. (A direct conversion, or one
  // by way of f32 where that is exact, would be canonicalized to a conversion for which there is no instruction.)
  Type via = getComputeType(to) == to ? to : b.getF64Type();
  if (via != to && value.getType().isInteger(64))
    value = roundToOdd(b, value, isUnsigned(from));
  Value result = isUnsigned(from) ? arith::UIToFPOp::create(b, via, value).getResult()
                                  : arith::SIToFPOp::create(b, via, value).getResult();
  return floatToFloat(b, result, to);
}

/// Truncates or extends an integer of element type `from` to the compute type `to`.
static Value integerToInteger(LoweringBuilder &b, Value value, Type from, Type to) {
  unsigned width = value.getType().getIntOrFloatBitWidth(), target = to.getIntOrFloatBitWidth();
  if (width == target)
    return value;
  if (width > target)
    return arith::TruncIOp::create(b, to, value);
  if (isUnsigned(from))
    return arith::ExtUIOp::create(b, to, value);
  return arith::ExtSIOp::create(b, to, value);
}

Value convertScalar(LoweringBuilder &b, Value value, Type from, Type to) {
  if (from == to)
    return value;
  bool isFloat = isa<FloatType>(from);
  if (to.isInteger(1)) {
    Value zero = zeroOf(b, value.getType());
    return isFloat ? compare(b, arith::CmpFPredicate::UNE, value, zero)
                   : compare(b, arith::CmpIPredicate::ne, value, zero);
  }
  if (isa<FloatType>(to))
    return isFloat ? floatToFloat(b, value, to) : integerToFloat(b, value, from, to);
  auto compute = cast<IntegerType>(getComputeType(to));
  return isFloat ? saturateToInteger(b, value, compute, isUnsigned(to)) : integerToInteger(b, value, from, compute);
}

//===----------------------------------------------------------------------===//
// Integer arithmetic
//===----------------------------------------------------------------------===//

Value divideIntegers(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned, bool floored) {
  if (isUnsigned)
    return arith::DivUIOp::create(b, lhs, rhs);
  Type type = lhs.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = zeroOf(b, type), one = oneOf(b, type);
  // The least value divided by -1 is the only quotient that does not fit, and LLVM makes it undefined behavior. So a
  // division by -1 is computed as a negation, which wraps.
  Value isMinusOne = compare(b, arith::CmpIPredicate::eq, rhs, constantOf(b, type, APInt::getAllOnes(width)));
  Value divisor = selectValue(b, isMinusOne, one, rhs);
  Value quotient = arith::DivSIOp::create(b, lhs, divisor);
  if (floored) {
    Value rest = arith::SubIOp::create(b, lhs, arith::MulIOp::create(b, quotient, divisor));
    // Rounding down is one less if there is a remainder and the quotient is negative.
    Value hasRest = compare(b, arith::CmpIPredicate::ne, rest, zero);
    Value signsDiffer = compare(b, arith::CmpIPredicate::slt, arith::XOrIOp::create(b, rest, divisor), zero);
    Value below = arith::SubIOp::create(b, quotient, one);
    quotient = selectValue(b, arith::AndIOp::create(b, hasRest, signsDiffer), below, quotient);
  }
  return selectValue(b, isMinusOne, arith::SubIOp::create(b, zero, lhs), quotient);
}

Value restOfIntegers(LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned, bool floored) {
  if (isUnsigned)
    return arith::RemUIOp::create(b, lhs, rhs);
  Type type = lhs.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = zeroOf(b, type), one = oneOf(b, type);
  // The remainder by -1 is 0, like that by 1, but the division by -1 may overflow.
  Value isMinusOne = compare(b, arith::CmpIPredicate::eq, rhs, constantOf(b, type, APInt::getAllOnes(width)));
  Value rest = arith::RemSIOp::create(b, lhs, selectValue(b, isMinusOne, one, rhs));
  if (!floored)
    return rest;
  // A remainder whose sign differs from the divisor's is moved by one divisor.
  Value hasRest = compare(b, arith::CmpIPredicate::ne, rest, zero);
  Value signsDiffer = compare(b, arith::CmpIPredicate::slt, arith::XOrIOp::create(b, rest, rhs), zero);
  return selectValue(b, arith::AndIOp::create(b, hasRest, signsDiffer), arith::AddIOp::create(b, rest, rhs), rest);
}

/// True if the sign bit of a float is set. This does not use math.copysign: if the sign comes from an f16 value, LLVM
/// narrows copysign until a conversion remains that calls a runtime library.
static Value hasSign(LoweringBuilder &b, Value x) {
  Type type = b.getIntegerType(x.getType().getIntOrFloatBitWidth());
  return compare(b, arith::CmpIPredicate::slt, arith::BitcastOp::create(b, type, x), zeroOf(b, type));
}

Value restOfFloats(LoweringBuilder &b, Value lhs, Value rhs, bool floored) {
  using F = arith::CmpFPredicate;
  Value rest = arith::RemFOp::create(b, lhs, rhs);
  if (!floored)
    return rest;
  Value zero = zeroOf(b, rest.getType());
  // A remainder of zero gets the sign of the divisor. Any other whose sign differs is moved by one divisor.
  Value signsDiffer = arith::XOrIOp::create(b, compare(b, F::OLT, rest, zero), compare(b, F::OLT, rhs, zero));
  Value isZero = compare(b, F::OEQ, rest, zero);
  rest = selectValue(b, signsDiffer, arith::AddFOp::create(b, rest, rhs), rest);
  Value zeroOfDivisor = selectValue(b, hasSign(b, rhs), constantOf(b, rest.getType(), -0.0), zero);
  return selectValue(b, isZero, zeroOfDivisor, rest);
}

/// Power by repeated squaring. The loop runs once for each bit of the exponent, which is taken as unsigned.
static Value squareAndMultiply(LoweringBuilder &b, Value base, Value exponent) {
  Type type = base.getType();
  Value zero = zeroOf(b, type), one = oneOf(b, type);
  auto loop = scf::WhileOp::create(
      b, TypeRange{type, type, type}, ValueRange{one, base, exponent},
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        scf::ConditionOp::create(inner, compare(inner, arith::CmpIPredicate::ne, args[2], zero), args);
      },
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        // args: the product so far, the base to the power of the current bit, and the remaining bits.
        Value bit = arith::AndIOp::create(inner, args[2], one);
        Value isSet = compare(inner, arith::CmpIPredicate::ne, bit, zero);
        Value product = selectValue(inner, isSet, arith::MulIOp::create(inner, args[0], args[1]), args[0]);
        Value square = arith::MulIOp::create(inner, args[1], args[1]);
        scf::YieldOp::create(inner, ValueRange{product, square, arith::ShRUIOp::create(inner, args[2], one)});
      });
  return loop.getResult(0);
}

Value powerOfIntegers(LoweringBuilder &b, Value base, Value exponent, bool isUnsigned) {
  if (isUnsigned)
    return squareAndMultiply(b, base, exponent);
  Type type = base.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = zeroOf(b, type), one = oneOf(b, type);
  Value minusOne = constantOf(b, type, APInt::getAllOnes(width));
  Value isNegative = compare(b, arith::CmpIPredicate::slt, exponent, zero);
  Value result = squareAndMultiply(b, base, selectValue(b, isNegative, zero, exponent));
  // Only 1 and -1 have an inverse that does not truncate to 0.
  Value isOdd = compare(b, arith::CmpIPredicate::ne, arith::AndIOp::create(b, exponent, one), zero);
  Value ofMinusOne = selectValue(b, isOdd, minusOne, one);
  Value isOne = compare(b, arith::CmpIPredicate::eq, base, one);
  Value isMinusOne = compare(b, arith::CmpIPredicate::eq, base, minusOne);
  Value inverse = selectValue(b, isOne, one, selectValue(b, isMinusOne, ofMinusOne, zero));
  return selectValue(b, isNegative, inverse, result);
}

} // namespace recur::ov
