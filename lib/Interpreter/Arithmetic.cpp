// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arithmetic.cpp - arithmetic ----------------------------------------===//
//
// Real numbers are computed in f64 and then rounded to the element type. For sums, products, quotients and square roots
// of f32 and narrower types, the result is the same as if it were rounded only once. Integers are exact until they are
// stored; then they wrap.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

namespace real {
static double negative(double x) { return -x; }
static double sign(double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }
/// The nearest integer, ties to even.
static double roundToEven(double x) {
  double down = std::floor(x), part = x - down;
  if (std::isnan(x) || std::isinf(x))
    return x;
  double result = part < 0.5 || (part == 0.5 && std::fmod(down, 2.0) == 0) ? down : down + 1;
  return std::copysign(result, x);
}

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double squaredDifference(double a, double b) { return (a - b) * (a - b); }
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static double minimum(double a, double b) { return -maximum(-a, -b); }
} // namespace real

namespace integer {
static Integer negative(Integer x) { return -x; }
static Integer absolute(Integer x) { return x < 0 ? -x : x; }
static Integer sign(Integer x) { return (x > 0) - (x < 0); }

static Integer add(Integer a, Integer b) { return a + b; }
static Integer subtract(Integer a, Integer b) { return a - b; }
static Integer multiply(Integer a, Integer b) {
  // Unsigned arithmetic wraps modulo 2^128. The product of two u64 may overflow Integer, which is signed.
  __extension__ typedef unsigned __int128 Wrapping;
  return Integer(Wrapping(a) * Wrapping(b));
}
static Integer squaredDifference(Integer a, Integer b) {
  // Modulo 2^64, which keeps the bits of every element type.
  uint64_t difference = uint64_t(a - b);
  return Integer(difference * difference);
}
static Integer maximum(Integer a, Integer b) { return std::max(a, b); }
static Integer minimum(Integer a, Integer b) { return std::min(a, b); }

static Integer power(Integer a, Integer b) {
  if (b < 0) {
    // The inverse, truncated to an integer. Here 0 to a negative power is 0.
    if (a == 1)
      return 1;
    return a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  }
  Integer result = 1;
  // Modulo 2^64, which keeps the bits of every element type.
  for (; b != 0; b /= 2) {
    if (b % 2 != 0)
      result = Integer(uint64_t(multiply(result, a)));
    a = Integer(uint64_t(multiply(a, a)));
  }
  return result;
}
} // namespace integer

static Scalar power(Scalar a, Scalar b) {
  return a.isReal ? Scalar::rounded(std::pow(a.real, b.real)) : Scalar::of(integer::power(a.integer, b.integer));
}

static MaybeTensor round(Machine &machine, ov::RoundOp op, Operands operands) {
  bool toEven = op.getMode() == ov::RoundMode::HalfToEven;
  return mapUnary(machine, *operands[0], operands[0]->getType(), [&](Scalar x) {
    if (!x.isReal)
      return x;
    return Scalar::of(toEven ? real::roundToEven(x.real) : std::round(x.real));
  });
}

static MaybeTensor divide(Machine &machine, ov::DivideOp op, Operands operands) {
  return mapBinary(machine, *operands[0], *operands[1], operands[0]->getType(), op.getAutoBroadcast(),
                   [&](Scalar a, Scalar b) -> std::optional<Scalar> {
                     if (a.isReal)
                       return Scalar::of(a.real / b.real);
                     if (b.integer == 0)
                       return machine.fault(RECUR_E_ARITH, "integer division by zero");
                     Integer quotient = a.integer / b.integer, rest = a.integer % b.integer;
                     bool isBelow = op.getMPythondiv() && rest != 0 && (rest < 0) != (b.integer < 0);
                     return Scalar::of(isBelow ? quotient - 1 : quotient);
                   });
}

template <typename Op, bool floored>
static MaybeTensor mod(Machine &machine, Op op, Operands operands) {
  const Tensor &a = *operands[0];
  return mapBinary(machine, a, *operands[1], a.getType(), op.getAutoBroadcast(),
                   [&](Scalar x, Scalar y) -> std::optional<Scalar> {
                     if (x.isReal) {
                       double rest = std::fmod(x.real, y.real);
                       if (floored && rest == 0)
                         rest = std::copysign(0.0, y.real);
                       else if (floored && (rest < 0) != (y.real < 0))
                         rest += y.real;
                       return Scalar::of(rest);
                     }
                     if (y.integer == 0)
                       return machine.fault(RECUR_E_ARITH, "integer division by zero");
                     Integer rest = x.integer % y.integer;
                     if (floored && rest != 0 && (rest < 0) != (y.integer < 0))
                       rest += y.integer;
                     return Scalar::of(rest);
                   });
}

static MaybeTensor cumSum(Machine &machine, ov::CumSumOp op, Operands operands) {
  const Tensor &data = *operands[0];
  Integer given = operands.size() > 1 ? operands[1]->getInteger(0) : 0;
  std::optional<int64_t> axis = normalize(machine, int64_t(given), data.getRank());
  MaybeTensor result = axis ? machine.make(data.getType(), data.getShape()) : std::nullopt;
  if (!result || data.getNumElements() == 0)
    return result;
  int64_t length = data.getDim(*axis);
  forEachLine(data, *axis, [&](ArrayRef<int64_t> line) {
    Scalar sum = convertScalar(Scalar::of(Integer(0)), RECUR_I64, data.getType());
    for (int64_t i = 0; i != length; ++i) {
      int64_t offset = getLineOffset(data, line, *axis, op.getReverse() ? length - 1 - i : i);
      Scalar before = sum;
      sum = sumOf(sum, data.get(offset));
      if (sum.isReal)
        sum.real = disturbSum(data.getType(), sum.real);
      result->set(offset, op.getExclusive() ? before : sum);
    }
  });
  return result;
}

/// Adds an elementwise function of angles. The documents of the ops allow an error that grows with the angle.
template <typename Op>
static void addOfAngle(Handlers &handlers, double (*function)(double)) {
  handlers[Op::getOperationName()] = [function](Machine &machine, Operation *op, Operands operands) {
    recur_element_type type = operands[0]->getType();
    return toResults(mapUnary(machine, *operands[0], type,
                              [=](Scalar x) { return Scalar::rounded(function(disturbAngle(type, x.real))); }));
  };
}

void addArithmetic(Handlers &handlers) {
  addTranscendental<ov::AcosOp>(handlers, std::acos);
  addTranscendental<ov::AcoshOp>(handlers, std::acosh);
  addTranscendental<ov::AsinOp>(handlers, std::asin);
  addTranscendental<ov::AsinhOp>(handlers, std::asinh);
  addTranscendental<ov::AtanOp>(handlers, std::atan);
  addTranscendental<ov::AtanhOp>(handlers, std::atanh);
  addTranscendental<ov::CoshOp>(handlers, std::cosh);
  addTranscendental<ov::SinhOp>(handlers, std::sinh);
  addOfAngle<ov::TanOp>(handlers, std::tan);
  addUnary<ov::AbsOp>(handlers, std::fabs, integer::absolute);
  addUnary<ov::CeilingOp>(handlers, std::ceil);
  addOfAngle<ov::CosOp>(handlers, std::cos);
  addUnary<ov::ErfOp>(handlers, std::erf);
  addUnary<ov::FloorOp>(handlers, std::floor);
  addUnary<ov::LogOp>(handlers, std::log);
  addUnary<ov::NegativeOp>(handlers, real::negative, integer::negative);
  addUnary<ov::SignOp>(handlers, real::sign, integer::sign);
  addOfAngle<ov::SinOp>(handlers, std::sin);
  addTranscendental<ov::SqrtOp>(handlers, std::sqrt);
  addTranscendental<ov::TanhOp>(handlers, std::tanh);
  addBinary<ov::AddOp>(handlers, real::add, integer::add);
  addBinary<ov::MaximumOp>(handlers, real::maximum, integer::maximum);
  addBinary<ov::MinimumOp>(handlers, real::minimum, integer::minimum);
  addBinary<ov::MultiplyOp>(handlers, real::multiply, integer::multiply);
  addBinary<ov::PowerOp>(handlers, power);
  addBinary<ov::SquaredDifferenceOp>(handlers, real::squaredDifference, integer::squaredDifference);
  addBinary<ov::SubtractOp>(handlers, real::subtract, integer::subtract);
  addHandler<ov::CumSumOp>(handlers, cumSum);
  addHandler<ov::DivideOp>(handlers, divide);
  addHandler<ov::FloorModOp>(handlers, mod<ov::FloorModOp, true>);
  addHandler<ov::ModOp>(handlers, mod<ov::ModOp, false>);
  addHandler<ov::RoundOp>(handlers, round);
}

} // namespace recur::interpreter
