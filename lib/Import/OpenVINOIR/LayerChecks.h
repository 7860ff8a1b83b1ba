// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayerChecks.h - Checks before anything is built ----------*- C++ -*-===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_LAYERCHECKS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_LAYERCHECKS_H

#include "Graph.h"

#include "Recur/Dialect/OV/IR/Layers.h"

namespace recur::ir {

/// The number of the layer's opset; where the layer names none, the least that has the operation and its attributes.
unsigned getOpset(const Layer &layer, const ov::LayerType &type);

/// Checks types, opsets and attribute names of all layers that are needed, bodies included. All operations that are not
/// supported go into one error.
llvm::LogicalResult checkLayers(const Graph &graph, Reports &reports);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_LAYERCHECKS_H
