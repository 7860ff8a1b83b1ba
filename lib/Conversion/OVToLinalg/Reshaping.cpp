// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reshaping.cpp - The same elements under other dims -----------------===//
//
// Chooses the op of a reshape. The verifiers of expand_shape and collapse_shape demand that a dim is static exactly if
// its whole group is, so casts come first. If the grouping of dynamic dims is not provable, tensor.reshape takes the
// sizes from memory.
//
//===----------------------------------------------------------------------===//

#include "Reshaping.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Groups of dims
//===----------------------------------------------------------------------===//

/// Groups `rank` dims such that each of the unit dims at `axes` joins the dim before it, or the first dim if there is
/// none before it.
static SmallVector<ReassociationIndices> groupUnitDims(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<ReassociationIndices> groups(rank - axes.size());
  for (int64_t i = 0, kept = 0; i != rank && !groups.empty(); ++i)
    groups[llvm::is_contained(axes, i) ? std::max<int64_t>(kept - 1, 0) : kept++].push_back(i);
  return groups;
}

Value expandShape(LoweringBuilder &b, Value tensor, ArrayRef<ReassociationIndices> groups,
                  ArrayRef<OpFoldResult> sizes) {
  auto type = RankedTensorType::get(staticShapeOf(sizes), elementOf(tensor));
  // expand_shape requires that a dim is static if and only if all dims of its group are. The sizes may be static where
  // the type of `tensor` is dynamic, so it is cast first.
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

/// The groups of dims of `tensor` whose products are provably the sizes `to`. With `expand`, the groups of `to` whose
/// products are the dims of `tensor`. Returns nullopt if there are none.
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
  // The numbers of elements are equal, so one dynamic group may stay unproven. If there are more, each must consist of
  // one dim, provably of equal size in both shapes, and unit dims.
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

Value reshapeTo(LoweringBuilder &b, Value tensor, Value unguarded, ArrayRef<OpFoldResult> sizes) {
  auto type = RankedTensorType::get(staticShapeOf(sizes), elementOf(tensor));
  // An empty tensor has no element to keep. Upstream cannot merge a dim of 0 with a dynamic one, and dynamic dims
  // beside a dim of 0 may differ, although both types are the same.
  if (llvm::is_contained(shapeOf(tensor), 0) && (tensor.getType() != type || !type.hasStaticShape()))
    return emptyOf(b, sizes, elementOf(tensor));
  if (tensor.getType() == type && type.getNumDynamicDims() <= 1)
    return tensor;
  // The check in front of it always fails.
  auto known = cast<RankedTensorType>(tensor.getType());
  if (known.hasStaticShape() && type.hasStaticShape() && known.getNumElements() != type.getNumElements())
    return emptyOf(b, sizes, elementOf(tensor));
  // memref.expand_shape can be lowered only if each group has at most one dynamic dim.
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
    // This uses `unguarded`: the sizes depend on the check already, and a guarded tensor is a slice with a dynamic
    // offset, which would be copied.
    SmallVector<Value> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(toInt64(b, toValue(b, size)));
    return tensor::ReshapeOp::create(b, type, unguarded, tensor::FromElementsOp::create(b, shape));
  }
  // Otherwise all dims are collapsed to one, which is then expanded. A tensor of rank 0 has one element and no dim.
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
