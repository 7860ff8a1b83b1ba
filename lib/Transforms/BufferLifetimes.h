// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BufferLifetimes.h - When buffers hold something ----------*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_BUFFERLIFETIMES_H
#define RECUR_LIB_TRANSFORMS_BUFFERLIFETIMES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

namespace recur {

/// What may be a part of `buffer`, or the whole of it: every buffer that comes out of an op that one of them goes into.
llvm::SetVector<mlir::Value> findAliases(mlir::Value buffer);

/// The numbers of the first and the last op, in the order of the program, in which a buffer holds something.
struct Lifetime {
  int64_t begin = std::numeric_limits<int64_t>::max(), end = -1;

  void extend(int64_t first, int64_t last) {
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
};

/// The order of a program of structured control flow. Of two branches the one comes after the other, so what is only
/// used in the one has gone before the other.
class ProgramOrder {
public:
  explicit ProgramOrder(mlir::Operation *root);

  /// The number of an op; nothing for one that was made later.
  std::optional<int64_t> getNumber(mlir::Operation *op) const;

  /// From the first access to the last one. A buffer that is made in a loop is made anew in each iteration. One that is
  /// made before it keeps from one iteration to the next what it holds, and lives as long as the loop.
  Lifetime getLifetime(mlir::memref::AllocOp alloc) const;

private:
  /// An op and all that is in it.
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> ranges;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_BUFFERLIFETIMES_H
