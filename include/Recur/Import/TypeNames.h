// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TypeNames.h - MLIR types as OpenVINO's IR spells them ----*- C++ -*-===//
//
// The texts of element types and shapes that the importer reads and the exporter writes, and the size of an element in
// the weights file.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_IMPORT_TYPENAMES_H
#define RECUR_IMPORT_TYPENAMES_H

#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace recur::ir {

/// The text of a type or a shape in attributes and messages: `f32`, `f32[2,?]`, `[2,?]`.
std::string spell(mlir::Type type);
std::string spell(llvm::ArrayRef<int64_t> dims);

/// The text of an element type at a port: `FP32`. Empty if the IR has no such type.
llvm::StringRef spellPrecision(mlir::Type element);

/// The bytes of one element in a weights file; 1 for a boolean.
unsigned getStoredBytes(mlir::Type element);

} // namespace recur::ir

#endif // RECUR_IMPORT_TYPENAMES_H
