// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RowProduct.h - Products whose sizes only the call tells --*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_ROWPRODUCT_H
#define RECUR_LIB_TRANSFORMS_ROWPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace recur {

/// C += A * B of f32 or f64, on tensors or buffers: the loops of a `linalg.generic` by their part in it.
struct RowProduct {
  /// The operands that have the rows, and the columns.
  unsigned a, b;
  /// In the order of C's dims: in all three; in A and C; in B and C, but for the lane.
  llvm::SmallVector<unsigned> batch, rows, blocks;
  /// The last dim of B and of C.
  unsigned lane;
  unsigned shared;
};

/// Matches a product whose lanes are the last dim of B and of C, so that vectors of both are contiguous.
std::optional<RowProduct> matchRowProduct(mlir::linalg::GenericOp op);

/// C += M * v of f32 or f64, on tensors or buffers: each element of C is the dot product of a row of M and a vector.
struct DotProduct {
  /// The operands that have the rows, and the vectors.
  unsigned matrix, vector;
  /// The dims of C but for the last, in their order.
  llvm::SmallVector<unsigned> outer;
  /// The last dim of C, by which the rows of M are counted; the last dim of M and of v.
  unsigned column, shared;
};

/// Matches products along the last dims of both operands, so that vectors of both are contiguous.
std::optional<DotProduct> matchDotProduct(mlir::linalg::GenericOp op);

/// True for a product that calls a kernel: a RowProduct of a batch, of rows or of lanes that are not known, or a
/// DotProduct that is worth a call.
bool callsKernel(mlir::linalg::GenericOp op);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_ROWPRODUCT_H
