// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Activation.cpp - activations -------------------------------------===//

#include "Build.h"

#include <algorithm>

using llvm::StringRef;

namespace recur::fuzz {

/// Activations whose parameters are inputs.
bool Builder::emitParametric(Scope &scope, StringRef op) {
  Value input = anyReal(scope);
  std::vector<Value> operands{input};
  if (op == "PReLU") {
    // A slope of rank 1 belongs to dim 1, where there is one.
    llvm::SmallVector<int64_t> shape;
    const Dim *channels = input.getRank() >= 2 ? &input.dims[1] : nullptr;
    if (channels && channels->isStatic() && chance(50))
      shape.push_back(channels->size);
    else if (input.getRank() >= 2 && input.dims.back().isStatic() && chance(50))
      shape.assign({1, input.dims.back().size});
    else if (input.getRank() >= 1 && chance(50))
      shape.push_back(1);
    operands.push_back(randomConstant(scope, input.element, shape));
  } else if (op != "Swish" || chance(50)) {
    for (unsigned i = 0; i != (op == "Swish" ? 1u : 2u); ++i)
      operands.push_back(randomConstant(scope, input.element, {}));
  }
  return add(scope, create(scope, op, op == "Swish" ? "opset4" : "opset1", operands, {}, input.element, input.dims));
}

bool Builder::emitClamp(Scope &scope, StringRef) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber(); });
  if (!x)
    return false;
  Value input = *x;
  double low = (int(random(25)) - 16) / 4.0, high = low + random(20) / 4.0;
  Value result =
      createExactly(scope, "Clamp", {input}, {{"min", formatNumber(low)}, {"max", formatNumber(high)}}, input.dims);
  if (result.fraction >= 0)
    result.fraction = std::max(result.fraction, 2);
  return add(scope, result);
}

bool Builder::emitSoftmax(Scope &scope, StringRef op) {
  Value input = anyReal(scope, 1);
  int64_t axis = random(input.getRank());
  return add(scope,
             create(scope, op, "opset8", {input},
                    {{"axis", std::to_string(chance(50) ? axis : axis - input.getRank())}}, input.element, input.dims));
}

bool Builder::emitIdentity(Scope &scope, StringRef op) {
  const Value *x = pick(scope, [](const Value &) { return true; });
  Value result = createExactly(scope, op, {*x}, {}, x->dims);
  scope.graph.nodes[result.ref.node].version = "opset16";
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::activationEntries = [] {
  static constexpr Entry entries[] = {
      {"Relu", &Builder::emitUnary, 3},         {"Exp", &Builder::emitOfSmall, 1},
      {"Clamp", &Builder::emitClamp, 4},        {"Swish", &Builder::emitParametric, 1},
      {"Selu", &Builder::emitParametric, 1},    {"HardSigmoid", &Builder::emitParametric, 1},
      {"PReLU", &Builder::emitParametric, 1},   {"Softmax", &Builder::emitSoftmax, 2},
      {"LogSoftmax", &Builder::emitSoftmax, 1}, {"Identity", &Builder::emitIdentity, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
