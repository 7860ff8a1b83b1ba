// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Backends.h - The backends of recur-tblgen ----------------*- C++ -*-===//
#ifndef RECUR_TOOLS_RECUR_TBLGEN_BACKENDS_H
#define RECUR_TOOLS_RECUR_TBLGEN_BACKENDS_H

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

#include <vector>

// Each gives true if the records are wrong, after an error at the place of the record.
namespace recur {

/// Initializers of recur::ov::LayerType, and what they refer to (Recur/Dialect/OV/IR/Layers.h).
bool emitLayerTable(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// `IMPORTER(name)` for each function that a layer names.
bool emitLayerImporters(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// `checkRules` of each op.
bool emitOpRules(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// The page docs/generated/SupportedOps.md.
bool emitSupportedOps(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

/// The records of OV_Layer that are layers, by the name of the layer.
std::vector<const llvm::Record *> getLayers(const llvm::RecordKeeper &records);
/// True if the layer is an op of the dialect.
bool isOp(const llvm::Record *layer);
/// The name of the family, as "Activation".
llvm::StringRef getFamily(const llvm::Record *layer);

} // namespace recur

#endif // RECUR_TOOLS_RECUR_TBLGEN_BACKENDS_H
