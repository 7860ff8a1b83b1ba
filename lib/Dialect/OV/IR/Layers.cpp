// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layers.cpp - How OpenVINO's IR spells the operations ---------------===//
//
// recur-tblgen generates the table itself from the .td files; this file only looks up its entries.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/Layers.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

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

llvm::ArrayRef<MissingLayer> getMissingLayers() { return missingLayers; }

const MissingLayer *findMissingLayer(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(missingLayers, [&](const MissingLayer &layer) { return layer.name.equals_insensitive(name); });
  return found == std::end(missingLayers) ? nullptr : found;
}

void printLayers(llvm::raw_ostream &os) {
  std::map<llvm::StringRef, std::pair<unsigned, std::string>> lines;
  for (const LayerType &type : layerTypes) {
    std::string becomes = type.op.empty() ? "other ops" : type.op.str();
    lines[type.name] = {type.opset, becomes};
    for (llvm::StringRef other : type.otherNames)
      lines[other] = {type.opset, becomes};
  }
  for (const MissingLayer &layer : missingLayers)
    lines[layer.name] = {layer.opset, "missing: " + layer.reason.str()};
  for (const auto &[name, line] : lines)
    os << name << " opset" << line.first << " " << line.second << "\n";
}

} // namespace recur::ov
