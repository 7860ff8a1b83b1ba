// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Exporters.h - Ops that are more than their layer ---------*- C++ -*-===//
//
// Most ops become layers without code of their own: operands and attributes are written one by one, by the table of
// layers (Layers.h). The functions declared here write the other ops. The `.td` files name them (OV_Layer::exporter),
// and recur-tblgen generates the list.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPORT_OPENVINOIR_EXPORTERS_H
#define RECUR_LIB_EXPORT_OPENVINOIR_EXPORTERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace recur::ir {

class GraphWriter;

/// Writes the layer of an op and maps the results of the op to its output ports. Emits an error at the op if it fails.
using Exporter = llvm::LogicalResult (*)(GraphWriter &, mlir::Operation *);
#define EXPORTER(NAME) llvm::LogicalResult NAME(GraphWriter &graph, mlir::Operation *op);
#include "Recur/Dialect/OV/IR/OVLayerExporters.inc"

/// The function with this name, or null. The empty name has no function.
Exporter findExporter(llvm::StringRef name);

} // namespace recur::ir

#endif // RECUR_LIB_EXPORT_OPENVINOIR_EXPORTERS_H
