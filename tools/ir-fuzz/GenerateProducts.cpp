// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GenerateProducts.cpp - matrix products, cells, sequences, convolutions ===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitMatMul(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) {
    return value.isNumber() && value.getRank() >= 1 && value.countElements() <= 128;
  });
  if (!x)
    return false;
  Value a = *x, b;
  bool transposeA = a.getRank() > 1 && chance(30), transposeB = false;
  Dim depth = a.getRank() == 1 ? a.dims[0] : a.dims[a.getRank() - (transposeA ? 2 : 1)];
  // With another matrix of the same depth, as it is or transposed; or with a constant.
  const Value *y = chance(50) ? nullptr : pick(scope, [&](const Value &value) {
    return value.element == a.element && value.getRank() >= 1 && value.getRank() <= 2 && value.dims.back() == depth;
  });
  Dims batch;
  if (y) {
    b = *y;
    transposeB = b.getRank() == 2;
  } else {
    if (!depth.isStatic())
      return false;
    llvm::SmallVector<int64_t> shape{depth.size};
    if (chance(85))
      shape.push_back(1 + random(chance(10) ? 20 : 4));
    b = randomConstant(scope, a.element, shape);
    if (shape.size() == 2 && chance(50)) {
      std::swap(scope.graph.nodes[b.ref.node].outputs[0].dims[0], scope.graph.nodes[b.ref.node].outputs[0].dims[1]);
      scope.graph.nodes[b.ref.node].value = scope.graph.nodes[b.ref.node].value->reshaped({shape[1], shape[0]});
      std::swap(b.dims[0], b.dims[1]);
      transposeB = true;
    }
  }
  if (a.getRank() > 2)
    batch.assign(a.dims.begin(), a.dims.end() - 2);
  Dims dims = batch;
  if (a.getRank() > 1)
    dims.push_back(a.dims[a.getRank() - (transposeA ? 1 : 2)]);
  if (b.getRank() > 1)
    dims.push_back(b.dims[transposeB ? 0 : 1]);
  Attributes attributes;
  if (transposeA)
    attributes.push_back({"transpose_a", "true"});
  if (transposeB)
    attributes.push_back({"transpose_b", "true"});
  Value result = create(scope, "MatMul", "opset1", {a, b}, attributes, a.element, dims);
  if (a.fraction >= 0 && b.fraction >= 0) {
    // Sums of no more than 32 products.
    result.magnitude = a.magnitude + b.magnitude + 5;
    result.fraction = a.fraction + b.fraction;
  }
  return add(scope, result);
}

/// What cells and sequences have in common: `kind` is 0 of an LSTM, 1 of a GRU, 2 of an RNN.
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
  int64_t hidden = chance(15) ? 9 : 1 + random(4), inputs = x.dims[1].size;
  // A state that is there, else one that is made of X, whose batch may be dynamic.
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
  Value batch = createExactly(scope, "Gather", {shape, integers(scope, {0}, false), integers(scope, {0}, true)}, {},
                              {Dim{1, 0}});
  if (!rest.empty())
    batch = createExactly(scope, "Concat", {batch, integers(scope, rest, false)}, {{"axis", "0"}},
                          {Dim{int64_t(rest.size()) + 1, 0}});
  return createExactly(scope, "Broadcast", {randomConstant(scope, element, rest), batch}, {{"mode", "numpy"}}, dims);
}

bool Builder::emitSequence(Scope &scope, StringRef op) {
  Value x = anyReal(scope, 3, 3);
  if (x.getRank() != 3 || !x.dims[2].isStatic() || x.dims[2].size == 0 || x.dims[1].size <= 0 ||
      x.countElements() > 120)
    return false;
  x = clampTo(scope, x, 4);
  unsigned kind = op.starts_with("LSTM") ? 0 : op.starts_with("GRU") ? 1 : 2, gates = kind == 0 ? 4 : kind == 1 ? 3 : 1;
  static constexpr StringRef names[] = {"forward", "reverse", "bidirectional"};
  unsigned direction = random(std::size(names));
  int64_t directions = direction == 2 ? 2 : 1, hidden = 1 + random(4), inputs = x.dims[2].size;
  bool isLinear = kind == 1 && chance(50);
  auto state = [&] { return clampTo(scope, batched(scope, x, {directions, hidden}, x.element), 2); };
  std::vector<Value> operands{x, state()};
  if (kind == 0)
    operands.push_back(state());
  // Below, at and above the length.
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

bool Builder::emitConvolution(Scope &scope, StringRef op) {
  Value data = anyNumber(scope, 3 + chance(40));
  bool isGrouped = op == "GroupConvolution";
  if (data.getRank() > 5 || !data.dims[1].isStatic() || data.dims[1].size == 0 || data.countElements() > 200)
    return false;
  int64_t channels = data.dims[1].size, groups = 1, outputs = 1 + random(3);
  llvm::SmallVector<int64_t> shape;
  if (isGrouped) {
    for (int64_t g = 1; g <= channels; ++g)
      if (channels % g == 0 && chance(60))
        groups = g;
    shape.push_back(groups);
  }
  shape.push_back(outputs);
  shape.push_back(channels / groups);
  static constexpr StringRef modes[] = {"explicit", "valid", "same_upper", "same_lower"};
  unsigned mode = chance(55) ? 0 : random(std::size(modes));
  std::string strides, dilations, begins, ends;
  Dims dims{data.dims[0], Dim{outputs * groups, 0}};
  int64_t products = channels / groups;
  for (const Dim &dim : llvm::drop_begin(data.dims, 2)) {
    if (dim.size <= 0)
      return false;
    int64_t stride = 1 + chance(30), dilation = 1 + chance(25);
    int64_t begin = mode == 0 ? random(3) : 0, end = mode == 0 ? random(3) : 0;
    int64_t padded = dim.size + begin + end, kernel = 1 + random(3);
    if (mode < 2 && (kernel - 1) * dilation + 1 > padded)
      kernel = 1;
    int64_t size = mode < 2 ? (padded - (kernel - 1) * dilation - 1) / stride + 1 : (dim.size + stride - 1) / stride;
    // A kernel of one, and "same" at stride 1, give the dim itself.
    bool isKept = size == dim.size && stride == 1 && (mode >= 2 || (kernel == 1 && begin + end == 0));
    dims.push_back(isKept ? dim : Dim{size, dim.isStatic() ? 0 : newSymbol()});
    shape.push_back(kernel);
    products *= kernel;
    auto append = [&](std::string &text, int64_t value) { text += (text.empty() ? "" : ",") + std::to_string(value); };
    append(strides, stride);
    append(dilations, dilation);
    append(begins, begin);
    append(ends, end);
  }
  Value filters = randomConstant(scope, data.element, shape);
  Value result = create(scope, op, "opset1", {data, filters},
                        {{"strides", strides},
                         {"dilations", dilations},
                         {"pads_begin", begins},
                         {"pads_end", ends},
                         {"auto_pad", modes[mode].str()}},
                        data.element, dims);
  if (data.fraction >= 0 && filters.fraction >= 0) {
    result.magnitude = data.magnitude + filters.magnitude + std::ceil(std::log2(products)) + 1;
    result.fraction = data.fraction + filters.fraction;
  }
  return result.countElements() <= 600 && add(scope, result);
}

} // namespace recur::fuzz
