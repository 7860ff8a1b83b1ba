// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Forms.h - Ops by what they do with elements --------------*- C++ -*-===//
//
// Exporters put reshapes between a counter and its use, and between a slice and a product. Passes that look for such
// patterns skip the reshapes. Passes that move axes ask which ops compute an element from those at the same place.
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

/// True if `op` is of a class of ops with one result that have this attribute.
inline bool hasAttribute(mlir::Operation *op, llvm::StringRef name) {
  return op->getNumResults() == 1 && llvm::isa_and_nonnull<OVDialect>(op->getDialect()) &&
         llvm::any_of(op->getName().getAttributeNames(), [&](mlir::StringAttr own) { return own == name; });
}
/// True if `op` computes each element of its result from the elements at the same place, in any layout.
inline bool isElementwise(mlir::Operation *op) {
  return hasAttribute(op, "auto_broadcast") || llvm::isa<SwishOp, HardSigmoidOp>(op) ||
         (op->getNumResults() == 1 && op->hasTrait<mlir::OpTrait::Elementwise>());
}
/// True if `op` reduces its first operand along the axes in its second one.
inline bool isReduction(mlir::Operation *op) { return hasAttribute(op, "keep_dims"); }
} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_FORMS_H
