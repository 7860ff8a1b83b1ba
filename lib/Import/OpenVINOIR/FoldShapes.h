// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FoldShapes.h - Small tensors that are constant in effect -*- C++ -*-===//
//
// Exporters compute axes, target shapes and bounds by ops, where the importer needs constants: some ops only take
// constant axes, and the type of a result is static only if the shape is constant. So the importer evaluates such ops
// while it builds the module, not in a later pass.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_FOLDSHAPES_H
#define RECUR_LIB_IMPORT_OPENVINOIR_FOLDSHAPES_H

#include "Recur/Interpreter/Tensor.h"

#include "mlir/IR/Builders.h"

namespace recur::ir {

/// Replaces each result of a layer by a constant if its elements follow from constants, ranks and static dims, and if
/// it is small: at most 1,024 integers or booleans, or 1 KiB of floats. An op that would end the call with a fault
/// stays as it is. `builder` creates the constants; ops that have no use any more are erased. `results` may contain
/// null values.
void foldShapes(mlir::OpBuilder &builder, llvm::SmallVectorImpl<mlir::Value> &results);

/// A tensor of the interpreter as an attribute with the element type `element`. A boolean is a byte in the tensor.
mlir::DenseElementsAttr toAttribute(const interpreter::Tensor &tensor, mlir::Type element);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_FOLDSHAPES_H
