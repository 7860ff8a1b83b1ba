// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Forms.h - Ops that only change the shape -----------------*- C++ -*-===//
//
// Exporters put reshapes between a counter and its use, and between a slice and a product. Passes that look for such
// patterns skip the reshapes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_FORMS_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_FORMS_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {
/// True if the result has the elements of the first operand in the same order, and only the dims differ. `op` may be
/// null.
inline bool keepsElements(mlir::Operation *op) { return llvm::isa_and_nonnull<ReshapeOp, SqueezeOp, UnsqueezeOp>(op); }

/// The value that `value` was reshaped from. It has the same elements in the same order.
inline mlir::Value lookThroughReshapes(mlir::Value value) {
  while (keepsElements(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}
} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_FORMS_H
