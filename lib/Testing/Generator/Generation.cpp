// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.cpp - ops that generate numbers -------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitRange(Scope &scope, StringRef op) {
  static constexpr recur_element_type types[] = {RECUR_I64, RECUR_I32, RECUR_F32, RECUR_F32,
                                                 RECUR_F16, RECUR_F64, RECUR_I16};
  recur_element_type element = types[random(std::size(types))], output = element;
  bool isReal = interpreter::isReal(element);
  int64_t count = chance(15) ? 0 : anySize(scope, 6);
  // Real numbers count in halves.
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
    // A remainder of the last step does not count.
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
  Value result = create(scope, op, "opset4", {scalar(start), last, scalar(step)},
                        {{"output_type", getElementName(output).str()}}, output, {dim});
  result.magnitude = count > 6 ? 9 : 5;
  result.fraction = 1;
  return add(scope, result);
}

bool Builder::emitRandomUniform(Scope &scope, StringRef op) {
  static constexpr recur_element_type types[] = {RECUR_F32, RECUR_F16, RECUR_BF16, RECUR_F64, RECUR_I32, RECUR_I64};
  unsigned kind = random(std::size(types));
  Dims dims = smallDims(1 + random(3));
  llvm::SmallVector<int64_t> shape;
  for (const Dim &dim : dims)
    shape.push_back(dim.size);
  auto scalar = [&](int64_t value) {
    Tensor tensor(types[kind], {});
    interpreter::isReal(types[kind]) ? tensor.setReal(0, value) : tensor.setInteger(0, value);
    return constant(scope, tensor);
  };
  int64_t least = int64_t(random(9)) - 6;
  return add(scope, create(scope, op, "opset8",
                           {anyIndices(scope, shape), scalar(least), scalar(least + 1 + int64_t(random(9)))},
                           {{"output_type", getElementName(types[kind]).str()},
                            {"global_seed", std::to_string(random(3))},
                            {"op_seed", std::to_string(random(3))},
                            {"alignment", chance(40) ? "pytorch" : "tensorflow"}},
                           types[kind], dims));
}

/// All probabilities are positive and a class is left in the end, so that no sample depends on the rounding of sums.
bool Builder::emitMultinomial(Scope &scope, StringRef op) {
  int64_t batch = random(3), classes = 2 + random(5);
  bool isDistinct = chance(50);
  int64_t count = random(isDistinct ? classes : 6);
  Tensor tensor(chance(70) ? RECUR_F32 : RECUR_F64, {batch, classes});
  for (int64_t i = 0; i != batch * classes; ++i)
    tensor.setReal(i, double(1 + random(12)) / 4);
  recur_element_type element = chance(50) ? RECUR_I32 : RECUR_I64;
  return add(scope, create(scope, op, "opset13", {constant(scope, tensor), anyIndices(scope, {count}, chance(50))},
                           {{"convert_type", getElementName(element).str()},
                            {"with_replacement", isDistinct ? "false" : "true"},
                            {"log_probs", chance(30) ? "true" : "false"},
                            {"global_seed", std::to_string(random(3))},
                            {"op_seed", std::to_string(random(3))}},
                           element, {{batch, 0}, {count, 0}}));
}

bool Builder::emitEye(Scope &scope, StringRef op) {
  int64_t rows = random(4), columns = random(4);
  recur_element_type element = anyElement();
  std::vector<Value> operands{anyIndices(scope, {rows}, chance(50)), anyIndices(scope, {columns}, chance(50)),
                              anyIndices(scope, {int64_t(random(7)) - 3}, chance(50))};
  Dims dims{{rows, 0}, {columns, 0}};
  if (chance(40)) {
    dims.insert(dims.begin(), Dim{int64_t(1 + random(2)), 0});
    operands.push_back(anyIndices(scope, {dims[0].size}));
  }
  Value result = create(scope, op, "opset9", operands, {{"output_type", getElementName(element).str()}}, element, dims);
  result.magnitude = 1;
  result.fraction = 0;
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::generationEntries = [] {
  static constexpr Entry entries[] = {
      {"Eye", &Builder::emitEye, 1},
      {"Range", &Builder::emitRange, 2},
      {"RandomUniform", &Builder::emitRandomUniform, 1},
      {"Multinomial", &Builder::emitMultinomial, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
