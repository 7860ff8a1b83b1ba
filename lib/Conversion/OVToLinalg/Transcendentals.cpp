// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Transcendentals.cpp - Functions in straight-line arithmetic --------===//
//
// There are no calls, so that loops vectorize. exp and expm1 stay ops of `math`, which a later pass expands to a
// polynomial. For f32, logarithms, powers, trigonometric and hyperbolic functions (except tanh) are computed in f64 and
// rounded to f32 once at the end. For f64, TranscendentalsOfDouble.cpp has the functions that need all digits. Only the
// power of f64 stays an op of `math` that becomes a call.
//
//===----------------------------------------------------------------------===//

#include "Transcendentals.h"
#include "Payloads.h"
#include "TranscendentalsOfDouble.h"

#include <limits>

using namespace mlir;

namespace recur::ov {

Value sigmoid(LoweringBuilder &b, Value x) {
  ScalarMath m(b, x.getType());
  // 1 / (1 + e^-x) for x >= 0, and e^x / (1 + e^x) for x < 0. e^-|x| cannot overflow, and small results keep their
  // digits down to the least denormal number.
  Value e = math::ExpOp::create(b, arith::NegFOp::create(b, m.magnitude(x)));
  Value above = m.select(m.isLess(x, 0.0), e, m.real(1.0));
  return m.quotient(above, m.sum(m.real(1.0), e));
}

Value hyperbolicTangent(LoweringBuilder &b, Value x) {
  ScalarMath m(b, x.getType());
  // tanh |x| = (1 - e^-2|x|) / (1 + e^-2|x|). e^y - 1 keeps its digits near 0.
  Value t = math::ExpM1Op::create(b, m.product(m.magnitude(x), m.real(-2.0)));
  return math::CopySignOp::create(b, m.quotient(t, m.sum(t, m.real(2.0))), x);
}

//===----------------------------------------------------------------------===//
// Power
//===----------------------------------------------------------------------===//

/// log2 of a positive, finite, normal f64, with a relative error below 1e-14. `m` computes in f64.
static Value logarithm(LoweringBuilder &b, ScalarMath &m, Value x) {
  // x = 2^e * r with r between sqrt(1/2) and sqrt(2). Subtracting the bits of the lower bound carries into e.
  constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd, kMantissa = 0x000fffffffffffff;
  Value shifted = arith::SubIOp::create(b, m.toBits(x), m.bits(kRootOfHalf));
  Value e = arith::ShRSIOp::create(b, shifted, m.bits(52));
  Value mantissa = arith::AndIOp::create(b, shifted, m.bits(kMantissa));
  Value r = m.fromBits(arith::AddIOp::create(b, mantissa, m.bits(kRootOfHalf)));
  // log2 r = 2/ln 2 * atanh s with s = (r - 1)/(r + 1), |s| < 0.172.
  Value s = m.quotient(m.difference(r, m.real(1.0)), m.sum(r, m.real(1.0)));
  SmallVector<double> series;
  for (int power = 17; power >= 1; power -= 2)
    series.push_back(2.8853900817779268 / power);
  Value logOfR = m.product(m.polynomial(m.product(s, s), series), s);
  // e is small, so adding the bits of 1.5 * 2^52 and subtracting that number converts it exactly.
  constexpr uint64_t kMagic = 0x4338000000000000;
  Value magic = m.fromBits(m.bits(kMagic));
  Value wholePart = m.difference(m.fromBits(arith::AddIOp::create(b, e, m.bits(kMagic))), magic);
  return m.sum(wholePart, logOfR);
}

/// 2^t. `t` is limited to [-600, 600], far beyond the range of f32. The result for NaN is arbitrary; the caller selects
/// NaN itself. The integer part of t goes into the exponent bits; a Taylor polynomial computes the power of the rest.
static Value exponential(LoweringBuilder &b, ScalarMath &m, Value t) {
  constexpr double kLimit = 600.0;
  t = m.clamp(t, -kLimit, kLimit);
  Value magic = m.real(6755399441055744.0); // 1.5 * 2^52: adding it rounds to an integer.
  Value rounded = m.sum(t, magic);
  Value fraction = m.difference(t, m.difference(rounded, magic));
  SmallVector<double> series;
  double coefficient = 1.0;
  for (int n = 0; n <= 11; ++n) {
    series.insert(series.begin(), coefficient);
    coefficient *= 0.69314718055994531 / (n + 1);
  }
  Value mantissa = m.polynomial(fraction, series);
  Value exponent = arith::ShLIOp::create(b, m.toBits(rounded), m.bits(52));
  return m.fromBits(arith::AddIOp::create(b, m.toBits(mantissa), exponent));
}

/// C's pow in f64, for values that were extended from f32: 2^(y * log2 |x|), with the sign and the special cases
/// selected afterwards.
static Value powerInDouble(LoweringBuilder &b, Value x, Value y) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  ScalarMath m(b, b.getF64Type());
  Value magnitude = m.magnitude(x);
  Value isZero = m.isEqual(magnitude, 0.0), isInf = m.isEqual(magnitude, kInf), isOne = m.isEqual(magnitude, 1.0);
  Value log = logarithm(b, m, magnitude);
  log = m.select(isZero, m.real(-kInf), m.select(isInf, m.real(kInf), log));
  log = m.select(m.isNan(x), x, log);
  // Anything to the power of 0, and 1 to the power of anything, is 1.
  Value t = m.select(m.either(m.isEqual(y, 0.0), isOne), m.real(0.0), m.product(y, log));
  Value result = m.select(m.isNan(t), t, exponential(b, m, t));
  // Every f32 value from 2^24 on is an even integer.
  Value isBig = m.isNot(m.isLess(m.magnitude(y), 16777216.0));
  Value magic = m.real(6755399441055744.0);
  Value rounded = m.sum(y, magic);
  Value isInteger = m.is(arith::CmpFPredicate::OEQ, m.difference(rounded, magic), y);
  isInteger = m.both(m.either(isInteger, isBig), m.isNot(m.isNan(y)));
  Value parity = arith::AndIOp::create(b, m.toBits(rounded), m.bits(1));
  Value isOdd = m.both(compare(b, arith::CmpIPredicate::ne, parity, m.bits(0)), m.both(isInteger, m.isNot(isBig)));
  // The sign of the base counts only for odd exponents; that includes the sign of -0.
  Value sign = arith::AndIOp::create(b, m.toBits(x), m.bits(uint64_t(1) << 63));
  sign = m.select(isOdd, sign, m.bits(0));
  result = m.fromBits(arith::XOrIOp::create(b, m.toBits(result), sign));
  Value isComplex = m.both(m.both(m.isLess(x, 0.0), m.isNot(isInf)), m.isNot(isInteger));
  return m.select(isComplex, m.real(std::numeric_limits<double>::quiet_NaN()), result);
}

Value power(LoweringBuilder &b, Value base, Value exponent) {
  if (base.getType().isF64())
    return math::PowFOp::create(b, base, exponent);
  Type f64 = b.getF64Type();
  Value result = powerInDouble(b, arith::ExtFOp::create(b, f64, base), arith::ExtFOp::create(b, f64, exponent));
  return arith::TruncFOp::create(b, base.getType(), result);
}

/// The power of a magnitude by a fourth, a half or three fourths. Unlike sqrt, pow returns +0 for -0, and infinity for
/// minus infinity.
static Value powerOfFraction(ScalarMath &m, LoweringBuilder &b, Value base, double exponent) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Value root = m.sum(math::SqrtOp::create(b, base), m.real(0.0));
  root = m.select(m.isEqual(base, -kInf), m.real(kInf), root);
  if (exponent == 0.5)
    return root;
  Value fourth = math::SqrtOp::create(b, root);
  return exponent == 0.25 ? fourth : m.product(root, fourth);
}

Value powerOfConstant(LoweringBuilder &b, Value base, double exponent) {
  ScalarMath m(b, base.getType());
  if (exponent == 0.0)
    return m.real(1.0);
  double times = std::abs(exponent), whole = std::floor(times), fraction = times - whole;
  if (fraction != 0.0) {
    // Each factor is rounded, so there are few. The inverse of a power below 1 is never denormal in between.
    if (4 * fraction != std::floor(4 * fraction) || times > (exponent < 0.0 ? 1.0 : 3.0))
      return {};
    Value result = powerOfFraction(m, b, base, fraction), magnitude = m.magnitude(base);
    for (; whole != 0.0; whole -= 1.0)
      result = m.product(result, magnitude);
    return exponent < 0.0 ? m.quotient(m.real(1.0), result) : result;
  }
  if (times > (exponent < 0.0 ? 2.0 : 4.0))
    return {};
  // The inverse is computed first, because the square of a small value loses bits that the inverse keeps.
  if (exponent < 0.0)
    base = m.quotient(m.real(1.0), base);
  if (times == 1.0)
    return base;
  Value square = m.product(base, base);
  return times == 2.0 ? square : m.product(square, times == 3.0 ? base : square);
}

//===----------------------------------------------------------------------===//
// Logarithms and exponentials near 0
//===----------------------------------------------------------------------===//

/// The natural logarithm in f64 of any number, with a relative error below 1e-14.
static Value logarithmInDouble(LoweringBuilder &b, Value wide) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kLogOfTwo = 0.69314718055994531;
  ScalarMath m(b, b.getF64Type());
  Value result = m.product(logarithm(b, m, wide), m.real(kLogOfTwo));
  result = m.select(m.isEqual(wide, 0.0), m.real(-kInf), m.select(m.isEqual(wide, kInf), wide, result));
  result = m.select(m.isLess(wide, 0.0), m.real(std::numeric_limits<double>::quiet_NaN()), result);
  return m.select(m.isNan(wide), wide, result);
}

/// Computes a function of an f32 in f64, and rounds its result.
static Value roundedOnce(LoweringBuilder &b, Value x, llvm::function_ref<Value(Value)> function) {
  return arith::TruncFOp::create(b, x.getType(), function(arith::ExtFOp::create(b, b.getF64Type(), x)));
}

Value naturalLogarithm(LoweringBuilder &b, Value x) {
  if (x.getType().isF64())
    return logarithmOfDouble(b, x);
  return roundedOnce(b, x, [&](Value wide) { return logarithmInDouble(b, wide); });
}

/// log(1 + x) in f32 for 0 <= x <= 1, within 2 ulp. The polynomial is that of Cephes's logf, for 1 + r between the
/// roots of 1/2 and 2.
static Value logarithmOfOnePlusSingle(ScalarMath &m, Value x) {
  Value isFar = m.isGreater(x, 0.41421356);
  // log(1 + x) = log 2 + log(1 + (x - 1) / 2)
  Value r = m.select(isFar, m.fused(x, m.real(0.5), m.real(-0.5)), x), square = m.product(r, r);
  Value p = m.polynomial(r, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                             -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Value log = m.sum(r, m.fused(p, m.product(square, r), m.product(square, -0.5)));
  return m.sum(log, m.select(isFar, m.real(0.69314718), m.real(0.0)));
}

Value logarithmOfOnePlus(LoweringBuilder &b, Value x) {
  ScalarMath m(b, x.getType());
  if (x.getType().isF32())
    return logarithmOfOnePlusSingle(m, x);
  // 1 + x is rounded. The factor x / (sum - 1) corrects the logarithm for this rounding.
  Value sum = m.sum(m.real(1.0), x);
  Value correction = m.quotient(x, m.difference(sum, m.real(1.0)));
  return m.select(m.isEqual(sum, 1.0), x, m.product(logarithmOfDouble(b, sum), correction));
}

Value exponentialMinusOne(LoweringBuilder &b, Value x) { return math::ExpM1Op::create(b, x); }

//===----------------------------------------------------------------------===//
// Error function
//===----------------------------------------------------------------------===//

/// erf in f32 by two polynomials: one for erf(x)/x - 1 near 0, and one for log(1 - erf |x|) elsewhere.
static Value errorFunctionOfSingle(LoweringBuilder &b, ScalarMath &m, Value x) {
  Value square = m.product(x, x);
  Value near = m.polynomial(
      square, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  near = m.fused(near, x, x);
  // The result is 1 from 4 on. The limit keeps the powers of t finite.
  Value t = m.magnitude(x);
  t = clampBetween(b, t, {}, m.real(10.0));
  Value low = m.polynomial(t, {-3.88396438e-3, 2.42546219e-2});
  Value log = m.fused(m.polynomial(t, {-1.72853470e-5, 3.83197126e-4}), m.product(t, t), low);
  for (double coefficient : {-1.06777877e-1, -6.34846687e-1, -1.28717512e-1})
    log = m.fused(log, t, m.real(coefficient));
  log = m.fused(log, t, m.product(t, m.real(-1.0)));
  Value far = m.difference(m.real(1.0), math::ExpOp::create(b, log));
  return m.select(m.isLess(m.magnitude(x), 0.927734375), near, math::CopySignOp::create(b, far, x));
}

/// erf in f64 by W. J. Cody's rational approximations (Rational Chebyshev approximations for the error function, 1969),
/// for |x| below 0.46875, below 4, and from 4 on.
static Value errorFunctionOfDouble(LoweringBuilder &b, ScalarMath &m, Value x) {
  auto rational = [&](Value at, ArrayRef<double> above, ArrayRef<double> below) {
    return m.quotient(m.polynomial(at, above), m.polynomial(at, below));
  };
  Value y = m.magnitude(x), square = m.product(x, x);
  Value near =
      rational(square,
               {1.85777706184603153e-1, 3.16112374387056560e+0, 1.13864154151050156e+2, 3.77485237685302021e+2,
                3.20937758913846947e+3},
               {1.0, 2.36012909523441209e+1, 2.44024637934444173e+2, 1.28261652607737228e+3, 2.84423683343917062e+3});
  near = m.product(near, x);
  // The result is 1 from 6 on.
  y = clampBetween(b, y, {}, m.real(6.0));
  Value power = math::ExpOp::create(b, m.product(m.product(y, y), m.real(-1.0)));
  Value middle =
      rational(y,
               {2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e+0, 6.61191906371416295e+1,
                2.98635138197400131e+2, 8.81952221241769090e+2, 1.71204761263407058e+3, 2.05107837782607147e+3,
                1.23033935479799725e+3},
               {1.0, 1.57449261107098347e+1, 1.17693950891312499e+2, 5.37181101862009858e+2, 1.62138957456669019e+3,
                3.29079923573345963e+3, 4.36261909014324716e+3, 3.43936767414372164e+3, 1.23033935480374942e+3});
  Value inverse = m.quotient(m.real(1.0), m.product(y, y));
  Value far = rational(inverse,
                       {1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
                        1.60837851487422766e-2, 6.58749161529837803e-4},
                       {1.0, 2.56852019228982242e+0, 1.87295284992346725e+0, 5.27905102951428412e-1,
                        6.05183413124413191e-2, 2.33520497626869185e-3});
  constexpr double kInverseRootOfPi = 0.56418958354775629;
  far = m.quotient(m.difference(m.real(kInverseRootOfPi), m.product(inverse, far)), y);
  Value rest = m.product(m.select(m.isLess(y, 4.0), middle, far), power);
  Value large = math::CopySignOp::create(b, m.difference(m.real(1.0), rest), x);
  return m.select(m.isLess(m.magnitude(x), 0.46875), near, large);
}

Value errorFunction(LoweringBuilder &b, Value x) {
  ScalarMath m(b, x.getType());
  return x.getType().isF64() ? errorFunctionOfDouble(b, m, x) : errorFunctionOfSingle(b, m, x);
}

Value onePlusErrorFunction(LoweringBuilder &b, Value x, Type element) {
  ScalarMath m(b, x.getType());
  if (x.getType().isF64())
    return m.sum(errorFunction(b, m.product(x, std::sqrt(0.5))), 1.0);
  // 1 + erf is 1 - erf of the other sign, whose logarithm has one polynomial for all |x|. That for f32 was fitted such
  // that the error of the power is below 2e-8; small powers have a large relative error. That for narrow types has a
  // relative error below 4e-5 everywhere. From 15 on, the power is zero.
  Value t = clampBetween(b, m.magnitude(x), {}, m.real(15.0));
  static constexpr double ofSingle[] = {-5.678929495665275e-9, 2.5610471114952325e-7,  -4.464186798132004e-6,
                                        3.8127855091975914e-5, -1.5394633946879955e-4, -6.293056219344327e-5,
                                        4.873221395600878e-3,  -3.63791705354032e-2,   -3.183002474443008e-1,
                                        -7.978852588062555e-1};
  static constexpr double ofNarrow[] = {2.82766119e-11, -3.0287751e-9, 1.40030898e-7, -3.71340145e-6, 6.32580558e-5,
                                        -7.36086457e-4, 6.1059013e-3,  -3.7617407e-2, -3.17725436e-1, -7.97969869e-1};
  Value log = m.polynomial(t, element.isF32() ? ArrayRef(ofSingle) : ArrayRef(ofNarrow));
  Value power = math::ExpOp::create(b, m.product(log, t));
  return m.select(m.isLess(x, 0.0), power, m.difference(m.real(2.0), power));
}

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

/// The sine of x + quarters * pi/2 in f64, for x that was extended from f32. Subtracts the nearest multiple of pi/2;
/// its parity selects the polynomial of the sine or of the cosine.
static Value sineInDouble(LoweringBuilder &b, Value x, int64_t quarters) {
  ScalarMath m(b, b.getF64Type());
  Value magic = m.real(6755399441055744.0); // 1.5 * 2^52: adding it rounds to an integer.
  Value rounded = m.sum(m.product(x, m.real(0.63661977236758134)), magic);
  Value angles = m.difference(rounded, magic);
  // pi/2 in three parts. Products with the first two are exact as long as the multiple is below 2^20.
  Value rest = x;
  for (double part : {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69})
    rest = m.fused(angles, m.real(-part), rest);
  // For |x| beyond 2^51 the remainder is meaningless. The limit keeps the polynomials bounded.
  rest = m.clamp(rest, -1.0, 1.0);
  Value square = m.product(rest, rest);
  SmallVector<double> sines, cosines;
  double factorial = 1.0;
  for (int n = 1; n <= 14; ++n) {
    factorial *= n;
    (n % 2 ? sines : cosines).insert((n % 2 ? sines : cosines).begin(), (n / 2 % 2 ? -1.0 : 1.0) / factorial);
  }
  Value ofSine = m.product(m.polynomial(square, sines), rest);
  Value ofCosine = m.fused(m.polynomial(square, cosines), square, m.real(1.0));
  Value count = arith::AddIOp::create(b, m.toBits(rounded), m.bits(quarters));
  Value isOdd = compare(b, arith::CmpIPredicate::ne, arith::AndIOp::create(b, count, m.bits(1)), m.bits(0));
  Value sign = arith::ShLIOp::create(b, arith::AndIOp::create(b, count, m.bits(2)), m.bits(62));
  return m.fromBits(arith::XOrIOp::create(b, m.toBits(m.select(isOdd, ofCosine, ofSine)), sign));
}

/// The sine of x + quarters * pi/2 in f32.
static Value sineOf(LoweringBuilder &b, Value x, int64_t quarters) {
  return roundedOnce(b, x, [&](Value wide) { return sineInDouble(b, wide, quarters); });
}

Value sine(LoweringBuilder &b, Value x) { return x.getType().isF64() ? sineOfDouble(b, x) : sineOf(b, x, 0); }

Value cosine(LoweringBuilder &b, Value x) { return x.getType().isF64() ? cosineOfDouble(b, x) : sineOf(b, x, 1); }

Value tangent(LoweringBuilder &b, Value x) {
  if (x.getType().isF64())
    return tangentOfDouble(b, x);
  return roundedOnce(b, x, [&](Value wide) -> Value {
    return arith::DivFOp::create(b, sineInDouble(b, wide, 0), sineInDouble(b, wide, 1));
  });
}

//===----------------------------------------------------------------------===//
// Inverse trigonometric functions
//===----------------------------------------------------------------------===//

/// The arc tangent in f64 of a number that is not negative, with a relative error below 1e-11.
static Value arcTangentInDouble(LoweringBuilder &b, Value magnitude) {
  ScalarMath m(b, b.getF64Type());
  constexpr double kQuarterOfPi = 0.78539816339744831, kTangentOfEighth = 0.41421356237309503;
  // atan t = pi/2 - atan 1/t brings t to [0, 1], and atan t = pi/4 - atan (1 - t)/(1 + t) to [0, tan pi/8].
  Value isLarge = m.isGreater(magnitude, 1.0);
  Value t = m.select(isLarge, m.quotient(m.real(1.0), magnitude), magnitude);
  Value isMiddle = m.isGreater(t, kTangentOfEighth);
  Value r = m.select(isMiddle, m.quotient(m.difference(m.real(1.0), t), m.sum(m.real(1.0), t)), t);
  SmallVector<double> series;
  for (int power = 27; power >= 1; power -= 2)
    series.push_back((power / 2 % 2 ? -1.0 : 1.0) / power);
  Value angle = m.product(m.polynomial(m.product(r, r), series), r);
  angle = m.select(isMiddle, m.difference(m.real(kQuarterOfPi), angle), angle);
  return m.select(isLarge, m.difference(m.real(2 * kQuarterOfPi), angle), angle);
}

Value arcTangent(LoweringBuilder &b, Value x) {
  if (x.getType().isF64())
    return arcTangentOfDouble(b, x);
  return roundedOnce(b, x, [&](Value wide) -> Value {
    ScalarMath m(b, b.getF64Type());
    return math::CopySignOp::create(b, arcTangentInDouble(b, m.magnitude(wide)), wide);
  });
}

Value arcSine(LoweringBuilder &b, Value x) {
  if (x.getType().isF64())
    return arcSineOfDouble(b, x);
  // The tangent of the angle is x / sqrt(1 - x^2): infinite for 1, and NaN beyond. The sign comes from x itself: LLVM
  // would round another sign to f16 by a call if x was extended from f16.
  return roundedOnce(b, x, [&](Value wide) -> Value {
    ScalarMath m(b, b.getF64Type());
    Value square = m.product(m.difference(m.real(1.0), wide), m.sum(m.real(1.0), wide));
    Value tangent = m.quotient(m.magnitude(wide), math::SqrtOp::create(b, square));
    return math::CopySignOp::create(b, arcTangentInDouble(b, tangent), wide);
  });
}

Value arcCosine(LoweringBuilder &b, Value x) {
  if (x.getType().isF64())
    return arcCosineOfDouble(b, x);
  // The square of the tangent of half of the angle is (1 - x) / (1 + x).
  return roundedOnce(b, x, [&](Value wide) {
    ScalarMath m(b, b.getF64Type());
    Value square = m.quotient(m.difference(m.real(1.0), wide), m.sum(m.real(1.0), wide));
    return m.product(arcTangentInDouble(b, math::SqrtOp::create(b, square)), m.real(2.0));
  });
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions and their inverses
//===----------------------------------------------------------------------===//

/// (e^x + sign * e^-x) / 2 in f64, for x that was extended from f32.
static Value meanOfPowers(LoweringBuilder &b, Value x, double sign) {
  ScalarMath m(b, b.getF64Type());
  Value t = m.product(x, m.real(1.4426950408889634)); // 1 / ln 2
  Value up = exponential(b, m, t), down = exponential(b, m, m.negative(t));
  Value sum = m.fused(down, m.real(0.5 * sign), m.product(up, m.real(0.5)));
  return m.select(m.isNan(x), x, sum);
}

/// An odd function of an f32 that is x near 0, where `function` loses digits.
static Value oddFunction(LoweringBuilder &b, Value x, llvm::function_ref<Value(Value)> function) {
  return roundedOnce(b, x, [&](Value wide) {
    // The next term of each such series is x^3/6 or x^3/3, which is less than half an ulp here.
    ScalarMath m(b, b.getF64Type());
    return m.select(m.isLess(m.magnitude(wide), 1e-4), wide, function(wide));
  });
}

Value hyperbolicSine(LoweringBuilder &b, Value x) {
  if (x.getType().isF64())
    return hyperbolicSineOfDouble(b, x);
  return oddFunction(b, x, [&](Value wide) { return meanOfPowers(b, wide, -1.0); });
}

Value hyperbolicCosine(LoweringBuilder &b, Value x) {
  if (x.getType().isF64())
    return hyperbolicCosineOfDouble(b, x);
  return roundedOnce(b, x, [&](Value wide) { return meanOfPowers(b, wide, 1.0); });
}

/// log(x + sqrt(x^2 + 1)) with the sign of `x`, in f64.
static Value inverseHyperbolicSineOfDouble(LoweringBuilder &b, Value x) {
  ScalarMath m(b, x.getType());
  // From 2^28 on, it is log 2x.
  Value magnitude = m.magnitude(x);
  Value isLarge = m.isNot(m.isLess(magnitude, 0x1p28));
  Value small = m.select(isLarge, m.real(1.0), magnitude);
  Value square = m.product(small, small);
  Value root = math::SqrtOp::create(b, m.sum(square, m.real(1.0)));
  Value near = logarithmOfOnePlus(b, m.sum(small, m.quotient(square, m.sum(root, m.real(1.0)))));
  Value far = m.sum(naturalLogarithm(b, magnitude), m.real(0.69314718055994531));
  return math::CopySignOp::create(b, m.select(isLarge, far, near), x);
}

Value inverseHyperbolicSine(LoweringBuilder &b, Value x) {
  if (x.getType().isF64())
    return inverseHyperbolicSineOfDouble(b, x);
  return oddFunction(b, x, [&](Value wide) -> Value {
    ScalarMath m(b, b.getF64Type());
    Value magnitude = m.magnitude(wide);
    Value root = math::SqrtOp::create(b, m.fused(wide, wide, m.real(1.0)));
    return math::CopySignOp::create(b, logarithmInDouble(b, m.sum(magnitude, root)), wide);
  });
}

Value inverseHyperbolicCosine(LoweringBuilder &b, Value x) {
  ScalarMath m(b, b.getF64Type());
  Value nan = m.real(std::numeric_limits<double>::quiet_NaN());
  // log(x + sqrt(x^2 - 1)); with t = x - 1 it is log(1 + t + sqrt(t (t + 2))), which keeps the digits near 1.
  if (x.getType().isF64()) {
    Value isLarge = m.isNot(m.isLess(x, 0x1p28));
    Value t = m.difference(m.select(isLarge, m.real(1.0), x), m.real(1.0));
    Value root = math::SqrtOp::create(b, m.product(t, m.sum(t, m.real(2.0))));
    Value near = logarithmOfOnePlus(b, m.sum(t, root));
    Value far = m.sum(naturalLogarithm(b, x), m.real(0.69314718055994531));
    return m.select(m.isLess(x, 1.0), nan, m.select(isLarge, far, near));
  }
  return roundedOnce(b, x, [&](Value wide) {
    Value square = m.product(m.difference(wide, m.real(1.0)), m.sum(wide, m.real(1.0)));
    Value result = logarithmInDouble(b, m.sum(wide, math::SqrtOp::create(b, square)));
    return m.select(m.isLess(wide, 1.0), nan, result);
  });
}

Value inverseHyperbolicTangent(LoweringBuilder &b, Value x) {
  // Half of log((1 + x) / (1 - x)).
  if (x.getType().isF64()) {
    ScalarMath m(b, x.getType());
    Value magnitude = m.magnitude(x);
    Value quotient = m.quotient(m.product(magnitude, m.real(2.0)), m.difference(m.real(1.0), magnitude));
    // The correction of the logarithm near 0 would divide infinities.
    Value isOne = m.isEqual(magnitude, 1.0);
    Value result = m.product(logarithmOfOnePlus(b, m.select(isOne, m.real(1.0), quotient)), m.real(0.5));
    result = m.select(isOne, m.real(std::numeric_limits<double>::infinity()), result);
    result = m.select(m.isGreater(magnitude, 1.0), m.real(std::numeric_limits<double>::quiet_NaN()), result);
    return math::CopySignOp::create(b, result, x);
  }
  return oddFunction(b, x, [&](Value wide) {
    ScalarMath m(b, b.getF64Type());
    Value quotient = m.quotient(m.sum(m.real(1.0), wide), m.difference(m.real(1.0), wide));
    return m.product(logarithmInDouble(b, quotient), m.real(0.5));
  });
}

} // namespace recur::ov
