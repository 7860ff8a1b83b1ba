// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Conform.cpp - Operands with the dims that they must have -----------===//
//
// A reshape compares numbers of elements. One that changes a single dim thus compares this dim.
//
//===----------------------------------------------------------------------===//

#include "Conform.h"

using namespace mlir;
using namespace recur::ov;

/// A constant i64 tensor of rank 1.
static Value integers(ImplicitLocOpBuilder &b, ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, b.getI64Type());
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, values));
}

/// `value` with the static `size` in place of the dynamic dim `axis`.
static Value conform(ImplicitLocOpBuilder &b, Value value, int64_t axis, int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape()), target(shape.size(), 0);
  shape[axis] = target[axis] = size;
  // A target of 0 takes the value's own size.
  if (size != 0)
    return ReshapeOp::create(b, type.clone(shape), value, integers(b, target), /*special_zero=*/true);
  Value own = b.createOrFold<ShapeOfOp>(value, b.getI64Type());
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  Value first = ConstantOp::create(b, scalar, DenseElementsAttr::get(scalar, int64_t(0)));
  SmallVector<Value> sizes;
  for (auto [i, dim] : llvm::enumerate(shape))
    sizes.push_back(ShapedType::isDynamic(dim)
                        ? b.createOrFold<GatherOp>(own, integers(b, static_cast<int64_t>(i)), first)
                        : integers(b, dim));
  return ReshapeOp::create(b, type.clone(shape), value, ConcatOp::create(b, sizes, 0), /*special_zero=*/false);
}

Value recur::ov::conform(ImplicitLocOpBuilder &b, Value value, ArrayRef<int64_t> dims) {
  for (auto [axis, size] : llvm::enumerate(dims))
    if (!ShapedType::isDynamic(size) && cast<RankedTensorType>(value.getType()).isDynamicDim(axis))
      value = ::conform(b, value, axis, size);
  return value;
}
