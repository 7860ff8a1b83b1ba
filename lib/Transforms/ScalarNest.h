// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScalarNest.h - linalg on tensors as scalar loops ---------*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_SCALARNEST_H
#define RECUR_LIB_TRANSFORMS_SCALARNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
/// Replaces a `linalg.generic` on tensors by a nest of `scf.for` that stores each element of a result once: loops over
/// parallel dims carry the results, loops over reduced dims carry scalar accumulators. Where an initial value is a
/// `linalg.fill`, its constant starts the accumulator and nothing is filled.
mlir::LogicalResult lowerToScalarNest(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);
} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_SCALARNEST_H
