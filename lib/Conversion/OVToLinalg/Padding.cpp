// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Padding.cpp - A tensor surrounded by a value -----------------------===//
//
// Padding by slabs: for each dim, one slab before the data and one after it are filled and inserted, and the data is
// inserted last. The slabs do not overlap, so every element is written once.
//
//===----------------------------------------------------------------------===//

#include "Padding.h"
#include "Indexing.h"

using namespace mlir;

namespace recur::ov {

Value surround(LoweringBuilder &b, Value data, Value value, ArrayRef<OpFoldResult> sizes, ArrayRef<Center> centers) {
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), extents(sizes),
      ones(sizes.size(), b.getIndexAttr(1));
  Value result = emptyOf(b, sizes, elementOf(data));
  // Fills `size` elements from `offset` along dim i. Extents along earlier dims are those of the data, along later dims
  // those of the result.
  auto addSlab = [&](size_t i, OpFoldResult offset, Value size) {
    if (getConstantIntValue(size) == 0)
      return;
    offsets[i] = offset;
    extents[i] = toSize(b, size);
    Value slab = filledOf(b, extents, value);
    result = insertInto(b, slab, result, offsets, extents, ones);
  };
  SmallVector<OpFoldResult> from;
  bool isWhole = true;
  for (auto [i, center] : llvm::enumerate(centers)) {
    Value end = addIndex(b, toValue(b, center.offset), toValue(b, center.size));
    addSlab(i, b.getIndexAttr(0), toValue(b, center.offset));
    addSlab(i, toSize(b, end), subIndex(b, toValue(b, sizes[i]), end));
    // The slabs of later dims cover only the range of the data in this dim.
    offsets[i] = center.offset;
    extents[i] = center.size;
    from.push_back(center.from);
    isWhole &= getConstantIntValue(center.from) == 0 && center.size == getDimOrAttr(b, data, i);
  }
  if (!isWhole)
    data = sliceOf(b, RankedTensorType::get(staticShapeOf(extents), elementOf(data)), data, from, extents, ones);
  return insertInto(b, data, result, offsets, extents, ones);
}

Value padWith(LoweringBuilder &b, Value data, Value value, ArrayRef<OpFoldResult> before,
              ArrayRef<OpFoldResult> behind) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<Center> centers;
  for (auto [i, front, back] : llvm::enumerate(before, behind)) {
    OpFoldResult size = getDimOrAttr(b, data, i);
    Value sum = addIndex(b, addIndex(b, toValue(b, size), toValue(b, front)), toValue(b, back));
    sizes.push_back(toSize(b, sum));
    centers.push_back({front, size, b.getIndexAttr(0)});
  }
  return surround(b, data, value, sizes, centers);
}

} // namespace recur::ov
