// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementScatter.cpp - ops that write at indices --------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitScatterUpdate(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t axis = random(data.getRank());
  if (data.dims[axis].size == 0 || data.countElements() > scope.limit(200))
    return false;
  Dims places = smallDims(random(3));
  Value indices = *indicesFor(scope, places, data.dims[axis]);
  Value where = anyIndices(scope, {chance(50) ? axis : axis - data.getRank()}, chance(50));
  Dims dims(data.dims.begin(), data.dims.begin() + axis);
  dims.append(places);
  dims.append(data.dims.begin() + axis + 1, data.dims.end());
  std::optional<Value> updates = findOrMake(scope, data.element, dims);
  // Otherwise the updates are elements of the data at other indices.
  if (!updates)
    updates = createExactly(scope, "Gather", {data, *indicesFor(scope, places, data.dims[axis]), where}, {}, dims);
  Value result = createExactly(scope, op, {data, indices, *updates, where}, {}, data.dims);
  mergeBits(result, *updates);
  scope.graph.nodes[result.ref.node].version = "opset3";
  return add(scope, result);
}

/// A random reduction attribute. `bits` is updated for the result of the reduction.
Attributes Builder::reduction(llvm::ArrayRef<StringRef> names, const Value &updates, Value &bits) {
  StringRef name = names[random(names.size())];
  if (updates.element == RECUR_BOOLEAN && name == "mean")
    name = "none";
  mergeBits(bits, updates);
  bits.magnitude += name == "sum" || name == "sub" ? std::max(6, bitsOf(updates.countElements() + 1)) : 0;
  if (name == "prod" || name == "mean")
    bits.fraction = -1;
  return {{"reduction", name.str()}};
}

bool Builder::emitScatterElementsUpdate(Scope &scope, StringRef op) {
  Value data = anyValue(scope, 1);
  int64_t axis = random(data.getRank());
  Dims dims;
  for (auto [i, dim] : llvm::enumerate(data.dims)) {
    bool isAxis = int64_t(i) == axis;
    // A dynamic dim of a loop's result may turn out to be 0. No index fits into it.
    if (dim.size == 0 || (!isAxis && !dim.isStatic()))
      return false;
    dims.push_back({1 + int64_t(random(isAxis ? 4 : dim.size)), 0});
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
  Dims dims = smallDims(random(3));
  std::optional<Value> indices = coordinatesFor(scope, data, 0, count, dims);
  if (!indices || data.countElements() > scope.limit(200))
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

bool Builder::emitSliceScatter(Scope &scope, StringRef op) {
  std::optional<std::pair<Value, int64_t>> cut = pickToCut(scope);
  if (!cut || cut->first.countElements() > scope.limit(200))
    return false;
  auto [data, axis] = *cut;
  int64_t length = data.dims[axis].size, start = random(length), step = 1 + random(2);
  Dims dims = data.dims;
  dims[axis] = {(length - start + step - 1) / step, 0};
  std::optional<Value> updates = findOrMake(scope, data.element, dims);
  if (!updates)
    return false;
  Value result = createExactly(scope, op,
                               {data, *updates, anyIndices(scope, {start}), anyIndices(scope, {length + random(2)}),
                                anyIndices(scope, {step}), anyIndices(scope, {axis})},
                               {}, data.dims);
  scope.graph.nodes[result.ref.node].version = "opset15";
  mergeBits(result, *updates);
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::movementScatterEntries = [] {
  static constexpr Entry entries[] = {
      {"ScatterUpdate", &Builder::emitScatterUpdate, 2},
      {"ScatterElementsUpdate", &Builder::emitScatterElementsUpdate, 2},
      {"ScatterNDUpdate", &Builder::emitScatterNDUpdate, 2},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
