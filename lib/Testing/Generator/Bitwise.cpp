// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bitwise.cpp - operations on bits ---------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitBitwise(Scope &scope, StringRef op) {
  bool isShift = op.ends_with("Shift");
  const Value *x = pick(scope, [&](const Value &value) { return isShift ? value.isInteger() : !value.isReal(); });
  Value a = x ? *x : randomConstant(scope, RECUR_I32, {2, 3});
  StringRef opset = isShift ? "opset15" : "opset13";
  if (op == "BitwiseNot")
    return add(scope, create(scope, op, opset, {a}, {}, a.element, a.dims));
  const Value *y =
      chance(40) ? nullptr : pickPartner(scope, a, [&](const Value &value) { return value.element == a.element; });
  Value whole = a;
  if (y)
    whole.dims = broadcastDims(a, *y);
  if (whole.countElements() > scope.limit(600))
    return false;
  Value b = y ? *y : randomConstant(scope, a.element, {});
  return add(scope, create(scope, op, opset, {a, b}, {}, a.element, broadcastDims(a, b)));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::bitwiseEntries = [] {
  static constexpr Entry entries[] = {
      {"BitwiseNot", &Builder::emitBitwise, 1},
      {"Bitwise", &Builder::emitBitwise, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
