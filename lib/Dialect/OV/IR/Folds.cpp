// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Folds.cpp - Helpers for folding constants --------------------------===//
//
// The helpers of Folds.h. Elements of a dense constant are copied one by one, which is cheap because a dense constant
// has at most 1 KiB (kMaxDenseBytes).
//
//===----------------------------------------------------------------------===//

#include "Folds.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace recur::ov {

bool isSmall(RankedTensorType type) {
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  return type.hasStaticShape() && type.getNumElements() <= kMaxDenseBytes / bytes;
}

DenseElementsAttr rearrange(DenseElementsAttr from, RankedTensorType type,
                            function_ref<int64_t(ArrayRef<int64_t>)> source) {
  if (from.isSplat())
    return DenseElementsAttr::get(type, from.getSplatValue<Attribute>());
  auto values = from.getValues<Attribute>();
  SmallVector<Attribute> result;
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t n = type.getNumElements(); n-- > 0;) {
    result.push_back(values[source(index)]);
    for (int64_t d = type.getRank(); d-- > 0;) {
      if (++index[d] < type.getDimSize(d))
        break;
      index[d] = 0;
    }
  }
  return DenseElementsAttr::get(type, result);
}

SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

WeightsAttr getWeights(Attribute attr, Value value) {
  auto weights = dyn_cast_or_null<WeightsAttr>(attr);
  return weights && weights.getType() == value.getType() ? weights : WeightsAttr();
}

Attribute foldKnownIntegers(Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  if (type.getRank() > 1 || !type.getElementType().isSignlessInteger() || !isSmall(type))
    return {};
  std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(result);
  if (!known || llvm::any_of(*known, ShapedType::isDynamic))
    return {};
  SmallVector<APInt> values;
  for (int64_t value : *known)
    values.push_back(APInt(64, value).sextOrTrunc(type.getElementTypeBitWidth()));
  return DenseElementsAttr::get(type, values);
}

} // namespace recur::ov
