// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TypeSyntax.h - Element types and shapes as the IR spells them -*- C++ -*-===//
//
// Converts between the texts of element types and shapes in OpenVINO's IR and MLIR types. Messages use the IR's
// spelling too, because users know their model, not MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_TYPESYNTAX_H
#define RECUR_LIB_IMPORT_OPENVINOIR_TYPESYNTAX_H

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Import/TypeNames.h"

#include <string>

namespace recur::ir {

/// The meaning of the text of an element type: one of the first three is set.
struct ElementType {
  mlir::Type type;
  /// The text leaves the type open: "dynamic", "undefined" or "unspecified".
  bool isOpen = false;
  /// The reason for a message if the text is not a supported type.
  std::string problem = {};
  /// Only constants have elements of this type, which are packed in bytes. `problem` is the reason for other layers.
  /// The program sees the elements as ov::UnpackStepAttr::getElementType(*format).
  std::optional<ov::PackedFormat> format = {};
};
/// Parses the spelling of attributes (`f32`, `boolean`) and the one of ports (`FP32`, `BOOL`), in any case.
ElementType parseElementType(llvm::StringRef text, mlir::MLIRContext *context);

/// The dims of a `shape` attribute, such as `[2,?,3]` or `2,?,3`. A dim that is open or an interval is
/// ShapedType::kDynamic. On failure, stores the reason in `problem`.
mlir::FailureOr<llvm::SmallVector<int64_t>> parseShape(llvm::StringRef text, std::string &problem);
/// One dim of a shape: `3`, `?`, `-1`, `1..5`, `..5`, `1..`. On failure, stores the reason in `problem`.
mlir::FailureOr<int64_t> parseDim(llvm::StringRef text, std::string &problem);

/// The number of elements, where a dim that is dynamic or 0 counts as 1. Nullopt if it is greater than `limit`.
std::optional<uint64_t> countElements(llvm::ArrayRef<int64_t> dims, uint64_t limit);
} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_TYPESYNTAX_H
