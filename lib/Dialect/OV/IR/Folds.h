// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Folds.h - What the folds of constants share --------------*- C++ -*-===//
//
// Small dense constants are computed by folds; a constant that stays in the weights file gets one more step of its
// layout. A fold never changes a type: where a declared result knows less than what the fold finds, the op stays.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_IR_FOLDS_H
#define RECUR_LIB_DIALECT_OV_IR_FOLDS_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {

/// True if a constant of the type is small enough to be a dense attribute.
bool isSmall(mlir::RankedTensorType type);
/// The dense constant of `type` whose element at `index` is `source(index)`, an element of `from`.
mlir::DenseElementsAttr rearrange(mlir::DenseElementsAttr from, mlir::RankedTensorType type,
                                  llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)> source);
/// The strides of a dense tensor of static shape.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);
/// The entries of a short vector of integers, where they are known although their producer is not constant; or null.
mlir::Attribute foldKnownIntegers(mlir::Value result);

} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_IR_FOLDS_H
