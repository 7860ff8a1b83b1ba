// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RankedValues.h - The types of ranked tensors -------------*- C++ -*-===//
//
// Short names for the parts of a value's type, where the value is known to be a ranked tensor.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_RANKEDVALUES_H
#define RECUR_DIALECT_OV_IR_RANKEDVALUES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace recur::ov {

/// The type, shape, rank and element type of a value that is a ranked tensor.
inline mlir::RankedTensorType typeOf(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) { return typeOf(value).getShape(); }
inline int64_t rankOf(mlir::Value value) { return typeOf(value).getRank(); }
inline mlir::Type elementOf(mlir::Value value) { return typeOf(value).getElementType(); }

/// The axis of `result` that axis `axis` of `operand` is at if the last axes of both are the same one.
inline int64_t alignAtEnd(mlir::Value operand, int64_t axis, mlir::Value result) {
  return axis + rankOf(result) - rankOf(operand);
}

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_RANKEDVALUES_H
