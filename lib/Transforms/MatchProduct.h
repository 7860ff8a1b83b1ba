// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MatchProduct.h - Products that kernels may compute -------*- C++ -*-===//
//
// Finds products among the `linalg.generic` ops, as `rt.product` describes them. Upstream's inferContractionDims sorts
// loops in the same way; this matcher also demands a payload of one multiply-add, and the order of dims that the
// kernels need.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_MATCHPRODUCT_H
#define RECUR_LIB_TRANSFORMS_MATCHPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace recur {

/// A product C += A * B of f32 or f64, on tensors or buffers, with the names of `rt.product`.
struct MatchedProduct {
  /// The numbers of the inputs that are the rows and the matrix.
  unsigned rows, matrix;
  /// Loops, in the order of the dims of the result, without the column: `batch` loops index all operands, `rowLoops`
  /// the rows alone, `blocks` the matrix alone.
  llvm::SmallVector<unsigned> batch, rowLoops, blocks;
  /// The loop that indexes the last dim of the result, and the one along which is summed.
  unsigned lane, shared;
  /// True if the summed dim is the last one of both inputs. Otherwise the column is the last one of the matrix.
  bool isDots;
};

/// Matches a sum of products along one dim, for which vectors of the operands are contiguous if their last strides are
/// 1. Returns nullopt for any other op.
std::optional<MatchedProduct> matchProduct(mlir::linalg::GenericOp op);

/// True if a kernel shall compute `op`, which matchProduct found to be `product`: one with a dynamic batch, row or
/// column, of a single element, or of dots that are worth a call.
bool callsKernel(mlir::linalg::GenericOp op, const MatchedProduct &product);
/// This one takes any op, and is false for one that is no product.
bool callsKernel(mlir::linalg::GenericOp op);

/// The slice whose elements are those of `rows`, perhaps in another shape, or null.
mlir::tensor::ExtractSliceOp getSliceOfRows(mlir::Value rows);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_MATCHPRODUCT_H
