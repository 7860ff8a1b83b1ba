// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IndependentLoops.h - Loops whose iterations are independent -*- C++ -*-===//
//
// Iterations that neither read nor write what another one writes may run in any order, and on several threads.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_INDEPENDENTLOOPS_H
#define RECUR_ANALYSIS_INDEPENDENTLOOPS_H

#include "Recur/Analysis/TimeLoopBuffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace recur {

/// The accesses of an op and of the ops in its regions, on buffers before their places in the workspace are planned.
struct BufferAccesses {
  llvm::SmallVector<BufferAccess> accesses;
  /// The buffer that each access is a part of. Two of them are never the same memory.
  llvm::SmallVector<mlir::Value> roots;

  /// Fails if `op` does anything else than to access such buffers. Time loops may ask for the limits of the call.
  static llvm::FailureOr<BufferAccesses> collect(mlir::Operation *op);
};

/// True if two ops of one block provably do not write what the other one reads or writes. Their results do not count.
/// `scope` is the op around the block. With `loop`, the block is the body of that loop, `scope` the op around the loop,
/// and the ops may also be in different iterations.
bool areIndependent(const BufferAccesses &first, const BufferAccesses &second, mlir::Operation *scope,
                    mlir::LoopLikeOpInterface loop = {});

/// True if the iterations of `loop`, on buffers before their places in the workspace are planned, are provably
/// independent. Then they also raise no fault and take no memory: a loop with such an op counts as dependent.
bool hasIndependentIterations(mlir::scf::ForOp loop);

} // namespace recur

#endif // RECUR_ANALYSIS_INDEPENDENTLOOPS_H
