// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Backends.h - The backends of recur-tblgen ----------------*- C++ -*-===//
//
// recur-tblgen reads the .td files of the ov dialect and generates what mlir-tblgen cannot: the table of layers, the
// checks of rules, and a page of the documentation.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TOOLS_RECUR_TBLGEN_BACKENDS_H
#define RECUR_TOOLS_RECUR_TBLGEN_BACKENDS_H

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

#include <vector>

// Each backend returns true if the records are wrong, after it has reported an error at the location of the record.
namespace recur {

/// Emits initializers of recur::ov::LayerType, and of the arrays that they refer to (Recur/Dialect/OV/IR/Layers.h).
bool emitLayerTable(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// Emits `IMPORTER(name)` for each importer function that a layer names.
bool emitLayerImporters(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// Emits `EXPORTER(name)` for each exporter function that a layer names.
bool emitLayerExporters(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// Emits `checkRules` of each op, from its OV_Rule records.
bool emitOpRules(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// Emits the page docs/generated/SupportedOps.md.
bool emitSupportedOps(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

/// The records of OV_Layer that have a layer type, sorted by it.
std::vector<const llvm::Record *> getLayers(const llvm::RecordKeeper &records);
/// The records of OV_MissingLayer, sorted by their layer type.
std::vector<const llvm::Record *> getMissingLayers(const llvm::RecordKeeper &records);
/// True if the layer is an op of the dialect.
bool isOp(const llvm::Record *layer);
/// The name of the family of operations, such as "Activation".
llvm::StringRef getFamily(const llvm::Record *layer);

} // namespace recur

#endif // RECUR_TOOLS_RECUR_TBLGEN_BACKENDS_H
