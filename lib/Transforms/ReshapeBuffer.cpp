// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReshapeBuffer.cpp - The other way through a reshape ----------------===//

#include "ReshapeBuffer.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;

/// `buffer` without its dims of 1, whatever their strides are; null if more than that has to go, or not all of them: a
/// subview does not say which.
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

/// `expanded` is the type of what the buffer is to hold.
static Value collapse(OpBuilder &builder, Location loc, Value buffer, ShapedType expanded,
                      ArrayRef<ReassociationIndices> groups) {
  // One element needs dims that the type of the buffer knows to be 1.
  if (auto type = cast<MemRefType>(buffer.getType()); groups.empty() && !type.hasStaticShape())
    buffer = memref::CastOp::create(builder, loc, MemRefType(MemRefType::Builder(type).setShape(expanded.getShape())),
                                    buffer);
  if (memref::CollapseShapeOp::isGuaranteedCollapsible(cast<MemRefType>(buffer.getType()), groups))
    return memref::CollapseShapeOp::create(builder, loc, buffer, groups);
  return dropUnitDims(builder, loc, buffer, groups);
}

static Value expand(OpBuilder &builder, Location loc, Value buffer, ShapedType result,
                    ArrayRef<ReassociationIndices> groups) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.hasStaticShape() || !result.hasStaticShape())
    return {};
  FailureOr<MemRefType> expanded = memref::ExpandShapeOp::computeExpandedType(type, result.getShape(), groups);
  if (failed(expanded))
    return {};
  return memref::ExpandShapeOp::create(builder, loc, *expanded, buffer, groups);
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
