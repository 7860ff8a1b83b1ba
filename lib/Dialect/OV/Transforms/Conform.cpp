// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Conform.cpp - Operands with the dims that they must have -----------===//
//
// A reshape compares numbers of elements. One that changes a single dim thus compares this dim.
//
//===----------------------------------------------------------------------===//

#include "Conform.h"

#include "Recur/Dialect/OV/IR/Dims.h"

using namespace mlir;
using namespace recur::ov;

/// A constant i64 tensor of rank 1.
static Value integers(ImplicitLocOpBuilder &b, ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, b.getI64Type());
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, values));
}

/// Dim `axis` of `tensor`, as a tensor of one element.
static Value getSize(ImplicitLocOpBuilder &b, Value tensor, int64_t axis) {
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  Value first = ConstantOp::create(b, scalar, DenseElementsAttr::get(scalar, int64_t(0)));
  // The dims of a broadcast are known without what it broadcasts, which may be the number of time steps.
  auto broadcast = tensor.getDefiningOp<BroadcastOp>();
  Value target = broadcast ? broadcast.getTargetShape() : nullptr;
  ValueDims known;
  DimSource::MaybeDim size = known.get(tensor, axis);
  if (target && size && getStaticLength(target) == cast<RankedTensorType>(tensor.getType()).getRank() &&
      size == known.getElement(target, axis)) {
    auto type = cast<RankedTensorType>(target.getType()).clone(b.getI64Type());
    Value dims = type == target.getType() ? target : ConvertOp::create(b, type, target).getResult();
    return b.createOrFold<GatherOp>(dims, integers(b, axis), first);
  }
  Value dims = b.createOrFold<ShapeOfOp>(tensor, b.getI64Type());
  return b.createOrFold<GatherOp>(dims, integers(b, axis), first);
}

/// `value` reshaped to `type`: dim `axis` becomes the only element of `size`, and the other dims stay.
static Value reshape(ImplicitLocOpBuilder &b, Value value, RankedTensorType type, int64_t axis, Value size) {
  SmallVector<Value> sizes;
  for (auto [i, dim] : llvm::enumerate(type.getShape())) {
    bool isChanged = static_cast<int64_t>(i) == axis;
    sizes.push_back(isChanged ? size : ShapedType::isDynamic(dim) ? getSize(b, value, i) : integers(b, dim));
  }
  Value joined = sizes.size() == 1 ? sizes.front() : ConcatOp::create(b, sizes, 0).getResult();
  return ReshapeOp::create(b, type, value, joined, /*special_zero=*/false);
}

/// `value` with the static `size` in place of the dynamic dim `axis`.
static Value conform(ImplicitLocOpBuilder &b, Value value, int64_t axis, int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape()), target(shape.size(), 0);
  shape[axis] = target[axis] = size;
  // A target of 0 takes the value's own size.
  if (size != 0)
    return ReshapeOp::create(b, type.clone(shape), value, integers(b, target), /*special_zero=*/true);
  return reshape(b, value, type.clone(shape), axis, integers(b, 0));
}

Value recur::ov::conform(ImplicitLocOpBuilder &b, Value value, ArrayRef<int64_t> dims) {
  for (auto [axis, size] : llvm::enumerate(dims))
    if (!ShapedType::isDynamic(size) && cast<RankedTensorType>(value.getType()).isDynamicDim(axis))
      value = ::conform(b, value, axis, size);
  return value;
}

Value recur::ov::conform(ImplicitLocOpBuilder &b, Value value, int64_t axis, Value other, int64_t otherAxis) {
  auto type = cast<RankedTensorType>(value.getType());
  ValueDims dims;
  DimSource::MaybeDim own = dims.get(value, axis), wanted = dims.get(other, otherAxis);
  if (!type.isDynamicDim(axis) || (own && wanted && *own == *wanted))
    return value;
  return reshape(b, value, type, axis, getSize(b, other, otherAxis));
}
