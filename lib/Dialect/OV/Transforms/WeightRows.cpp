// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightRows.cpp - Parts of weights ----------------------------------===//
//
// The weights of one gate or of one direction are rows of a larger constant. Cutting them out at compile time keeps the
// loop free of copies.
//
//===----------------------------------------------------------------------===//

#include "WeightRows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace recur::ov;

/// The dense constant of rows [start, start + size) of `dense`.
static DenseElementsAttr extractRows(DenseElementsAttr dense, int64_t start, int64_t size, RankedTensorType type) {
  if (dense.isSplat())
    return DenseElementsAttr::get(type, dense.getSplatValue<Attribute>());
  int64_t row = dense.getNumElements() / cast<ShapedType>(dense.getType()).getDimSize(0);
  auto begin = dense.value_begin<Attribute>() + start * row;
  return DenseElementsAttr::get(type, SmallVector<Attribute>(begin, begin + size * row));
}

Value recur::ov::extractRows(OpBuilder &b, Location loc, Value weights, int64_t start, int64_t size) {
  auto type = cast<RankedTensorType>(weights.getType());
  if (start == 0 && type.getDimSize(0) == size)
    return weights;
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = size;
  RankedTensorType partType = type.clone(shape);
  TypedAttr constant;
  if (matchPattern(weights, m_Constant(&constant)) && partType.hasStaticShape() && constant.getType() == type) {
    if (auto file = dyn_cast<WeightsAttr>(constant))
      return ConstantOp::create(b, loc, partType, file.append(ExtractStepAttr::get(b.getContext(), 0, start, size)));
    if (auto dense = dyn_cast<DenseElementsAttr>(constant))
      return ConstantOp::create(b, loc, partType, ::extractRows(dense, start, size, partType));
  }
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, weights);
  offsets[0] = b.getIndexAttr(start);
  sizes[0] = b.getIndexAttr(size);
  return tensor::ExtractSliceOp::create(b, loc, partType, weights, offsets, sizes, strides);
}
