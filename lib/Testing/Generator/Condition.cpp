// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Condition.cpp - If, and other ops with conditions ------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

/// Makes an If. Both bodies return values of the same types, each computed by one or two ops of its own.
bool Builder::emitIf(Scope &scope, StringRef op) {
  const Value *x =
      pick(scope, [&](const Value &value) { return value.isNumber() && value.countElements() <= scope.limit(200); });
  if (!x || scope.depth >= 3)
    return false;
  Value like = *x, decides = anyFlag(scope);
  const Value *y = pick(scope, [&](const Value &value) { return value.countElements() <= scope.limit(200); });
  std::vector<Value> inputs{like, *y};
  Node node;
  node.type = op.str();
  node.version = "opset8";
  node.inputs = {decides.ref, inputs[0].ref, inputs[1].ref};
  // Rarely the results differ in their dims, which are then known only at run time.
  bool mayDiffer = like.getRank() >= 1 && chance(25);
  Value merged = like;
  unsigned lastOuterSymbol = lastSymbol;
  for (unsigned i = 0; i != 2; ++i) {
    node.bodies.emplace_back();
    std::vector<PortEntry> &entries = node.ports.emplace_back();
    Scope body{node.bodies.back(), {}, scope.depth + 1, scope.most, scope.iterations};
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
      return value.element == like.element && value.ref.node > 1 &&
             (mayDiffer ? value.getRank() == like.getRank() : value.dims == like.dims);
    });
    Value result = z ? *z : createExactly(body, "Negative", {body.pool.front()}, {}, like.dims);
    mergeBits(merged, result);
    for (auto [axis, dim] : llvm::enumerate(result.dims)) {
      bool isNew = dim.symbol > lastOuterSymbol;
      if (i == 0)
        merged.dims[axis] = isNew ? Dim{-1, newSymbol()} : dim;
      else if (isNew || !(merged.dims[axis] == dim))
        merged.dims[axis] = {-1, newSymbol()};
    }
    PortEntry entry;
    entry.isInput = false;
    entry.external = 3;
    entry.internal = this->result(body, result);
    entries.push_back(entry);
  }
  node.outputs.push_back(merged.getType());
  for (Value &value : scope.pool)
    for (const Ref &ref : node.inputs)
      value.isUsed |= value.ref.node == ref.node && value.ref.port == ref.port;
  scope.graph.nodes.push_back(std::move(node));
  merged.ref = {int(scope.graph.nodes.size()) - 1, 0};
  merged.isUsed = false;
  return add(scope, merged);
}

bool Builder::emitSelect(Scope &scope, StringRef) {
  Value c = anyBoolean(scope);
  const Value *x = pickPartner(scope, c, [](const Value &) { return true; });
  if (!x)
    return false;
  Value a = *x;
  Value shape = c;
  shape.dims = broadcastDims(c, a);
  const Value *y = pickPartner(scope, shape, [&](const Value &value) { return value.element == a.element; });
  Value b = y ? *y : randomConstant(scope, a.element, {});
  shape.dims = broadcastDims(shape, b);
  if (shape.countElements() > scope.limit(600))
    return false;
  Value result = create(scope, "Select", "opset1", {c, a, b}, {}, a.element, shape.dims);
  if (a.fraction >= 0 && b.fraction >= 0) {
    result.magnitude = std::max(a.magnitude, b.magnitude);
    result.fraction = std::max(a.fraction, b.fraction);
  }
  return add(scope, result);
}

/// The number of results depends on which elements are zero, so only exact values are taken.
bool Builder::emitNonZero(Scope &scope, StringRef op) {
  Value input = anyExact(scope, 1);
  if (input.countElements() > std::max<int64_t>(60, scope.most / 6))
    return false;
  bool isShort = chance(40);
  return add(scope, create(scope, op, "opset3", {input}, {{"output_type", isShort ? "i32" : "i64"}},
                           isShort ? RECUR_I32 : RECUR_I64, {Dim{input.getRank(), 0}, Dim{-1, newSymbol()}}));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::conditionEntries = [] {
  static constexpr Entry entries[] = {
      {"If", &Builder::emitIf, 3},
      {"Select", &Builder::emitSelect, 4},
      {"Bucketize", &Builder::emitSearch, 1},
      {"NonZero", &Builder::emitNonZero, 2},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
