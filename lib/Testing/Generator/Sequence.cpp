// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sequence.cpp - cells, sequences, OneHot --------------------------===//

#include "Build.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

/// Attributes that cells and sequences share. `kind` is 0 for an LSTM, 1 for a GRU, 2 for an RNN.
Attributes Builder::cellAttributes(unsigned kind, int64_t hidden, bool isLinear) {
  static constexpr StringRef functions[] = {"sigmoid", "tanh", "relu"};
  Attributes attributes{{"hidden_size", std::to_string(hidden)}};
  if (chance(30)) {
    unsigned number = kind == 0 ? 3 : kind == 1 ? 2 : 1;
    std::string text;
    for (unsigned i = 0; i != number; ++i)
      text += (i ? "," : "") + functions[random(std::size(functions))].str();
    attributes.push_back({"activations", text});
  }
  if (chance(30))
    attributes.push_back({"clip", chance(50) ? "0.5" : "2.0"});
  if (isLinear)
    attributes.push_back({"linear_before_reset", "true"});
  return attributes;
}

bool Builder::emitCell(Scope &scope, StringRef op) {
  Value x = anyReal(scope, 2, 2);
  if (x.getRank() != 2 || !x.dims[1].isStatic() || x.dims[1].size == 0)
    return false;
  x = clampTo(scope, x, 4);
  unsigned kind = op.starts_with("LSTM") ? 0 : op.starts_with("GRU") ? 1 : 2, gates = kind == 0 ? 4 : kind == 1 ? 3 : 1;
  int64_t inputs = x.dims[1].size, hidden = chance(15) ? 9 : weightsSize(scope, 4, gates * inputs);
  // Limit the number of multiplications.
  if (x.countElements() * gates * hidden * scope.iterations > 1 << 17 || gates * hidden * hidden > 1 << 15)
    hidden = 1 + random(4);
  if (x.countElements() * gates * hidden * scope.iterations > 1 << 18)
    return false;
  // An existing state, or else one that is made from X, whose batch may be dynamic.
  auto state = [&]() {
    const Value *there = pick(scope, [&](const Value &value) {
      return value.element == x.element && value.getRank() == 2 && value.dims[0] == x.dims[0] &&
             value.dims[1] == Dim{hidden, 0};
    });
    if (there && chance(70))
      return clampTo(scope, *there, 4);
    Value projection = randomConstant(scope, x.element, {inputs, hidden});
    Value product = create(scope, "MatMul", "opset1", {x, projection}, {}, x.element, {x.dims[0], Dim{hidden, 0}});
    product.fraction = -1;
    return clampTo(scope, product, 2);
  };
  bool isLinear = kind == 1 && chance(50);
  std::vector<Value> operands{x, state()};
  if (kind == 0)
    operands.push_back(state());
  operands.push_back(randomConstant(scope, x.element, {gates * hidden, inputs}));
  operands.push_back(randomConstant(scope, x.element, {gates * hidden, hidden}));
  operands.push_back(randomConstant(scope, x.element, {(gates + isLinear) * hidden}));
  static constexpr StringRef versions[] = {"opset4", "opset3", "opset1"};
  Attributes attributes = cellAttributes(kind, hidden, isLinear);
  Dims dims{x.dims[0], Dim{hidden, 0}};
  Value result = create(scope, op, versions[kind], operands, attributes, x.element, dims);
  if (kind == 0) {
    Node &node = scope.graph.nodes[result.ref.node];
    node.outputs.push_back(node.outputs[0]);
    Value cell = result;
    cell.ref.port = 1;
    scope.pool.push_back(cell);
  }
  return add(scope, result);
}

/// A tensor with the first dim of `x` and the given others.
Value Builder::batched(Scope &scope, const Value &x, llvm::ArrayRef<int64_t> rest, recur_element_type element) {
  Dims dims{x.dims[0]};
  for (int64_t size : rest)
    dims.push_back({size, 0});
  if (std::optional<Value> value = findOrMake(scope, element, dims))
    return *value;
  Value shape = create(scope, "ShapeOf", "opset3", {x}, {{"output_type", "i64"}}, RECUR_I64, {Dim{x.getRank(), 0}});
  Value batch =
      createExactly(scope, "Gather", {shape, integers(scope, {0}, false), integers(scope, {0}, true)}, {}, {Dim{1, 0}});
  if (!rest.empty())
    batch = createExactly(scope, "Concat", {batch, integers(scope, rest, false)}, {{"axis", "0"}},
                          {Dim{int64_t(rest.size()) + 1, 0}});
  return createExactly(scope, "Broadcast", {randomConstant(scope, element, rest), batch}, {{"mode", "numpy"}}, dims);
}

bool Builder::emitSequence(Scope &scope, StringRef op) {
  Value x = anyReal(scope, 3, 3);
  if (x.getRank() != 3 || !x.dims[2].isStatic() || x.dims[2].size == 0 || x.dims[1].size <= 0 ||
      x.countElements() > scope.limit(120))
    return false;
  x = clampTo(scope, x, 4);
  unsigned kind = op.starts_with("LSTM") ? 0 : op.starts_with("GRU") ? 1 : 2, gates = kind == 0 ? 4 : kind == 1 ? 3 : 1;
  static constexpr StringRef names[] = {"forward", "reverse", "bidirectional"};
  unsigned direction = random(std::size(names));
  int64_t directions = direction == 2 ? 2 : 1, inputs = x.dims[2].size;
  int64_t hidden = weightsSize(scope, 4, gates * inputs), iterations = scope.iterations * directions;
  if (x.countElements() * gates * hidden * iterations > 1 << 17 || gates * hidden * hidden > 1 << 15)
    hidden = 1 + random(4);
  if (x.countElements() * gates * hidden * iterations > 1 << 18 || x.dims[1].size * iterations > 600)
    return false;
  bool isLinear = kind == 1 && chance(50);
  auto state = [&] { return clampTo(scope, batched(scope, x, {directions, hidden}, x.element), 2); };
  std::vector<Value> operands{x, state()};
  if (kind == 0)
    operands.push_back(state());
  // Lengths below, at and above the length of the axis.
  recur_element_type index = chance(50) ? RECUR_I32 : RECUR_I64;
  if (x.dims[0].isStatic() && chance(70)) {
    Tensor lengths(index, {x.dims[0].size});
    for (int64_t i = 0; i != lengths.getNumElements(); ++i)
      lengths.setInteger(i, chance(5) ? -1 : int64_t(random(std::max<int64_t>(x.dims[1].size, 1) + 2)));
    operands.push_back(constant(scope, lengths));
  } else {
    operands.push_back(batched(scope, x, {}, index));
  }
  operands.push_back(randomConstant(scope, x.element, {directions, gates * hidden, inputs}));
  operands.push_back(randomConstant(scope, x.element, {directions, gates * hidden, hidden}));
  operands.push_back(randomConstant(scope, x.element, {directions, (gates + isLinear) * hidden}));
  Attributes attributes = cellAttributes(kind, hidden, isLinear);
  attributes.push_back({"direction", names[direction].str()});
  Value result = create(scope, op, "opset5", operands, attributes, x.element,
                        {x.dims[0], Dim{directions, 0}, x.dims[1], Dim{hidden, 0}});
  for (unsigned i = 0; i != (kind == 0 ? 2u : 1u); ++i) {
    Value last = result;
    last.ref.port = i + 1;
    last.dims = {x.dims[0], Dim{directions, 0}, Dim{hidden, 0}};
    scope.graph.nodes[result.ref.node].outputs.push_back(last.getType());
    scope.pool.push_back(last);
  }
  return add(scope, result);
}

bool Builder::emitOneHot(Scope &scope, StringRef op) {
  Dim depth{int64_t(chance(20) ? 0 : anySize(scope, 4)), 0};
  const Value *x = pick(scope, [&](const Value &value) {
    return value.isInteger() && value.countElements() * depth.size <= scope.limit(320);
  });
  Value indices;
  if (x)
    indices = *x;
  else
    indices = *indicesFor(scope, smallDims(random(3)), Dim{3, 0});
  recur_element_type element = anyElement();
  Value on = randomConstant(scope, element, {}), off = randomConstant(scope, element, {});
  Value number;
  std::optional<Value> computed = chance(25) ? runtimeCount(scope, 4) : std::nullopt;
  if (computed) {
    number = *computed;
    depth = {-1, newSymbol()};
  } else {
    number = anyIndices(scope, {depth.size}, /*isScalar=*/true);
  }
  int64_t rank = indices.getRank() + 1, axis = random(rank);
  Dims dims = indices.dims;
  dims.insert(dims.begin() + axis, depth);
  Attributes attributes{{"axis", std::to_string(chance(50) ? axis : axis - rank)}};
  bool isNew = chance(40);
  if (isNew)
    attributes.push_back({"negative_indices_mode", chance(70) ? "normalize" : "ignore_negative"});
  Value result = create(scope, op, isNew ? "opset16" : "opset1", {indices, number, on, off}, attributes, element, dims);
  result.copyBits(on);
  mergeBits(result, off);
  return add(scope, result);
}

/// The scores decide the classes, so they are constants.
bool Builder::emitDecoder(Scope &scope, StringRef op) {
  int64_t batch = 1 + random(3), steps = 1 + random(6), classes = 1 + random(4);
  recur_element_type element = chance(50) ? RECUR_F32 : RECUR_F16;
  std::string merges = chance(50) ? "true" : "false";
  if (op == "CTCGreedyDecoder") {
    Value data = randomConstant(scope, element, {steps, batch, classes});
    Value mask = randomConstant(scope, element, {steps, batch});
    return add(scope, create(scope, op, "opset1", {data, mask}, {{"ctc_merge_repeated", merges}}, element,
                             {{batch, 0}, {steps, 0}, {1, 0}, {1, 0}}));
  }
  Value data = randomConstant(scope, element, {batch, steps, classes});
  llvm::SmallVector<int64_t> lengths;
  for (int64_t i = 0; i != batch; ++i)
    lengths.push_back(random(steps + 2));
  std::vector<Value> inputs{data, anyIndices(scope, lengths)};
  if (chance(50))
    inputs.push_back(anyIndices(scope, {int64_t(random(classes))}, chance(50)));
  Value rows = create(scope, op, "opset6", inputs,
                      {{"merge_repeated", merges}, {"classes_index_type", "i64"}, {"sequence_length_type", "i32"}},
                      RECUR_I64, {{batch, 0}, {steps, 0}});
  Value counts = rows;
  counts.ref.port = 1;
  counts.element = RECUR_I32;
  counts.dims = {{batch, 0}};
  scope.graph.nodes[rows.ref.node].outputs.push_back(counts.getType());
  scope.pool.push_back(counts);
  return add(scope, rows);
}

bool Builder::emitCTCLoss(Scope &scope, StringRef op) {
  int64_t batch = 1 + random(2), steps = 1 + random(5), classes = 2 + random(3);
  auto list = [&](int64_t bound, llvm::ArrayRef<int64_t> shape) {
    Tensor tensor(RECUR_I32, shape);
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      tensor.setInteger(i, random(bound));
    return constant(scope, tensor);
  };
  auto flag = [&] { return chance(50) ? "true" : "false"; };
  Value logits = randomConstant(scope, chance(50) ? RECUR_F32 : RECUR_F64, {batch, steps, classes});
  return add(scope,
             create(scope, op, "opset4",
                    {logits, list(steps + 1, {batch}), list(classes - 1, {batch, steps}), list(steps + 1, {batch})},
                    {{"preprocess_collapse_repeated", flag()}, {"ctc_merge_repeated", flag()}, {"unique", flag()}},
                    logits.element, {{batch, 0}}));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::sequenceEntries = [] {
  static constexpr Entry entries[] = {
      {"CTCGreedyDecoder", &Builder::emitDecoder, 1},
      {"CTCGreedyDecoderSeqLen", &Builder::emitDecoder, 1},
      {"CTCLoss", &Builder::emitCTCLoss, 1},
      {"LSTMCell", &Builder::emitCell, 2},
      {"GRUCell", &Builder::emitCell, 2},
      {"RNNCell", &Builder::emitCell, 1},
      {"LSTMSequence", &Builder::emitSequence, 1},
      {"GRUSequence", &Builder::emitSequence, 1},
      {"RNNSequence", &Builder::emitSequence, 1},
      {"OneHot", &Builder::emitOneHot, 2},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
