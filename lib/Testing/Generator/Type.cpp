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

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::typeEntries = [] {
  static constexpr Entry entries[] = {
      {"Convert", &Builder::emitConvert, 4},
      {"Type", &Builder::emitConvert, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
