// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementScatter.cpp - Scatter operations ---------------------------===//
//
// This file has the type inference, dims and fault checks of ScatterUpdate, ScatterElementsUpdate and ScatterNDUpdate.
// The result has the shape of `data`. An index out of range is a fault, so these ops can fault unless shapes and
// constant indices prove that they cannot.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// ScatterUpdate
//===----------------------------------------------------------------------===//

LogicalResult ScatterUpdateOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
  std::optional<int64_t> axis = getConstantAxis(adaptor.getAxis(), rankOf(data));
  // C3
  SmallVector<int64_t> expected(shapeOf(data).take_front(*axis));
  llvm::append_range(expected, shapeOf(indices));
  llvm::append_range(expected, shapeOf(data).drop_front(*axis + 1));
  std::optional<SmallVector<int64_t>> merged = mergeShapes(expected, shapeOf(updates));
  if (!merged)
    return report("expected updates with the dims of ", data.getType(), " and those of ", indices.getType(),
                  " in place of axis ", *axis, ", but got ", updates.getType());
  SmallVector<int64_t> shape(merged->begin(), merged->begin() + *axis);
  shape.push_back(shapeOf(data)[*axis]);
  shape.append(merged->begin() + *axis + rankOf(indices), merged->end());
  return addType(types, shape, elementOf(data));
}

DimSource::MaybeDim ScatterUpdateOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return dims.get(getData(), dim);
}

bool ScatterUpdateOp::canFault() {
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  return !axis || !isStatic(getData()) || !isStatic(getIndices()) || !isStatic(getUpdates()) ||
         !areInside(getIndices(), shapeOf(getData())[*axis]);
}

OpFoldResult ScatterUpdateOp::fold(FoldAdaptor adaptor) {
  // Without indices nothing is written.
  if (cast<ShapedType>(getIndices().getType()).getNumDynamicDims() == 0 &&
      cast<ShapedType>(getIndices().getType()).getNumElements() == 0 && getData().getType() == getType() && !canFault())
    return getData();
  return {};
}

//===----------------------------------------------------------------------===//
// ScatterElementsUpdate
//===----------------------------------------------------------------------===//

LogicalResult ScatterElementsUpdateOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
  std::optional<int64_t> axis = getConstantAxis(adaptor.getAxis(), rankOf(data));
  // C3
  std::optional<SmallVector<int64_t>> places = mergeShapes(shapeOf(indices), shapeOf(updates));
  bool fits = places && rankOf(indices) == rankOf(data);
  for (int64_t i = 0; fits && i != rankOf(data); ++i)
    fits = i == *axis || isUnknown((*places)[i]) || isUnknown(shapeOf(data)[i]) || (*places)[i] <= shapeOf(data)[i];
  if (!fits)
    return report("expected indices and updates of one shape that fits ", data.getType(), " but along axis ", *axis,
                  ", but got ", indices.getType(), " and ", updates.getType());
  // C4
  if (adaptor.getReduction() == ScatterElementsReduction::Mean && elementOf(data).isInteger(1))
    return report("expected numbers for reduction \"mean\", but got ", data.getType());
  return addType(types, shapeOf(data), elementOf(data));
}

DimSource::MaybeDim ScatterElementsUpdateOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return dims.get(getData(), dim);
}

bool ScatterElementsUpdateOp::canFault() {
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  return !axis || !isStatic(getData()) || !isStatic(getIndices()) || !isStatic(getUpdates()) ||
         !areInside(getIndices(), shapeOf(getData())[*axis]);
}

//===----------------------------------------------------------------------===//
// ScatterNDUpdate
//===----------------------------------------------------------------------===//

LogicalResult ScatterNDUpdateOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
  // C4
  int64_t coordinates = shapeOf(indices).back();
  SmallVector<int64_t> expected(shapeOf(indices).drop_back());
  llvm::append_range(expected, shapeOf(data).drop_front(coordinates));
  std::optional<SmallVector<int64_t>> merged = mergeShapes(expected, shapeOf(updates));
  if (!merged)
    return report("expected updates of the places in ", indices.getType(), " and the other dims of ", data.getType(),
                  ", but got ", updates.getType());
  SmallVector<int64_t> shape(shapeOf(data).take_front(coordinates));
  shape.append(merged->begin() + rankOf(indices) - 1, merged->end());
  return addType(types, shape, elementOf(data));
}

DimSource::MaybeDim ScatterNDUpdateOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return dims.get(getData(), dim);
}

bool ScatterNDUpdateOp::canFault() {
  return !isStatic(getData()) || !isStatic(getIndices()) || !isStatic(getUpdates()) ||
         !areCoordinatesInside(getIndices(), shapeOf(getData()).take_front(shapeOf(getIndices()).back()));
}
