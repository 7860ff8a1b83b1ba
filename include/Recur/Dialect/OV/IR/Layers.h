// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layers.h - How OpenVINO's IR spells the operations -------*- C++ -*-===//
//
// The table of all operations that can be imported. recur-tblgen generates it from the .td files; nothing is added by
// hand. In this file a "layer" is an operation in an OpenVINO IR file, an "op" is its counterpart in the ov dialect.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_LAYERS_H
#define RECUR_DIALECT_OV_IR_LAYERS_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace recur::ov {

/// The form of a layer's attribute. In this order, its text becomes a BoolAttr, an I64Attr, an F64Attr, a StringAttr
/// (in lower case), a TypeAttr, a DenseI64ArrayAttr, an array of F64Attr, an enum attribute of the dialect, or an array
/// of enum attributes.
enum class LayerAttributeKind { Boolean, Integer, Number, String, Type, Integers, Numbers, Enum, Enums };

/// The description of an attribute of a layer.
struct LayerAttribute {
  llvm::StringLiteral name;
  /// The form of the text.
  LayerAttributeKind kind;
  /// The first opset whose layers have the attribute.
  unsigned opset;
  /// True if it is an error that a layer does not have the attribute.
  bool isRequired;
  /// True if the op has the attribute too; false if only the importer reads it.
  bool isOfOp;
  /// The value of the attribute if a layer does not have it, in the IR's spelling. Nullopt if there is none, or if the
  /// importer's function decides it.
  std::optional<llvm::StringLiteral> defaultText;
  /// The allowed texts of an Enum or of the entries of Enums.
  llvm::ArrayRef<llvm::StringLiteral> choices;
  /// The attribute of one of the choices, or null if `text` is none of them. If this is null, the value of a choice is
  /// its text.
  mlir::Attribute (*parseChoice)(mlir::MLIRContext *context, llvm::StringRef text);
  /// `only` is the single supported value, or empty if all values are supported. `others` is the text of the error for
  /// any other value.
  llvm::StringLiteral only, others;
};

/// The element types that an operand or a result may have.
enum class LayerElements { Any, Number, Real, Boolean, Integer, Index };

/// The description of an operand or a result of an op.
struct LayerValue {
  llvm::StringLiteral name;
  /// `Index` is an axis, a dim, an index or a count. OpenVINO allows any integer type for these; the op only takes i32
  /// or i64, so the importer converts.
  LayerElements elements;
  /// A layer may lack an optional value. A variadic one stands for a list of values, and is the last one.
  bool isOptional, isVariadic;
};

/// The description of an operation as OpenVINO's IR spells it.
struct LayerType {
  /// OpenVINO's name of the operation.
  llvm::StringLiteral name;
  /// Other names of the operation in the IR.
  llvm::ArrayRef<llvm::StringLiteral> otherNames;
  /// The op ("ov.add"); empty if the importer puts something else in place of the operation.
  llvm::StringLiteral op;
  /// The family of operations, which is a folder of OpenVINO's documentation.
  llvm::StringLiteral family;
  /// The first opset that has the operation.
  unsigned opset;
  /// The least and the greatest number of inputs of a layer.
  unsigned minInputs, maxInputs;
  llvm::ArrayRef<LayerValue> operands, results;
  llvm::ArrayRef<LayerAttribute> attributes;
  /// The name of an integer attribute of the op that tells versions of the operation apart, or empty. The importer sets
  /// it to the last of `versions` that is not above the opset of the layer.
  llvm::StringLiteral versionAttribute;
  llvm::ArrayRef<unsigned> versions;
  /// True if the op works element by element.
  bool isElementwise;
  /// The importer's function that creates the op; empty if operands and attributes can be converted one by one.
  llvm::StringLiteral importer;
  /// The function that builds other ops in place of the layer; empty if there is an op or an importer's function.
  llvm::StringLiteral expansion;
  /// The opset of layers that are written. Attributes that are not in it, and have other values than their defaults,
  /// raise it.
  unsigned writtenOpset;
  /// The exporter's function that writes the layer; empty if operands and attributes can be written one by one.
  llvm::StringLiteral exporter;
};

/// An operation of OpenVINO that cannot be imported: its name, the first opset that has it, and why not.
struct MissingLayer {
  llvm::StringLiteral name;
  unsigned opset;
  llvm::StringLiteral reason;
};

/// All operations that are known but cannot be imported, sorted by name.
llvm::ArrayRef<MissingLayer> getMissingLayers();

/// The operation with this name, ignoring case, or null.
const MissingLayer *findMissingLayer(llvm::StringRef name);

/// Prints a line for each operation of OpenVINO, sorted by name: the name, the first opset, and the op ("ov.add"),
/// "other ops", or "missing: " and the reason.
void printLayers(llvm::raw_ostream &os);

/// All operations, sorted by name.
llvm::ArrayRef<LayerType> getLayerTypes();

/// The operation whose name or other name is `name`, ignoring case, or null.
const LayerType *findLayerType(llvm::StringRef name);

/// The operation that the importer turns into `op` (such as "ov.add"), or null.
const LayerType *findLayerTypeOfOp(llvm::StringRef op);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_LAYERS_H
