// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- recur-tblgen.cpp - Tables and pages from the .td files of ov --------===//

#include "Backends.h"

#include "mlir/TableGen/GenInfo.h"
#include "mlir/Tools/mlir-tblgen/MlirTblgenMain.h"

static mlir::GenRegistration layerTable("gen-ov-layer-table", "Generate the table of layers", recur::emitLayerTable);
static mlir::GenRegistration layerImporters("gen-ov-layer-importers", "Generate the importer's list of functions",
                                            recur::emitLayerImporters);
static mlir::GenRegistration layerExporters("gen-ov-layer-exporters", "Generate the exporter's list of functions",
                                            recur::emitLayerExporters);
static mlir::GenRegistration opRules("gen-ov-op-rules", "Generate the checks of the ops' rules", recur::emitOpRules);
static mlir::GenRegistration supportedOps("gen-ov-supported-ops", "Generate the page of supported operations",
                                          recur::emitSupportedOps);

int main(int argc, char **argv) { return mlir::MlirTblgenMain(argc, argv); }
