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

/// True for a product that calls a kernel: its rows or lanes are not known, or more than one of its batch and rows.
bool callsKernel(mlir::linalg::GenericOp op);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_ROWPRODUCT_H
