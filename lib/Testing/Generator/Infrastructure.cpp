// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Infrastructure.cpp - TensorIterators and Loops -------------------===//

#include "LoopPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>

namespace recur::fuzz {

/// The limit on the iterations of nested loops in a model with long dims.
static constexpr int64_t kMostIterations = 300;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Slices some inputs. Returns false if none can be sliced but one is needed. All are cut into the same number of
/// parts: `count` for a TensorIterator, at least `most` for a Loop.
bool Builder::planSlices(LoopPlan &plan, bool isNeeded) {
  unsigned wanted = isNeeded ? 1 + chance(40) + chance(15) : chance(40) + chance(15), made = 0;
  for (unsigned tries = 0; made != wanted && tries != 12; ++tries) {
    const Value *x = pick(plan.outer, [](const Value &value) {
      return llvm::any_of(value.dims, [](const Dim &dim) { return dim.size > 0; });
    });
    if (!x)
      break;
    Value input = *x;
    int64_t axis = random(input.getRank());
    Dim dim = input.dims[axis];
    if (dim.size <= 0)
      continue;
    int64_t part = chance(70) ? 1 : 1 + random(std::min<int64_t>(3, dim.size));
    int64_t stride = chance(65) ? part : 1 + random(3);
    int64_t possible = dim.size < part ? 0 : (dim.size - part) / stride + 1;
    if (possible == 0)
      continue;
    // Nested loops are short.
    possible = std::min(possible, std::max<int64_t>(kMostIterations / plan.outer.iterations, 1));
    int64_t parts = possible;
    if (plan.isLoop) {
      if (possible < plan.most || possible == 0)
        continue;
      if (plan.most > 0 && chance(50))
        parts = plan.most;
    } else if (plan.count < 0) {
      parts = chance(60) ? possible : 1 + random(possible);
      plan.count = parts;
      plan.isStaticCount = dim.isStatic();
    } else if (possible < plan.count) {
      continue;
    } else {
      parts = plan.count;
    }
    int64_t length = (parts - 1) * stride + part, offset = random(dim.size - length + 1);
    bool isBackward = chance(wants("negative-stride") ? 85 : 40);
    PortEntry entry;
    entry.axis = chance(20) ? axis - input.getRank() : axis;
    entry.start = isBackward ? offset + length - 1 : offset;
    entry.end = isBackward ? offset : offset + length - 1;
    entry.start -= entry.start == dim.size - 1 || chance(20) ? dim.size : 0;
    entry.end -= entry.end == dim.size - 1 || chance(20) ? dim.size : 0;
    entry.stride = isBackward ? -stride : stride;
    entry.part = part;
    // One input of the layer may be mapped several times.
    bool isShared = false;
    for (const PortEntry &other : plan.entries)
      if (other.isInput && other.axis && plan.node.inputs[other.external].node == input.ref.node &&
          plan.node.inputs[other.external].port == input.ref.port && chance(50)) {
        entry.external = other.external;
        isShared = true;
        break;
      }
    if (!isShared)
      entry.external = plan.addInput(input);
    Value like = input;
    like.dims[axis] = {part, 0};
    Value parameter = this->parameter(plan.body, like);
    entry.internal = parameter.ref.node;
    plan.entries.push_back(entry);
    plan.body.pool.push_back(parameter);
    ++made;
    if (isBackward)
      model.features.insert("negative-stride");
    if (length != dim.size)
      model.features.insert("sub-range");
    if (part != 1)
      model.features.insert("part-size");
    if (stride != part)
      model.features.insert("stride-is-not-part");
    if (isShared)
      model.features.insert("input-mapped-twice");
    if (made == 2)
      model.features.insert("two-sliced-inputs");
  }
  return made > 0 || !isNeeded;
}

void Builder::planCarried(LoopPlan &plan) {
  bool isWished = wants("swap") || wants("delay-line") || wants("growing-state");
  unsigned wanted = chance(15) && !isWished ? 0 : 1 + chance(40) + chance(20);
  auto add = [&](const Value &init, LoopPlan::Kind kind, int64_t axis = 0) -> LoopPlan::Carried & {
    Value like = init;
    if (kind == LoopPlan::Growing)
      like.dims[axis] = {-1, newSymbol()};
    if (like.isReal()) {
      like.fraction = init.isExact() && init.magnitude <= 6 && init.fraction <= 2 ? 2 : -1;
      like.magnitude = 6;
    }
    PortEntry entry;
    entry.external = plan.addInput(init);
    LoopPlan::Carried &carried = plan.carried.emplace_back();
    carried.parameter = parameter(plan.body, like);
    carried.kind = kind;
    carried.axis = axis;
    entry.internal = carried.parameter.ref.node;
    plan.entries.push_back(entry);
    plan.body.pool.push_back(carried.parameter);
    return carried;
  };
  for (unsigned i = 0; i != wanted; ++i) {
    const Value *x =
        pick(plan.outer, [&](const Value &value) { return value.countElements() <= plan.body.limit(100); });
    if (!x)
      break;
    Value init = *x;
    bool grows = init.getRank() >= 1 && init.countElements() <= 30 && plan.mostIterations() <= 40 &&
                 chance(wants("growing-state") ? 80 : 12);
    unsigned index = plan.carried.size();
    add(init, grows ? LoopPlan::Growing : LoopPlan::Plain, grows ? random(init.getRank()) : 0);
    if (grows || !chance(isWished ? 80 : 30))
      continue;
    // More carried values of the same type, each of which takes the value of the one before it.
    unsigned length = 1 + chance(30);
    for (unsigned j = 0; j != length; ++j) {
      // The initial value must not need more bits than the Parameter declares.
      const Value &parameter = plan.carried[index].parameter;
      const Value *y = pick(plan.outer, [&](const Value &value) {
        return value.element == init.element && value.dims == init.dims &&
               (!value.isReal() || parameter.fraction < 0 ||
                (value.isExact() && value.magnitude <= 6 && value.fraction <= 2));
      });
      int fraction = parameter.fraction;
      LoopPlan::Carried &next = add(*y, LoopPlan::Plain);
      next.parameter.fraction = plan.body.pool.back().fraction = fraction;
      next.source = index + j;
    }
    if (!wants("delay-line") && chance(60)) {
      plan.carried[index].source = index + length;
      model.features.insert("swap");
    } else {
      model.features.insert("delay-line");
    }
  }
}

/// Plans the trip count, the condition and the iteration index of a Loop.
void Builder::planCondition(LoopPlan &plan) {
  Scope &outer = plan.outer;
  // Rarely as many iterations as a strip has, or more.
  const int64_t most = outer.iterations == 1 && chance(8) ? 6 + random(60) : 5;
  bool isCounted = wants("zero-trips") || chance(60), isOnce = false;
  int64_t trip = chance(wants("zero-trips") ? 80 : 15) ? 0 : 1 + random(most);
  // The trip count is constant, computed, or absent.
  Value tripValue;
  bool isConstantTrip = true;
  if (isCounted) {
    std::optional<Value> computed = chance(wants("zero-trips") ? 10 : 35) ? runtimeCount(outer, trip) : std::nullopt;
    if (computed) {
      tripValue = *computed;
      isConstantTrip = false;
    } else {
      tripValue = anyIndices(outer, {trip}, chance(50));
    }
  } else {
    tripValue = anyIndices(outer, {-1}, chance(50));
  }
  plan.addInput(tripValue);
  plan.most = trip;
  // The initial condition, mostly the constant true.
  bool isKnownToBegin = true, begins = true;
  Value first;
  const Value *there = pick(outer, [](const Value &value) {
    return value.element == RECUR_BOOLEAN && value.isStatic() && value.countElements() == 1 && value.getRank() <= 1;
  });
  if (there && chance(60)) {
    first = *there;
    isKnownToBegin = false;
  } else {
    begins = !chance(8);
    Tensor tensor(RECUR_BOOLEAN, chance(50) ? llvm::ArrayRef<int64_t>() : llvm::ArrayRef<int64_t>(int64_t(1)));
    tensor.setInteger(0, begins);
    first = constant(outer, tensor);
  }
  plan.addInput(first);
  if (chance(50)) {
    Value like;
    like.element = chance(50) ? RECUR_I64 : RECUR_I32;
    if (chance(40))
      like.dims.push_back({1, 0});
    PortEntry entry;
    Value index = parameter(plan.body, like);
    entry.internal = index.ref.node;
    entry.purpose = "current_iteration";
    plan.entries.push_back(entry);
    plan.body.pool.push_back(index);
    plan.counters.push_back(index);
  }
  // The condition of the body: a constant in a counted loop, otherwise (or also) from a counter.
  isOnce = chance(8);
  if (isOnce || (isCounted && chance(60))) {
    Tensor tensor(RECUR_BOOLEAN, chance(50) ? llvm::ArrayRef<int64_t>() : llvm::ArrayRef<int64_t>(int64_t(1)));
    tensor.setInteger(0, !isOnce);
    plan.condition = constant(plan.body, tensor);
    if (isKnownToBegin && isConstantTrip)
      plan.count = !begins || (isCounted && trip == 0) ? 0 : isOnce ? 1 : trip;
    plan.isStaticCount = plan.count >= 0 && !isOnce;
    if (isOnce)
      plan.most = 1;
  } else {
    Value zero = integers(outer, {0}, chance(60), chance(50) ? RECUR_I64 : RECUR_I32);
    PortEntry entry;
    entry.external = plan.addInput(zero);
    LoopPlan::Carried &counter = plan.carried.emplace_back();
    counter.kind = LoopPlan::Counter;
    counter.parameter = parameter(plan.body, zero);
    entry.internal = counter.parameter.ref.node;
    plan.entries.push_back(entry);
    plan.body.pool.push_back(counter.parameter);
    plan.counters.push_back(counter.parameter);
    if (!isCounted)
      plan.most = most;
  }
  if (!isCounted)
    model.features.insert("no-trip-count");
  if (plan.count == 0)
    model.features.insert("zero-trips");
  if (plan.count < 0)
    model.features.insert("data-dependent-count");
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Gives the carried values their next values, and a counter its condition.
void Builder::closeCarried(LoopPlan &plan) {
  Scope &body = plan.body;
  for (LoopPlan::Carried &carried : plan.carried) {
    Value current = carried.parameter, next = current;
    if (carried.kind == LoopPlan::Counter) {
      next = createExactly(body, "Add", {current, integers(body, {1}, true, current.element)}, {}, current.dims);
      Value limit = integers(body, {plan.most}, true, current.element);
      Value goesOn = create(body, "Less", "opset1", {next, limit}, {}, RECUR_BOOLEAN, current.dims);
      // The data may end the loop earlier.
      const Value *x =
          chance(50) ? pick(body, [](const Value &value) { return value.isExact() && value.isNumber(); }) : nullptr;
      if (x) {
        Value data = *x;
        llvm::SmallVector<int64_t> axes;
        for (int64_t axis = 0; axis != data.getRank(); ++axis)
          axes.push_back(axis);
        if (!axes.empty())
          data = createExactly(body, "ReduceMax", {data, anyIndices(body, axes)}, {}, {});
        Value bound = randomConstant(body, data.element, {});
        Value also = create(body, chance(50) ? "Less" : "Greater", "opset1", {data, bound}, {}, RECUR_BOOLEAN, {});
        goesOn = create(body, "LogicalAnd", "opset1", {goesOn, also}, {}, RECUR_BOOLEAN, goesOn.dims);
      }
      plan.condition = goesOn;
    } else if (carried.kind == LoopPlan::Filled) {
      next = fillByCounter(plan, current, carried.axis).value_or(current);
    } else if (carried.source) {
      next = plan.carried[*carried.source].parameter;
    } else if (carried.kind == LoopPlan::Growing) {
      Dims dims = current.dims;
      dims[carried.axis] = {1 + random(2), 0};
      if (std::optional<Value> piece = findOrMake(body, current.element, dims)) {
        if (current.isReal() && current.fraction >= 0 && !(piece->fraction >= 0 && piece->fraction <= 2))
          piece = clampTo(body,
                          create(body, "Convert", "opset1",
                                 {create(body, "Convert", "opset1", {*piece}, {{"destination_type", "boolean"}},
                                         RECUR_BOOLEAN, dims)},
                                 {{"destination_type", getElementName(current.element).str()}}, current.element, dims),
                          1);
        else if (current.isReal() && current.fraction >= 0 && piece->magnitude > 6)
          piece = clampTo(body, *piece, 64);
        std::vector<Value> parts{current, *piece};
        if (chance(30))
          std::swap(parts[0], parts[1]);
        Dims grown = current.dims;
        grown[carried.axis] = {-1, newSymbol()};
        next =
            create(body, "Concat", "opset1", parts, {{"axis", std::to_string(carried.axis)}}, current.element, grown);
        model.features.insert("growing-state");
      }
    } else {
      const Value *x = pick(body, [&](const Value &value) {
        return value.element == current.element && value.dims == current.dims && value.ref.node != current.ref.node &&
               (!current.isReal() || current.fraction < 0 || (value.fraction >= 0 && value.fraction <= 2));
      });
      if (x)
        next = *x;
      else if (current.isNumber() && chance(80))
        next = createExactly(body, "Add", {current, randomConstant(body, current.element, {})}, {}, current.dims);
      if (next.ref.node == current.ref.node)
        model.features.insert("straight-through");
      else if (current.isReal() && current.fraction < 0)
        next = clampTo(body, next, 8);
      else if (current.isReal() && (next.magnitude > 6 || !x))
        next = clampTo(body, next, 64);
    }
    BackEdge edge;
    edge.to = current.ref.node;
    edge.from = result(body, next);
    plan.node.backEdges.push_back(edge);
  }
}

void Builder::closeOutputs(LoopPlan &plan) {
  Scope &body = plan.body;
  std::vector<Value> outputs;
  auto connect = [&](int internal, Value value, std::optional<int64_t> axis, int64_t stride, int64_t part, Dim whole) {
    PortEntry entry;
    entry.isInput = false;
    entry.external = plan.node.inputs.size() + outputs.size();
    entry.internal = internal;
    entry.axis = axis;
    if (axis) {
      entry.stride = stride;
      entry.part = part;
      entry.start = stride < 0 ? -1 : 0;
      entry.end = stride < 0 ? 0 : -1;
    }
    plan.entries.push_back(entry);
    // A dim that is known only in the body gets a new symbol outside.
    for (Dim &dim : value.dims)
      if (dim.symbol > plan.lastOuterSymbol)
        dim = {-1, newSymbol()};
    if (axis)
      value.dims[*axis < 0 ? *axis + value.getRank() : *axis] = whole;
    outputs.push_back(value);
  };
  for (auto [i, carried] : llvm::enumerate(plan.carried))
    if (chance(carried.kind == LoopPlan::Counter ? 30 : 75))
      connect(plan.node.backEdges[i].from, carried.parameter, std::nullopt, 1, 1, {});
  unsigned concatenations = chance(55) + chance(20), last = chance(25);
  if (outputs.empty() && !concatenations)
    concatenations = 1;
  for (unsigned i = 0; i != concatenations; ++i) {
    bool takesAny = chance(5);
    const Value *x = pick(body, [&](const Value &value) {
      return value.getRank() >= 1 &&
             value.countElements() * plan.mostIterations() <=
                 std::max<int64_t>(plan.outer.most, 100 * std::min<int64_t>(plan.mostIterations(), 5)) &&
             (takesAny || llvm::all_of(value.dims, [&](const Dim &dim) {
                return dim.size >= 0 && dim.symbol <= plan.lastOuterSymbol;
              }));
    });
    if (!x) {
      last = 1;
      continue;
    }
    Value value = *x;
    int64_t axis = random(value.getRank());
    bool isBackward = chance(30);
    Dim part = value.dims[axis];
    int64_t length = part.isStatic() ? std::max<int64_t>(part.size, 1) : 1;
    int internal = result(body, value);
    Dim whole{plan.count < 0 || part.size < 0 ? -1 : plan.count * part.size,
              plan.isStaticCount && part.isStatic() ? 0 : newSymbol()};
    connect(internal, value, chance(20) ? axis - value.getRank() : axis, isBackward ? -length : length, length, whole);
    model.features.insert(isBackward ? "backward-concatenation" : "concatenation");
  }
  if (last || outputs.empty()) {
    bool takesAny = chance(5);
    const Value *x = pick(body, [&](const Value &value) { return takesAny || value.isStatic(); });
    Value value = x ? *x : integers(body, {7}, false);
    connect(result(body, value), value, std::nullopt, 1, 1, {});
    model.features.insert("last-value");
  }
  int id = plan.outer.graph.nodes.size();
  for (auto [port, value] : llvm::enumerate(outputs)) {
    plan.node.outputs.push_back(value.getType());
    value.ref = {id, unsigned(port)};
    value.isUsed = false;
    plan.outer.pool.push_back(value);
  }
}

bool Builder::emitLoop(Scope &outer, llvm::StringRef op) {
  if (outer.depth >= 3)
    return false;
  // If the loop is given up, its features must not count.
  std::set<std::string> features = model.features;
  bool isLoop = op == "Loop";
  LoopPlan plan(outer, isLoop);
  plan.node.type = op.str();
  plan.node.version = isLoop ? "opset5" : "opset1";
  if (isLoop)
    planCondition(plan);
  if (!planSlices(plan, /*isNeeded=*/!isLoop)) {
    model.features = std::move(features);
    return false;
  }
  plan.body.iterations = outer.iterations * std::max<int64_t>(plan.mostIterations(), 1);
  plan.body.most = outer.most / std::max<int64_t>(plan.mostIterations(), 1);
  planCarried(plan);
  if (!plan.counters.empty() && chance(60))
    readByCounter(plan);
  if (!plan.counters.empty() && chance(60))
    planFilled(plan);
  for (unsigned i = 0, e = random(3); i != e; ++i)
    if (const Value *x =
            pick(outer, [&](const Value &value) { return value.countElements() <= plan.body.limit(200); })) {
      PortEntry entry;
      Value invariant = *x;
      entry.external = plan.addInput(invariant);
      Value inside = parameter(plan.body, invariant);
      entry.internal = inside.ref.node;
      plan.entries.push_back(entry);
      plan.body.pool.push_back(inside);
    }
  if (plan.body.pool.empty())
    plan.body.pool.push_back(integers(plan.body, {3}, false));
  plan.lastOuterSymbol = lastSymbol;
  grow(plan.body, 1 + random(3));
  closeCarried(plan);
  if (plan.condition) {
    PortEntry entry;
    entry.isInput = false;
    entry.internal = result(plan.body, *plan.condition);
    entry.purpose = "execution_condition";
    plan.entries.push_back(entry);
  }
  closeOutputs(plan);
  for (size_t i = plan.entries.size(); i-- > 1;)
    std::swap(plan.entries[i], plan.entries[random(i + 1)]);
  plan.node.bodies.push_back(std::move(plan.graph));
  plan.node.ports.push_back(std::move(plan.entries));
  outer.graph.nodes.push_back(std::move(plan.node));
  return true;
}

/// Makes a ReadValue, and an Assign that gives the state its next value. A model is compared in its first call, in
/// which each state has its initial value.
bool Builder::emitState(Scope &scope, llvm::StringRef) {
  if (scope.depth != 0)
    return false;
  Value init = anyValue(scope);
  std::string id = "state_" + std::to_string(scope.graph.nodes.size()), shape;
  for (const Dim &dim : init.dims)
    shape += (shape.empty() ? "" : ",") + (dim.isStatic() ? std::to_string(dim.size) : "?");
  Attributes attributes{
      {"variable_id", id}, {"variable_type", getElementName(init.element).str()}, {"variable_shape", shape}};
  // Without an initial value the state is zeros.
  bool hasInit = !init.isStatic() || chance(70);
  Value state = create(scope, "ReadValue", "opset6", hasInit ? std::vector<Value>{init} : std::vector<Value>(),
                       attributes, init.element, init.dims);
  if (hasInit)
    state.copyBits(init);
  else
    state.magnitude = state.fraction = 0;
  add(scope, state);
  const Value *next =
      pick(scope, [&](const Value &value) { return value.element == init.element && value.dims == init.dims; });
  create(scope, "Assign", "opset6", {next ? *next : state}, {{"variable_id", id}}, init.element, init.dims);
  return true;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::infrastructureEntries = [] {
  static constexpr Entry entries[] = {
      {"ReadValue", &Builder::emitState, 1},
      {"Assign", &Builder::emitState, 1},
      {"TensorIterator", &Builder::emitLoop, 0},
      {"Loop", &Builder::emitLoop, 0},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
