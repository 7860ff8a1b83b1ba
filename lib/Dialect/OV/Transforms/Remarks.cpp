// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Remarks.cpp - How passes report their decisions --------------------===//
//
// The words that remarks have for layers and sizes.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/Transforms/Remarks.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

llvm::raw_ostream &recur::operator<<(llvm::raw_ostream &os, const QuotedLayer &layer) {
  if (auto named = layer.loc->findInstanceOf<NameLoc>())
    return os << "'" << named.getName().getValue() << "'";
  return os << "another op";
}

llvm::raw_ostream &recur::operator<<(llvm::raw_ostream &os, const JoinedSizes &sizes) {
  llvm::interleave(
      sizes.sizes, [&](int64_t size) { ShapedType::isDynamic(size) ? os << "?" : os << size; }, [&] { os << " x "; });
  return os;
}
