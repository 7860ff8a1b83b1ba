// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.cpp - TopK and SelectBoxes ----------------------------------------===//
//
// The length of TopK's results along the axis is the value of `k`, so that dim is dynamic unless `k` is known. The
// number of boxes that are chosen is never known.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

LogicalResult TopKOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData(), k = adaptor.getK();
  int64_t axis = *normalizeAxis(adaptor.getAxis(), rankOf(data));
  SmallVector<int64_t> result(shapeOf(data));
  // C3. The value of a `k` of rank 2 or more is not tracked.
  std::optional<SmallVector<int64_t>> number = getPartlyKnownSizes(k);
  int64_t size = result[axis], count = number ? number->front() : ShapedType::kDynamic;
  if (!ShapedType::isDynamic(count) && (count < 0 || (!ShapedType::isDynamic(size) && count > size)))
    return report("expected k in [0, ", ShapedType::isDynamic(size) ? std::numeric_limits<int64_t>::max() : size,
                  "], but got ", count);
  result[axis] = count;
  (void)addType(types, result, elementOf(data));
  return addType(types, result, adaptor.getIndexElementType());
}

std::optional<int64_t> TopKOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  return operand == 0 ? keepUnless(normalizeAxis(getAxis(), rankOf(getData())), axis) : std::nullopt;
}

DimSource::MaybeDim TopKOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return dim == normalizeAxis(getAxis(), rankOf(getData())) ? std::nullopt : dims.get(getData(), dim);
}

bool TopKOp::canFault() {
  std::optional<SmallVector<int64_t>> number = getPartlyKnownSizes(getK());
  std::optional<int64_t> axis = normalizeAxis(getAxis(), rankOf(getData()));
  if (!number || number->size() != 1 || !axis)
    return true;
  // If `k` and the dim are both known, inference has checked that `k` fits. A `k` of 0 fits any dim.
  int64_t count = number->front();
  return count != 0 && (ShapedType::isDynamic(count) || ShapedType::isDynamic(shapeOf(getData())[*axis]));
}

//===----------------------------------------------------------------------===//
// SelectBoxes
//===----------------------------------------------------------------------===//

LogicalResult SelectBoxesOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  ArrayRef<int64_t> boxes = shapeOf(adaptor.getBoxes()), scores = shapeOf(adaptor.getScores());
  // C5
  if (!mergeDims(boxes[2], 4) || !mergeDims(boxes[0], scores[0]) || !mergeDims(boxes[1], scores[2]))
    return report("expected boxes [batches, boxes, 4] and scores [batches, classes, boxes], but got ",
                  adaptor.getBoxes().getType(), " and ", adaptor.getScores().getType());
  (void)addType(types, {ShapedType::kDynamic, 3}, IntegerType::get(adaptor.getBoxes().getContext(), 64));
  return addType(types, ShapedType::kDynamic, elementOf(adaptor.getScores()));
}

DimSource::MaybeDim SelectBoxesOp::describeDim(DimSource &, unsigned, int64_t) { return std::nullopt; }

bool SelectBoxesOp::canFault() {
  return isUnknown(shapeOf(getBoxes())[2]) || !provablySameDim(getBoxes(), 0, getScores(), 0) ||
         !provablySameDim(getBoxes(), 1, getScores(), 2);
}
