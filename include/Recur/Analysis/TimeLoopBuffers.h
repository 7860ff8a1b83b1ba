// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TimeLoopBuffers.h - How a time loop uses buffers ---------*- C++ -*-===//
//
// A time loop is slow if it stores an element twice or copies what it has computed. To find such stores and copies, a
// check must know where a buffer comes from and whether the contents outlive an iteration. If nothing can be proven, a
// buffer counts as one that outlives the iteration.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_TIMELOOPBUFFERS_H
#define RECUR_ANALYSIS_TIMELOOPBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace recur {

/// An access of a buffer. `buffer` is an operand of `op`, and may be a view.
struct BufferAccess {
  mlir::Operation *op;
  mlir::Value buffer;
  bool reads, writes;
};

/// The values from outside that `op`, or an op in its regions, uses.
llvm::SetVector<mlir::Value> getUsedValues(mlir::Operation *op);

/// The buffers that `buffer` may be a part of. There is one, unless control flow or a select chooses between several.
llvm::SetVector<mlir::Value> findRoots(mlir::Value buffer);

/// The kernel that is called, or null. A kernel is a private function with a body and the attribute `rt.kernel`. It may
/// only call kernels that come after it, which excludes recursion.
mlir::func::FuncOp getKernel(mlir::CallOpInterface call);

/// Finds out how a call accesses one of its operands, from the body of the kernel. If the callee is no kernel, or its
/// accesses are not known, the call is taken to read and write the buffer.
BufferAccess getKernelAccess(mlir::func::CallOp call, mlir::Value buffer);

/// Adds the accesses of `op`, which has no regions. Fails if it may have other effects.
llvm::LogicalResult collectAccessesOf(mlir::Operation *op, llvm::SmallVectorImpl<BufferAccess> &accesses);

/// True if an op in a time loop that does not contain `op` reads the buffer `root`. False if not all of its uses are
/// known.
bool isReadInOtherTimeLoop(mlir::Value root, mlir::Operation *op);

/// True if the contents of `root` may be read by another iteration of `timeLoop`, or after it. All other buffers are
/// scratch: a part of the workspace that only the loop uses, or one that it shares with other code if both write all
/// elements before they read them.
bool outlivesIteration(mlir::Value root, mlir::LoopLikeOpInterface timeLoop);

/// Collects the values that the place of an access is computed from, also through memory. The upper bound of a loop and
/// the sizes of a view do not count: they tell how much is stored, not where.
llvm::DenseSet<mlir::Value> collectDependences(llvm::ArrayRef<mlir::Value> place);

/// If `op` copies a part of a buffer into another one, element by element in the same order, returns the source;
/// otherwise null. A single element is a scalar, not a copy.
mlir::Value getCopiedBuffer(mlir::Operation *op, mlir::LoopLikeOpInterface timeLoop);

} // namespace recur

#endif // RECUR_ANALYSIS_TIMELOOPBUFFERS_H
