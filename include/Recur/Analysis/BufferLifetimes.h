// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BufferLifetimes.h - Lifetimes of buffers -----------------*- C++ -*-===//
//
// Two buffers may share bytes of the workspace if they never hold data at the same time. A lifetime is an interval of
// op numbers. That suffices because control flow is structured when the workspace is planned. Upstream's liveness
// analysis is about SSA values; the lifetime of a buffer is that of its contents, through all its views.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_BUFFERLIFETIMES_H
#define RECUR_ANALYSIS_BUFFERLIFETIMES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

namespace recur {

/// Returns `buffer` and everything that may alias it: all memref results and region arguments of ops that use one of
/// them, transitively. This is conservative, because any op with a memref operand counts, not only views.
llvm::SetVector<mlir::Value> findAliases(mlir::Value buffer);

/// The numbers (see ProgramOrder) of the first and the last op at which a buffer holds data. Both are inclusive. A new
/// lifetime is empty: `begin` is greater than `end`.
struct Lifetime {
  int64_t begin = std::numeric_limits<int64_t>::max(), end = -1;

  /// Enlarges the lifetime so that it includes `first` to `last`.
  void extend(int64_t first, int64_t last) {
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
};

/// The order of the ops of a program with structured control flow. The second of two branches comes after the first
/// one, so a buffer that only one branch uses is dead in the other one.
class ProgramOrder {
public:
  /// Numbers `root` and all ops inside it, in pre-order.
  explicit ProgramOrder(mlir::Operation *root);

  /// The number of `op`, or nullopt if it was created after this object.
  std::optional<int64_t> getNumber(mlir::Operation *op) const;

  /// The lifetime of a buffer, from its first access to its last one. A buffer that is allocated in a loop is a new one
  /// in each iteration. A buffer that is allocated before a loop and accessed in it keeps its contents from one
  /// iteration to the next, so it lives as long as the loop. A buffer without accesses lives at its allocation.
  Lifetime getLifetime(mlir::memref::AllocOp alloc) const;

private:
  /// For each op its number, and the greatest number of an op inside it.
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> ranges;
};

} // namespace recur

#endif // RECUR_ANALYSIS_BUFFERLIFETIMES_H
