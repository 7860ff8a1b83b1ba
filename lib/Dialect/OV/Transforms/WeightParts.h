// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightParts.h - Parts of weights --------------------------*- C++ -*-===//
//
// Cells and sequences use a part of a larger weight matrix. If the matrix is a constant, its part is one too, so that
// it can be packed at compile time.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_WEIGHTPARTS_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_WEIGHTPARTS_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {
/// Elements [start, start + size) along dim `axis` of `weights`. Returns `weights` itself if that is all of it, a new
/// constant if `weights` is constant (with one more layout step if it stays in the weights file), and a
/// tensor.extract_slice otherwise.
mlir::Value extractPart(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value weights, int64_t axis, int64_t start,
                        int64_t size);
} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_WEIGHTPARTS_H
