// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reshaping.cpp - The same elements under other dims -----------------===//

#include "Reshaping.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Groups of dims
//===----------------------------------------------------------------------===//

/// The groups of `rank` dims in which each of the unit dims at `axes` joins the dim before it, or the first one.
static SmallVector<ReassociationIndices> groupUnitDims(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<ReassociationIndices> groups(rank - axes.size());
  for (int64_t i = 0, kept = 0; i != rank && !groups.empty(); ++i)
    groups[llvm::is_contained(axes, i) ? std::max<int64_t>(kept - 1, 0) : kept++].push_back(i);
  return groups;
}

Value expandShape(LoweringBuilder &b, Value tensor, ArrayRef<ReassociationIndices> groups,
                  ArrayRef<OpFoldResult> sizes) {
  auto type = RankedTensorType::get(staticShapeOf(sizes), elementOf(tensor));
  // The op wants a dim to be static if and only if all of its group are; what is known may be more than the type says.
  SmallVector<int64_t> collapsed;
  for (const ReassociationIndices &group : groups) {
    int64_t product = 1;
    for (int64_t i : group)
      product =
          type.isDynamicDim(i) || ShapedType::isDynamic(product) ? ShapedType::kDynamic : product * type.getDimSize(i);
    collapsed.push_back(product);
  }
  auto collapsedType = RankedTensorType::get(collapsed, elementOf(tensor));
  if (tensor.getType() != collapsedType)
    tensor = tensor::CastOp::create(b, collapsedType, tensor);
  return tensor::ExpandShapeOp::create(b, type, tensor, groups, sizes);
}

Value insertUnitDims(LoweringBuilder &b, Value tensor, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return tensor;
  SmallVector<OpFoldResult> sizes = getDims(b, tensor);
  for (int64_t axis : axes)
    sizes.insert(sizes.begin() + axis, b.getIndexAttr(1));
  return expandShape(b, tensor, groupUnitDims(sizes.size(), axes), sizes);
}

Value dropUnitDims(LoweringBuilder &b, Value tensor, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return tensor;
  return tensor::CollapseShapeOp::create(b, tensor, groupUnitDims(rankOf(tensor), axes));
}

//===----------------------------------------------------------------------===//
// Given sizes
//===----------------------------------------------------------------------===//

/// The groups of dims of `tensor` that make up the sizes `to`, where it is sure that they do. The other way round too:
/// with `expand`, groups of `to` that make up the dims of `tensor`.
static std::optional<SmallVector<ReassociationIndices>> getGroups(LoweringBuilder &b, Value tensor,
                                                                  ArrayRef<OpFoldResult> to, bool expand) {
  SmallVector<int64_t> from(shapeOf(tensor)), target = staticShapeOf(to);
  if (expand)
    std::swap(from, target);
  if (from.size() <= target.size() || target.empty())
    return std::nullopt;
  std::optional<SmallVector<ReassociationIndices>> groups = getReassociationIndicesForCollapse(from, target);
  if (!groups)
    return std::nullopt;
  // The number of elements is right, so one group may be unknown; of more, each must be a dim of both shapes.
  if (llvm::count_if(target, ShapedType::isDynamic) <= 1)
    return groups;
  for (auto [i, group] : llvm::enumerate(*groups)) {
    if (!ShapedType::isDynamic(target[i]))
      continue;
    SmallVector<int64_t> dims(llvm::make_filter_range(group, [&](int64_t dim) { return from[dim] != 1; }));
    if (dims.size() != 1)
      return std::nullopt;
    int64_t index = i;
    if (!(expand ? isSameSize(b, to[dims.front()], tensor, index) : isSameSize(b, to[index], tensor, dims.front())))
      return std::nullopt;
  }
  return groups;
}

Value reshapeTo(LoweringBuilder &b, Value tensor, Value untied, ArrayRef<OpFoldResult> sizes) {
  auto type = RankedTensorType::get(staticShapeOf(sizes), elementOf(tensor));
  if (tensor.getType() == type && type.getNumDynamicDims() <= 1)
    return tensor;
  // The buffers' counterpart of expand_shape is lowered where one size of each group is dynamic at most.
  auto canExpand = [&](ArrayRef<ReassociationIndices> groups) {
    return llvm::all_of(groups, [&](const ReassociationIndices &group) {
      return llvm::count_if(group, [&](int64_t i) { return type.isDynamicDim(i); }) <= 1;
    });
  };
  if (auto groups = getGroups(b, tensor, sizes, /*expand=*/false))
    return tensor::CollapseShapeOp::create(b, tensor, *groups);
  if (auto groups = getGroups(b, tensor, sizes, /*expand=*/true); groups && canExpand(*groups))
    return expandShape(b, tensor, *groups, sizes);
  if (!sizes.empty() && type.getNumDynamicDims() > 1) {
    // The sizes depend on the check already; and a slice would be copied, for its offset.
    SmallVector<Value> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(toInt64(b, toValue(b, size)));
    return tensor::ReshapeOp::create(b, type, untied, tensor::FromElementsOp::create(b, shape));
  }
  // By way of one dim, or of none where there is one element.
  auto allDims = [](int64_t rank) {
    ReassociationIndices all;
    llvm::append_range(all, llvm::seq<int64_t>(rank));
    return all;
  };
  auto onesOf = [&](int64_t rank) { return RankedTensorType::get(SmallVector<int64_t>(rank, 1), elementOf(tensor)); };
  if (rankOf(tensor) == 0) {
    SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
    return expandShape(b, tensor, {}, ones);
  }
  if (sizes.empty()) {
    if (tensor.getType() != onesOf(rankOf(tensor)))
      tensor = tensor::CastOp::create(b, onesOf(rankOf(tensor)), tensor);
    return tensor::CollapseShapeOp::create(b, tensor, ArrayRef<ReassociationIndices>());
  }
  if (rankOf(tensor) > 1)
    tensor = tensor::CollapseShapeOp::create(b, tensor, allDims(rankOf(tensor)));
  if (sizes.size() == 1)
    return tensor;
  return expandShape(b, tensor, allDims(sizes.size()), sizes);
}

} // namespace recur::ov
