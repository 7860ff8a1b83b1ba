// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementRepeat.cpp - ops that repeat or add elements ---------------===//

#include "Build.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

static int64_t countOf(const Dims &dims) {
  Value value;
  value.dims = dims;
  return value.countElements();
}

bool Builder::emitBroadcast(Scope &scope, StringRef) {
  const Value *x =
      pick(scope, [&](const Value &value) { return value.getRank() <= 4 && value.countElements() <= scope.limit(40); });
  if (!x)
    return false;
  Value input = *x;
  unsigned kind = random(4);
  if (kind == 0) {
    // Broadcast to the shape of another value.
    const Value *y = pick(scope, [&](const Value &value) {
      if (value.getRank() < input.getRank() || value.getRank() == 0 || !broadcasts(input, value))
        return false;
      return broadcastDims(input, value) == value.dims;
    });
    if (!y)
      return false;
    Value like = *y;
    Value shape =
        create(scope, "ShapeOf", "opset3", {like}, {{"output_type", "i64"}}, RECUR_I64, {Dim{like.getRank(), 0}});
    return add(scope, createExactly(scope, "Broadcast", {input, shape}, {{"mode", "numpy"}}, like.dims));
  }
  if (!input.isStatic())
    return false;
  Dims dims;
  llvm::SmallVector<int64_t> target, mapping;
  if (kind == 1) {
    // In explicit mode, the dims of the input are some of the dims of the target.
    for (const Dim &dim : input.dims) {
      if (chance(50)) {
        target.push_back(anySize(scope, 3));
        dims.push_back({target.back(), 0});
      }
      mapping.push_back(target.size());
      target.push_back(dim.size);
      dims.push_back(dim);
    }
    if (target.empty() || chance(50)) {
      target.push_back(anySize(scope, 3));
      dims.push_back({target.back(), 0});
    }
    if (dims.size() > 6 || countOf(dims) > scope.limit(1000))
      return false;
    return add(scope, createExactly(scope, "Broadcast", {input, anyIndices(scope, target), anyIndices(scope, mapping)},
                                    {{"mode", "explicit"}}, dims));
  }
  bool isBidirectional = kind == 2;
  if (chance(50)) {
    target.push_back(anySize(scope, 3));
    dims.push_back({target.back(), 0});
  }
  for (const Dim &dim : input.dims) {
    int64_t size = dim.size == 1 ? anySize(scope, 4) : dim.size;
    // In bidirectional mode the target may have ones too.
    target.push_back(isBidirectional && chance(40) ? 1 : size);
    dims.push_back({target.back() == 1 ? dim.size : size, 0});
  }
  if (target.empty() || countOf(dims) > scope.limit(1000))
    return false;
  return add(scope, createExactly(scope, "Broadcast", {input, anyIndices(scope, target)},
                                  {{"mode", isBidirectional ? "bidirectional" : "numpy"}}, dims));
}

bool Builder::emitTile(Scope &scope, StringRef) {
  const Value *x = pick(scope, [&](const Value &value) {
    return value.getRank() >= 1 && value.countElements() <= std::max<int64_t>(60, scope.most / 3);
  });
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

bool Builder::emitPad(Scope &scope, StringRef op) {
  Value input = anyValue(scope, 1);
  if (input.countElements() > scope.limit(150))
    return false;
  // The largest padding of a dim.
  int64_t bound = scope.most && chance(25) ? 17 : 3;
  static constexpr StringRef modes[] = {"constant", "edge", "reflect", "symmetric"};
  unsigned mode = random(std::size(modes));
  llvm::SmallVector<int64_t> begin, end;
  Dims dims;
  bool isNegative = false;
  for (const Dim &dim : input.dims) {
    // The largest padding that the mode allows for a dim of this size.
    int64_t most = dim.size < 0 ? 0
                   : mode == 0  ? bound
                   : mode == 1  ? (dim.size ? bound : 0)
                   : mode == 2  ? dim.size - 1
                                : dim.size;
    most = std::clamp<int64_t>(most, 0, bound);
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
  if (countOf(dims) > scope.limit(600))
    return false;
  recur_element_type index = chance(50) ? RECUR_I64 : RECUR_I32;
  std::vector<Value> operands{input, integers(scope, begin, false, index), integers(scope, end, false, index)};
  if (mode == 0 && chance(60))
    operands.push_back(randomConstant(scope, input.element, {}));
  Value result = createExactly(scope, op, operands, {{"pad_mode", modes[mode].str()}}, dims);
  if (operands.size() == 4)
    mergeBits(result, operands[3]);
  scope.graph.nodes[result.ref.node].version = isNegative ? "opset12" : "opset1";
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::movementRepeatEntries = [] {
  static constexpr Entry entries[] = {
      {"Broadcast", &Builder::emitBroadcast, 4},
      {"Tile", &Builder::emitTile, 3},
      {"Pad", &Builder::emitPad, 2},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
