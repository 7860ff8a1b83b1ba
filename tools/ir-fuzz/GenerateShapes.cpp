// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GenerateShapes.cpp - shapes and the movement of data -------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitShapeOf(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  bool isShort = chance(40);
  return add(scope, create(scope, "ShapeOf", "opset3", {input}, {{"output_type", isShort ? "i32" : "i64"}},
                           isShort ? RECUR_I32 : RECUR_I64, {Dim{input.getRank(), 0}}));
}

bool Builder::emitReshape(Scope &scope, StringRef) {
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
        // A target of 0 would be another dim's.
        if (!input.dims[i].isStatic() || input.dims[i].size == 0)
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
  Value shape = create(scope, "ShapeOf", "opset3", {input}, {{"output_type", "i64"}}, RECUR_I64, {Dim{rank, 0}});
  return add(scope, createExactly(scope, "Reshape", {flat, shape}, plain, input.dims));
}

bool Builder::emitSqueeze(Scope &scope, StringRef) {
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

bool Builder::emitUnsqueeze(Scope &scope, StringRef) {
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

bool Builder::emitTranspose(Scope &scope, StringRef) {
  Value input = anyValue(scope, 2);
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

bool Builder::emitConcat(Scope &scope, StringRef) {
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

bool Builder::emitBroadcast(Scope &scope, StringRef) {
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
    Value shape = create(scope, "ShapeOf", "opset3", {like}, {{"output_type", "i64"}}, RECUR_I64, {Dim{like.getRank(), 0}});
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

std::optional<std::pair<Value, int64_t>> Builder::pickToCut(Scope &scope) {
  auto canCut = [](const Dim &dim) { return dim.isStatic() && dim.size >= 2; };
  const Value *x = pick(scope, [&](const Value &value) { return llvm::any_of(value.dims, canCut); });
  if (!x)
    return std::nullopt;
  int64_t axis = random(x->getRank());
  while (!canCut(x->dims[axis]))
    axis = (axis + 1) % x->getRank();
  return std::pair(*x, axis);
}

bool Builder::emitSplit(Scope &scope, StringRef op) {
  std::optional<std::pair<Value, int64_t>> found = pickToCut(scope);
  if (!found)
    return false;
  auto [input, axis] = *found;
  int64_t size = input.dims[axis].size;
  llvm::SmallVector<int64_t> lengths;
  bool isEven = op == "Split";
  if (isEven && size % 2 != 0)
    return false;
  if (isEven)
    lengths.assign(2, size / 2);
  else
    lengths = {1 + int64_t(random(size - 1)), 0};
  lengths[1] = size - lengths[0];
  Value where = anyIndices(scope, {chance(50) ? axis : axis - input.getRank()}, /*isScalar=*/true);
  Dims dims = input.dims;
  dims[axis] = {lengths[0], 0};
  Value first = isEven ? createExactly(scope, op, {input, where}, {{"num_splits", "2"}}, dims)
                       : createExactly(scope, op,
                                       {input, where, anyIndices(scope, {chance(30) ? -1 : lengths[0], lengths[1]})},
                                       {}, dims);
  Value second = first;
  second.ref.port = 1;
  second.dims[axis] = {lengths[1], 0};
  scope.graph.nodes[first.ref.node].outputs.push_back(second.getType());
  scope.pool.push_back(first);
  return add(scope, second);
}

bool Builder::emitTile(Scope &scope, StringRef) {
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

bool Builder::emitSlice(Scope &scope, StringRef) {
  std::optional<std::pair<Value, int64_t>> found = pickToCut(scope);
  if (!found)
    return false;
  auto [input, axis] = *found;
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

static std::string join(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

bool Builder::emitStridedSlice(Scope &scope, StringRef op) {
  Value input = anyValue(scope, 1);
  int64_t rank = input.getRank();
  llvm::SmallVector<int64_t> begin, end, stride, beginMask, endMask, newMask, shrinkMask, ellipsisMask;
  auto entry = [&](int64_t from, int64_t to, int64_t step) {
    begin.push_back(from);
    end.push_back(to);
    stride.push_back(step);
    for (auto *mask : {&beginMask, &endMask, &newMask, &shrinkMask, &ellipsisMask})
      mask->push_back(0);
  };
  Dims dims;
  bool hasEllipsis = false;
  for (int64_t axis = 0; axis != rank; ++axis) {
    if (chance(12)) {
      entry(0, 1, 1);
      newMask.back() = 1;
      dims.push_back({1, 0});
    }
    if (!hasEllipsis && chance(12)) {
      entry(0, 0, 1);
      ellipsisMask.back() = 1;
      hasEllipsis = true;
      for (unsigned i = random(rank - axis + 1); i != 0; --i)
        dims.push_back(input.dims[axis++]);
      if (axis == rank)
        break;
    }
    // What comes after the last entry stays, where no ellipsis takes it.
    if (!hasEllipsis && axis != 0 && chance(15)) {
      dims.append(input.dims.begin() + axis, input.dims.end());
      break;
    }
    Dim dim = input.dims[axis];
    unsigned kind = random(3);
    if (!dim.isStatic() || dim.size == 0 || kind == 0) {
      int64_t step = (chance(40) ? -1 : 1) * (dim.isStatic() ? 1 + int64_t(random(2)) : 1);
      entry(random(2), random(2), step);
      beginMask.back() = endMask.back() = 1;
      dims.push_back(dim.isStatic() ? Dim{(dim.size + std::abs(step) - 1) / std::abs(step), 0} : dim);
      continue;
    }
    int64_t first = random(dim.size), shift = chance(40) ? dim.size : 0;
    if (kind == 1) {
      entry(first - shift, first + 1 - shift, 1);
      // An end that is 0 counts from the beginning.
      if (first + 1 == shift)
        end.back() = 0;
      shrinkMask.back() = 1;
      continue;
    }
    int64_t step = 1 + random(2), count = 1 + random((dim.size - first + step - 1) / step);
    int64_t stop = std::min(first + count * step, dim.size), last = first + (count - 1) * step;
    if (chance(40))
      // The same elements from behind.
      entry(last - shift, first - step < 0 ? -dim.size - 1 : first - step, -step);
    else
      entry(first - shift, stop, step);
    dims.push_back({count, 0});
  }
  Attributes attributes{{"begin_mask", join(beginMask)}, {"end_mask", join(endMask)}};
  auto mask = [&](StringRef name, llvm::ArrayRef<int64_t> values) {
    if (llvm::is_contained(values, 1) || chance(50))
      attributes.push_back({name.str(), join(values)});
  };
  mask("new_axis_mask", newMask);
  mask("shrink_axis_mask", shrinkMask);
  mask("ellipsis_mask", ellipsisMask);
  recur_element_type index = chance(50) ? RECUR_I64 : RECUR_I32;
  std::vector<Value> operands{input, integers(scope, begin, false, index), integers(scope, end, false, index)};
  if (chance(50) || llvm::any_of(stride, [](int64_t step) { return step != 1; }))
    operands.push_back(integers(scope, stride, false, index));
  Value result = createExactly(scope, op, operands, attributes, dims);
  scope.graph.nodes[result.ref.node].version = "opset1";
  return result.getRank() <= 5 && add(scope, result);
}

bool Builder::emitPad(Scope &scope, StringRef op) {
  Value input = anyValue(scope, 1);
  if (input.countElements() > 150)
    return false;
  static constexpr StringRef modes[] = {"constant", "edge", "reflect", "symmetric"};
  unsigned mode = random(std::size(modes));
  llvm::SmallVector<int64_t> begin, end;
  Dims dims;
  bool isNegative = false;
  for (const Dim &dim : input.dims) {
    // How much a dim of this size can have.
    int64_t most = dim.size < 0 ? 0 : mode == 0 ? 3 : mode == 1 ? (dim.size ? 3 : 0) : mode == 2 ? dim.size - 1 : dim.size;
    most = std::clamp<int64_t>(most, 0, 3);
    int64_t before = random(most + 1), after = random(most + 1);
    if (dim.isStatic() && dim.size >= 3 && chance(15)) {
      (chance(50) ? before : after) = -1;
      isNegative = true;
    }
    begin.push_back(before);
    end.push_back(after);
    int64_t size = dim.size + before + after;
    dims.push_back(before == 0 && after == 0 ? dim : dim.isStatic() ? Dim{size, 0} : Dim{size, newSymbol()});
  }
  recur_element_type index = chance(50) ? RECUR_I64 : RECUR_I32;
  std::vector<Value> operands{input, integers(scope, begin, false, index), integers(scope, end, false, index)};
  if (mode == 0 && chance(60))
    operands.push_back(randomConstant(scope, input.element, {}));
  Value result = createExactly(scope, op, operands, {{"pad_mode", modes[mode].str()}}, dims);
  if (operands.size() == 4)
    mergeBits(result, operands[3]);
  scope.graph.nodes[result.ref.node].version = isNegative ? "opset12" : "opset1";
  return result.countElements() <= 600 && add(scope, result);
}

bool Builder::emitRange(Scope &scope, StringRef op) {
  static constexpr recur_element_type types[] = {RECUR_I64, RECUR_I32, RECUR_F32, RECUR_F32, RECUR_F16, RECUR_F64, RECUR_I16};
  recur_element_type element = types[random(std::size(types))], output = element;
  bool isReal = interpreter::isReal(element);
  int64_t count = random(7);
  // In halves of a real number.
  int64_t start = int64_t(random(7)) - 3, step = (chance(40) ? -1 : 1) * (1 + int64_t(random(3)));
  Value last;
  Dim dim{count, 0};
  std::optional<Value> computed = chance(35) ? runtimeCount(scope, 6) : std::nullopt;
  if (computed) {
    last = *computed;
    output = element = last.element;
    isReal = false;
    dim = {-1, newSymbol()};
  } else {
    if (!isReal && chance(50))
      output = chance(50) ? RECUR_F32 : RECUR_I64;
    // What is left over of the last step does not count.
    int64_t stop = start + count * step;
    if (count && std::abs(step) > 1 && chance(40))
      stop -= step < 0 ? -1 : 1;
    Tensor tensor(element, chance(70) ? llvm::ArrayRef<int64_t>() : llvm::ArrayRef<int64_t>(int64_t(1)));
    isReal ? tensor.setReal(0, stop / 2.0) : tensor.setInteger(0, stop);
    last = constant(scope, tensor);
    // Inference does not count the steps of real numbers.
    if (isReal)
      dim.symbol = newSymbol();
  }
  auto scalar = [&](int64_t value) {
    Tensor tensor(element, {});
    isReal ? tensor.setReal(0, value / 2.0) : tensor.setInteger(0, value);
    return constant(scope, tensor);
  };
  static constexpr StringRef names[] = {"",    "boolean", "i8",  "i16", "i32",  "i64", "u8",
                                        "u16", "u32",     "u64", "f16", "bf16", "f32", "f64"};
  Value result = create(scope, op, "opset4", {scalar(start), last, scalar(step)},
                        {{"output_type", names[output].str()}}, output, {dim});
  result.magnitude = 5;
  result.fraction = 1;
  return add(scope, result);
}

} // namespace recur::fuzz
