// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenVINOIR.h - Import of OpenVINO IR into the ov dialect -*- C++ -*-===//
#ifndef RECUR_IMPORT_OPENVINOIR_H
#define RECUR_IMPORT_OPENVINOIR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace recur {

/// What the importer may be asked to do for a file that nobody has vetted.
struct ImportOptions {
  /// The weights file; empty: `<stem>.bin` beside the model. Opened only where a Const needs it.
  std::string weightsPath;
  /// Shapes of inputs that fix dims which the model leaves open, each as `NAME=[2,?,3]`.
  std::vector<std::string> shapes;
  /// Bodies within bodies; the model itself is at depth 0.
  unsigned maxDepth = 64;
  /// Bytes of XML.
  uint64_t maxFileBytes = uint64_t(1) << 28;
  /// Elements, and bytes, of one tensor.
  uint64_t maxElements = uint64_t(1) << 40;
  uint64_t maxBytes = uint64_t(1) << 42;
  /// Operations built, those of bodies that are built again with wider types included.
  uint64_t maxOperations = 1000000;
  /// Errors, and warnings, after which the rest is not reported.
  unsigned maxReports = 20;
};

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The weights file, mapped; null where the module has no `#ov.weights`.
  std::shared_ptr<llvm::MemoryBuffer> weights;
  /// The path of the weights file; empty where nothing was read from one.
  std::string weightsFile;
};

/// Imports an OpenVINO IR (v10, v11, or the older spelling of the operation specifications). The buffer's identifier is
/// the path as given: it names the file in diagnostics, and the weights file is found beside it. Diagnostics go to the
/// context's diagnostic engine, located in the XML.
mlir::FailureOr<ImportedModel> importOpenVINOIR(llvm::MemoryBufferRef xml, mlir::MLIRContext *context,
                                                const ImportOptions &options = {});

} // namespace recur

#endif // RECUR_IMPORT_OPENVINOIR_H
