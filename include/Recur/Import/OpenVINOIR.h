// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenVINOIR.h - Import of OpenVINO IR into the ov dialect -*- C++ -*-===//
//
// The importer reads a model in OpenVINO's format, an XML file with a weights file beside it, and builds a module of
// the ov dialect. A model file may come from anywhere, so everything in it is checked, and the options limit what one
// file can make the importer allocate.
//
//===----------------------------------------------------------------------===//
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

/// Name of the discardable attribute of the module that holds the name of the model (a string).
inline constexpr llvm::StringLiteral kModelNameAttr = "ov.model_name";

/// Name of the function argument attribute that holds the shape as the model declares it (a string), if it bounds a dim
/// that is open. Nothing is compiled by it.
inline constexpr llvm::StringLiteral kDeclaredShapeAttr = "ov.declared_shape";

/// The inputs of an import besides the XML, and its limits. A file beyond a limit is an error.
struct ImportOptions {
  /// The path of the weights file. If it is empty, the path is `<stem>.bin` beside the model. The file is only opened
  /// if a Const needs it.
  std::string weightsPath;
  /// The option by which a user names the weights file, for messages; empty if there is none.
  std::string weightsOption = "--weights";
  /// The contents of the weights file. If they are given, no file is opened.
  std::shared_ptr<llvm::MemoryBuffer> weights = nullptr;
  /// Shapes of inputs, each as `NAME=[2,?,3]`. They replace dims that the model leaves open.
  std::vector<std::string> shapes;
  /// The greatest depth of bodies within bodies; the model itself is at depth 0.
  unsigned maxDepth = 64;
  /// The most bytes of XML.
  uint64_t maxFileBytes = uint64_t(1) << 28;
  /// The most elements and the most bytes of one tensor. A dim that is dynamic or 0 counts as 1.
  uint64_t maxElements = uint64_t(1) << 40;
  uint64_t maxBytes = uint64_t(1) << 42;
  /// The most layers that are built. A body that is built again with wider types counts again.
  uint64_t maxOperations = 1000000;
  /// The most errors that are shown, and the most warnings.
  unsigned maxReports = 20;
  /// True: an import with errors goes on to its end, to report every error that does not follow from another. What
  /// depends on a wrong layer is not checked. False: the import ends after the first step that finds an error.
  bool reportsAll = false;
};

/// The result of an import.
struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The contents of the weights file, or null if it was not opened. They are all that the model was made of besides
  /// the XML, whether the module has an `#ov.weights` or only constants that were read into it.
  std::shared_ptr<llvm::MemoryBuffer> weights;
  /// The path of the weights file, or empty if it was not opened.
  std::string weightsFile;
};

/// Imports an OpenVINO IR of version 10 or 11. Layers may also have older forms that the operation specifications
/// describe, such as an LSTMCell with five inputs. The identifier of `xml` is the path of the file: diagnostics name
/// it, and the weights file is found beside it. Errors go to the diagnostic engine of `context`, with places in the
/// XML; then the result is failure.
mlir::FailureOr<ImportedModel> importOpenVINOIR(llvm::MemoryBufferRef xml, mlir::MLIRContext *context,
                                                const ImportOptions &options = {});

} // namespace recur

#endif // RECUR_IMPORT_OPENVINOIR_H
