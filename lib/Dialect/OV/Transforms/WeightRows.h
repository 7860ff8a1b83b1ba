// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightRows.h - Parts of weights --------------------------*- C++ -*-===//
//
// Cells and sequences use rows of a larger weight matrix. If the matrix is a constant, its rows are one too, so that
// they can be packed at compile time.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_WEIGHTROWS_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_WEIGHTROWS_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {
/// Elements [start, start + size) along dim 0 of `weights`. Returns `weights` itself if that is all of it, a new
/// constant if `weights` is constant (with one more layout step if it stays in the weights file), and a
/// tensor.extract_slice otherwise.
mlir::Value extractRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value weights, int64_t start, int64_t size);
} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_WEIGHTROWS_H
