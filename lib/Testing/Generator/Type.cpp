// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Type.cpp - element types -----------------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

/// Converts to the type that an attribute names, or to that of a second operand.
bool Builder::emitConvert(Scope &scope, StringRef op) {
  Value input = anyExact(scope);
  if (ov::findLayerType(op)->operands.size() == 1)
    return add(scope, convertTo(scope, input, anyElement()));
  Value like = anyValue(scope);
  Value result = create(scope, op, "opset1", {input, like}, {}, like.element, input.dims);
  if (input.isReal())
    result.copyBits(input);
  else if (input.element == RECUR_BOOLEAN)
    result.fraction = 0;
  return add(scope, result);
}

/// ConvertPromoteTypes with a second operand of the same type, or a boolean, so that the result has the type of the
/// first.
bool Builder::emitPromote(Scope &scope, StringRef op) {
  Value first = anyExact(scope);
  bool isBoolean = chance(50);
  Value second = isBoolean ? anyBoolean(scope) : randomConstant(scope, first.element, {2});
  Value result = create(scope, op, "opset14", {first, second}, {}, first.element, first.dims);
  result.copyBits(first);
  Value other = result;
  other.ref.port = 1;
  other.dims = second.dims;
  other.magnitude = isBoolean ? 1 : second.magnitude;
  other.fraction = isBoolean ? 0 : second.fraction;
  scope.graph.nodes[result.ref.node].outputs.push_back(other.getType());
  scope.pool.push_back(result);
  return add(scope, other);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::typeEntries = [] {
  static constexpr Entry entries[] = {
      {"ConvertPromoteTypes", &Builder::emitPromote, 1},
      {"Convert", &Builder::emitConvert, 4},
      {"Type", &Builder::emitConvert, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
