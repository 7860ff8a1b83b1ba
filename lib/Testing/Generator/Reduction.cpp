// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reduction.cpp - reductions ---------------------------------------===//

#include "Build.h"

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
  Value result =
      createExactly(scope, op, {input, anyIndices(scope, axes)}, {{"keep_dims", keeps ? "true" : "false"}}, dims);
  // A sum needs more bits than its terms.
  if (isSum)
    result.magnitude += std::max(10, bitsOf(input.countElements()));
  return add(scope, result);
}

bool Builder::emitOtherReduction(Scope &scope, StringRef op) {
  // Reductions that round take real numbers.
  bool isReal = op == "ReduceMean" || op == "ReduceL2";
  Value input = op.starts_with("ReduceLogical") ? anyBoolean(scope, 1)
                : isReal                        ? anyReal(scope, 1)
                                                : anyNumber(scope, 1);
  int64_t axis = random(input.getRank());
  // The interpreter multiplies as f64. A product of many numbers overflows f32 long before.
  if (op == "ReduceProd" && input.isReal() && input.dims[axis].size > 8)
    return false;
  bool keeps = chance(50);
  Dims dims = input.dims;
  if (keeps)
    dims[axis] = {1, 0};
  else
    dims.erase(dims.begin() + axis);
  Value result = createExactly(scope, op, {input, anyIndices(scope, {chance(50) ? axis : axis - input.getRank()})},
                               {{"keep_dims", keeps ? "true" : "false"}}, dims);
  if (op != "ReduceMin")
    result.fraction = input.isReal() ? -1 : result.fraction;
  return add(scope, result);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::reductionEntries = [] {
  static constexpr Entry entries[] = {
      {"ReduceSum", &Builder::emitReduce, 4},
      {"ReduceMax", &Builder::emitReduce, 4},
      {"Reduction", &Builder::emitOtherReduction, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
