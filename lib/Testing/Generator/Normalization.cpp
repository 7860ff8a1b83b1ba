// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Normalization.cpp - layers that normalize --------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitNormalization(Scope &scope, StringRef op) {
  Value data = anyReal(scope, 2);
  int64_t rank = data.getRank(), axis = random(rank);
  auto normal = [&](std::vector<Value> inputs, StringRef version, Attributes attributes) {
    inputs.insert(inputs.begin(), data);
    return add(scope, create(scope, op, version, inputs, std::move(attributes), data.element, data.dims));
  };
  // Variances and roots stay away from 0, where rounding decides the result.
  std::string eps = formatNumber(0.5 + 0.25 * random(4));
  if (op == "MVN")
    return normal({anyIndices(scope, {chance(50) ? axis : axis - rank})}, "opset6",
                  {{"normalize_variance", chance(70) ? "true" : "false"},
                   {"eps", eps},
                   {"eps_mode", chance(50) ? "inside_sqrt" : "outside_sqrt"}});
  if (op == "NormalizeL2")
    return normal({anyIndices(scope, {axis})}, "opset1", {{"eps", eps}, {"eps_mode", chance(50) ? "add" : "max"}});
  if (op == "GRN")
    return normal({}, "opset1", {{"bias", eps}});
  if (op == "LRN")
    return normal({anyIndices(scope, {axis})}, "opset1",
                  {{"alpha", "0.5"}, {"beta", "0.75"}, {"bias", "1.5"}, {"size", std::to_string(1 + random(12))}});
  // The other layers have vectors with an entry for each channel.
  if (!data.dims[1].isStatic())
    return false;
  int64_t channels = data.dims[1].size;
  auto vector = [&] { return randomConstant(scope, data.element, {channels}); };
  if (op == "GroupNormalization") {
    int64_t groups = 1;
    for (int64_t divisor = 2; divisor <= channels; ++divisor)
      if (channels % divisor == 0 && chance(50))
        groups = divisor;
    return normal({vector(), vector()}, "opset12", {{"num_groups", std::to_string(groups)}, {"epsilon", eps}});
  }
  // BatchNormInference. A variance must not be negative.
  Value variance = createExactly(scope, "Abs", {vector()}, {}, {{channels, 0}});
  return normal({vector(), vector(), vector(), variance}, "opset5", {{"epsilon", eps}});
}

bool Builder::emitFakeQuantize(Scope &scope, StringRef op) {
  Value data = anyReal(scope);
  auto number = [&](double value) {
    Tensor tensor(data.element, {});
    tensor.set(0, interpreter::Scalar::of(value));
    return constant(scope, tensor);
  };
  // With these limits, only data that is exact lies halfway between two levels.
  double low = -1.0 - random(3), high = 1.0 + random(3);
  return add(scope,
             create(scope, op, "opset1", {data, number(low), number(high), number(-2), number(3)},
                    {{"levels", std::to_string(data.isExact() ? 3 + random(200) : 2)}}, data.element, data.dims));
}

/// The data are exact, so a change of the last digit moves no number over a limit between two results.
bool Builder::emitFakeConvert(Scope &scope, StringRef op) {
  Value data = randomConstant(scope, RECUR_F32, {1 + random(3), anySize(scope, 6)});
  Tensor scale(RECUR_F32, {1});
  scale.setReal(0, chance(50) ? 2 : 0.25);
  return add(scope, create(scope, op, "opset13", {data, constant(scope, scale)},
                           {{"destination_type", chance(50) ? "f8e4m3" : "f8e5m2"}}, RECUR_F32, data.dims));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::normalizationEntries = [] {
  static constexpr Entry entries[] = {
      {"Normalization", &Builder::emitNormalization, 1},
      {"Quantization", &Builder::emitFakeQuantize, 1},
      {"FakeConvert", &Builder::emitFakeConvert, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
