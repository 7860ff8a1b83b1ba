// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Comparison.cpp - comparisons -------------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitCompare(Scope &scope, StringRef op) {
  bool isOrder = op != "Equal" && op != "NotEqual";
  Value a = anyExact(scope);
  if (isOrder && a.element == RECUR_BOOLEAN)
    return false;
  const Value *y = chance(20) ? nullptr : pickPartner(scope, a, [&](const Value &value) {
    return value.element == a.element && value.isExact();
  });
  Value whole = a;
  if (y)
    whole.dims = broadcastDims(a, *y);
  if (whole.countElements() > scope.limit(600))
    return false;
  Value b = y ? *y : randomConstant(scope, a.element, {});
  return add(scope, create(scope, op, "opset1", {a, b}, {}, RECUR_BOOLEAN, broadcastDims(a, b)));
}

/// IsInf and IsFinite.
bool Builder::emitPredicate(Scope &scope, StringRef op) {
  Value data = anyReal(scope);
  Attributes attributes;
  if (op == "IsInf")
    attributes = {{"detect_negative", chance(50) ? "true" : "false"}, {"detect_positive", "true"}};
  return add(scope, create(scope, op, "opset10", {data}, attributes, RECUR_BOOLEAN, data.dims));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::comparisonEntries = [] {
  static constexpr Entry entries[] = {
      {"Comparison", &Builder::emitCompare, 2},
      {"IsInf", &Builder::emitPredicate, 1},
      {"IsFinite", &Builder::emitPredicate, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
