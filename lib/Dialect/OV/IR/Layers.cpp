// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layers.cpp - How OpenVINO's IR spells the operations ---------------===//
//
// recur-tblgen generates the table itself from the .td files; this file only looks up its entries.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/Layers.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/StringMap.h"

namespace recur::ov {

#include "Recur/Dialect/OV/IR/OVLayers.cpp.inc"

llvm::ArrayRef<LayerType> getLayerTypes() { return layerTypes; }

const LayerType *findLayerType(llvm::StringRef name) {
  static const llvm::StringMap<const LayerType *> byName = [] {
    llvm::StringMap<const LayerType *> map;
    for (const LayerType &type : layerTypes) {
      map[type.name.lower()] = &type;
      for (llvm::StringRef other : type.otherNames)
        map[other.lower()] = &type;
    }
    return map;
  }();
  return byName.lookup(name.lower());
}

const LayerType *findLayerTypeOfOp(llvm::StringRef op) {
  static const llvm::StringMap<const LayerType *> byOp = [] {
    llvm::StringMap<const LayerType *> map;
    for (const LayerType &type : layerTypes)
      if (!type.op.empty())
        map[type.op] = &type;
    return map;
  }();
  return byOp.lookup(op);
}

} // namespace recur::ov
