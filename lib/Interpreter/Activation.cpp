// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Activation.cpp - activation functions ------------------------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

namespace real {
double relu(double x) { return x < 0 ? 0.0 : x; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double hardSigmoid(double x, double alpha, double beta) {
  double line = alpha * x + beta;
  return line < 0 ? 0 : line > 1 ? 1 : line;
}
static double elu(double x, double alpha) { return x < 0 ? alpha * std::expm1(x) : x; }
static double softPlus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }
static double softSign(double x) { return x / (1 + std::fabs(x)); }
static double mish(double x) { return x * std::tanh(std::log1p(std::exp(x))); }
static double hSigmoid(double x) { return (x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3) / 6; }
static double hSwish(double x) { return x * hSigmoid(x); }
} // namespace real

namespace integer {
static Integer relu(Integer x) { return x < 0 ? 0 : x; }
} // namespace integer

static MaybeTensor clamp(Machine &machine, ov::ClampOp op, Operands operands) {
  double min = op.getMin().convertToDouble(), max = op.getMax().convertToDouble();
  recur_element_type type = operands[0]->getType();
  // The bounds are converted to the element type. For an integer type, a bound that is not an integer is first rounded
  // towards the inside of the range.
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

//===----------------------------------------------------------------------===//
// Functions that know parameters
//===----------------------------------------------------------------------===//

static MaybeTensor mapReal(Machine &machine, Operands operands, llvm::function_ref<double(double)> function) {
  return mapUnary(machine, *operands[0], operands[0]->getType(),
                  [&](Scalar x) { return Scalar::of(function(x.real)); });
}

static MaybeTensor elu(Machine &machine, ov::EluOp op, Operands operands) {
  double alpha = op.getAlpha().convertToDouble();
  return mapReal(machine, operands, [&](double x) { return real::elu(x, alpha); });
}

static MaybeTensor gelu(Machine &machine, ov::GeluOp op, Operands operands) {
  bool isErf = op.getApproximationMode() == ov::GeluApproximation::Erf;
  return mapReal(machine, operands, [&](double x) {
    // The sum of 1 and `inner`, without their cancellation if `inner` is near -1.
    double argument = isErf ? x * std::sqrt(0.5) : std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
    double inner = isErf ? std::erf(argument) : std::tanh(argument);
    double sum = isErf ? std::erfc(-argument) : 2 / (1 + std::exp(-2 * argument));
    // Compiled code may add them up, and then the error of `inner` dominates the result.
    return x / 2 * (sum + (disturbOnTheWay(operands[0]->getType(), inner) - inner));
  });
}

static MaybeTensor selu(Machine &machine, ov::SeluOp, Operands operands) {
  double alpha = operands[1]->getReal(0), lambda = operands[2]->getReal(0);
  return mapReal(machine, operands, [&](double x) { return lambda * real::elu(x, alpha); });
}

static MaybeTensor hardSigmoid(Machine &machine, ov::HardSigmoidOp, Operands operands) {
  double alpha = operands[1]->getReal(0), beta = operands[2]->getReal(0);
  return mapReal(machine, operands, [&](double x) { return real::hardSigmoid(x, alpha, beta); });
}

static MaybeTensor swish(Machine &machine, ov::SwishOp, Operands operands) {
  double beta = operands.size() > 1 ? operands[1]->getReal(0) : 1;
  return mapReal(machine, operands, [&](double x) { return x / (1 + std::exp(-beta * x)); });
}

static MaybeTensor prelu(Machine &machine, ov::PReluOp, Operands operands) {
  const Tensor &data = *operands[0];
  Tensor slope = *operands[1];
  // A 1-D slope with as many elements as data has channels has one slope for each channel (dim 1).
  if (slope.getRank() == 1 && slope.getDim(0) != 1 && data.getRank() >= 2 && slope.getDim(0) == data.getDim(1)) {
    Shape shape(data.getRank() - 1, 1);
    shape[0] = slope.getDim(0);
    slope = slope.reshaped(shape);
  }
  std::optional<Shape> shape = broadcast(machine, data.getShape(), slope.getShape());
  if (shape && *shape != data.getShape())
    return machine.fault(RECUR_E_SHAPE, "the slope does not broadcast to data");
  return mapBinary(machine, data, slope, data.getType(), ov::AutoBroadcast::Numpy,
                   [](Scalar x, Scalar factor) { return Scalar::of(x.real < 0 ? x.real * factor.real : x.real); });
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Computes each element from `shifted`, which is its value minus the maximum along the axis, and from `sum`, the sum
/// of exp(shifted) along the axis. The shift prevents overflow of exp.
template <typename Op>
static MaybeTensor mapLines(Machine &machine, Op op, Operands operands,
                            llvm::function_ref<Scalar(double shifted, double sum)> function) {
  const Tensor &data = *operands[0];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), data.getRank());
  MaybeTensor result = axis ? machine.make(data.getType(), data.getShape()) : std::nullopt;
  if (!result || data.getNumElements() == 0)
    return result;
  int64_t length = data.getDim(*axis);
  forEachLine(data, *axis, [&](ArrayRef<int64_t> line) {
    auto at = [&](int64_t i) { return data.get(getLineOffset(data, line, *axis, i)); };
    Scalar greatest = at(0);
    for (int64_t i = 0; i != length; ++i)
      greatest = greaterOf(greatest, at(i));
    double sum = 0;
    for (int64_t i = 0; i != length; ++i)
      sum = disturbSum(data.getType(), sum + std::exp(at(i).real - greatest.real));
    for (int64_t i = 0; i != length; ++i)
      result->set(getLineOffset(data, line, *axis, i), function(at(i).real - greatest.real, sum));
  });
  return result;
}

static MaybeTensor softmax(Machine &machine, ov::SoftmaxOp op, Operands operands) {
  return mapLines(machine, op, operands,
                  [](double shifted, double sum) { return Scalar::rounded(std::exp(shifted) / sum); });
}

static MaybeTensor logSoftmax(Machine &machine, ov::LogSoftmaxOp op, Operands operands) {
  // A sum near 1 has a logarithm near 0, so the rounding of the sum matters more than that of the result.
  recur_element_type type = operands[0]->getType();
  return mapLines(machine, op, operands, [&](double shifted, double sum) {
    return Scalar::of(shifted - std::log(disturbOnTheWay(type, sum)));
  });
}

void addActivation(Handlers &handlers) {
  addUnary<ov::HSigmoidOp>(handlers, real::hSigmoid);
  addUnary<ov::HSwishOp>(handlers, real::hSwish);
  addUnary<ov::ReluOp>(handlers, real::relu, integer::relu);
  addTranscendental<ov::MishOp>(handlers, real::mish);
  addUnary<ov::SoftSignOp>(handlers, real::softSign);
  addUnary<ov::SoftPlusOp>(handlers, real::softPlus);
  addTranscendental<ov::ExpOp>(handlers, std::exp);
  addTranscendental<ov::SigmoidOp>(handlers, real::sigmoid);
  addHandler<ov::ClampOp>(handlers, clamp);
  addHandler<ov::EluOp>(handlers, elu);
  addHandler<ov::GeluOp>(handlers, gelu);
  addHandler<ov::HardSigmoidOp>(handlers, hardSigmoid);
  addHandler<ov::LogSoftmaxOp>(handlers, logSoftmax);
  addHandler<ov::PReluOp>(handlers, prelu);
  addHandler<ov::SeluOp>(handlers, selu);
  addHandler<ov::SoftmaxOp>(handlers, softmax);
  addHandler<ov::SwishOp>(handlers, swish);
}

} // namespace recur::interpreter
