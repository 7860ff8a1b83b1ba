// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Type.cpp - element types -----------------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitConvert(Scope &scope, StringRef) {
  return add(scope, convertTo(scope, anyExact(scope), anyElement()));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::typeEntries = [] {
  static constexpr Entry entries[] = {
      {"Convert", &Builder::emitConvert, 4},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
