// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Signals.cpp - Fourier transforms -----------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

/// One axis, or two, of real numbers or of pairs.
bool Builder::emitFourier(Scope &scope, StringRef op) {
  Value input = anyReal(scope, 1, 3);
  if (input.countElements() > scope.limit(120))
    return false;
  int64_t rank = input.getRank(), last = random(rank);
  llvm::SmallVector<int64_t> axes{last};
  if (rank > 1 && chance(40))
    axes.insert(axes.begin(), (last + 1) % rank);
  Dims dims = input.dims;
  if (op != "RDFT") {
    dims.push_back({1, 0});
    Value part = createExactly(scope, "Unsqueeze", {input, anyIndices(scope, {rank})}, {}, dims);
    dims.back() = {2, 0};
    input = createExactly(scope, "Concat", {part, part}, {{"axis", "-1"}}, dims);
  } else {
    dims.push_back({2, 0});
  }
  std::vector<Value> inputs{input};
  llvm::SmallVector<int64_t> sizes;
  bool hasSizes = chance(50);
  for (int64_t axis : axes) {
    sizes.push_back(chance(30) ? -1 : 1 + int64_t(random(7)));
    if (hasSizes && sizes.back() != -1)
      dims[axis] = {sizes.back(), 0};
  }
  Dim &dim = dims[last];
  bool isGiven = hasSizes && sizes.back() != -1;
  if (op == "RDFT" || (op == "IRDFT" && !isGiven)) {
    if (dim.size >= 0)
      dim.size = op == "RDFT" ? dim.size / 2 + 1 : std::max<int64_t>(2 * (dim.size - 1), 0);
    if (!dim.isStatic())
      dim.symbol = newSymbol();
  }
  if (op == "IRDFT")
    dims.pop_back();
  for (int64_t &axis : axes)
    if (chance(50))
      axis -= rank;
  inputs.push_back(anyIndices(scope, axes));
  if (hasSizes)
    inputs.push_back(anyIndices(scope, sizes));
  return add(scope, create(scope, op, "opset9", inputs, {}, input.element, dims));
}

/// STFT and ISTFT of constants.
bool Builder::emitFrames(Scope &scope, StringRef op) {
  static constexpr recur_element_type types[] = {RECUR_F32, RECUR_F16, RECUR_F64};
  recur_element_type element = types[random(std::size(types))];
  int64_t size = 2 + random(6), step = 1 + random(4), frames = 1 + random(4), length = (frames - 1) * step + size;
  Value window = randomConstant(scope, element, {1 + int64_t(random(size))});
  std::vector<Value> rest{window, anyIndices(scope, {size}, true), anyIndices(scope, {step}, true)};
  bool hasFlag = chance(50);
  if (op == "STFT") {
    rest.insert(rest.begin(), randomConstant(scope, element, {2, length}));
    Dim bins{size / 2 + 1, 0}, count{frames, 0};
    Dims dims{{2, 0}, hasFlag ? bins : count, hasFlag ? count : bins, {2, 0}};
    return add(scope,
               create(scope, op, "opset15", rest, {{"transpose_frames", hasFlag ? "true" : "false"}}, element, dims));
  }
  rest.insert(rest.begin(), randomConstant(scope, element, {size / 2 + 1, frames, 2}));
  if (hasFlag)
    length -= size / 2 * 2;
  if (length < 0 || chance(50)) {
    length = random(20);
    rest.push_back(anyIndices(scope, {length}, true));
  }
  return add(scope, create(scope, op, "opset16", rest,
                           {{"center", hasFlag ? "true" : "false"}, {"normalized", chance(50) ? "true" : "false"}},
                           element, {Dim{length, 0}}));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::signalsEntries = [] {
  static constexpr Entry entries[] = {
      {"STFT", &Builder::emitFrames, 1},
      {"ISTFT", &Builder::emitFrames, 1},
      {"Signals", &Builder::emitFourier, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
