// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReshapeBuffer.cpp - Destinations of reshaped values ----------------===//
//
// A value that is reshaped and then written to a buffer can be written without the reshape, through a view of the
// buffer that has the shape before it.
//
//===----------------------------------------------------------------------===//

#include "ReshapeBuffer.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;

/// Returns `buffer` without its dims of 1, whatever their strides are. Each group must have exactly one other dim, else
/// the result is null: a group of several would have to be merged, and for a group of none a subview does not tell
/// which dim of 1 it keeps.
static Value dropUnitDims(OpBuilder &builder, Location loc, Value buffer, ArrayRef<ReassociationIndices> groups) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : groups) {
    SmallVector<int64_t> others;
    for (int64_t d : group)
      if (type.getDimSize(d) != 1)
        others.push_back(type.getDimSize(d));
    if (others.size() != 1)
      return {};
    shape.push_back(others.front());
  }
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      sizes = memref::getMixedSizes(builder, loc, buffer), strides(type.getRank(), builder.getIndexAttr(1));
  MemRefType result = memref::SubViewOp::inferRankReducedResultType(shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, result, buffer, offsets, sizes, strides);
}

/// Merges each group of dims of `buffer` into one. `expanded` is the type of the values that the buffer is to hold.
static Value collapse(OpBuilder &builder, Location loc, Value buffer, ShapedType expanded,
                      ArrayRef<ReassociationIndices> groups) {
  // A collapse to rank 0 requires that the type of the buffer has static dims of 1.
  if (auto type = cast<MemRefType>(buffer.getType()); groups.empty() && !type.hasStaticShape())
    buffer = memref::CastOp::create(builder, loc, MemRefType(MemRefType::Builder(type).setShape(expanded.getShape())),
                                    buffer);
  // Upstream infers a dim of 0 for 0 x ?, which its verifier refuses.
  auto type = cast<MemRefType>(buffer.getType());
  for (const ReassociationIndices &group : groups)
    if (llvm::any_of(group, [&](int64_t d) { return type.getDimSize(d) == 0; }) &&
        llvm::any_of(group, [&](int64_t d) { return type.isDynamicDim(d); }))
      return {};
  if (memref::CollapseShapeOp::isGuaranteedCollapsible(cast<MemRefType>(buffer.getType()), groups))
    return memref::CollapseShapeOp::create(builder, loc, buffer, groups);
  return dropUnitDims(builder, loc, buffer, groups);
}

/// Splits each dim of `buffer` into the group of dims that `result` has. Returns null if a dim of unknown size would be
/// split, or is known in one of the two shapes only.
static Value expand(OpBuilder &builder, Location loc, Value buffer, ShapedType result,
                    ArrayRef<ReassociationIndices> groups) {
  auto type = cast<MemRefType>(buffer.getType());
  for (auto [dim, group] : llvm::enumerate(groups)) {
    bool isKnown = llvm::none_of(group, [&](int64_t d) { return result.isDynamicDim(d); });
    if (type.isDynamicDim(dim) == isKnown || (!isKnown && group.size() != 1))
      return {};
  }
  FailureOr<MemRefType> expanded = memref::ExpandShapeOp::computeExpandedType(type, result.getShape(), groups);
  if (failed(expanded))
    return {};
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(builder.getContext(), result.getShape());
  for (auto [dim, group] : llvm::enumerate(groups))
    if (type.isDynamicDim(dim))
      sizes[group.front()] = memref::DimOp::create(builder, loc, buffer, dim).getResult();
  return memref::ExpandShapeOp::create(builder, loc, *expanded, buffer, groups, sizes);
}

Value recur::undoReshape(OpBuilder &builder, Operation *reshape, Value buffer) {
  Location loc = reshape->getLoc();
  return llvm::TypeSwitch<Operation *, Value>(reshape)
      .Case<memref::ExpandShapeOp, tensor::ExpandShapeOp>(
          [&](auto op) { return collapse(builder, loc, buffer, op.getResultType(), op.getReassociationIndices()); })
      .Case<memref::CollapseShapeOp, tensor::CollapseShapeOp>(
          [&](auto op) { return expand(builder, loc, buffer, op.getSrcType(), op.getReassociationIndices()); })
      .Default(Value());
}
