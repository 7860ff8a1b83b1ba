// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementGather.cpp - Gather operations -----------------------------===//
//
// This file has the type inference, dims and fault checks of Gather, GatherElements, GatherND and GatherTree. An index
// out of range is a fault, so these ops can fault unless shapes and constant indices prove that they cannot.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"
#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  ArrayRef<int64_t> data = shapeOf(adaptor.getData()), indices = shapeOf(adaptor.getIndices());
  int64_t axis = *getConstantAxis(adaptor.getAxis(), data.size()), indexRank = indices.size();
  // C2
  int64_t batch = normalizeBatchDims(adaptor.getBatchDims(), indexRank);
  if (batch < 0 || batch > axis || batch > indexRank)
    return report("expected batch_dims that is neither greater than the axis nor than the rank of indices, but got ",
                  static_cast<int64_t>(adaptor.getBatchDims()));
  // C3
  std::optional<SmallVector<int64_t>> result = mergeShapes(data.take_front(batch), indices.take_front(batch));
  if (!result)
    return report("expected batch dims that agree, but got ", adaptor.getData().getType(), " and ",
                  adaptor.getIndices().getType());
  llvm::append_range(*result, data.slice(batch, axis - batch));
  llvm::append_range(*result, indices.drop_front(batch));
  llvm::append_range(*result, data.drop_front(axis + 1));
  return addType(types, *result, elementOf(adaptor.getData()));
}

std::optional<int64_t> GatherOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  std::optional<int64_t> along = getConstantAxis(getAxis(), rankOf(getData()));
  int64_t indexRank = rankOf(getIndices());
  if (!along || operand > 1 || normalizeBatchDims(getBatchDims(), indexRank) != 0)
    return std::nullopt;
  if (operand == 1)
    return *along + axis;
  return axis == *along ? std::nullopt : std::optional(axis < *along ? axis : axis - 1 + indexRank);
}

DimSource::MaybeDim GatherOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  int64_t indexRank = rankOf(getIndices());
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  if (!axis)
    return std::nullopt;
  if (dim < *axis)
    return dims.get(getData(), dim);
  int64_t batch = normalizeBatchDims(getBatchDims(), indexRank), at = dim - *axis + batch;
  return at < indexRank ? dims.get(getIndices(), at) : dims.get(getData(), dim - (indexRank - batch) + 1);
}

DimSource::MaybeDim GatherOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  std::optional<SmallVector<int64_t>> indices = getConstantIntegers(getIndices());
  std::optional<int64_t> length = getStaticLength(getData());
  if (!indices || position >= static_cast<int64_t>(indices->size()) || !length || getBatchDims() != 0)
    return std::nullopt;
  std::optional<int64_t> index = normalizeAxis((*indices)[position], *length);
  return index ? dims.getElement(getData(), *index) : std::nullopt;
}

SmallVector<Weights> GatherOp::getWeights() {
  Weights table{&getDataMutable(), {}};
  // Each row of a table has a scale.
  if (matchPattern(getAxis(), m_Zero()))
    llvm::append_range(table.axes, llvm::seq<int64_t>(1, cast<RankedTensorType>(getData().getType()).getRank()));
  return {table};
}

bool GatherOp::canFault() {
  std::optional<SmallVector<int64_t>> indices = getConstantIntegers(getIndices());
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(getAxis(), shapeOf(getData()).size());
  if (!indices || !axes || axes->size() != 1)
    return true;
  int64_t size = shapeOf(getData())[axes->front()];
  if (ShapedType::isDynamic(size))
    return true;
  int64_t least = getVersion() >= 8 ? -size : 0;
  if (llvm::any_of(*indices, [&](int64_t index) { return index < least || index >= size; }))
    return true;
  int64_t batch = normalizeBatchDims(getBatchDims(), getIndices().getType().getRank());
  return !provablyEqual(shapeOf(getData()).take_front(batch), shapeOf(getIndices()).take_front(batch));
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getData());
  std::optional<SmallVector<int64_t>> indices = getConstantIntegers(getIndices());
  // The gathered elements may all be known although the data, such as a shape with dynamic dims, is not constant.
  if (indices && !dense && type.getRank() <= 1 && type.getElementType().isSignlessInteger() && !canFault() &&
      isSmall(type)) {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(getResult());
    if (!known || llvm::any_of(*known, ShapedType::isDynamic))
      return {};
    SmallVector<APInt> values;
    for (int64_t value : *known)
      values.push_back(APInt(64, value).sextOrTrunc(type.getElementTypeBitWidth()));
    return DenseElementsAttr::get(type, values);
  }
  int64_t dataRank = getData().getType().getRank(), indexRank = getIndices().getType().getRank();
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(getAxis(), dataRank);
  if (!dense || !indices || !axes || canFault() || !isSmall(type) || !getData().getType().hasStaticShape())
    return {};
  int64_t axis = axes->front(), batch = normalizeBatchDims(getBatchDims(), indexRank);
  SmallVector<int64_t> dataStrides = denseStrides(shapeOf(getData()));
  SmallVector<int64_t> indexStrides = denseStrides(shapeOf(getIndices()));
  return rearrange(dense, type, [&](ArrayRef<int64_t> index) {
    int64_t at = 0, which = 0;
    for (int64_t d = 0; d != axis; ++d)
      at += index[d] * dataStrides[d];
    for (int64_t d = 0; d != indexRank; ++d)
      which += index[d < batch ? d : d + axis - batch] * indexStrides[d];
    for (int64_t d = axis + 1; d != dataRank; ++d)
      at += index[d - 1 + indexRank - batch] * dataStrides[d];
    int64_t chosen = (*indices)[which];
    return at + (chosen < 0 ? chosen + shapeOf(getData())[axis] : chosen) * dataStrides[axis];
  });
}

//===----------------------------------------------------------------------===//
// GatherElements
//===----------------------------------------------------------------------===//

LogicalResult GatherElementsOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData(), indices = adaptor.getIndices();
  std::optional<int64_t> axis = normalizeAxis(adaptor.getAxis(), rankOf(data));
  // C2
  SmallVector<int64_t> others(shapeOf(data));
  if (rankOf(indices) == rankOf(data))
    others[*axis] = shapeOf(indices)[*axis];
  std::optional<SmallVector<int64_t>> shape = mergeShapes(others, shapeOf(indices));
  if (!shape)
    return report("expected data and indices of one shape, but along axis ", *axis, ", but got ", data.getType(),
                  " and ", indices.getType());
  return addType(types, *shape, elementOf(data));
}

std::optional<int64_t> GatherElementsOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  std::optional<int64_t> along = normalizeAxis(getAxis(), getType().getRank());
  // The indices along the axis are those of the result, and pick any elements of the data.
  return operand == 1 ? std::optional(axis) : keepUnless(along, axis);
}

DimSource::MaybeDim GatherElementsOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return dims.get(getIndices(), dim);
}

bool GatherElementsOp::canFault() {
  std::optional<int64_t> axis = normalizeAxis(getAxis(), rankOf(getData()));
  return !axis || !isStatic(getData()) || !isStatic(getIndices()) ||
         !areInside(getIndices(), shapeOf(getData())[*axis]);
}

//===----------------------------------------------------------------------===//
// GatherND
//===----------------------------------------------------------------------===//

LogicalResult GatherNDOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  ArrayRef<int64_t> data = shapeOf(adaptor.getData()), indices = shapeOf(adaptor.getIndices());
  // C3
  int64_t batch = adaptor.getBatchDims(), rank = data.size();
  std::optional<SmallVector<int64_t>> shape;
  if (batch >= 0 && batch < static_cast<int64_t>(indices.size()) && batch <= rank)
    shape = mergeShapes(data.take_front(batch), indices.take_front(batch));
  if (!shape)
    return report("expected batch_dims of dims that agree, but got ", batch, ", ", adaptor.getData().getType(), " and ",
                  adaptor.getIndices().getType());
  // C4
  int64_t coordinates = indices.back();
  if (coordinates > rank - batch)
    return report("expected at most ", rank - batch, " coordinates, but got ", coordinates);
  if (adaptor.getVersion() < 8 && batch > 1) {
    int64_t product = 1;
    for (int64_t dim : *shape)
      if (isUnknown(dim) || isUnknown(product))
        product = ShapedType::kDynamic;
      else if (llvm::MulOverflow(product, dim, product))
        return report("expected a result of fewer than 2^63 elements");
    shape->assign(1, product);
  }
  llvm::append_range(*shape, indices.drop_front(batch).drop_back());
  llvm::append_range(*shape, data.drop_front(batch + coordinates));
  return addType(types, *shape, elementOf(adaptor.getData()));
}

DimSource::MaybeDim GatherNDOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  int64_t batch = getBatchDims(), indexRank = rankOf(getIndices());
  if (getVersion() < 8 && batch > 1)
    return std::nullopt;
  if (dim < indexRank - 1)
    return dims.get(getIndices(), dim);
  return dims.get(getData(), dim - (indexRank - 1) + batch + shapeOf(getIndices()).back());
}

bool GatherNDOp::canFault() {
  int64_t batch = getBatchDims(), coordinates = shapeOf(getIndices()).back();
  return !provablyEqual(shapeOf(getData()).take_front(batch), shapeOf(getIndices()).take_front(batch)) ||
         !areCoordinatesInside(getIndices(), shapeOf(getData()).slice(batch, coordinates));
}

//===----------------------------------------------------------------------===//
// GatherTree
//===----------------------------------------------------------------------===//

LogicalResult GatherTreeOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value steps = adaptor.getStepIds(), parents = adaptor.getParentIds(), lengths = adaptor.getMaxSeqLen();
  // C6
  std::optional<SmallVector<int64_t>> shape = mergeShapes(shapeOf(steps), shapeOf(parents));
  if (!shape)
    return report("expected step_ids and parent_ids of one shape, but got ", steps.getType(), " and ",
                  parents.getType());
  // C7
  std::optional<int64_t> batch = mergeDims((*shape)[1], shapeOf(lengths)[0]);
  if (!batch)
    return report("expected max_seq_len with BATCH_SIZE elements, but got ", lengths.getType(), " and ",
                  steps.getType());
  (*shape)[1] = *batch;
  return addType(types, *shape, elementOf(steps));
}

DimSource::MaybeDim GatherTreeOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return dims.getAgreed({getStepIds(), getParentIds()}, dim);
}

bool GatherTreeOp::canFault() { return !getType().hasStaticShape() || getType().getNumElements() != 0; }
