// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovedBuffers.h - Buffers of a loop in front of it --------*- C++ -*-===//
//
// A buffer that a loop allocates gets one place for all iterations. They may share it if each has elements of its own,
// which can only be seen once the allocation is in front of the loop.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_MOVEDBUFFERS_H
#define RECUR_LIB_TRANSFORMS_MOVEDBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace recur {

/// Moves the allocations in the regions of an op in front of it, if their sizes are known there, until `undo`.
class MovedBuffers {
public:
  explicit MovedBuffers(mlir::Operation *op) {
    op->walk([&](mlir::memref::AllocOp alloc) {
      if (llvm::none_of(alloc.getOperands(),
                        [&](mlir::Value size) { return op->isAncestor(size.getParentRegion()->getParentOp()); }))
        moved.push_back({alloc, alloc->getNextNode()});
    });
    for (auto [alloc, next] : moved)
      alloc->moveBefore(op);
  }
  /// Moves them back.
  void undo() {
    for (auto [alloc, next] : llvm::reverse(moved))
      alloc->moveBefore(next);
  }

private:
  llvm::SmallVector<std::pair<mlir::memref::AllocOp, mlir::Operation *>> moved;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_MOVEDBUFFERS_H
