// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementSlice.cpp - ops that take parts ----------------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

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
  Value first =
      isEven ? createExactly(scope, op, {input, where}, {{"num_splits", "2"}}, dims)
             : createExactly(scope, op, {input, where, anyIndices(scope, {chance(30) ? -1 : lengths[0], lengths[1]})},
                             {}, dims);
  Value second = first;
  second.ref.port = 1;
  second.dims[axis] = {lengths[1], 0};
  scope.graph.nodes[first.ref.node].outputs.push_back(second.getType());
  scope.pool.push_back(first);
  return add(scope, second);
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
  // The same elements, backward.
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
    // Without an ellipsis, dims after the last entry stay whole.
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
      shrinkMask.back() = 1;
      continue;
    }
    int64_t step = 1 + random(2), count = 1 + random((dim.size - first + step - 1) / step);
    int64_t stop = std::min(first + count * step, dim.size), last = first + (count - 1) * step;
    if (chance(40))
      // The same elements, backward.
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
  return result.getRank() <= 6 && add(scope, result);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::movementSliceEntries = [] {
  static constexpr Entry entries[] = {
      {"Split", &Builder::emitSplit, 2},
      {"VariadicSplit", &Builder::emitSplit, 2},
      {"Slice", &Builder::emitSlice, 3},
      {"StridedSlice", &Builder::emitStridedSlice, 3},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
