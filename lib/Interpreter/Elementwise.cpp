// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Elementwise.cpp - element-wise ops ---------------------------------===//
//
// An op is a function of real numbers and one of integers. Real numbers are computed in f64 and rounded to the element
// type: for sums, products, quotients and square roots of f32 and narrower types that is what rounding once gives.
// Integers are exact until they are stored, which wraps.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

std::optional<Shape> broadcast(Machine &machine, ArrayRef<int64_t> a, ArrayRef<int64_t> b, bool numpy) {
  if (!numpy) {
    if (a != b)
      return machine.fault(RECUR_E_SHAPE, "the shapes of two operands differ");
    return Shape(a);
  }
  size_t rank = std::max(a.size(), b.size());
  Shape result(rank, 1);
  for (size_t i = 0; i != rank; ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return machine.fault(RECUR_E_SHAPE, "dims " + Twine(x) + " and " + Twine(y) + " do not broadcast");
    result[rank - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

int64_t getBroadcastOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> place) {
  int64_t offset = 0;
  ArrayRef<int64_t> own = place.take_back(shape.size());
  for (size_t i = 0; i != shape.size(); ++i)
    offset = offset * shape[i] + (shape[i] == 1 ? 0 : own[i]);
  return offset;
}

MaybeTensor mapUnary(Machine &machine, const Tensor &x, recur_element_type type,
                     llvm::function_ref<Scalar(Scalar)> function) {
  MaybeTensor result = machine.make(type, x.getShape());
  for (int64_t i = 0; result && i != x.getNumElements(); ++i)
    result->set(i, function(x.get(i)));
  return result;
}

MaybeTensor mapBinary(Machine &machine, const Tensor &a, const Tensor &b, recur_element_type type, bool numpy,
                      llvm::function_ref<std::optional<Scalar>(Scalar, Scalar)> function) {
  std::optional<Shape> shape = broadcast(machine, a.getShape(), b.getShape(), numpy);
  MaybeTensor result = shape ? machine.make(type, *shape) : std::nullopt;
  if (!result)
    return std::nullopt;
  int64_t next = 0;
  bool isFine = true;
  forEachPlace(*shape, [&](ArrayRef<int64_t> place) {
    std::optional<Scalar> value = function(a.get(getBroadcastOffset(a.getShape(), place)),
                                           b.get(getBroadcastOffset(b.getShape(), place)));
    isFine &= value.has_value();
    if (value)
      result->set(next++, *value);
  });
  return isFine ? std::move(result) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

static Integer absolute(Integer x) { return x < 0 ? -x : x; }

template <typename Op, double (*real)(double), Integer (*integer)(Integer)>
static MaybeTensor unary(Machine &machine, Op op, Operands operands) {
  return mapUnary(machine, *operands[0], operands[0]->getType(), [](Scalar x) {
    return x.isReal ? Scalar::of(real(x.real)) : Scalar::of(integer(x.integer));
  });
}

/// A function of real numbers whose results implementations may round otherwise.
template <typename Op, double (*real)(double)>
static MaybeTensor transcendental(Machine &machine, Op op, Operands operands) {
  return mapUnary(machine, *operands[0], operands[0]->getType(),
                  [](Scalar x) { return Scalar::rounded(real(x.real)); });
}


namespace real {
static double negative(double x) { return -x; }
static double relu(double x) { return x < 0 ? 0.0 : x; }
static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
} // namespace real
namespace integer {
static Integer negative(Integer x) { return -x; }
static Integer relu(Integer x) { return x < 0 ? 0 : x; }
static Integer logicalNot(Integer x) { return x == 0; }
} // namespace integer

static MaybeTensor clamp(Machine &machine, ov::ClampOp op, Operands operands) {
  double min = op.getMin().convertToDouble(), max = op.getMax().convertToDouble();
  recur_element_type type = operands[0]->getType();
  // The bounds are of the element type: floats are rounded to it, and of integers the nearest inside of the range.
  Tensor bounds(type, {2});
  bounds.set(0, convertScalar(Scalar::of(isReal(type) ? min : std::ceil(min)), RECUR_F64, type));
  bounds.set(1, convertScalar(Scalar::of(isReal(type) ? max : std::floor(max)), RECUR_F64, type));
  Scalar low = bounds.get(0), high = bounds.get(1);
  return mapUnary(machine, *operands[0], type, [&](Scalar x) {
    if (x.isReal) {
      double value = x.real < low.real ? low.real : x.real;
      return Scalar::of(high.real < value ? high.real : value);
    }
    Integer value = std::max(x.integer, low.integer);
    return Scalar::of(std::min(value, high.integer));
  });
}

MaybeTensor convert(Machine &machine, const Tensor &data, recur_element_type type) {
  return mapUnary(machine, data, type, [&](Scalar x) { return convertScalar(x, data.getType(), type); });
}

static MaybeTensor convertOp(Machine &machine, ov::ConvertOp op, Operands operands) {
  return convert(machine, *operands[0], getElementType(op.getType().getElementType()));
}

//===----------------------------------------------------------------------===//
// Functions of two elements
//===----------------------------------------------------------------------===//

namespace real {
static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static double minimum(double a, double b) { return -maximum(-a, -b); }
static double power(double a, double b) { return std::pow(a, b); }
} // namespace real

namespace integer {
static Integer add(Integer a, Integer b) { return a + b; }
static Integer subtract(Integer a, Integer b) { return a - b; }
static Integer multiply(Integer a, Integer b) {
  // Modulo 2^128; u64 times u64 does not fit otherwise.
  __extension__ typedef unsigned __int128 Wrapping;
  return Integer(Wrapping(a) * Wrapping(b));
}
static Integer maximum(Integer a, Integer b) { return std::max(a, b); }
static Integer minimum(Integer a, Integer b) { return std::min(a, b); }
static Integer logicalAnd(Integer a, Integer b) { return a != 0 && b != 0; }

static Integer power(Integer a, Integer b) {
  if (b < 0) {
    // The truncated inverse, 0 of 0.
    if (a == 1)
      return 1;
    return a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  }
  Integer result = 1;
  // Modulo 2^64, which all types divide.
  for (; b != 0; b /= 2) {
    if (b % 2 != 0)
      result = Integer(uint64_t(multiply(result, a)));
    a = Integer(uint64_t(multiply(a, a)));
  }
  return result;
}
} // namespace integer

template <typename Op, double (*real)(double, double), Integer (*integer)(Integer, Integer)>
static MaybeTensor binary(Machine &machine, Op op, Operands operands) {
  return mapBinary(machine, *operands[0], *operands[1], operands[0]->getType(), op.getAutoBroadcast() == "numpy",
                   [](Scalar a, Scalar b) {
                     Scalar value = a.isReal ? Scalar::of(real(a.real, b.real)) : Scalar::of(integer(a.integer, b.integer));
                     value.isRounded = a.isReal && std::is_same_v<Op, ov::PowerOp>;
                     return value;
                   });
}

static double noReal(double a, double) { return a; }

template <typename Op, typename Compare>
static MaybeTensor compare(Machine &machine, Op op, Operands operands) {
  return mapBinary(machine, *operands[0], *operands[1], RECUR_BOOLEAN, op.getAutoBroadcast() == "numpy",
                   [](Scalar a, Scalar b) {
                     return Scalar::of(Integer(a.isReal ? Compare()(a.real, b.real) : Compare()(a.integer, b.integer)));
                   });
}

static MaybeTensor divide(Machine &machine, ov::DivideOp op, Operands operands) {
  return mapBinary(machine, *operands[0], *operands[1], operands[0]->getType(), op.getAutoBroadcast() == "numpy",
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

static MaybeTensor select(Machine &machine, ov::SelectOp op, Operands operands) {
  const Tensor &condition = *operands[0], &yes = *operands[1], &no = *operands[2];
  bool numpy = op.getAutoBroadcast() == "numpy";
  std::optional<Shape> values = broadcast(machine, yes.getShape(), no.getShape(), numpy);
  std::optional<Shape> shape = values ? broadcast(machine, condition.getShape(), *values, numpy) : std::nullopt;
  MaybeTensor result = shape ? machine.make(yes.getType(), *shape) : std::nullopt;
  if (!result)
    return std::nullopt;
  int64_t next = 0;
  forEachPlace(*shape, [&](ArrayRef<int64_t> place) {
    bool isTrue = condition.getInteger(getBroadcastOffset(condition.getShape(), place)) != 0;
    const Tensor &chosen = isTrue ? yes : no;
    result->copy(next++, chosen, getBroadcastOffset(chosen.getShape(), place));
  });
  return result;
}

void addElementwise(Handlers &handlers) {
  addHandler<ov::NegativeOp>(handlers, unary<ov::NegativeOp, real::negative, integer::negative>);
  addHandler<ov::AbsOp>(handlers, unary<ov::AbsOp, std::fabs, absolute>);
  addHandler<ov::ExpOp>(handlers, transcendental<ov::ExpOp, std::exp>);
  addHandler<ov::SqrtOp>(handlers, transcendental<ov::SqrtOp, std::sqrt>);
  addHandler<ov::TanhOp>(handlers, transcendental<ov::TanhOp, std::tanh>);
  addHandler<ov::SigmoidOp>(handlers, transcendental<ov::SigmoidOp, real::sigmoid>);
  addHandler<ov::ReluOp>(handlers, unary<ov::ReluOp, real::relu, integer::relu>);
  addHandler<ov::LogicalNotOp>(handlers, unary<ov::LogicalNotOp, std::fabs, integer::logicalNot>);
  addHandler<ov::ClampOp>(handlers, clamp);
  addHandler<ov::ConvertOp>(handlers, convertOp);
  addHandler<ov::AddOp>(handlers, binary<ov::AddOp, real::add, integer::add>);
  addHandler<ov::SubtractOp>(handlers, binary<ov::SubtractOp, real::subtract, integer::subtract>);
  addHandler<ov::MultiplyOp>(handlers, binary<ov::MultiplyOp, real::multiply, integer::multiply>);
  addHandler<ov::MaximumOp>(handlers, binary<ov::MaximumOp, real::maximum, integer::maximum>);
  addHandler<ov::MinimumOp>(handlers, binary<ov::MinimumOp, real::minimum, integer::minimum>);
  addHandler<ov::PowerOp>(handlers, binary<ov::PowerOp, real::power, integer::power>);
  addHandler<ov::LogicalAndOp>(handlers, binary<ov::LogicalAndOp, noReal, integer::logicalAnd>);
  addHandler<ov::DivideOp>(handlers, divide);
  addHandler<ov::SelectOp>(handlers, select);
  addHandler<ov::EqualOp>(handlers, compare<ov::EqualOp, std::equal_to<>>);
  addHandler<ov::NotEqualOp>(handlers, compare<ov::NotEqualOp, std::not_equal_to<>>);
  addHandler<ov::LessOp>(handlers, compare<ov::LessOp, std::less<>>);
  addHandler<ov::LessEqualOp>(handlers, compare<ov::LessEqualOp, std::less_equal<>>);
  addHandler<ov::GreaterOp>(handlers, compare<ov::GreaterOp, std::greater<>>);
  addHandler<ov::GreaterEqualOp>(handlers, compare<ov::GreaterEqualOp, std::greater_equal<>>);
}

} // namespace recur::interpreter
