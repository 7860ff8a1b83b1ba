// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DroppedDims.h - Dims that a view drops -------------------*- C++ -*-===//
#ifndef RECUR_DIALECT_RT_IR_DROPPEDDIMS_H
#define RECUR_DIALECT_RT_IR_DROPPEDDIMS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace recur::rt {
/// The dims that a subview drops. If it drops one of several dims of 1, it does not matter which, because their only
/// coordinate is 0. Nullopt if the types do not fit each other. (Upstream's SubViewOp::getDroppedDims looks at strides,
/// and crashes on those of such a dim.)
inline std::optional<llvm::SmallDenseSet<unsigned>> getDroppedDims(mlir::memref::SubViewOp subview) {
  return mlir::computeRankReductionMask(subview.getStaticSizes(), subview.getType().getShape());
}
} // namespace recur::rt

#endif // RECUR_DIALECT_RT_IR_DROPPEDDIMS_H
