// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InfrastructureCounters.cpp - Loops as exporters write them -------===//
//
// These Loops have no slices and no concatenations. Instead of a slice, they read a tensor at a counter; instead of a
// concatenation, they carry a tensor of which each iteration replaces a part at a counter.
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace recur::fuzz {

/// An index into a dim of `size` that goes up or down with a counter. It is in range if the size allows it.
Value Builder::countedIndex(LoopPlan &plan, int64_t size, bool mayBeNegative) {
  Scope &body = plan.body;
  Value index = plan.counters[random(plan.counters.size())];
  int64_t last = std::max<int64_t>(plan.most - 1, 0);
  int64_t scale = chance(25) && 2 * last < size ? 2 : 1, span = scale * last;
  // Rarely out of range.
  int64_t offset = random(std::max<int64_t>(size - span, 1) + chance(3));
  bool goesDown = chance(40);
  if (goesDown)
    offset += span;
  if (mayBeNegative && chance(20))
    offset -= size;
  auto number = [&](int64_t value) { return integers(body, {value}, index.dims.empty() || chance(50), index.element); };
  auto apply = [&](llvm::StringRef op, Value a, Value b) { index = createExactly(body, op, {a, b}, {}, index.dims); };
  bool isOffsetFirst = chance(50);
  if (scale != 1)
    apply("Multiply", index, number(scale));
  if (goesDown && isOffsetFirst) {
    apply("Subtract", number(offset), index);
  } else {
    if (goesDown)
      index = createExactly(body, "Negative", {index}, {}, index.dims);
    if (offset < 0)
      apply("Subtract", index, number(-offset));
    else if (offset || chance(10))
      apply("Add", index, number(offset));
  }
  if (goesDown)
    model.features.insert("counts-down");
  if (index.element == RECUR_I32 && chance(25))
    index = create(body, "Convert", "opset1", {index}, {{"destination_type", "i64"}}, RECUR_I64, index.dims);
  return index;
}

/// Reads a part of a loop-invariant tensor at a counter.
void Builder::readByCounter(LoopPlan &plan) {
  const Value *x = pick(plan.outer, [&](const Value &value) {
    return value.countElements() <= plan.body.limit(200) && llvm::any_of(value.dims, [&](const Dim &dim) {
             return dim.isStatic() && dim.size >= std::max<int64_t>(plan.most, 1);
           });
  });
  Value data = x ? *x : randomConstant(plan.outer, anyElement(), {plan.most + 1 + random(3), anySize(plan.body, 3)});
  int64_t axis = random(data.getRank());
  while (!data.dims[axis].isStatic() || data.dims[axis].size < std::max<int64_t>(plan.most, 1))
    axis = (axis + 1) % data.getRank();
  PortEntry entry;
  entry.external = plan.addInput(data);
  Value inside = parameter(plan.body, data);
  entry.internal = inside.ref.node;
  plan.entries.push_back(entry);
  bool isSlice = chance(30);
  Value index = countedIndex(plan, data.dims[axis].size, !isSlice);
  Dims dims = data.dims;
  Value part;
  if (isSlice && !index.dims.empty()) {
    Value end =
        createExactly(plan.body, "Add", {index, integers(plan.body, {1}, chance(50), index.element)}, {}, index.dims);
    dims[axis] = {-1, newSymbol()};
    part = createExactly(plan.body, "Slice",
                         {inside, index, end, integers(plan.body, {1}, false, index.element),
                          integers(plan.body, {axis}, false, index.element)},
                         {}, dims);
  } else {
    dims.erase(dims.begin() + axis);
    dims.insert(dims.begin() + axis, index.dims.begin(), index.dims.end());
    part = createExactly(plan.body, "Gather", {inside, index, anyIndices(plan.body, {axis}, chance(50))}, {}, dims);
  }
  plan.body.pool.push_back(part);
  model.features.insert("counted-read");
}

/// Carries a tensor of which each iteration replaces a part at a counter.
void Builder::planFilled(LoopPlan &plan) {
  llvm::SmallVector<int64_t> shape;
  for (unsigned i = 0, e = 1 + random(3); i != e; ++i)
    shape.push_back(i == 0 ? anySize(plan.body, 3) : 1 + random(3));
  LoopPlan::Carried &carried = plan.carried.emplace_back();
  carried.kind = LoopPlan::Filled;
  carried.axis = random(shape.size());
  shape[carried.axis] = std::max<int64_t>(plan.most, 1) + (chance(40) ? random(4) : 0);
  Value init = randomConstant(plan.outer, anyElement(), shape), like = init;
  // Nothing is known about the bits of the parts that are written.
  like.fraction = -1;
  PortEntry entry;
  entry.external = plan.addInput(init);
  carried.parameter = parameter(plan.body, like);
  entry.internal = carried.parameter.ref.node;
  plan.entries.push_back(entry);
  if (chance(10))
    plan.body.pool.push_back(carried.parameter);
}

/// The next value of a tensor that is filled, or nullopt if there is nothing to write.
std::optional<Value> Builder::fillByCounter(LoopPlan &plan, const Value &current, int64_t axis) {
  Value index = countedIndex(plan, current.dims[axis].size, /*mayBeNegative=*/false);
  Dims dims = current.dims;
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, index.dims.begin(), index.dims.end());
  std::optional<Value> part = findOrMake(plan.body, current.element, dims);
  if (!part)
    return std::nullopt;
  Value next = createExactly(plan.body, "ScatterUpdate",
                             {current, index, *part, anyIndices(plan.body, {axis}, chance(50))}, {}, current.dims);
  plan.body.graph.nodes[next.ref.node].version = "opset3";
  model.features.insert("counted-write");
  return next;
}

} // namespace recur::fuzz
