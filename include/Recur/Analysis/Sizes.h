// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sizes.h - Sizes of slices and buffers --------------------*- C++ -*-===//
//
// Sizes of slices and buffers, read from the ops that made them. They show that two dims are equal.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_SIZES_H
#define RECUR_ANALYSIS_SIZES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace recur {

/// The size of dim `dim` of the result of a tensor.extract_slice or memref.subview, an index value or attribute. The
/// result may lack dims of size 1 that the op drops. Null if the result has no such dim.
template <typename OpT>
mlir::OpFoldResult getKeptSize(OpT op, int64_t dim) {
  auto dropped = mlir::computeRankReductionMask(op.getStaticSizes(), op.getType().getShape());
  for (auto [i, size] : llvm::enumerate(op.getMixedSizes()))
    if ((!dropped || !dropped->contains(i)) && dim-- == 0)
      return size;
  return {};
}

/// The size of dim `dim` of a buffer, as an operand or attribute of the op that made the buffer. Null if the dim is
/// dynamic and the op is not known.
inline mlir::OpFoldResult getBufferSize(mlir::Value buffer, int64_t dim) {
  using namespace mlir;
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return Builder(buffer.getContext()).getIndexAttr(type.getDimSize(dim));
  unsigned number = type.getDynamicDimIndex(dim);
  if (auto subview = buffer.getDefiningOp<memref::SubViewOp>())
    return getKeptSize(subview, dim);
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return OpFoldResult(alloc.getDynamicSizes()[number]);
  if (auto view = buffer.getDefiningOp<memref::ViewOp>())
    return OpFoldResult(view.getSizes()[number]);
  return {};
}

} // namespace recur

#endif // RECUR_ANALYSIS_SIZES_H
