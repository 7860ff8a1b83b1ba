// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ViewSizes.cpp - Sizes of views by those of their buffers -----------===//
//
// Views are followed to what gives their sizes: the op that made the view, or the buffer below it.
//
//===----------------------------------------------------------------------===//
#include "ViewSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

/// Size `dim` of `buffer`, from the sizes that its views were made with. (Upstream's patterns fold a dim of some of
/// these views, and strided metadata only by taking all views apart.)
static Value traceSize(OpBuilder &builder, Location loc, Value buffer, int64_t dim) {
  auto value = [&](OpFoldResult size) { return getValueOrCreateConstantIndexOp(builder, loc, size); };
  while (auto cast = buffer.getDefiningOp<memref::CastOp>()) {
    if (!isa<MemRefType>(cast.getSource().getType()))
      break;
    buffer = cast.getSource();
  }
  if (auto type = cast<MemRefType>(buffer.getType()); !type.isDynamicDim(dim))
    return value(builder.getIndexAttr(type.getDimSize(dim)));
  if (auto view = buffer.getDefiningOp<memref::ReinterpretCastOp>())
    return value(view.getMixedSizes()[dim]);
  if (auto view = buffer.getDefiningOp<memref::ExpandShapeOp>())
    return value(view.getMixedOutputShape()[dim]);
  if (auto view = buffer.getDefiningOp<memref::CollapseShapeOp>()) {
    Value size;
    SmallVector<ReassociationIndices> groups = view.getReassociationIndices();
    for (int64_t inner : groups[dim]) {
      Value factor = traceSize(builder, loc, view.getSrc(), inner);
      size = size ? builder.createOrFold<arith::MulIOp>(loc, size, factor) : factor;
    }
    return size;
  }
  return builder.createOrFold<memref::DimOp>(loc, buffer, dim);
}

void recur::resolveViewSizes(func::FuncOp function) {
  SmallVector<Operation *> sizes;
  function.walk([&](Operation *op) {
    if (isa<memref::DimOp, memref::ExtractStridedMetadataOp>(op))
      sizes.push_back(op);
  });
  for (Operation *op : sizes) {
    OpBuilder builder(op);
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      for (auto [dim, size] : llvm::enumerate(metadata.getSizes()))
        if (!size.use_empty())
          size.replaceAllUsesWith(traceSize(builder, op->getLoc(), metadata.getSource(), dim));
      continue;
    }
    auto read = cast<memref::DimOp>(op);
    std::optional<int64_t> dim = read.getConstantIndex();
    if (!dim || !isa<MemRefType>(read.getSource().getType()))
      continue;
    read.replaceAllUsesWith(traceSize(builder, op->getLoc(), read.getSource(), *dim));
    read.erase();
  }
}
