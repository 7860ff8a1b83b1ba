// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GenerateIndexing.cpp - ops that read and write at indices --------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

/// Integers of this shape that index a dim: a constant, or what is there, within the bounds. None where a dim is not
/// static and nothing fits.
std::optional<Value> Builder::indicesFor(Scope &scope, const Dims &dims, Dim range) {
  // Of a dim that is not static only what it has when the inputs are these.
  int64_t size = range.size < 0 ? 1 : range.size;
  const Value *there = pick(scope, [&](const Value &value) {
    return (value.element == RECUR_I32 || value.element == RECUR_I64) && value.dims == dims;
  });
  bool isStatic = llvm::all_of(dims, [](const Dim &dim) { return dim.isStatic(); });
  if (there && (!isStatic || chance(50)))
    return createExactly(scope, "Clamp", {*there},
                         {{"min", std::to_string(-size)}, {"max", std::to_string(size - 1)}}, dims);
  if (!isStatic)
    return std::nullopt;
  // Seldom out of range.
  int64_t most = 2 * size + chance(1);
  Tensor tensor(chance(50) ? RECUR_I32 : RECUR_I64,
                llvm::map_to_vector<4>(dims, [](const Dim &dim) { return dim.size; }));
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    tensor.setInteger(i, int64_t(random(most)) - size);
  return constant(scope, tensor);
}

static Dims smallDims(unsigned rank, llvm::function_ref<unsigned(unsigned)> random) {
  Dims dims;
  for (unsigned i = 0; i != rank; ++i)
    dims.push_back({1 + int64_t(random(3)), 0});
  return dims;
}

bool Builder::emitGather(Scope &scope, StringRef) {
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

bool Builder::emitGatherElements(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t axis = random(data.getRank());
  if (data.dims[axis].size == 0 || data.countElements() > 200)
    return false;
  Dims dims = data.dims;
  if (dims[axis].isStatic() || chance(60))
    dims[axis] = {1 + int64_t(random(4)), 0};
  std::optional<Value> indices = indicesFor(scope, dims, data.dims[axis]);
  if (!indices)
    return false;
  Value result =
      createExactly(scope, op, {data, *indices},
                    {{"axis", std::to_string(chance(50) ? axis : axis - data.getRank())}}, indices->dims);
  return add(scope, result);
}

/// Coordinates of the dims of `data` from `first` on, with `dims` before them.
std::optional<Value> Builder::coordinatesFor(Scope &scope, const Value &data, unsigned first, unsigned count,
                                             Dims dims) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Dim &dim : llvm::ArrayRef(data.dims).slice(first, count))
    least = std::min<int64_t>(least, dim.size < 0 ? 1 : dim.size);
  if (least == 0)
    return std::nullopt;
  dims.push_back({int64_t(count), 0});
  std::optional<Value> indices = indicesFor(scope, dims, Dim{least, 0});
  Node *node = indices ? &scope.graph.nodes[indices->ref.node] : nullptr;
  if (node && node->type == "Const")
    for (int64_t i = 0; i != node->value->getNumElements(); ++i) {
      // Each in the range of its own dim.
      int64_t size = std::max<int64_t>(data.dims[first + i % count].size, 1);
      if (chance(50))
        node->value->setInteger(i, int64_t(random(2 * size)) - size);
    }
  return indices;
}

bool Builder::emitGatherND(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t rank = data.getRank();
  unsigned batch = 0;
  while (batch + 1 < rank && batch != 2 && data.dims[batch].isStatic() && chance(35))
    ++batch;
  unsigned count = 1 + random(rank - batch);
  Dims places = smallDims(random(2), [this](unsigned bound) { return random(bound); });
  Dims dims(data.dims.begin(), data.dims.begin() + batch);
  dims.append(places);
  std::optional<Value> indices = coordinatesFor(scope, data, batch, count, dims);
  if (!indices || data.countElements() > 200)
    return false;
  bool isOld = chance(40);
  if (isOld && batch == 2) {
    dims[1].size *= dims[0].size;
    dims.erase(dims.begin());
  }
  dims.append(data.dims.begin() + batch + count, data.dims.end());
  Value result = createExactly(scope, op, {data, *indices}, {{"batch_dims", std::to_string(batch)}}, dims);
  scope.graph.nodes[result.ref.node].version = isOld ? "opset5" : "opset8";
  return result.countElements() <= 600 && add(scope, result);
}

bool Builder::emitScatterUpdate(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t axis = random(data.getRank());
  if (data.dims[axis].size == 0 || data.countElements() > 200)
    return false;
  auto choose = [this](unsigned bound) { return random(bound); };
  Dims places = smallDims(random(3), choose);
  Value indices = *indicesFor(scope, places, data.dims[axis]);
  Value where = anyIndices(scope, {chance(50) ? axis : axis - data.getRank()}, chance(50));
  Dims dims(data.dims.begin(), data.dims.begin() + axis);
  dims.append(places);
  dims.append(data.dims.begin() + axis + 1, data.dims.end());
  std::optional<Value> updates = findOrMake(scope, data.element, dims);
  // Else what other indices find.
  if (!updates)
    updates = createExactly(scope, "Gather", {data, *indicesFor(scope, places, data.dims[axis]), where}, {}, dims);
  Value result = createExactly(scope, op, {data, indices, *updates, where}, {}, data.dims);
  mergeBits(result, *updates);
  scope.graph.nodes[result.ref.node].version = "opset3";
  return add(scope, result);
}

/// The attribute of a reduction, and what it does to the bits.
Attributes Builder::reduction(llvm::ArrayRef<StringRef> names, const Value &updates, Value &bits) {
  StringRef name = names[random(names.size())];
  if (updates.element == RECUR_BOOLEAN && (name == "mean" || name == "sub"))
    name = "none";
  mergeBits(bits, updates);
  bits.magnitude += name == "sum" || name == "sub" ? 6 : 0;
  if (name == "prod" || name == "mean")
    bits.fraction = -1;
  return {{"reduction", name.str()}};
}

bool Builder::emitScatterElementsUpdate(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t axis = random(data.getRank());
  Dims dims;
  for (auto [i, dim] : llvm::enumerate(data.dims)) {
    if (dim.size == 0)
      return false;
    bool isAxis = int64_t(i) == axis;
    dims.push_back({1 + int64_t(random(isAxis ? 4 : dim.isStatic() ? dim.size : 1)), 0});
  }
  std::optional<Value> indices = indicesFor(scope, dims, data.dims[axis]);
  Value updates = *findOrMake(scope, data.element, dims), bits = data;
  Attributes attributes;
  bool isReduced = chance(60);
  if (isReduced) {
    attributes = reduction({"none", "sum", "prod", "min", "max", "mean"}, updates, bits);
    if (chance(40))
      attributes.push_back({"use_init_val", "false"});
  } else {
    mergeBits(bits, updates);
  }
  Value where = anyIndices(scope, {chance(50) ? axis : axis - data.getRank()}, chance(50));
  Value result = createExactly(scope, op, {data, *indices, updates, where}, attributes, data.dims);
  result.copyBits(bits);
  scope.graph.nodes[result.ref.node].version = isReduced ? "opset12" : "opset3";
  return add(scope, result);
}

bool Builder::emitScatterNDUpdate(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  unsigned count = 1 + random(data.getRank());
  Dims dims = smallDims(random(3), [this](unsigned bound) { return random(bound); });
  std::optional<Value> indices = coordinatesFor(scope, data, 0, count, dims);
  if (!indices || data.countElements() > 200)
    return false;
  dims.append(data.dims.begin() + count, data.dims.end());
  std::optional<Value> updates = findOrMake(scope, data.element, dims);
  if (!updates)
    updates = createExactly(scope, "GatherND", {data, *indices}, {}, dims);
  Value bits = data;
  Attributes attributes;
  bool isReduced = chance(60);
  if (isReduced)
    attributes = reduction({"none", "sum", "sub", "prod", "min", "max"}, *updates, bits);
  else
    mergeBits(bits, *updates);
  Value result = createExactly(scope, op, {data, *indices, *updates}, attributes, data.dims);
  result.copyBits(bits);
  scope.graph.nodes[result.ref.node].version = isReduced ? "opset15" : "opset4";
  return add(scope, result);
}

bool Builder::emitOneHot(Scope &scope, StringRef op) {
  const Value *x = pick(scope, [](const Value &value) { return value.isInteger() && value.countElements() <= 80; });
  Value indices;
  if (x)
    indices = *x;
  else
    indices = *indicesFor(scope, smallDims(random(3), [this](unsigned bound) { return random(bound); }), Dim{3, 0});
  recur_element_type element = anyElement();
  Value on = randomConstant(scope, element, {}), off = randomConstant(scope, element, {});
  Dim depth{int64_t(random(5)), 0};
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

bool Builder::emitReverseSequence(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 2);
  int64_t rank = data.getRank(), batch = random(rank), along = random(rank);
  if (batch == along)
    along = (along + 1) % rank;
  int64_t size = data.dims[along].size;
  if (size < 0)
    return false;
  Value lengths;
  const Value *there = pick(scope, [&](const Value &value) {
    return value.isInteger() && value.getRank() == 1 && value.dims[0] == data.dims[batch];
  });
  if (there && (!data.dims[batch].isStatic() || chance(40))) {
    lengths = createExactly(scope, "Clamp", {*there}, {{"min", "0"}, {"max", std::to_string(size)}}, there->dims);
  } else if (data.dims[batch].isStatic()) {
    Tensor tensor(chance(50) ? RECUR_I32 : RECUR_I64, {data.dims[batch].size});
    // Seldom one that is too long.
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      tensor.setInteger(i, random(size + 1 + chance(1)));
    lengths = constant(scope, tensor);
  } else {
    return false;
  }
  return add(scope, createExactly(scope, op, {data, lengths},
                                  {{"batch_axis", std::to_string(chance(50) ? batch : batch - rank)},
                                   {"seq_axis", std::to_string(chance(50) ? along : along - rank)}},
                                  data.dims));
}

/// Whether a number is zero decides how many there are, so of exact values only.
bool Builder::emitNonZero(Scope &scope, StringRef op) {
  Value input = anyExact(scope, 1);
  if (input.countElements() > 60)
    return false;
  bool isShort = chance(40);
  return add(scope, create(scope, op, "opset3", {input}, {{"output_type", isShort ? "i32" : "i64"}},
                           isShort ? RECUR_I32 : RECUR_I64, {Dim{input.getRank(), 0}, Dim{-1, newSymbol()}}));
}

bool Builder::emitGatherTree(Scope &scope, StringRef) {
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
  std::string most = std::to_string(beams - 1 + chance(3));
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

} // namespace recur::fuzz
