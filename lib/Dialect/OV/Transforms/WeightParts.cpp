// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightParts.cpp - Parts of weights ----------------------------------===//
//
// The weights of one gate, of one direction or of one input are a part of a larger constant. Cutting them out at
// compile time keeps the loop free of copies.
//
//===----------------------------------------------------------------------===//

#include "WeightParts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace recur::ov;

/// The dense constant of elements [start, start + size) of `dense` along `axis`.
static DenseElementsAttr extractPart(DenseElementsAttr dense, int64_t axis, int64_t start, int64_t size,
                                     RankedTensorType type) {
  if (dense.isSplat())
    return DenseElementsAttr::get(type, dense.getSplatValue<Attribute>());
  ArrayRef<int64_t> shape = cast<ShapedType>(dense.getType()).getShape();
  int64_t row = ShapedType::getNumElements(shape.drop_front(axis + 1));
  auto all = dense.value_begin<Attribute>();
  SmallVector<Attribute> part;
  for (int64_t outer = 0; outer < ShapedType::getNumElements(shape.take_front(axis)); ++outer) {
    auto begin = all + (outer * shape[axis] + start) * row;
    part.append(begin, begin + size * row);
  }
  return DenseElementsAttr::get(type, part);
}

Value recur::ov::extractPart(OpBuilder &b, Location loc, Value weights, int64_t axis, int64_t start, int64_t size) {
  auto type = cast<RankedTensorType>(weights.getType());
  if (start == 0 && type.getDimSize(axis) == size)
    return weights;
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  RankedTensorType partType = type.clone(shape);
  TypedAttr constant;
  if (matchPattern(weights, m_Constant(&constant)) && partType.hasStaticShape() && constant.getType() == type) {
    if (auto file = dyn_cast<WeightsAttr>(constant))
      return ConstantOp::create(b, loc, partType, file.append(ExtractStepAttr::get(b.getContext(), axis, start, size)));
    if (auto dense = dyn_cast<DenseElementsAttr>(constant))
      return ConstantOp::create(b, loc, partType, ::extractPart(dense, axis, start, size, partType));
  }
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, weights);
  offsets[axis] = b.getIndexAttr(start);
  sizes[axis] = b.getIndexAttr(size);
  return tensor::ExtractSliceOp::create(b, loc, partType, weights, offsets, sizes, strides);
}
