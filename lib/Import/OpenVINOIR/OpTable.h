// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpTable.h - The operations that can be imported ----------*- C++ -*-===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_OPTABLE_H
#define RECUR_LIB_IMPORT_OPENVINOIR_OPTABLE_H

#include "ModelBuilder.h"

namespace recur::ir {

/// How the text of an attribute becomes an MLIR attribute.
enum class AttributeKind { boolean, integer, number, string, type, strings, numbers, integers };

struct AttributeRow {
  llvm::StringLiteral name;
  AttributeKind kind;
  bool isRequired = false;
};

/// One operation. Without `import` the op is created from all operands and all attributes, under the same names.
struct OpRow {
  /// OpenVINO's name.
  llvm::StringLiteral type;
  /// The op's.
  llvm::StringLiteral op;
  unsigned minInputs, maxInputs, outputs;
  llvm::ArrayRef<AttributeRow> attributes = {};
  /// The first opset that has it.
  unsigned opset = 1;
  llvm::LogicalResult (*import)(LayerBuilder &, const OpRow &) = nullptr;
};

/// The row of a type, in any case and under its other names, or null.
const OpRow *findOp(llvm::StringRef type);
/// The names of all operations that can be imported.
llvm::ArrayRef<llvm::StringRef> getOpNames();

/// The number of the layer's opset; the least that has the op where the layer names none.
unsigned getOpset(const Layer &layer, const OpRow &row);

/// Checks types, opsets and attribute names of all layers that are needed, bodies included. All operations that are not
/// supported go into one error.
llvm::LogicalResult checkOps(const Graph &graph, Reports &reports);

// Cells.cpp
llvm::LogicalResult importLSTMCell(LayerBuilder &layer, const OpRow &row);
llvm::LogicalResult importGRUCell(LayerBuilder &layer, const OpRow &row);
llvm::LogicalResult importRNNCell(LayerBuilder &layer, const OpRow &row);
llvm::LogicalResult importLSTMSequence(LayerBuilder &layer, const OpRow &row);
llvm::LogicalResult importGRUSequence(LayerBuilder &layer, const OpRow &row);
llvm::LogicalResult importRNNSequence(LayerBuilder &layer, const OpRow &row);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_OPTABLE_H
