// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FoldShapes.h - Small tensors that are constant in effect -*- C++ -*-===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_FOLDSHAPES_H
#define RECUR_LIB_IMPORT_OPENVINOIR_FOLDSHAPES_H

#include "mlir/IR/Builders.h"

namespace recur::ir {

/// Replaces results of a layer by constants of at most 1,024 elements where they follow from constants, ranks and
/// static dims. Axes, target shapes and bounds that an exporter computed so are what ops expect, constants, and the
/// types of what is computed from them are static. An op that would end the call stays as it is.
void foldShapes(mlir::OpBuilder &builder, llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_FOLDSHAPES_H
