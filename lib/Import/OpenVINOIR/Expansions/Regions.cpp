// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Regions.cpp - The regions of a layer -------------------------------===//
//
// Checks the regions of a layer, and shapes what was made of them.
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "../TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

LogicalResult Regions::checkEntries(Expansion &e, unsigned i, int64_t count) {
  if (failed(e.expectRank(i, 2, 2)))
    return failure();
  int64_t dim = typeOf(e.operand(i)).getDimSize(1);
  if (!ShapedType::isDynamic(dim) && dim != count)
    return e.error("expected " + Twine(count) + " entries for each region, but got " + spell(typeOf(e.operand(i))));
  return success();
}

Value Regions::settle(Expansion &e, Value entries, int64_t count) {
  return typeOf(entries).isDynamicDim(1) ? e.reshape(entries, {e.dim(entries, 0), e.size(count)}) : entries;
}

LogicalResult Regions::checkBins(Expansion &e, ArrayRef<StringRef> numbersOfBins) {
  constexpr int64_t kMost = 1 << 15;
  for (StringRef name : numbersOfBins)
    if (e.integer(name) < 1 || e.integer(name) > kMost)
      return e.error("expected '" + name + "' to be from 1 to 32768, but got " + Twine(e.integer(name)));
  return success();
}

LogicalResult Regions::check(Expansion &e, int64_t count, ArrayRef<StringRef> numbersOfBins) {
  if (failed(e.expectRank(0, 4, 4)) || failed(checkEntries(e, 1, count)))
    return failure();
  return checkBins(e, numbersOfBins);
}

Value Regions::shape(Value result) {
  Value moved = e.transpose(result, {0, 2, 1});
  return e.reshape(moved, {e.dim(entries, 0), channels, e.size(rows), e.size(columns)});
}
