// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reducing.cpp - Loops that accumulate -------------------------------===//
//
// Loops that accumulate into a filled tensor. The accumulator has compute type, so f16 and bf16 are rounded only once,
// at the end.
//
//===----------------------------------------------------------------------===//

#include "Reducing.h"
#include "Payloads.h"

#include "Recur/Dialect/RT/IR/SumOrder.h"

using namespace mlir;

namespace recur::ov {

AffineMap getReducedMap(MLIRContext *context, int64_t rank, ArrayRef<int64_t> axes) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(rank, context);
  llvm::SmallBitVector dropped(rank);
  for (int64_t axis : axes)
    dropped.set(axis);
  return map.dropResults(dropped);
}

Value reduce(LoweringBuilder &b, Value data, Type element, ArrayRef<int64_t> axes, Value neutral, Combine combine) {
  int64_t rank = rankOf(data);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i != rank; ++i) {
    if (llvm::is_contained(axes, i))
      iterators[i] = IteratorType::reduction;
    else
      sizes.push_back(getDimOrAttr(b, data, i));
  }
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank), getReducedMap(b.getContext(), rank, axes)};
  return generic(b, data, filledOf(b, sizes, neutral), maps, iterators, [&](LoweringBuilder &inner, ValueRange args) {
    return combine(inner, args[1], fromStorage(inner, args[0], element), isUnsigned(element));
  });
}

Value contract(LoweringBuilder &b, ValueRange factors, Type element, ArrayRef<OpFoldResult> sizes,
               ArrayRef<AffineMap> maps, int64_t columns, bool anyRows) {
  SmallVector<IteratorType> iterators(sizes.size(), IteratorType::parallel);
  iterators.append(maps.front().getNumDims() - sizes.size(), IteratorType::reduction);
  auto accumulate = [&](LoweringBuilder &inner, ValueRange args) {
    Value product = fromStorage(inner, args.front(), element);
    for (Value factor : args.drop_front().drop_back())
      product = multiply(inner, product, fromStorage(inner, factor, element));
    Value sum = add(inner, args.back(), product);
    if (isa<FloatType>(sum.getType())) {
      sum.getDefiningOp()->setAttr(rt::kColumnsAttr, inner.getI64IntegerAttr(columns));
      if (anyRows)
        sum.getDefiningOp()->setAttr(rt::kAnyRowsAttr, inner.getUnitAttr());
    }
    return sum;
  };
  Value init = filledOf(b, sizes, zeroOf(b, getComputeType(element)));
  Value sums = generic(b, factors, init, maps, iterators, accumulate);
  return leaveAll(b, sums, element);
}

} // namespace recur::ov
