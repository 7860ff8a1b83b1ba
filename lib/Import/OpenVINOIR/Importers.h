// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Importers.h - Layers that are more than their op ---------*- C++ -*-===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_IMPORTERS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_IMPORTERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace recur::ir {

class LayerBuilder;

/// Makes the op of a layer. The `.td` files name the functions (OV_Layer::importer).
using Importer = llvm::LogicalResult (*)(LayerBuilder &);
#define IMPORTER(NAME) llvm::LogicalResult NAME(LayerBuilder &layer);
#include "Recur/Dialect/OV/IR/OVLayerImporters.inc"

/// The function with this name, or null.
Importer findImporter(llvm::StringRef name);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_IMPORTERS_H
