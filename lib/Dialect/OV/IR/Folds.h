// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Folds.h - Helpers for folding constants ------------------*- C++ -*-===//
//
// A fold computes the result of an op on a small dense constant. On a constant that stays in the weights file, it
// appends a step to the constant's layout instead. A fold never changes a type: if the declared result type is less
// static than the folded constant, the op stays.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_IR_FOLDS_H
#define RECUR_LIB_DIALECT_OV_IR_FOLDS_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {

/// True if the type is static and a constant of it is small enough to be a dense attribute.
bool isSmall(mlir::RankedTensorType type);
/// The dense constant of `type` whose element at `index` is element number `source(index)` of `from`, in row-major
/// order. `type` must be static.
mlir::DenseElementsAttr rearrange(mlir::DenseElementsAttr from, mlir::RankedTensorType type,
                                  llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)> source);
/// `attr`, the value of the constant operand `value` of an op, if it is a constant in the weights file; else null. Null
/// too if its type is not that of `value`: a conversion may have replaced the constant, but not yet its users.
WeightsAttr getWeights(mlir::Attribute attr, mlir::Value value);
/// The row-major strides, in elements, of a dense tensor of static shape.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);
/// `result` as a dense constant, if it is a small integer tensor of rank 0 or 1 whose elements are all known, although
/// the operands of its op are not constant (getPartlyKnownIntegers). Null otherwise.
mlir::Attribute foldKnownIntegers(mlir::Value result);

} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_IR_FOLDS_H
