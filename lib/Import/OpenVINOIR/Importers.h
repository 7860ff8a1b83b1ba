// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Importers.h - Layers that are more than their op ---------*- C++ -*-===//
//
// Most layers become ops without code of their own: their operands and attributes are converted one by one, by the
// table of layers (Layers.h). The functions declared here import the other layers. The `.td` files name them
// (OV_Layer::importer), and recur-tblgen generates the list.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_IMPORTERS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_IMPORTERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace recur::ir {

class LayerBuilder;

/// Builds the op of a layer and stores the values of the layer's outputs in `layer.results`. Reports an error if it
/// fails.
using Importer = llvm::LogicalResult (*)(LayerBuilder &);
#define IMPORTER(NAME) llvm::LogicalResult NAME(LayerBuilder &layer);
#define EXPANSION(NAME, IS_WIDENED)
#include "Recur/Dialect/OV/IR/OVLayerImporters.inc"

/// The function with this name, or null. The empty name has no function.
Importer findImporter(llvm::StringRef name);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_IMPORTERS_H
