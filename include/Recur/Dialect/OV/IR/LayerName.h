// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayerName.h - The layer that a location names ------------*- C++ -*-===//
#ifndef RECUR_DIALECT_OV_IR_LAYERNAME_H
#define RECUR_DIALECT_OV_IR_LAYERNAME_H

#include "mlir/IR/Location.h"

namespace recur {

/// The name of the layer that a location came from; empty if it has none. Of several layers it is the first.
inline llvm::StringRef getLayerName(mlir::Location location) {
  auto named = location->findInstanceOf<mlir::NameLoc>();
  return named ? named.getName().getValue() : llvm::StringRef();
}

} // namespace recur

#endif // RECUR_DIALECT_OV_IR_LAYERNAME_H
