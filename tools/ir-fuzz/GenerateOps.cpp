// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GenerateOps.cpp - one op of a random model at a time ---------------===//
//
// Each function makes an op of its family out of what the scope has, or returns false where nothing fits.
//
//===----------------------------------------------------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

static std::string number(double value) { return llvm::formatv("{0:f4}", value).str(); }

void Builder::growModel(Scope &scope) { grow(scope, 2 + random(6)); }

void Builder::grow(Scope &scope, unsigned count) {
  // Loops are what it is about: they come more often than others.
  static constexpr Emit emits[] = {
      &Builder::emitUnary,      &Builder::emitUnary,     &Builder::emitTranscendental, &Builder::emitArithmetic,
      &Builder::emitArithmetic, &Builder::emitCompare,   &Builder::emitCompare,        &Builder::emitLogical,
      &Builder::emitDivide,     &Builder::emitPower,     &Builder::emitClamp,          &Builder::emitSelect,
      &Builder::emitConvert,    &Builder::emitMatMul,    &Builder::emitCell,           &Builder::emitShapeOf,
      &Builder::emitReshape,    &Builder::emitSqueeze,   &Builder::emitUnsqueeze,      &Builder::emitTranspose,
      &Builder::emitConcat,     &Builder::emitBroadcast, &Builder::emitGather,         &Builder::emitReduce,
      &Builder::emitReduce,     &Builder::emitSoftmax,   &Builder::emitGatherTree,
      &Builder::emitRounding,   &Builder::emitModulo,    &Builder::emitOtherReduction, &Builder::emitOtherReduction,
      &Builder::emitCumSum,     &Builder::emitSplit,     &Builder::emitTile,           &Builder::emitSlice,
      &Builder::emitIf,         &Builder::emitTranscendental};
  static constexpr Emit loops[] = {&Builder::emitTensorIterator, &Builder::emitLoop};
  for (unsigned made = 0, tries = 0; made != count && tries != 200; ++tries) {
    bool isLoop = scope.depth < 3 && chance(scope.depth == 0 ? 22 : 12);
    Emit emit = isLoop ? loops[random(std::size(loops))] : emits[random(std::size(emits))];
    made += (this->*emit)(scope);
  }
}

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

bool Builder::emitUnary(Scope &scope) {
  static constexpr StringRef names[] = {"Negative", "Abs", "Relu"};
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value input = *x;
  return add(scope, createExactly(scope, names[random(std::size(names))], {input}, {}, input.dims));
}

Value Builder::clampTo(Scope &scope, const Value &value, double bound) {
  Value result =
      createExactly(scope, "Clamp", {value}, {{"min", number(-bound)}, {"max", number(bound)}}, value.dims);
  int magnitude = std::ceil(std::log2(bound));
  result.magnitude = std::min(result.magnitude, magnitude);
  return result;
}

bool Builder::emitTranscendental(Scope &scope) {
  static constexpr StringRef names[] = {"Exp", "Sqrt",     "Tanh",   "Sigmoid",  "Log", "Sin",  "Cos",
                                        "Erf", "SoftPlus", "HSwish", "HSigmoid", "Elu", "Gelu", "Swish"};
  const Value *x = pick(scope, [](const Value &value) { return value.isReal(); });
  if (!x)
    return false;
  Value input = *x;
  StringRef name = names[random(std::size(names))];
  if (name == "Exp" || name == "Sin" || name == "Cos")
    input = clampTo(scope, input, 4);
  if ((name == "Sqrt" || name == "Log") && !chance(10))
    input = createExactly(scope, "Abs", {input}, {}, input.dims);
  Attributes attributes;
  if (name == "Elu")
    attributes.push_back({"alpha", "0.5"});
  if (name == "Gelu")
    attributes.push_back({"approximation_mode", chance(50) ? "ERF" : "TANH"});
  return add(scope, create(scope, name, "opset8", {input}, attributes, input.element, input.dims));
}

bool Builder::emitArithmetic(Scope &scope) {
  static constexpr StringRef names[] = {"Add", "Subtract", "Multiply", "Maximum", "Minimum", "SquaredDifference"};
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value a = *x;
  const Value *y = chance(15) ? nullptr : pick(scope, [&](const Value &value) {
    return value.element == a.element && broadcasts(a, value);
  });
  Value b = y ? *y : randomConstant(scope, a.element, {});
  if (chance(50))
    std::swap(a, b);
  StringRef name = names[random(std::size(names))];
  Attributes attributes;
  if (a.dims == b.dims && chance(20))
    attributes.push_back({"auto_broadcast", "none"});
  Value result = create(scope, name, "opset1", {a, b}, attributes, a.element, broadcastDims(a, b));
  if (result.countElements() > 600)
    return false;
  if (a.isReal() && a.fraction >= 0 && b.fraction >= 0) {
    bool isProduct = name == "Multiply", isSum = name == "Add" || name == "Subtract";
    result.magnitude = isProduct ? a.magnitude + b.magnitude : std::max(a.magnitude, b.magnitude) + isSum;
    result.fraction = isProduct ? a.fraction + b.fraction : std::max(a.fraction, b.fraction);
  }
  return add(scope, result);
}

bool Builder::emitCompare(Scope &scope) {
  static constexpr StringRef names[] = {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"};
  const Value *x = pick(scope, [](const Value &value) { return value.isExact(); });
  if (!x)
    return false;
  Value a = *x;
  const Value *y = chance(20) ? nullptr : pick(scope, [&](const Value &value) {
    return value.element == a.element && value.isExact() && broadcasts(a, value);
  });
  Value b = y ? *y : randomConstant(scope, a.element, {});
  StringRef name = names[random(a.element == RECUR_BOOLEAN ? 2 : std::size(names))];
  return add(scope, create(scope, name, "opset1", {a, b}, {}, RECUR_BOOLEAN, broadcastDims(a, b)));
}

bool Builder::emitLogical(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.element == RECUR_BOOLEAN; });
  if (!x)
    return false;
  Value a = *x;
  if (chance(40))
    return add(scope, createExactly(scope, "LogicalNot", {a}, {}, a.dims));
  const Value *y = pick(
      scope, [&](const Value &value) { return value.element == RECUR_BOOLEAN && broadcasts(a, value); });
  Value b = *y;
  static constexpr StringRef names[] = {"LogicalAnd", "LogicalOr", "LogicalXor"};
  return add(scope, create(scope, names[random(std::size(names))], "opset1", {a, b}, {}, RECUR_BOOLEAN,
                           broadcastDims(a, b)));
}

bool Builder::emitDivide(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value a = *x, b;
  const Value *y = pick(scope, [&](const Value &value) {
    return value.element == a.element && value.isExact() && broadcasts(a, value);
  });
  bool isRuntime = y && a.isInteger() && chance(40);
  if (isRuntime) {
    b = *y;
    // Seldom a divisor of 0, which is a fault.
    if (!chance(5)) {
      Value zero = integers(scope, {0}, true, b.element), one = integers(scope, {1}, true, b.element);
      Value isZero = create(scope, "Equal", "opset1", {b, zero}, {}, RECUR_BOOLEAN, b.dims);
      b = create(scope, "Select", "opset1", {isZero, one, b}, {}, b.element, b.dims);
    }
  } else {
    Tensor divisor(a.element, {});
    if (a.isReal())
      divisor.setReal(0, (chance(50) ? 1 : -1) * (1 + int(random(8))) / 4.0);
    else
      divisor.setInteger(0, 1 + random(5));
    b = constant(scope, divisor);
  }
  Attributes attributes;
  if (chance(40))
    attributes.push_back({"m_pythondiv", "false"});
  return add(scope, create(scope, "Divide", "opset1", {a, b}, attributes, a.element, broadcastDims(a, b)));
}

bool Builder::emitPower(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value a = *x;
  if (a.isReal())
    a = clampTo(scope, a, 8);
  Tensor exponent(a.element, {});
  static const double exponents[] = {2, 0.5, 1, 3, 0, -1, 1.5};
  if (a.isReal())
    exponent.setReal(0, exponents[random(std::size(exponents))]);
  else
    exponent.setInteger(0, int(random(5)) - (chance(20) && a.element < RECUR_U8));
  return add(scope, create(scope, "Power", "opset1", {a, constant(scope, exponent)}, {}, a.element, a.dims));
}

bool Builder::emitClamp(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value input = *x;
  double low = (int(random(25)) - 16) / 4.0, high = low + random(20) / 4.0;
  Value result = createExactly(scope, "Clamp", {input}, {{"min", number(low)}, {"max", number(high)}}, input.dims);
  if (result.fraction >= 0)
    result.fraction = std::max(result.fraction, 2);
  return add(scope, result);
}

bool Builder::emitSelect(Scope &scope) {
  const Value *condition = pick(scope, [](const Value &value) { return value.element == RECUR_BOOLEAN; });
  if (!condition)
    return false;
  Value c = *condition;
  const Value *x = pick(scope, [&](const Value &value) { return broadcasts(c, value); });
  Value a = *x;
  Value shape = c;
  shape.dims = broadcastDims(c, a);
  const Value *y = pick(scope, [&](const Value &value) { return value.element == a.element && broadcasts(shape, value); });
  Value b = y ? *y : randomConstant(scope, a.element, {});
  shape.dims = broadcastDims(shape, b);
  if (shape.countElements() > 600)
    return false;
  Value result = create(scope, "Select", "opset1", {c, a, b}, {}, a.element, shape.dims);
  if (a.fraction >= 0 && b.fraction >= 0) {
    result.magnitude = std::max(a.magnitude, b.magnitude);
    result.fraction = std::max(a.fraction, b.fraction);
  }
  return add(scope, result);
}

bool Builder::emitConvert(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.isExact(); });
  if (!x)
    return false;
  Value input = *x;
  static constexpr StringRef names[] = {"",    "boolean", "i8",  "i16", "i32",  "i64", "u8",
                                        "u16", "u32",     "u64", "f16", "bf16", "f32", "f64"};
  recur_element_type to = anyElement();
  Value result = create(scope, "Convert", "opset1", {input}, {{"destination_type", names[to].str()}}, to, input.dims);
  if (input.isReal())
    result.copyBits(input);
  else if (input.element == RECUR_BOOLEAN)
    result.fraction = 0;
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Products and cells
//===----------------------------------------------------------------------===//

bool Builder::emitMatMul(Scope &scope) {
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

bool Builder::emitCell(Scope &scope) {
  const Value *found = pick(scope, [](const Value &value) {
    return value.isReal() && value.getRank() == 2 && value.dims[1].isStatic() && value.dims[1].size > 0;
  });
  if (!found)
    return false;
  Value x = clampTo(scope, *found, 4);
  unsigned kind = random(3), gates = kind == 0 ? 4 : kind == 1 ? 3 : 1;
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
  static constexpr StringRef names[] = {"LSTMCell", "GRUCell", "RNNCell"}, versions[] = {"opset4", "opset3", "opset1"};
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
  Dims dims{x.dims[0], Dim{hidden, 0}};
  Value result = create(scope, names[kind], versions[kind], operands, attributes, x.element, dims);
  if (kind == 0) {
    Node &node = scope.graph.nodes[result.ref.node];
    node.outputs.push_back(node.outputs[0]);
    Value cell = result;
    cell.ref.port = 1;
    scope.pool.push_back(cell);
  }
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Shapes and movement
//===----------------------------------------------------------------------===//

bool Builder::emitShapeOf(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  bool isShort = chance(40);
  return add(scope, create(scope, "ShapeOf", "opset3", {input}, {{"output_type", isShort ? "i32" : "i64"}},
                           isShort ? RECUR_I32 : RECUR_I64, {Dim{input.getRank(), 0}}));
}

bool Builder::emitReshape(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  int64_t rank = input.getRank();
  unsigned kind = random(4);
  Attributes special{{"special_zero", "true"}}, plain{{"special_zero", "false"}};
  int64_t count = 1;
  for (const Dim &dim : input.dims)
    count = dim.size < 0 || count < 0 ? -1 : count * dim.size;
  Dim all = input.isStatic() ? Dim{count, 0} : Dim{count, newSymbol()};
  // Flat; the first dim kept; split; by the shape of another value.
  if (kind == 0 && count != 0)
    return add(scope, createExactly(scope, "Reshape", {input, anyIndices(scope, {-1})}, plain, {all}));
  if (kind == 1 && rank >= 2) {
    Dim rest{1, 0};
    for (const Dim &dim : llvm::drop_begin(input.dims)) {
      rest.size = rest.size < 0 || dim.size < 0 ? -1 : rest.size * dim.size;
      rest.symbol |= dim.symbol;
    }
    if (rest.symbol)
      rest.symbol = newSymbol();
    return add(scope, createExactly(scope, "Reshape", {input, anyIndices(scope, {0, -1})}, special,
                                    {input.dims[0], rest}));
  }
  if (kind == 2) {
    for (int64_t axis = 0; axis != rank; ++axis) {
      Dim dim = input.dims[axis];
      if (!dim.isStatic() || dim.size < 2)
        continue;
      int64_t factor = dim.size % 2 == 0 ? 2 : dim.size;
      llvm::SmallVector<int64_t> target(axis, 0);
      target.push_back(factor);
      target.push_back(dim.size / factor);
      Dims dims(input.dims.begin(), input.dims.begin() + axis);
      dims.push_back({factor, 0});
      dims.push_back({dim.size / factor, 0});
      for (int64_t i = axis + 1; i != rank; ++i) {
        if (!input.dims[i].isStatic())
          return false;
        target.push_back(input.dims[i].size);
        dims.push_back(input.dims[i]);
      }
      return add(scope, createExactly(scope, "Reshape", {input, anyIndices(scope, target)}, special, dims));
    }
    return false;
  }
  // A flat copy gets its shape back from ShapeOf.
  if (count == 0)
    return false;
  Value flat = createExactly(scope, "Reshape", {input, anyIndices(scope, {-1})}, plain, {all});
  Value shape = create(scope, "ShapeOf", "opset3", {input}, {}, RECUR_I64, {Dim{rank, 0}});
  return add(scope, createExactly(scope, "Reshape", {flat, shape}, plain, input.dims));
}

bool Builder::emitSqueeze(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) {
    return llvm::any_of(value.dims, [](const Dim &dim) { return dim.isOne(); });
  });
  if (!x)
    return false;
  Value input = *x;
  llvm::SmallVector<int64_t> axes;
  Dims dims;
  bool all = chance(40);
  for (auto [axis, dim] : llvm::enumerate(input.dims))
    if (dim.isOne() && (all || axes.empty()))
      axes.push_back(chance(50) ? axis : int64_t(axis) - input.getRank());
    else
      dims.push_back(dim);
  std::vector<Value> inputs{input};
  if (!(all && input.isStatic() && chance(50)))
    inputs.push_back(anyIndices(scope, axes));
  return add(scope, createExactly(scope, "Squeeze", inputs, {}, dims));
}

bool Builder::emitUnsqueeze(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() <= 3; });
  if (!x)
    return false;
  Value input = *x;
  int64_t rank = input.getRank() + 1, axis = random(rank);
  Dims dims = input.dims;
  dims.insert(dims.begin() + axis, Dim{1, 0});
  return add(scope, createExactly(scope, "Unsqueeze",
                                  {input, anyIndices(scope, {chance(50) ? axis : axis - rank}, chance(20))}, {}, dims));
}

bool Builder::emitTranspose(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 2; });
  if (!x)
    return false;
  Value input = *x;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, input.getRank()));
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[random(i + 1)]);
  bool isReversed = chance(20);
  if (isReversed)
    std::sort(order.begin(), order.end(), std::greater<>());
  Dims dims;
  for (int64_t axis : order)
    dims.push_back(input.dims[axis]);
  if (isReversed)
    order.clear();
  return add(scope, createExactly(scope, "Transpose", {input, anyIndices(scope, order)}, {}, dims));
}

bool Builder::emitConcat(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1 && value.countElements() <= 120; });
  if (!x)
    return false;
  Value first = *x;
  int64_t axis = random(first.getRank());
  std::vector<Value> parts{first};
  for (unsigned i = 0, e = 1 + random(2); i != e; ++i) {
    const Value *y = pick(scope, [&](const Value &value) {
      if (value.element != first.element || value.getRank() != first.getRank() || value.countElements() > 120)
        return false;
      for (int64_t d = 0; d != first.getRank(); ++d)
        if (d != axis && !(value.dims[d] == first.dims[d]))
          return false;
      return true;
    });
    parts.push_back(*y);
  }
  Dims dims = first.dims;
  dims[axis] = {0, 0};
  int magnitude = 0, fraction = 0;
  for (const Value &part : parts) {
    dims[axis].size = dims[axis].size < 0 || part.dims[axis].size < 0 ? -1 : dims[axis].size + part.dims[axis].size;
    dims[axis].symbol |= part.dims[axis].symbol;
    magnitude = std::max(magnitude, part.magnitude);
    fraction = part.fraction < 0 || fraction < 0 ? -1 : std::max(fraction, part.fraction);
  }
  if (dims[axis].symbol)
    dims[axis].symbol = newSymbol();
  Value result = createExactly(scope, "Concat", parts,
                               {{"axis", std::to_string(chance(50) ? axis : axis - first.getRank())}}, dims);
  result.magnitude = magnitude;
  result.fraction = fraction;
  return add(scope, result);
}

bool Builder::emitBroadcast(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() <= 2 && value.countElements() <= 40; });
  if (!x)
    return false;
  Value input = *x;
  unsigned kind = random(4);
  if (kind == 0) {
    // To the shape of another value.
    const Value *y = pick(scope, [&](const Value &value) {
      if (value.getRank() < input.getRank() || value.getRank() == 0 || !broadcasts(input, value))
        return false;
      return broadcastDims(input, value) == value.dims;
    });
    if (!y)
      return false;
    Value like = *y;
    Value shape = create(scope, "ShapeOf", "opset3", {like}, {}, RECUR_I64, {Dim{like.getRank(), 0}});
    return add(scope, createExactly(scope, "Broadcast", {input, shape}, {{"mode", "numpy"}}, like.dims));
  }
  if (!input.isStatic())
    return false;
  Dims dims;
  llvm::SmallVector<int64_t> target, mapping;
  if (kind == 1) {
    // Explicit: the dims of the input among others.
    for (const Dim &dim : input.dims) {
      if (chance(50)) {
        target.push_back(1 + random(3));
        dims.push_back({target.back(), 0});
      }
      mapping.push_back(target.size());
      target.push_back(dim.size);
      dims.push_back(dim);
    }
    if (target.empty() || chance(50)) {
      target.push_back(1 + random(3));
      dims.push_back({target.back(), 0});
    }
    return add(scope, createExactly(scope, "Broadcast", {input, anyIndices(scope, target), anyIndices(scope, mapping)},
                                    {{"mode", "explicit"}}, dims));
  }
  bool isBidirectional = kind == 2;
  if (chance(50)) {
    target.push_back(1 + random(3));
    dims.push_back({target.back(), 0});
  }
  for (const Dim &dim : input.dims) {
    int64_t size = dim.size == 1 ? 1 + random(4) : dim.size;
    // The shapes broadcast to each other: the target may have ones too.
    target.push_back(isBidirectional && chance(40) ? 1 : size);
    dims.push_back({target.back() == 1 ? dim.size : size, 0});
  }
  if (target.empty())
    return false;
  return add(scope, createExactly(scope, "Broadcast", {input, anyIndices(scope, target)},
                                  {{"mode", isBidirectional ? "bidirectional" : "numpy"}}, dims));
}

bool Builder::emitGather(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1; });
  if (!x)
    return false;
  Value data = *x;
  int64_t axis = random(data.getRank());
  Dim dim = data.dims[axis];
  if (dim.isStatic() && dim.size == 0)
    return false;
  bool isNew = chance(70);
  int64_t least = isNew ? -dim.size : 0, range = (isNew ? 2 : 1) * dim.size;
  if (!dim.isStatic())
    least = 0, range = std::clamp<int64_t>(dim.size, 1, 3);
  // Seldom out of range.
  if (chance(2))
    ++range;
  Value indices;
  const Value *there = pick(scope, [](const Value &value) {
    return (value.element == RECUR_I32 || value.element == RECUR_I64) && value.getRank() <= 2;
  });
  if (there && dim.isStatic() && chance(50)) {
    Value given = *there;
    indices = createExactly(scope, "Clamp", {given},
                            {{"min", std::to_string(least)}, {"max", std::to_string(least + range - 1)}}, given.dims);
  } else {
    llvm::SmallVector<int64_t> shape;
    for (unsigned i = 0, rank = random(3); i != rank; ++i)
      shape.push_back(1 + random(3));
    Tensor tensor(chance(50) ? RECUR_I32 : RECUR_I64, shape);
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      tensor.setInteger(i, least + int64_t(random(range)));
    indices = constant(scope, tensor);
  }
  Dims dims(data.dims.begin(), data.dims.begin() + axis);
  llvm::append_range(dims, indices.dims);
  dims.append(data.dims.begin() + axis + 1, data.dims.end());
  Value result = createExactly(
      scope, "Gather", {data, indices, anyIndices(scope, {chance(50) ? axis : axis - data.getRank()}, chance(50))}, {},
      dims);
  scope.graph.nodes[result.ref.node].version = isNew ? "opset8" : chance(50) ? "opset7" : "opset1";
  if (result.countElements() > 600)
    return false;
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Reductions and GatherTree
//===----------------------------------------------------------------------===//

bool Builder::emitReduce(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber() && value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  bool isSum = chance(50), keeps = chance(50);
  llvm::SmallVector<int64_t> axes;
  Dims dims;
  for (int64_t axis = 0; axis != input.getRank(); ++axis) {
    bool isReduced = chance(50);
    if (isReduced)
      axes.push_back(chance(50) ? axis : axis - input.getRank());
    if (!isReduced)
      dims.push_back(input.dims[axis]);
    else if (keeps)
      dims.push_back({1, 0});
  }
  Value result = createExactly(scope, isSum ? "ReduceSum" : "ReduceMax", {input, anyIndices(scope, axes)},
                               {{"keep_dims", keeps ? "true" : "false"}}, dims);
  // Sums of no more than 2^10 elements; the greatest of nothing is minus infinity.
  if (isSum)
    result.magnitude += 10;
  return add(scope, result);
}

bool Builder::emitSoftmax(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.isReal() && value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  int64_t axis = random(input.getRank());
  return add(scope, create(scope, "SoftMax", "opset8", {input},
                           {{"axis", std::to_string(chance(50) ? axis : axis - input.getRank())}}, input.element,
                           input.dims));
}

bool Builder::emitGatherTree(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) {
    return value.isNumber() && value.isExact() && value.getRank() == 3 && value.dims[2].isStatic() &&
           value.dims[2].size > 0;
  });
  Value steps;
  if (x)
    steps = *x;
  else
    steps = randomConstant(scope, anyElement() == RECUR_F32 ? RECUR_F32 : RECUR_I32,
                           {1 + random(5), 1 + random(3), 1 + random(4)});
  int64_t beams = steps.dims[2].size;
  // Parents within the beams, seldom one beyond them; what is a NaN is a fault.
  Value source = steps;
  const Value *y = pick(scope, [&](const Value &value) {
    return value.element == steps.element && value.isExact() && value.dims == steps.dims;
  });
  if (y && chance(70))
    source = *y;
  else if (steps.isStatic())
    source = randomConstant(scope, steps.element,
                            llvm::map_to_vector<4>(steps.dims, [](const Dim &dim) { return dim.size; }));
  std::string most = number(beams - 1 + chance(3));
  Value parents = createExactly(scope, "Clamp", {source}, {{"min", "0.0"}, {"max", most}}, source.dims);
  Value lengths;
  if (steps.dims[1].isStatic() && chance(60)) {
    Tensor tensor(steps.element, {steps.dims[1].size});
    bool isUnsigned = steps.element >= RECUR_U8 && steps.element <= RECUR_U64;
    for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
      int64_t length = int64_t(random(8)) - (isUnsigned ? 0 : 1);
      tensor.set(i, interpreter::convertScalar(interpreter::Scalar::of(interpreter::Integer(length)), RECUR_I64,
                                               steps.element));
    }
    lengths = constant(scope, tensor);
  } else {
    lengths = createExactly(scope, "ReduceMax", {steps, anyIndices(scope, {0, 2})}, {}, {steps.dims[1]});
  }
  Value end = randomConstant(scope, steps.element, {});
  Value result = create(scope, "GatherTree", "opset1", {steps, parents, lengths, end}, {}, steps.element, steps.dims);
  result.magnitude = std::max(steps.magnitude, 2);
  result.fraction = steps.fraction < 0 ? -1 : std::max(steps.fraction, 2);
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Later operations
//===----------------------------------------------------------------------===//

/// Steps, so of exact values only.
bool Builder::emitRounding(Scope &scope) {
  static constexpr StringRef names[] = {"Floor", "Ceiling", "Round", "Sign"};
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber() && value.isExact(); });
  if (!x)
    return false;
  Value input = *x;
  StringRef name = names[random(std::size(names))];
  if (name == "Round" && !input.isReal())
    return false;
  Attributes attributes;
  if (name == "Round")
    attributes.push_back({"mode", chance(50) ? "half_to_even" : "half_away_from_zero"});
  return add(scope, createExactly(scope, name, {input}, attributes, input.dims));
}

bool Builder::emitModulo(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber() && value.isExact(); });
  if (!x)
    return false;
  Value a = *x;
  Tensor divisor(a.element, {});
  bool isUnsigned = a.element >= RECUR_U8 && a.element <= RECUR_U64;
  if (a.isReal())
    divisor.setReal(0, (chance(50) ? 1 : -1) * (1 + int(random(8))) / 4.0);
  else
    divisor.setInteger(0, (chance(30) && !isUnsigned ? -1 : 1) * int(1 + random(5)));
  // The quotient of a real one has more bits than its parts.
  if (a.isReal() && a.magnitude + a.fraction > 8)
    return false;
  Value result = create(scope, chance(50) ? "Mod" : "FloorMod", "opset1", {a, constant(scope, divisor)}, {}, a.element,
                        a.dims);
  if (a.isReal()) {
    result.magnitude = 2;
    result.fraction = std::max(a.fraction, 2);
  }
  return add(scope, result);
}

bool Builder::emitOtherReduction(Scope &scope) {
  static constexpr StringRef numbers[] = {"ReduceMin", "ReduceProd", "ReduceMean", "ReduceL1", "ReduceL2"};
  static constexpr StringRef booleans[] = {"ReduceLogicalAnd", "ReduceLogicalOr"};
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  StringRef name = input.isNumber() ? numbers[random(std::size(numbers))] : booleans[random(std::size(booleans))];
  // What is rounded is of real numbers.
  if ((name == "ReduceMean" || name == "ReduceL2") && !input.isReal())
    return false;
  int64_t axis = random(input.getRank());
  bool keeps = chance(50);
  Dims dims = input.dims;
  if (keeps)
    dims[axis] = {1, 0};
  else
    dims.erase(dims.begin() + axis);
  Value result = createExactly(scope, name,
                               {input, anyIndices(scope, {chance(50) ? axis : axis - input.getRank()})},
                               {{"keep_dims", keeps ? "true" : "false"}}, dims);
  if (name != "ReduceMin")
    result.fraction = input.isReal() ? -1 : result.fraction;
  return add(scope, result);
}

bool Builder::emitCumSum(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber() && value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  int64_t axis = random(input.getRank());
  Value result = createExactly(
      scope, "CumSum", {input, anyIndices(scope, {chance(50) ? axis : axis - input.getRank()}, /*isScalar=*/true)},
      {{"exclusive", chance(40) ? "true" : "false"}, {"reverse", chance(40) ? "true" : "false"}}, input.dims);
  result.magnitude += 10;
  return add(scope, result);
}

bool Builder::emitSplit(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) {
    return llvm::any_of(value.dims, [](const Dim &dim) { return dim.isStatic() && dim.size >= 2; });
  });
  if (!x)
    return false;
  Value input = *x;
  int64_t axis = random(input.getRank());
  while (!input.dims[axis].isStatic() || input.dims[axis].size < 2)
    axis = (axis + 1) % input.getRank();
  int64_t size = input.dims[axis].size;
  llvm::SmallVector<int64_t> lengths;
  bool isEven = size % 2 == 0 && chance(50);
  if (isEven)
    lengths.assign(2, size / 2);
  else
    lengths = {1 + int64_t(random(size - 1)), 0};
  lengths[1] = size - lengths[0];
  Value where = anyIndices(scope, {chance(50) ? axis : axis - input.getRank()}, /*isScalar=*/true);
  Dims dims = input.dims;
  dims[axis] = {lengths[0], 0};
  Value first = isEven ? createExactly(scope, "Split", {input, where}, {{"num_splits", "2"}}, dims)
                       : createExactly(scope, "VariadicSplit",
                                       {input, where, anyIndices(scope, {chance(30) ? -1 : lengths[0], lengths[1]})},
                                       {}, dims);
  Value second = first;
  second.ref.port = 1;
  second.dims[axis] = {lengths[1], 0};
  scope.graph.nodes[first.ref.node].outputs.push_back(second.getType());
  scope.pool.push_back(first);
  return add(scope, second);
}

bool Builder::emitTile(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1 && value.countElements() <= 60; });
  if (!x)
    return false;
  Value input = *x;
  llvm::SmallVector<int64_t> repeats(input.getRank(), 1);
  int64_t axis = random(input.getRank());
  repeats[axis] = 1 + random(3);
  Dims dims = input.dims;
  if (dims[axis].isStatic())
    dims[axis].size *= repeats[axis];
  else if (repeats[axis] != 1)
    dims[axis] = {dims[axis].size < 0 ? -1 : dims[axis].size * repeats[axis], newSymbol()};
  return add(scope, createExactly(scope, "Tile", {input, anyIndices(scope, repeats)}, {}, dims));
}

bool Builder::emitSlice(Scope &scope) {
  const Value *x = pick(scope, [](const Value &value) {
    return llvm::any_of(value.dims, [](const Dim &dim) { return dim.isStatic() && dim.size >= 2; });
  });
  if (!x)
    return false;
  Value input = *x;
  int64_t axis = random(input.getRank());
  while (!input.dims[axis].isStatic() || input.dims[axis].size < 2)
    axis = (axis + 1) % input.getRank();
  int64_t size = input.dims[axis].size, step = 1 + random(2), start = random(size);
  int64_t count = 1 + random((size - start + step - 1) / step), stop = std::min(start + count * step, size);
  bool isBackward = chance(40);
  Dims dims = input.dims;
  dims[axis] = {count, 0};
  // The same elements from behind.
  int64_t last = start + (count - 1) * step;
  Value first = integers(scope, {isBackward ? last : start}, false),
        end = integers(scope, {isBackward ? start - step < 0 ? -size - 1 : start - step : stop}, false);
  return add(scope, createExactly(scope, "Slice",
                                  {input, first, end, integers(scope, {isBackward ? -step : step}, false),
                                   integers(scope, {chance(50) ? axis : axis - input.getRank()}, false)},
                                  {}, dims));
}

/// Two bodies that give values of the same types, each by an op or two of its own.
bool Builder::emitIf(Scope &scope) {
  const Value *condition = pick(scope, [](const Value &value) {
    return value.element == RECUR_BOOLEAN && value.isStatic() && value.countElements() == 1 && value.getRank() <= 1;
  });
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber() && value.countElements() <= 200; });
  if (!condition || !x || scope.depth >= 3)
    return false;
  Value decides = *condition, like = *x;
  const Value *y = pick(scope, [](const Value &value) { return value.countElements() <= 200; });
  std::vector<Value> inputs{like, *y};
  Node node;
  node.type = "If";
  node.version = "opset8";
  node.inputs = {decides.ref, inputs[0].ref, inputs[1].ref};
  int fraction = like.fraction, magnitude = like.magnitude;
  for (unsigned i = 0; i != 2; ++i) {
    node.bodies.emplace_back();
    std::vector<PortEntry> &entries = node.ports.emplace_back();
    Scope body{node.bodies.back(), {}, scope.depth + 1};
    for (unsigned j = 0; j != 2; ++j) {
      Value inside = parameter(body, inputs[j]);
      body.pool.push_back(inside);
      PortEntry entry;
      entry.external = j + 1;
      entry.internal = inside.ref.node;
      entries.push_back(entry);
    }
    grow(body, 1 + random(3));
    const Value *z = pick(body, [&](const Value &value) {
      return value.element == like.element && value.dims == like.dims && value.ref.node > 1;
    });
    Value result = z ? *z : createExactly(body, "Negative", {body.pool.front()}, {}, like.dims);
    fraction = fraction < 0 || result.fraction < 0 ? -1 : std::max(fraction, result.fraction);
    magnitude = std::max(magnitude, result.magnitude);
    PortEntry entry;
    entry.isInput = false;
    entry.external = 3;
    entry.internal = this->result(body, result);
    entries.push_back(entry);
  }
  node.outputs.push_back(like.getType());
  for (Value &value : scope.pool)
    for (const Ref &ref : node.inputs)
      value.isUsed |= value.ref.node == ref.node && value.ref.port == ref.port;
  scope.graph.nodes.push_back(std::move(node));
  Value value = valueOf(scope, {int(scope.graph.nodes.size()) - 1, 0}, like.element, like.dims);
  value.fraction = fraction;
  value.magnitude = magnitude;
  model.features.insert("if");
  return add(scope, value);
}

} // namespace recur::fuzz
