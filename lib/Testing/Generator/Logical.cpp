// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Logical.cpp - logical operations ---------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitLogical(Scope &scope, StringRef op) {
  Value a = anyBoolean(scope);
  if (op == "LogicalNot")
    return add(scope, createExactly(scope, op, {a}, {}, a.dims));
  const Value *y = pickPartner(scope, a, [&](const Value &value) { return value.element == RECUR_BOOLEAN; });
  Value whole = a;
  if (y)
    whole.dims = broadcastDims(a, *y);
  if (whole.countElements() > scope.limit(600))
    return false;
  Value b = y ? *y : randomConstant(scope, RECUR_BOOLEAN, {});
  return add(scope, create(scope, op, "opset1", {a, b}, {}, RECUR_BOOLEAN, broadcastDims(a, b)));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::logicalEntries = [] {
  static constexpr Entry entries[] = {
      {"LogicalNot", &Builder::emitLogical, 2},
      {"Logical", &Builder::emitLogical, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
