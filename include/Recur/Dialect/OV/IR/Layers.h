// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layers.h - How OpenVINO's IR spells the operations -------*- C++ -*-===//
//
// The table of all operations that can be imported. recur-tblgen makes it of the .td files; nothing is added by hand.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_LAYERS_H
#define RECUR_DIALECT_OV_IR_LAYERS_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace recur::ov {

/// How the text of a layer's attribute becomes an MLIR attribute: BoolAttr, I64Attr, F64Attr, StringAttr (in lower case),
/// TypeAttr, DenseI64ArrayAttr, an array of F64Attr, an enum attribute of the dialect, an array of such.
enum class LayerAttributeKind { Boolean, Integer, Number, String, Type, Integers, Numbers, Enum, Enums };

/// An attribute of a layer.
struct LayerAttribute {
  llvm::StringLiteral name;
  LayerAttributeKind kind;
  /// The first opset that has it.
  unsigned opset;
  bool isRequired;
  /// False where only the importer needs it.
  bool isOfOp;
  /// What a layer without it means, in the IR's spelling; nullopt where the op has a default, or none is needed.
  std::optional<llvm::StringLiteral> defaultText;
  /// The allowed texts of an Enum or of the entries of Enums.
  llvm::ArrayRef<llvm::StringLiteral> choices;
  /// The attribute of one of the choices, or null if `text` is none of them.
  mlir::Attribute (*parseChoice)(mlir::MLIRContext *context, llvm::StringRef text);
  /// The only value that is supported; empty if all are. `others` says what other values would be.
  llvm::StringLiteral only, others;
};

/// Which elements an operand or a result has.
enum class LayerElements { Any, Number, Real, Boolean, Integer, Index };

struct LayerValue {
  llvm::StringLiteral name;
  /// Index: an axis, a dim, an index or a count. OpenVINO takes any integers for them, the op takes i32 or i64.
  LayerElements elements;
  bool isOptional, isVariadic;
};

/// An operation as the IR has it.
struct LayerType {
  /// OpenVINO's name of the operation.
  llvm::StringLiteral name;
  /// Other names of it.
  llvm::ArrayRef<llvm::StringLiteral> otherNames;
  /// The op ("ov.add"); empty where something else stands for the operation.
  llvm::StringLiteral op;
  llvm::StringLiteral family;
  /// The first opset that has it.
  unsigned opset;
  unsigned minInputs, maxInputs;
  llvm::ArrayRef<LayerValue> operands, results;
  llvm::ArrayRef<LayerAttribute> attributes;
  /// An integer attribute of the op that is the last of these opsets not above that of the layer.
  llvm::StringLiteral versionAttribute;
  llvm::ArrayRef<unsigned> versions;
  /// The op works element by element.
  bool isElementwise;
  /// The importer's function that makes the op; empty where operands and attributes say all.
  llvm::StringLiteral importer;
};

/// All operations, by name.
llvm::ArrayRef<LayerType> getLayerTypes();

/// The operation with this name, in any case and under its other names, or null.
const LayerType *findLayerType(llvm::StringRef name);

/// The operation that becomes the op ("ov.add"), or null.
const LayerType *findLayerTypeOfOp(llvm::StringRef op);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_LAYERS_H
