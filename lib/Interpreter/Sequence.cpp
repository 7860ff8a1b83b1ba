// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sequence.cpp - cells, sequences of them, and OneHot ----------------===//
//
// Evaluates the formulas of the specifications on whole tensors. Each product, sum and activation is rounded to the
// element type.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Recur/Dialect/OV/IR/CellSizes.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace recur::interpreter {

//===----------------------------------------------------------------------===//
// LSTM, GRU and RNN
//===----------------------------------------------------------------------===//

namespace {
/// Tensor arithmetic that remembers a fault: after a fault, each operation returns an empty tensor.
template <typename Cell>
class Formula {
public:
  /// `direction` is that of a sequence, which may have activations of its own; 0 for a cell.
  Formula(Machine &machine, Cell op, int64_t direction) : machine(machine), op(op), direction(direction) {}

  /// a * b^T.
  Tensor product(const Tensor &a, const Tensor &b) { return keep(isFine ? matMul(machine, a, b, false, true) : empty); }
  Tensor sum(const Tensor &a, const Tensor &b) {
    return binary(a, b, [](double x, double y) { return x + y; });
  }
  Tensor times(const Tensor &a, const Tensor &b) {
    return binary(a, b, [](double x, double y) { return x * y; });
  }
  /// 1 - x.
  Tensor complement(const Tensor &x) {
    return unary(x, [](double value) { return 1 - value; });
  }
  Tensor clip(const Tensor &x) {
    double bound = op.getClip().convertToDouble();
    return bound == 0 ? x
                      : unary(x, [bound](double value) { return value < -bound ? -bound : std::min(value, bound); });
  }
  Tensor activate(unsigned number, const Tensor &x);
  /// The slice of `x` along `axis` that belongs to the gates [first, first + count).
  Tensor gates(const Tensor &x, int64_t axis, int64_t first, int64_t count = 1) {
    int64_t size = op.getHiddenSize();
    return isFine ? keep(slice(machine, x, axis, first * size, count * size)) : Tensor();
  }
  MaybeTensors results(std::initializer_list<Tensor> tensors) {
    if (!isFine)
      return std::nullopt;
    return Tensors(tensors);
  }

private:
  static constexpr std::nullopt_t empty = std::nullopt;

  Tensor keep(MaybeTensor tensor) {
    isFine &= tensor.has_value();
    return tensor ? std::move(*tensor) : Tensor();
  }
  Tensor unary(const Tensor &x, llvm::function_ref<double(double)> function, bool isExact = true) {
    if (!isFine)
      return {};
    return keep(mapUnary(machine, x, x.getType(), [&](Scalar value) {
      double result = function(value.real);
      return isExact ? Scalar::of(result) : Scalar::rounded(result);
    }));
  }
  Tensor binary(const Tensor &a, const Tensor &b, llvm::function_ref<double(double, double)> function) {
    if (!isFine)
      return {};
    return keep(mapBinary(machine, a, b, a.getType(), ov::AutoBroadcast::Numpy,
                          [&](Scalar x, Scalar y) { return Scalar::of(function(x.real, y.real)); }));
  }

  Machine &machine;
  Cell op;
  int64_t direction;
  bool isFine = true;
};
} // namespace

/// Entry `number` of a list for one direction. A list for both directions has the entries of direction 0 first.
template <typename Op>
static Attribute getEntry(Op op, ArrayAttr list, int64_t direction, unsigned number) {
  constexpr size_t count = std::is_same_v<Op, ov::LSTMSequenceOp> ? 3 : std::is_same_v<Op, ov::GRUSequenceOp> ? 2 : 1;
  bool isOfBoth = direction == 1 && list.size() == 2 * count;
  return list[isOfBoth ? count + number : number];
}

template <typename Cell>
Tensor Formula<Cell>::activate(unsigned number, const Tensor &x) {
  auto parameter = [&](ArrayAttr values, double otherwise) {
    return values.empty() ? otherwise : cast<FloatAttr>(getEntry(op, values, direction, number)).getValueAsDouble();
  };
  double alpha = parameter(op.getActivationsAlpha(), 0.2), beta = parameter(op.getActivationsBeta(), 0.5);
  switch (cast<ov::CellActivationAttr>(getEntry(op, op.getActivations(), direction, number)).getValue()) {
  case ov::CellActivation::Sigmoid:
    return unary(x, real::sigmoid, /*isExact=*/false);
  case ov::CellActivation::Tanh:
    return unary(x, [](double value) { return std::tanh(value); }, /*isExact=*/false);
  case ov::CellActivation::Relu:
    return unary(x, real::relu);
  case ov::CellActivation::HardSigmoid:
    return unary(x, [=](double value) { return real::hardSigmoid(value, alpha, beta); });
  }
  return {};
}

template <typename Op>
static MaybeTensors lstmCell(Machine &machine, Op op, Operands operands, int64_t direction) {
  Formula f(machine, op, direction);
  const Tensor &x = *operands[0], &h = *operands[1], &c = *operands[2], &w = *operands[3], &r = *operands[4],
               &b = *operands[5];
  Tensor all = f.clip(f.sum(f.sum(f.product(x, w), b), f.product(h, r)));
  Tensor forget = f.activate(0, f.gates(all, 1, 0)), input = f.activate(0, f.gates(all, 1, 1));
  Tensor candidate = f.activate(1, f.gates(all, 1, 2)), output = f.activate(0, f.gates(all, 1, 3));
  Tensor cell = f.sum(f.times(forget, c), f.times(input, candidate));
  return f.results({f.times(output, f.activate(2, cell)), cell});
}

template <typename Op>
static MaybeTensors gruCell(Machine &machine, Op op, Operands operands, int64_t direction) {
  Formula f(machine, op, direction);
  const Tensor &x = *operands[0], &h = *operands[1], &w = *operands[2], &r = *operands[3], &b = *operands[4];
  auto part = [&](int64_t gate) { return f.sum(f.product(x, f.gates(w, 0, gate)), f.gates(b, 0, gate)); };
  auto ofState = [&](int64_t gate) { return f.product(h, f.gates(r, 0, gate)); };
  Tensor update = f.activate(0, f.clip(f.sum(part(0), ofState(0))));
  Tensor reset = f.activate(0, f.clip(f.sum(part(1), ofState(1))));
  Tensor inner = op.getLinearBeforeReset() ? f.times(reset, f.sum(ofState(2), f.gates(b, 0, 3)))
                                           : f.product(f.times(reset, h), f.gates(r, 0, 2));
  Tensor candidate = f.activate(1, f.clip(f.sum(part(2), inner)));
  return f.results({f.sum(f.times(f.complement(update), candidate), f.times(update, h))});
}

template <typename Op>
static MaybeTensors rnnCell(Machine &machine, Op op, Operands operands, int64_t direction) {
  Formula f(machine, op, direction);
  const Tensor &x = *operands[0], &h = *operands[1], &w = *operands[2], &r = *operands[3], &b = *operands[4];
  return f.results({f.activate(0, f.clip(f.sum(f.sum(f.product(x, w), b), f.product(h, r))))});
}

/// True if W, R and B have the dims `outer`, and then those that the cell needs.
template <typename Op>
static bool doWeightsFit(Op op, Operands weights, ArrayRef<int64_t> outer, int64_t input) {
  ov::CellSizes sizes = ov::getCellSizes(op);
  auto fits = [&](const Tensor &weight, ArrayRef<int64_t> inner) {
    Shape shape(outer);
    llvm::append_range(shape, inner);
    return weight.getShape() == shape;
  };
  return fits(*weights[0], {sizes.rows, input}) && fits(*weights[1], {sizes.rows, int64_t(op.getHiddenSize())}) &&
         fits(*weights[2], sizes.bias);
}

/// Runs a cell after a check of the dims of its operands. Without it, broadcasting could hide dims that do not agree.
template <typename Cell, MaybeTensors (*function)(Machine &, Cell, Operands, int64_t)>
static MaybeTensors checked(Machine &machine, Cell op, Operands operands) {
  const Tensor &x = *operands[0];
  int64_t hidden = op.getHiddenSize();
  size_t states = std::is_same_v<Cell, ov::LSTMCellOp> ? 2 : 1;
  for (size_t i = 1; i <= states; ++i)
    if (operands[i]->getDim(0) != x.getDim(0) || operands[i]->getDim(1) != hidden)
      return machine.fault(RECUR_E_SHAPE, "the dims of a cell's state do not fit");
  if (!doWeightsFit(op, operands.drop_front(states + 1), {}, x.getDim(1)))
    return machine.fault(RECUR_E_SHAPE, "the dims of a cell's weights do not fit");
  return function(machine, op, operands, /*direction=*/0);
}

/// Runs a sequence: for each batch element and each direction, calls the cell for one time step after the other.
template <typename Sequence, MaybeTensors (*cell)(Machine &, Sequence, Operands, int64_t)>
static MaybeTensors sequence(Machine &machine, Sequence op, Operands operands) {
  size_t numStates = std::is_same_v<Sequence, ov::LSTMSequenceOp> ? 2 : 1;
  const Tensor &x = *operands[0], &lengths = *operands[numStates + 1];
  Operands initial = operands.slice(1, numStates), weights = operands.drop_front(numStates + 2);
  int64_t batch = x.getDim(0), time = x.getDim(1), input = x.getDim(2), hidden = op.getHiddenSize();
  int64_t directions = op.getDirection() == ov::SequenceDirection::Bidirectional ? 2 : 1;
  bool fits = lengths.getDim(0) == batch;
  for (const Tensor *state : initial)
    fits &= ArrayRef<int64_t>(state->getShape()) == ArrayRef<int64_t>{batch, directions, hidden};
  if (!fits || !doWeightsFit(op, weights, directions, input))
    return machine.fault(RECUR_E_SHAPE, "the dims of a sequence do not fit");

  MaybeTensor y = machine.make(x.getType(), {batch, directions, time, hidden});
  if (!y)
    return std::nullopt;
  Tensors finals;
  for (const Tensor *state : initial)
    finals.push_back(*state);
  // The part of `from` at the indices `at` of its first dims, reshaped to `shape`.
  auto part = [&](const Tensor &from, ArrayRef<int64_t> at, ArrayRef<int64_t> shape) -> MaybeTensor {
    MaybeTensor own = from;
    for (auto [axis, index] : llvm::enumerate(at))
      if (own)
        own = slice(machine, *own, axis, index, 1);
    if (own)
      own = own->reshaped(shape);
    return own;
  };
  for (int64_t n = 0; n != batch; ++n) {
    for (int64_t d = 0; d != directions; ++d) {
      Tensors states, ownWeights;
      for (const Tensor *weight : weights) {
        MaybeTensor own = part(*weight, d, ArrayRef<int64_t>(weight->getShape()).drop_front());
        if (!own)
          return std::nullopt;
        ownWeights.push_back(std::move(*own));
      }
      for (const Tensor *state : initial) {
        MaybeTensor own = part(*state, {n, d}, {1, hidden});
        if (!own)
          return std::nullopt;
        states.push_back(std::move(*own));
      }
      Integer length = std::min<Integer>(lengths.getInteger(n), time);
      for (int64_t i = 0; i < length; ++i) {
        int64_t t = d == 1 || op.getDirection() == ov::SequenceDirection::Reverse ? int64_t(length) - 1 - i : i;
        MaybeTensor place = part(x, {n, t}, {1, input});
        if (!place)
          return std::nullopt;
        SmallVector<const Tensor *> arguments{&*place};
        for (const Tensors *tensors : {&states, &ownWeights})
          for (const Tensor &tensor : *tensors)
            arguments.push_back(&tensor);
        MaybeTensors next = cell(machine, op, arguments, d);
        if (!next)
          return std::nullopt;
        states = std::move(*next);
        for (int64_t h = 0; h != hidden; ++h)
          y->copy(getOffset(y->getShape(), {n, d, t, h}), states[0], h);
      }
      for (auto [whole, own] : llvm::zip_equal(finals, states))
        for (int64_t h = 0; h != hidden; ++h)
          whole.copy(getOffset(whole.getShape(), {n, d, h}), own, h);
    }
  }
  finals.insert(finals.begin(), std::move(*y));
  return finals;
}

static MaybeTensor oneHot(Machine &machine, ov::OneHotOp op, Operands operands) {
  const Tensor &indices = *operands[0];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), indices.getRank() + 1);
  if (!axis)
    return std::nullopt;
  Integer depth = operands[1]->getInteger(0);
  if (depth < 0)
    return machine.fault(RECUR_E_SHAPE, "a depth is negative");
  Shape shape = indices.getShape();
  shape.insert(shape.begin() + *axis, int64_t(depth));
  MaybeTensor result = machine.make(operands[2]->getType(), shape);
  int64_t next = 0;
  if (result)
    forEachPlace(shape, [&](ArrayRef<int64_t> at) {
      Shape from(at);
      from.erase(from.begin() + *axis);
      Integer index = indices.getInteger(getOffset(indices.getShape(), from));
      if (index < 0 && op.getNegativeIndicesMode() == ov::NegativeIndicesMode::Normalize)
        index += depth;
      bool isOn = index == at[*axis];
      result->copy(next++, *operands[isOn ? 2 : 3], 0);
    });
  return result;
}

void addSequence(Handlers &handlers) {
  addHandler<ov::OneHotOp>(handlers, oneHot);
  addHandler<ov::GRUCellOp>(handlers, checked<ov::GRUCellOp, gruCell<ov::GRUCellOp>>);
  addHandler<ov::LSTMCellOp>(handlers, checked<ov::LSTMCellOp, lstmCell<ov::LSTMCellOp>>);
  addHandler<ov::RNNCellOp>(handlers, checked<ov::RNNCellOp, rnnCell<ov::RNNCellOp>>);
  addHandler<ov::GRUSequenceOp>(handlers, sequence<ov::GRUSequenceOp, gruCell<ov::GRUSequenceOp>>);
  addHandler<ov::LSTMSequenceOp>(handlers, sequence<ov::LSTMSequenceOp, lstmCell<ov::LSTMSequenceOp>>);
  addHandler<ov::RNNSequenceOp>(handlers, sequence<ov::RNNSequenceOp, rnnCell<ov::RNNSequenceOp>>);
}

} // namespace recur::interpreter
