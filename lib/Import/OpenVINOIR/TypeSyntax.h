// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TypeSyntax.h - Element types and shapes as the IR spells them -*- C++ -*-===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_TYPESYNTAX_H
#define RECUR_LIB_IMPORT_OPENVINOIR_TYPESYNTAX_H

#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace recur::ir {

/// An element type, or why there is none.
struct ElementType {
  mlir::Type type;
  /// The spelling says nothing: "dynamic", "undefined", "UNSPECIFIED".
  bool isOpen = false;
  /// What is wrong, for a message: empty where `type` or `isOpen` is set.
  std::string problem = {};
};
/// Parses both spellings, any case: `f32`, `FP32`, `boolean`, `BOOL`, ...
ElementType parseElementType(llvm::StringRef text, mlir::MLIRContext *context);

/// The dims of a `shape` attribute; dynamic ones, intervals included, are ShapedType::kDynamic. On failure `problem` is
/// what is wrong.
mlir::FailureOr<llvm::SmallVector<int64_t>> parseShape(llvm::StringRef text, std::string &problem);
/// One dim of a shape: `3`, `?`, `-1`, `1..5`, `..5`, `1..`.
mlir::FailureOr<int64_t> parseDim(llvm::StringRef text, std::string &problem);

/// The name a user reads: the IR's, e.g. `f32[2,?]`.
std::string spell(mlir::Type type);
std::string spell(llvm::ArrayRef<int64_t> dims);

/// The number of elements, dynamic dims and dims of 0 counted as 1; nullopt above `limit`.
std::optional<uint64_t> countElements(llvm::ArrayRef<int64_t> dims, uint64_t limit);
/// Bytes of one element in a weights file.
unsigned getStoredBytes(mlir::Type element);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_TYPESYNTAX_H
