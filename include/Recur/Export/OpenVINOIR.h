// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenVINOIR.h - Export of the ov dialect as OpenVINO IR ---*- C++ -*-===//
//
// The exporter is the inverse of the importer: it writes a module of the ov dialect in OpenVINO's format, an XML text
// and the bytes of the weights file. Importing these gives the same ops again.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_EXPORT_OPENVINOIR_H
#define RECUR_EXPORT_OPENVINOIR_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace recur {

/// Writes the function `main` of a module as OpenVINO IR of version 11. The module is one that the importer made, or
/// that has passed the simplify stage. `file` has the bytes of the weights file that the module refers to; it is empty
/// if there is none. Writes the XML to `xml`, and the bytes that it names to `weights`: each constant as soon as it is
/// reached, and equal ones once. Fails with a diagnostic at the op if OpenVINO has no operation for an op, or if
/// a state is used in a way that ReadValue and Assign cannot express; then what was written is of no use.
llvm::LogicalResult exportOpenVINOIR(mlir::ModuleOp module, llvm::ArrayRef<char> file, llvm::raw_ostream &xml,
                                     llvm::raw_ostream &weights);

} // namespace recur

#endif // RECUR_EXPORT_OPENVINOIR_H
