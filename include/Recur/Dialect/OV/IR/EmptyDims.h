// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmptyDims.h - Dims of results after no iteration ---------*- C++ -*-===//
//
// The results of a loop without an iteration have the dims that its body would have given, as far as they are known
// before the loop (L6 of docs/Semantics.md). Passes change a body, and what can be known of it. So these dims become
// operands of the loop, once, before any pass runs.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_EMPTYDIMS_H
#define RECUR_DIALECT_OV_IR_EMPTYDIMS_H

#include "mlir/IR/Builders.h"

namespace recur::ov {

/// Gives each loop in `root` that may run no iteration the operands `empty` for those of its results whose dims are
/// open: their types do not tell them, and no operand does. A dim that is not known before the loop is 0.
void tellEmptyDims(mlir::Operation *root);

/// The operand `empty` of a result whose dims are open: a constant tensor<0xi64>.
mlir::Value createOpenDims(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_EMPTYDIMS_H
