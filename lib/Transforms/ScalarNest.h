// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScalarNest.h - linalg on tensors as scalar loops ---------*- C++ -*-===//
//
// Upstream lowers a linalg op to loops only on buffers. There an accumulator is in memory and is stored in every step.
// This lowering works on tensors, and the accumulator is a scalar that the loops carry.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_SCALARNEST_H
#define RECUR_LIB_TRANSFORMS_SCALARNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
/// True if the innermost reduced loop of `op` can run in vectors: its elements are contiguous, and its payload is
/// element-wise.
bool reducesRowsInVectors(mlir::linalg::GenericOp op);

/// The most parallel loops around each other that carry tensors. Upstream's bufferization of such loops takes twice the
/// time for each further one.
inline constexpr unsigned kMostNestedLoops = 10;

/// True if `op` has more parallel loops than `kMostNestedLoops`, not counting those of one iteration.
bool isDeepNest(mlir::linalg::GenericOp op);

/// Replaces a `linalg.generic` on tensors by a nest of `scf.for` that stores each element of a result once. Loops over
/// parallel dims carry the results, and loops over reduced dims carry scalar accumulators. If the initial value of a
/// reduction is a `linalg.fill`, its scalar starts the accumulator and the fill is not used. If `vectorize`, rows are
/// reduced in vectors where that is possible. The outer loops of a deep nest become one loop. Fails if the op is not on
/// tensors.
mlir::LogicalResult lowerToScalarNest(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op, bool vectorize);
} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_SCALARNEST_H
