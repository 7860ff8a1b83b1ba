// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GenerateReductions.cpp - reductions and scans --------------------===//

#include "Build.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitReduce(Scope &scope, StringRef op) {
  const Value *x = pick(scope, [](const Value &value) { return value.isNumber() && value.getRank() >= 1; });
  if (!x)
    return false;
  Value input = *x;
  bool isSum = op == "ReduceSum", keeps = chance(50);
  llvm::SmallVector<int64_t> axes;
  Dims dims;
  for (int64_t axis = 0; axis != input.getRank(); ++axis) {
    bool isReduced = chance(50);
    if (isReduced)
      axes.push_back(chance(50) ? axis : axis - input.getRank());
    if (!isReduced)
      dims.push_back(input.dims[axis]);
    else if (keeps)
      dims.push_back({1, 0});
  }
  Value result = createExactly(scope, op, {input, anyIndices(scope, axes)},
                               {{"keep_dims", keeps ? "true" : "false"}}, dims);
  // Sums of no more than 2^10 elements; the greatest of nothing is minus infinity.
  if (isSum)
    result.magnitude += 10;
  return add(scope, result);
}

bool Builder::emitOtherReduction(Scope &scope, StringRef op) {
  // What is rounded is of real numbers.
  bool isReal = op == "ReduceMean" || op == "ReduceL2";
  Value input = op.starts_with("ReduceLogical") ? anyBoolean(scope, 1)
                : isReal                        ? anyReal(scope, 1)
                                                : anyNumber(scope, 1);
  int64_t axis = random(input.getRank());
  bool keeps = chance(50);
  Dims dims = input.dims;
  if (keeps)
    dims[axis] = {1, 0};
  else
    dims.erase(dims.begin() + axis);
  Value result = createExactly(scope, op,
                               {input, anyIndices(scope, {chance(50) ? axis : axis - input.getRank()})},
                               {{"keep_dims", keeps ? "true" : "false"}}, dims);
  if (op != "ReduceMin")
    result.fraction = input.isReal() ? -1 : result.fraction;
  return add(scope, result);
}

bool Builder::emitSoftmax(Scope &scope, StringRef op) {
  Value input = anyReal(scope, 1);
  int64_t axis = random(input.getRank());
  return add(scope, create(scope, op, "opset8", {input},
                           {{"axis", std::to_string(chance(50) ? axis : axis - input.getRank())}}, input.element,
                           input.dims));
}

bool Builder::emitCumSum(Scope &scope, StringRef) {
  Value input = anyNumber(scope, 1);
  int64_t axis = random(input.getRank());
  Value result = createExactly(
      scope, "CumSum", {input, anyIndices(scope, {chance(50) ? axis : axis - input.getRank()}, /*isScalar=*/true)},
      {{"exclusive", chance(40) ? "true" : "false"}, {"reverse", chance(40) ? "true" : "false"}}, input.dims);
  result.magnitude += 10;
  return add(scope, result);
}

/// The order decides the indices, so of exact values only.
bool Builder::emitTopK(Scope &scope, StringRef op) {
  Value input = anyExact(scope, 1);
  if (!input.isNumber())
    return false;
  int64_t axis = random(input.getRank()), most = std::max<int64_t>(input.dims[axis].size, 0);
  Dims dims = input.dims;
  Value k;
  std::optional<Value> computed = chance(25) ? runtimeCount(scope, most) : std::nullopt;
  if (computed) {
    k = *computed;
    dims[axis] = {-1, newSymbol()};
  } else {
    dims[axis] = {int64_t(random(most + 1)), 0};
    k = anyIndices(scope, {dims[axis].size}, /*isScalar=*/true);
  }
  static constexpr StringRef orders[] = {"value", "index", "value"};
  bool isShort = chance(50), isStable = chance(40);
  Attributes attributes{{"axis", std::to_string(chance(50) ? axis : axis - input.getRank())},
                        {"mode", chance(50) ? "max" : "min"},
                        {"sort", orders[random(std::size(orders))].str()},
                        {"index_element_type", isShort ? "i32" : "i64"}};
  if (isStable)
    attributes.push_back({"stable", "true"});
  Value values = createExactly(scope, op, {input, k}, attributes, dims), indices = values;
  scope.graph.nodes[values.ref.node].version = isStable ? "opset11" : "opset3";
  indices.ref.port = 1;
  indices.element = isShort ? RECUR_I32 : RECUR_I64;
  scope.graph.nodes[values.ref.node].outputs.push_back(indices.getType());
  scope.pool.push_back(values);
  return add(scope, indices);
}

} // namespace recur::fuzz
