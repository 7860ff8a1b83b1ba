// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayerChecks.h - Checks before anything is built ----------*- C++ -*-===//
//
// Finds the layers that cannot be imported before the first op is built, so that one error lists all operations of a
// model that are not supported.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_LAYERCHECKS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_LAYERCHECKS_H

#include "Graph.h"

#include "Recur/Dialect/OV/IR/Layers.h"

namespace recur::ir {

/// The number of the layer's opset. If the layer has no version, it is the first opset that has the operation and all
/// attributes of the layer. It is 0 if the version is not known.
unsigned getOpset(const Layer &layer, const ov::LayerType &type);

/// Checks types, opsets and attribute names of all layers that the model needs, including those of bodies. One error
/// lists all operations that are not supported. An unknown attribute is a warning. Fails if the import ends
/// because of an error here or before; otherwise marks the layers that have one.
llvm::LogicalResult checkLayers(Graph &graph, Reports &reports);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_LAYERCHECKS_H
