// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Attributes.h - The texts of a layer's attributes ---------*- C++ -*-===//
//
// The inverse of the importer's Attributes.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPORT_OPENVINOIR_ATTRIBUTES_H
#define RECUR_LIB_EXPORT_OPENVINOIR_ATTRIBUTES_H

#include "Recur/Dialect/OV/IR/Layers.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace recur::ir {

/// A layer's opset and the attributes of its data.
struct LayerData {
  unsigned opset;
  std::vector<std::pair<llvm::StringRef, std::string>> attributes;
};

/// Writes the attributes of an op as the table of layers says. Attributes that a layer of the opset cannot have are
/// left out if they have their default; otherwise they raise the opset.
LayerData writeAttributes(mlir::Operation *op, const ov::LayerType &type);

/// The dims of a type as an attribute has them: `2,?`.
std::string writeDims(mlir::RankedTensorType type);

} // namespace recur::ir

#endif // RECUR_LIB_EXPORT_OPENVINOIR_ATTRIBUTES_H
