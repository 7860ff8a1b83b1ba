// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TranscendentalsOfDouble.cpp - Functions of f64 ---------------------===//
//
// The usual steps: an exact or nearly exact reduction of the argument, a polynomial, and a sum whose last addition has
// a small second operand. The polynomials interpolate at Chebyshev's nodes. No step needs a fused multiply-add.
//
//===----------------------------------------------------------------------===//

#include "TranscendentalsOfDouble.h"
#include "Payloads.h"

#include <array>
#include <limits>

using namespace mlir;

namespace recur::ov {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// pi/2, and what it lacks.
static constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiRest = 0x1.1a62633145c07p-54;

namespace {
/// Arithmetic on f64, and on i64 as numbers of bits.
struct DoubleMath : ScalarMath {
  explicit DoubleMath(LoweringBuilder &b) : ScalarMath(b, b.getF64Type()), b(b) {}

  Value plus(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value minus(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value masked(Value x, uint64_t mask) { return arith::AndIOp::create(b, x, bits(mask)); }
  Value left(Value x, Value by) { return arith::ShLIOp::create(b, x, by); }
  Value right(Value x, Value by) { return arith::ShRUIOp::create(b, x, by); }
  Value isAnyBit(Value x, uint64_t mask) { return compare(b, arith::CmpIPredicate::ne, masked(x, mask), bits(0)); }
  Value toReal(Value x) { return arith::SIToFPOp::create(b, b.getF64Type(), x); }
  Value signOf(Value x) { return masked(toBits(x), uint64_t(1) << 63); }
  /// Changes the sign of `x` if the first bit of `sign` is set.
  Value flipped(Value x, Value sign) { return fromBits(arith::XOrIOp::create(b, toBits(x), sign)); }

  LoweringBuilder &b;
};
} // namespace

//===----------------------------------------------------------------------===//
// Logarithm
//===----------------------------------------------------------------------===//

Value logarithmOfDouble(LoweringBuilder &b, Value x) {
  DoubleMath m(b);
  // A denormal number becomes a normal one.
  Value isTiny = m.isLess(x, 0x1p-1022);
  Value scaled = m.select(isTiny, m.product(x, 0x1p54), x);
  // x = 2^e * (1 + f), with 1 + f between sqrt(1/2) and sqrt(2). Subtracting the bits of the lower bound carries into
  // e.
  constexpr uint64_t rootOfHalf = 0x3fe6a09e667f3bcd, mantissa = 0x000fffffffffffff;
  Value shifted = m.minus(m.toBits(scaled), m.bits(rootOfHalf));
  Value e = m.toReal(arith::ShRSIOp::create(b, shifted, m.bits(52)));
  e = m.difference(e, m.select(isTiny, m.real(54.0), m.real(0.0)));
  Value f = m.difference(m.fromBits(m.plus(m.masked(shifted, mantissa), m.bits(rootOfHalf))), m.real(1.0));
  // log(1 + f) = 2 atanh s = 2s + s * rest, with s = f / (2 + f). As 2s = f - s * f, it is f - (h - s * (h + rest)),
  // with h = f^2 / 2 and an exact f.
  Value s = m.quotient(f, m.sum(f, 2.0)), square = m.product(s, s);
  Value rest = m.product(
      m.polynomial(square, {0x1.2b584aae78a57p-3, 0x1.39fe606542ddep-3, 0x1.7462b4ab2ef6bp-3, 0x1.c71c62e5800a1p-3,
                            0x1.2492492df148dp-2, 0x1.99999999952e2p-2, 0x1.5555555555558p-1}),
      square);
  Value half = m.product(m.product(f, f), 0.5);
  // The first part of log 2 has so few bits that its product with e is exact. It is 0 or larger than f, so the rounding
  // error of their sum is a difference.
  Value low = m.sum(m.product(s, m.sum(half, rest)), m.product(e, 0x1.ef35793c76730p-45));
  Value whole = m.product(e, 0x1.62e42fefa3800p-1), high = m.sum(whole, f);
  Value lost = m.difference(f, m.difference(high, whole));
  Value result = m.sum(high, m.difference(lost, m.difference(half, low)));
  result = m.select(m.isEqual(x, 0.0), m.real(-kInf), m.select(m.isEqual(x, kInf), x, result));
  result = m.select(m.isLess(x, 0.0), m.real(kNaN), result);
  return m.select(m.isNan(x), x, result);
}

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

namespace {
/// An angle as a number of quarters, of which the lowest two bits count, and the sum of `high` and `low`, which is
/// between -pi/4 and pi/4.
struct Angle {
  Value quarters, high, low;
};
} // namespace

/// The 192 bits of 2/pi from the place `start` on, as three words. The places before the point are 64 zeros.
static std::array<Value, 3> bitsOfQuarter(DoubleMath &m, Value start) {
  static constexpr uint64_t words[] = {0,
                                       0xa2f9836e4e441529,
                                       0xfc2757d1f534ddc0,
                                       0xdb6295993c439041,
                                       0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0,
                                       0x06492eea09d1921c,
                                       0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41,
                                       0x3991d639835339f4,
                                       0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f,
                                       0x6d367ecf27cb09b7,
                                       0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea,
                                       0x6bfb5fb11f8d5d08,
                                       0x56033046fc7b6bab};
  SmallVector<Value> window;
  for (uint64_t word : words)
    window.push_back(m.bits(word));
  // Each bit of the number of the first word moves the window or does not. There are no words behind the last one.
  for (unsigned step = 16; step != 0; step /= 2) {
    Value isSet = m.isAnyBit(start, 64 * step);
    for (unsigned i = 0; i + step < window.size(); ++i)
      window[i] = m.select(isSet, window[i + step], window[i]);
    window.truncate(std::min<size_t>(window.size(), 3 + step));
  }
  Value by = m.masked(start, 63), rest = m.minus(m.bits(63), by);
  std::array<Value, 3> result;
  for (auto [i, word] : llvm::enumerate(result))
    word = m.either(m.left(window[i], by), m.right(m.right(window[i + 1], m.bits(1)), rest));
  return result;
}

/// The upper 64 bits of a product of unsigned integers, from products of their halves. MLIR lowers
/// arith.mului_extended to LLVM only for scalars and vectors of one dim.
static Value upperProduct(LoweringBuilder &b, DoubleMath &m, Value x, Value y) {
  auto upper = [&](Value of) { return m.right(of, m.bits(32)); };
  auto lower = [&](Value of) { return m.masked(of, 0xffffffff); };
  auto times = [&](Value of, Value by) -> Value { return arith::MulIOp::create(b, of, by); };
  Value middle = m.plus(times(upper(x), lower(y)), upper(times(lower(x), lower(y))));
  Value other = m.plus(times(lower(x), upper(y)), lower(middle));
  return m.plus(times(upper(x), upper(y)), m.plus(upper(middle), upper(other)));
}

/// Reduces an angle in integers, by Payne and Hanek's method: of the product with 2/pi, only the bits count that are
/// neither multiples of four quarters nor too small.
static Angle reduceAngle(LoweringBuilder &b, Value x) {
  DoubleMath m(b);
  Value magnitude = m.magnitude(x), pattern = m.toBits(magnitude);
  Value mantissa = m.either(m.masked(pattern, 0x000fffffffffffff), m.bits(uint64_t(1) << 52));
  auto words = bitsOfQuarter(m, m.minus(m.right(pattern, m.bits(52)), m.bits(1013)));
  Value first = arith::MulIOp::create(b, mantissa, words[1]);
  // The angle is `bits` + `below` / 2^64, in units of 2^-62 quarters.
  Value below = m.plus(first, upperProduct(b, m, mantissa, words[2]));
  Value carry = compare(b, arith::CmpIPredicate::ult, below, first);
  Value bits = m.plus(arith::MulIOp::create(b, mantissa, words[0]), upperProduct(b, m, mantissa, words[1]));
  bits = m.plus(bits, arith::ExtUIOp::create(b, b.getI64Type(), carry));
  Value quarters = m.right(m.plus(bits, m.bits(uint64_t(1) << 61)), m.bits(62));
  Value rest = arith::ShRSIOp::create(b, m.left(bits, m.bits(2)), m.bits(2));
  // The rest as a sum of two numbers.
  Value whole = m.toReal(rest);
  Value lost = m.minus(rest, arith::FPToSIOp::create(b, b.getI64Type(), whole));
  Value small = m.sum(m.toReal(lost), m.product(m.toReal(m.right(below, m.bits(1))), 0x1p-63));
  Value sum = m.sum(whole, small), remainder = m.difference(small, m.difference(sum, whole));
  // The product with pi/2, whose rounding error is computed from halves of the factors.
  constexpr double unit = 0x1p-62, highPart = 0x1.921fb5p+0, lowPart = 0x1.110b46p-26;
  static_assert(highPart + lowPart == kHalfPi);
  sum = m.product(sum, unit);
  Value upper = m.fromBits(m.masked(m.toBits(sum), ~uint64_t(0x7ffffff))), lower = m.difference(sum, upper);
  Value high = m.product(sum, kHalfPi);
  Value error = m.difference(m.product(upper, highPart), high);
  error = m.sum(m.sum(error, m.product(upper, lowPart)), m.product(lower, highPart));
  error = m.sum(error, m.product(lower, lowPart));
  Value low = m.sum(m.product(sum, kHalfPiRest), m.product(remainder, kHalfPi * unit));
  low = m.sum(error, low);
  // The difference makes NaN of infinities and NaN.
  high = m.sum(high, m.difference(x, x));
  Value isSmall = m.is(arith::CmpFPredicate::OLE, magnitude, m.real(kHalfPi / 2));
  Value sign = m.signOf(x), isNegative = m.isLess(x, 0.0);
  Angle angle;
  angle.quarters = m.select(isNegative, m.minus(m.bits(0), quarters), quarters);
  angle.quarters = m.select(isSmall, m.bits(0), angle.quarters);
  angle.high = m.select(isSmall, x, m.flipped(high, sign));
  angle.low = m.select(isSmall, m.real(0.0), m.flipped(low, sign));
  return angle;
}

/// The sine of an angle plus a number of quarters.
static Value sineOf(LoweringBuilder &b, const Angle &angle, int64_t quarters) {
  DoubleMath m(b);
  Value high = angle.high, low = angle.low, square = m.product(high, high), half = m.product(square, 0.5);
  Value sines = m.polynomial(square, {-0x1.ab16f5caa198ap-41, 0x1.61217d9252c03p-33, -0x1.ae645410e937bp-26,
                                      0x1.71de3a545f836p-19, -0x1.a01a01a01992fp-13, 0x1.1111111111110p-7,
                                      -0x1.5555555555555p-3});
  Value ofLow = m.product(low, m.difference(m.real(1.0), half));
  Value ofSine = m.sum(high, m.sum(m.product(m.product(square, high), sines), ofLow));
  ofSine = math::CopySignOp::create(b, ofSine, high); // For -0.
  Value cosines = m.polynomial(square, {-0x1.907cd8ff5ede7p-37, 0x1.1eeb67d026ec6p-29, -0x1.27e4fa16cc2d1p-22,
                                        0x1.a01a019f4ddfdp-16, -0x1.6c16c16c16963p-10, 0x1.5555555555555p-5});
  // 1 - half is rounded; the differences compute its error.
  Value most = m.difference(m.real(1.0), half), lost = m.difference(m.difference(m.real(1.0), most), half);
  Value rest = m.difference(m.product(m.product(square, square), cosines), m.product(high, low));
  Value ofCosine = m.sum(most, m.sum(lost, rest));
  Value count = m.plus(angle.quarters, m.bits(quarters));
  Value result = m.select(m.isAnyBit(count, 1), ofCosine, ofSine);
  return m.flipped(result, m.left(m.masked(count, 2), m.bits(62)));
}

Value sineOfDouble(LoweringBuilder &b, Value x) { return sineOf(b, reduceAngle(b, x), 0); }

Value cosineOfDouble(LoweringBuilder &b, Value x) { return sineOf(b, reduceAngle(b, x), 1); }

Value tangentOfDouble(LoweringBuilder &b, Value x) {
  Angle angle = reduceAngle(b, x);
  return arith::DivFOp::create(b, sineOf(b, angle, 0), sineOf(b, angle, 1));
}

//===----------------------------------------------------------------------===//
// Inverse trigonometric functions
//===----------------------------------------------------------------------===//

/// The angle between 0 and pi/2 whose tangent is y / x. Both are not negative, and one is not 0.
static Value angleOf(LoweringBuilder &b, Value y, Value x) {
  DoubleMath m(b);
  constexpr double tangentOfEighth = 0.41421356237309503;
  // atan t = pi/2 - atan 1/t brings the quotient to [0, 1], and atan t = pi/4 - atan (1 - t)/(1 + t) to [0, tan pi/8].
  Value isLarge = m.is(arith::CmpFPredicate::OGT, y, x);
  Value least = m.select(isLarge, x, y), most = m.select(isLarge, y, x);
  Value isMiddle = m.is(arith::CmpFPredicate::OGT, least, m.product(most, tangentOfEighth));
  Value above = m.select(isMiddle, m.difference(most, least), least);
  Value below = m.select(isMiddle, m.sum(most, least), most);
  Value r = m.quotient(above, below), square = m.product(r, r);
  Value series =
      m.polynomial(square, {-0x1.39f38ad451ea6p-6, 0x1.41495cefb6c73p-5, -0x1.a090d1950d2b4p-5, 0x1.dfe49b2919c4ep-5,
                            -0x1.10fa5ee9ab25cp-4, 0x1.3b126143b5cbcp-4, -0x1.745d0b153ffadp-4, 0x1.c71c7184c32bfp-4,
                            -0x1.24924924355d5p-3, 0x1.999999999933dp-3, -0x1.5555555555555p-2});
  Value rest = m.product(m.product(square, r), series);
  // The angle is (r + rest), pi/4 - (r + rest), pi/4 + (r + rest) or pi/2 - (r + rest).
  Value isAdded = compare(b, arith::CmpIPredicate::eq, isLarge, isMiddle);
  Value zero = m.real(0.0);
  Value edge = m.select(isMiddle, m.real(kHalfPi / 2), m.select(isLarge, m.real(kHalfPi), zero));
  Value edgeRest = m.select(isMiddle, m.real(kHalfPiRest / 2), m.select(isLarge, m.real(kHalfPiRest), zero));
  Value sign = m.select(isAdded, m.bits(0), m.bits(uint64_t(1) << 63));
  return m.sum(edge, m.sum(m.flipped(r, sign), m.sum(edgeRest, m.flipped(rest, sign))));
}

Value arcTangentOfDouble(LoweringBuilder &b, Value x) {
  DoubleMath m(b);
  return math::CopySignOp::create(b, angleOf(b, m.magnitude(x), m.real(1.0)), x);
}

Value arcSineOfDouble(LoweringBuilder &b, Value x) {
  DoubleMath m(b);
  Value square = m.product(m.difference(m.real(1.0), x), m.sum(x, 1.0));
  return math::CopySignOp::create(b, angleOf(b, m.magnitude(x), math::SqrtOp::create(b, square)), x);
}

Value arcCosineOfDouble(LoweringBuilder &b, Value x) {
  DoubleMath m(b);
  Value y = math::SqrtOp::create(b, m.difference(m.real(1.0), x));
  return m.product(angleOf(b, y, math::SqrtOp::create(b, m.sum(x, 1.0))), 2.0);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

Value hyperbolicCosineOfDouble(LoweringBuilder &b, Value x) {
  DoubleMath m(b);
  // Beyond 709, e^|x| may be infinite, but half of the square of e^(|x| / 2) is not.
  Value magnitude = m.magnitude(x), isHuge = m.isGreater(magnitude, 709.0);
  Value e = m.exponential(m.select(isHuge, m.product(magnitude, 0.5), magnitude)), half = m.product(e, 0.5);
  return m.select(isHuge, m.product(half, e), m.sum(half, m.quotient(m.real(0.5), e)));
}

Value hyperbolicSineOfDouble(LoweringBuilder &b, Value x) {
  DoubleMath m(b);
  // With t = e^|x| - 1, it is half of t + t / (t + 1), and the digits of a small x are kept. Beyond 22 it is the
  // cosine.
  Value magnitude = m.magnitude(x), isFar = m.isGreater(magnitude, 22.0);
  Value t = math::ExpM1Op::create(b, m.select(isFar, m.real(22.0), magnitude)), half = m.product(t, 0.5);
  Value near = m.sum(half, m.quotient(half, m.sum(t, 1.0)));
  return math::CopySignOp::create(b, m.select(isFar, hyperbolicCosineOfDouble(b, magnitude), near), x);
}

} // namespace recur::ov
