// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Math.cpp - The ops of OVMathOps.td ---------------------------------===//
//
// Real numbers are computed in f64 and rounded once; integers are exact until they are stored, which wraps.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace recur::interpreter {

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

static Integer same(Integer x) { return x; }
static Integer sign(Integer x) { return (x > 0) - (x < 0); }

namespace real {
static double sign(double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }
static double softPlus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }
static double hSigmoid(double x) { return (x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3) / 6; }
static double hSwish(double x) { return x * hSigmoid(x); }
/// To the nearest integer, of two to the even one.
static double roundToEven(double x) {
  double down = std::floor(x), part = x - down;
  if (std::isnan(x) || std::isinf(x))
    return x;
  double result = part < 0.5 || (part == 0.5 && std::fmod(down, 2.0) == 0) ? down : down + 1;
  return std::copysign(result, x);
}
} // namespace real

template <typename Op, double (*real)(double), Integer (*integer)(Integer) = same>
static MaybeTensor unary(Machine &machine, Op op, Operands operands) {
  return mapUnary(machine, *operands[0], operands[0]->getType(),
                  [](Scalar x) { return x.isReal ? Scalar::of(real(x.real)) : Scalar::of(integer(x.integer)); });
}

static MaybeTensor round(Machine &machine, ov::RoundOp op, Operands operands) {
  bool toEven = op.getMode() == "half_to_even";
  return mapUnary(machine, *operands[0], operands[0]->getType(), [&](Scalar x) {
    if (!x.isReal)
      return x;
    return Scalar::of(toEven ? real::roundToEven(x.real) : std::round(x.real));
  });
}

/// A function of real numbers that knows the parameters.
static MaybeTensor mapReal(Machine &machine, Operands operands, llvm::function_ref<double(double)> function) {
  return mapUnary(machine, *operands[0], operands[0]->getType(),
                  [&](Scalar x) { return Scalar::of(function(x.real)); });
}

static double elu(double x, double alpha) { return x < 0 ? alpha * std::expm1(x) : x; }

static MaybeTensor eluOp(Machine &machine, ov::EluOp op, Operands operands) {
  double alpha = op.getAlpha().convertToDouble();
  return mapReal(machine, operands, [&](double x) { return elu(x, alpha); });
}

static MaybeTensor gelu(Machine &machine, ov::GeluOp op, Operands operands) {
  bool isErf = op.getApproximationMode() == "erf";
  return mapReal(machine, operands, [&](double x) {
    double inner = isErf ? std::erf(x * std::sqrt(0.5))
                         : std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x));
    // Near -1 nothing is left of it.
    return x / 2 * (1 + disturbOnTheWay(operands[0]->getType(), inner));
  });
}

static MaybeTensor selu(Machine &machine, ov::SeluOp, Operands operands) {
  double alpha = operands[1]->getReal(0), lambda = operands[2]->getReal(0);
  return mapReal(machine, operands, [&](double x) { return lambda * elu(x, alpha); });
}

static MaybeTensor hardSigmoid(Machine &machine, ov::HardSigmoidOp, Operands operands) {
  double alpha = operands[1]->getReal(0), beta = operands[2]->getReal(0);
  return mapReal(machine, operands, [&](double x) {
    double line = alpha * x + beta;
    return line < 0 ? 0 : line > 1 ? 1 : line;
  });
}

static MaybeTensor swish(Machine &machine, ov::SwishOp, Operands operands) {
  double beta = operands.size() > 1 ? operands[1]->getReal(0) : 1;
  return mapReal(machine, operands, [&](double x) { return x / (1 + std::exp(-beta * x)); });
}

static MaybeTensor prelu(Machine &machine, ov::PReluOp, Operands operands) {
  const Tensor &data = *operands[0];
  Tensor slope = *operands[1];
  // One slope for each channel, where there are as many as channels.
  if (slope.getRank() == 1 && slope.getDim(0) != 1 && data.getRank() >= 2 && slope.getDim(0) == data.getDim(1)) {
    Shape shape(data.getRank() - 1, 1);
    shape[0] = slope.getDim(0);
    slope = slope.reshaped(shape);
  }
  std::optional<Shape> shape = broadcast(machine, data.getShape(), slope.getShape());
  if (shape && *shape != data.getShape())
    return machine.fault(RECUR_E_SHAPE, "the slope does not broadcast to data");
  return mapBinary(machine, data, slope, data.getType(), /*numpy=*/true,
                   [](Scalar x, Scalar factor) { return Scalar::of(x.real < 0 ? x.real * factor.real : x.real); });
}

//===----------------------------------------------------------------------===//
// Functions of two elements
//===----------------------------------------------------------------------===//

static MaybeTensor squaredDifference(Machine &machine, ov::SquaredDifferenceOp op, Operands operands) {
  const Tensor &a = *operands[0];
  return mapBinary(machine, a, *operands[1], a.getType(), op.getAutoBroadcast() == "numpy", [&](Scalar x, Scalar y) {
    if (x.isReal)
      return Scalar::of((x.real - y.real) * (x.real - y.real));
    // Modulo 2^64, which all types divide.
    uint64_t difference = uint64_t(x.integer - y.integer);
    return Scalar::of(Integer(difference * difference));
  });
}

template <typename Op, bool floored>
static MaybeTensor mod(Machine &machine, Op op, Operands operands) {
  const Tensor &a = *operands[0];
  return mapBinary(machine, a, *operands[1], a.getType(), op.getAutoBroadcast() == "numpy",
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

template <typename Op, bool isXor>
static MaybeTensor logical(Machine &machine, Op op, Operands operands) {
  return mapBinary(machine, *operands[0], *operands[1], RECUR_BOOLEAN, op.getAutoBroadcast() == "numpy",
                   [](Scalar a, Scalar b) {
                     bool x = a.integer != 0, y = b.integer != 0;
                     return Scalar::of(Integer(isXor ? x != y : x || y));
                   });
}

//===----------------------------------------------------------------------===//
// Lines along an axis, and reductions
//===----------------------------------------------------------------------===//

/// Calls `visit` with the first place of each line along `axis`.
static void forEachLine(const Tensor &data, int64_t axis, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  Shape lines = data.getShape();
  lines[axis] = 1;
  forEachPlace(lines, visit);
}

static int64_t along(const Tensor &tensor, ArrayRef<int64_t> line, int64_t axis, int64_t i) {
  Shape place(line);
  place[axis] = i;
  return getOffset(tensor.getShape(), place);
}

/// Makes each element of the result of all elements that are reduced to it.
template <typename Op>
static MaybeTensor reduce(Machine &machine, Op op, Operands operands,
                          llvm::function_ref<Scalar(ArrayRef<Scalar>)> function) {
  const Tensor &data = *operands[0];
  std::optional<Shape> axes = getAxes(machine, *operands[1], data.getRank());
  if (!axes)
    return std::nullopt;
  if (axes->empty())
    return data;
  Shape reduced = data.getShape(), shape;
  for (int64_t i = 0; i != data.getRank(); ++i) {
    bool isReduced = llvm::is_contained(*axes, i);
    if (isReduced)
      reduced[i] = 1;
    if (op.getKeepDims() || !isReduced)
      shape.push_back(reduced[i]);
  }
  MaybeTensor result = machine.make(data.getType(), shape);
  if (!result)
    return std::nullopt;
  std::vector<std::vector<Scalar>> groups(result->getNumElements());
  int64_t next = 0;
  forEachPlace(data.getShape(), [&](ArrayRef<int64_t> place) {
    groups[getBroadcastOffset(reduced, place)].push_back(data.get(next++));
  });
  for (auto [i, group] : llvm::enumerate(groups))
    result->set(i, function(group));
  return result;
}

/// The sum of `function` of the elements.
static Scalar sumOf(recur_element_type type, ArrayRef<Scalar> group, llvm::function_ref<Scalar(Scalar)> function) {
  double sum = 0;
  uint64_t wrapped = 0;
  for (Scalar x : group) {
    Scalar value = function(x);
    sum += value.real;
    wrapped += uint64_t(value.integer);
  }
  return isReal(type) ? Scalar::of(sum) : Scalar::of(Integer(int64_t(wrapped)));
}

static MaybeTensor reduceMean(Machine &machine, ov::ReduceMeanOp op, Operands operands) {
  recur_element_type type = operands[0]->getType();
  return reduce(machine, op, operands, [&](ArrayRef<Scalar> group) {
    Scalar sum = sumOf(type, group, [](Scalar x) { return x; });
    if (sum.isReal)
      return Scalar::of(sum.real / double(group.size()));
    Integer whole = type == RECUR_U64 ? Integer(uint64_t(sum.integer)) : sum.integer;
    return Scalar::of(group.empty() ? Integer(0) : whole / Integer(group.size()));
  });
}

static MaybeTensor reduceMin(Machine &machine, ov::ReduceMinOp op, Operands operands) {
  recur_element_type type = operands[0]->getType();
  return reduce(machine, op, operands, [&](ArrayRef<Scalar> group) {
    // A conversion saturates: infinity becomes the greatest value of the type.
    Scalar least = convertScalar(Scalar::of(std::numeric_limits<double>::infinity()), RECUR_F64, type);
    for (Scalar x : group) {
      if (x.isReal && !std::isnan(least.real) && !(least.real <= x.real))
        least = x;
      if (!x.isReal)
        least.integer = std::min(least.integer, x.integer);
    }
    return least;
  });
}

static MaybeTensor reduceProd(Machine &machine, ov::ReduceProdOp op, Operands operands) {
  return reduce(machine, op, operands, [&](ArrayRef<Scalar> group) {
    double product = 1;
    uint64_t wrapped = 1;
    for (Scalar x : group) {
      product *= x.real;
      wrapped *= uint64_t(x.integer);
    }
    return isReal(operands[0]->getType()) ? Scalar::of(product) : Scalar::of(Integer(wrapped));
  });
}

static MaybeTensor reduceL1(Machine &machine, ov::ReduceL1Op op, Operands operands) {
  return reduce(machine, op, operands, [&](ArrayRef<Scalar> group) {
    return sumOf(operands[0]->getType(), group, [](Scalar x) {
      return x.isReal ? Scalar::of(std::fabs(x.real)) : Scalar::of(x.integer < 0 ? -x.integer : x.integer);
    });
  });
}

static MaybeTensor reduceL2(Machine &machine, ov::ReduceL2Op op, Operands operands) {
  return reduce(machine, op, operands, [&](ArrayRef<Scalar> group) {
    return Scalar::of(std::sqrt(sumOf(RECUR_F64, group, [](Scalar x) { return Scalar::of(x.real * x.real); }).real));
  });
}

template <typename Op, bool all>
static MaybeTensor reduceLogical(Machine &machine, Op op, Operands operands) {
  return reduce(machine, op, operands, [](ArrayRef<Scalar> group) {
    auto isTrue = [](Scalar x) { return x.integer != 0; };
    return Scalar::of(Integer(all ? llvm::all_of(group, isTrue) : llvm::any_of(group, isTrue)));
  });
}

static MaybeTensor logSoftmax(Machine &machine, ov::LogSoftmaxOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), data.getRank());
  MaybeTensor result = axis ? machine.make(data.getType(), data.getShape()) : std::nullopt;
  if (!result || data.getNumElements() == 0)
    return result;
  int64_t length = data.getDim(*axis);
  forEachLine(data, *axis, [&](ArrayRef<int64_t> line) {
    auto at = [&](int64_t i) { return data.getReal(along(data, line, *axis, i)); };
    double greatest = at(0), sum = 0;
    for (int64_t i = 0; i != length; ++i)
      greatest = at(i) > greatest || std::isnan(at(i)) ? at(i) : greatest;
    for (int64_t i = 0; i != length; ++i)
      sum += std::exp(at(i) - greatest);
    for (int64_t i = 0; i != length; ++i)
      result->setReal(along(data, line, *axis, i), at(i) - greatest - std::log(sum));
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Scans and selections
//===----------------------------------------------------------------------===//

static MaybeTensor cumSum(Machine &machine, ov::CumSumOp op, Operands operands) {
  const Tensor &data = *operands[0];
  Integer given = operands.size() > 1 ? operands[1]->getInteger(0) : 0;
  std::optional<int64_t> axis = normalize(machine, int64_t(given), data.getRank());
  MaybeTensor result = axis ? machine.make(data.getType(), data.getShape()) : std::nullopt;
  if (!result || data.getNumElements() == 0)
    return result;
  int64_t length = data.getDim(*axis);
  forEachLine(data, *axis, [&](ArrayRef<int64_t> line) {
    double sum = 0;
    uint64_t wrapped = 0;
    for (int64_t i = 0; i != length; ++i) {
      int64_t offset = along(data, line, *axis, op.getReverse() ? length - 1 - i : i);
      Scalar x = data.get(offset);
      auto store = [&] { result->set(offset, x.isReal ? Scalar::of(sum) : Scalar::of(Integer(int64_t(wrapped)))); };
      if (op.getExclusive())
        store();
      sum += x.real;
      wrapped += uint64_t(x.integer);
      if (!op.getExclusive())
        store();
    }
  });
  return result;
}

static MaybeTensors topK(Machine &machine, ov::TopKOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), data.getRank());
  if (!axis)
    return std::nullopt;
  int64_t length = data.getDim(*axis);
  Integer k = operands[1]->getInteger(0);
  if (k < 0 || k > length)
    return machine.fault(RECUR_E_INDEX,
                         "k is " + Twine(int64_t(k)) + ", but the axis has " + Twine(length) + " elements");
  Shape shape = data.getShape();
  shape[*axis] = int64_t(k);
  MaybeTensor values = machine.make(data.getType(), shape);
  MaybeTensor indices = machine.make(getElementType(op.getIndexElementType()), shape);
  if (!values || !indices)
    return std::nullopt;
  bool isMax = op.getMode() == "max";
  // NaN is greater than any number.
  auto isLess = [](Scalar a, Scalar b) {
    if (!a.isReal)
      return a.integer < b.integer;
    return std::isnan(b.real) ? !std::isnan(a.real) : a.real < b.real;
  };
  if (k != 0)
    forEachLine(data, *axis, [&](ArrayRef<int64_t> line) {
      std::vector<int64_t> order(length);
      for (int64_t i = 0; i != length; ++i)
        order[i] = i;
      std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
        Scalar x = data.get(along(data, line, *axis, i)), y = data.get(along(data, line, *axis, j));
        return isMax ? isLess(y, x) : isLess(x, y);
      });
      order.resize(int64_t(k));
      if (op.getSort() == "index")
        llvm::sort(order);
      for (auto [i, from] : llvm::enumerate(order)) {
        values->copy(along(*values, line, *axis, i), data, along(data, line, *axis, from));
        indices->setInteger(along(*indices, line, *axis, i), from);
      }
    });
  Tensors results;
  results.push_back(std::move(*values));
  results.push_back(std::move(*indices));
  return results;
}

static MaybeTensor nonZero(Machine &machine, ov::NonZeroOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::vector<Shape> places;
  int64_t next = 0;
  forEachPlace(data.getShape(), [&](ArrayRef<int64_t> place) {
    Scalar x = data.get(next++);
    if (x.isReal ? x.real != 0 : x.integer != 0)
      places.push_back(Shape(place));
  });
  int64_t count = places.size();
  MaybeTensor result = machine.make(getElementType(op.getOutputType()), {data.getRank(), count});
  for (int64_t dim = 0; result && dim != data.getRank(); ++dim)
    for (int64_t i = 0; i != count; ++i)
      result->setInteger(dim * count + i, places[i][dim]);
  return result;
}

void addMath(Handlers &handlers) {
  addHandler<ov::FloorOp>(handlers, unary<ov::FloorOp, std::floor>);
  addHandler<ov::CeilingOp>(handlers, unary<ov::CeilingOp, std::ceil>);
  addHandler<ov::SignOp>(handlers, unary<ov::SignOp, real::sign, sign>);
  addHandler<ov::LogOp>(handlers, unary<ov::LogOp, std::log>);
  addHandler<ov::SinOp>(handlers, unary<ov::SinOp, std::sin>);
  addHandler<ov::CosOp>(handlers, unary<ov::CosOp, std::cos>);
  addHandler<ov::ErfOp>(handlers, unary<ov::ErfOp, std::erf>);
  addHandler<ov::SoftPlusOp>(handlers, unary<ov::SoftPlusOp, real::softPlus>);
  addHandler<ov::HSwishOp>(handlers, unary<ov::HSwishOp, real::hSwish>);
  addHandler<ov::HSigmoidOp>(handlers, unary<ov::HSigmoidOp, real::hSigmoid>);
  addHandler<ov::RoundOp>(handlers, round);
  addHandler<ov::EluOp>(handlers, eluOp);
  addHandler<ov::GeluOp>(handlers, gelu);
  addHandler<ov::SeluOp>(handlers, selu);
  addHandler<ov::HardSigmoidOp>(handlers, hardSigmoid);
  addHandler<ov::SwishOp>(handlers, swish);
  addHandler<ov::PReluOp>(handlers, prelu);
  addHandler<ov::SquaredDifferenceOp>(handlers, squaredDifference);
  addHandler<ov::ModOp>(handlers, mod<ov::ModOp, false>);
  addHandler<ov::FloorModOp>(handlers, mod<ov::FloorModOp, true>);
  addHandler<ov::LogicalOrOp>(handlers, logical<ov::LogicalOrOp, false>);
  addHandler<ov::LogicalXorOp>(handlers, logical<ov::LogicalXorOp, true>);
  addHandler<ov::ReduceMeanOp>(handlers, reduceMean);
  addHandler<ov::ReduceMinOp>(handlers, reduceMin);
  addHandler<ov::ReduceProdOp>(handlers, reduceProd);
  addHandler<ov::ReduceL1Op>(handlers, reduceL1);
  addHandler<ov::ReduceL2Op>(handlers, reduceL2);
  addHandler<ov::ReduceLogicalAndOp>(handlers, reduceLogical<ov::ReduceLogicalAndOp, true>);
  addHandler<ov::ReduceLogicalOrOp>(handlers, reduceLogical<ov::ReduceLogicalOrOp, false>);
  addHandler<ov::LogSoftmaxOp>(handlers, logSoftmax);
  addHandler<ov::CumSumOp>(handlers, cumSum);
  addHandler<ov::TopKOp>(handlers, topK);
  addHandler<ov::NonZeroOp>(handlers, nonZero);
}

} // namespace recur::interpreter
