// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Attributes.cpp - The texts of a layer's attributes -----------------===//
//
// Converts MLIR attributes to the texts of a layer's attributes. The table of layers (Layers.h) says which attributes a
// layer has, their kinds and their defaults.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"

#include "Recur/Import/TypeNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using ov::LayerAttribute;
using ov::LayerAttributeKind;

/// The shortest text that is read as the same number.
static std::string writeNumber(Attribute attribute) {
  char text[32];
  auto end = std::to_chars(std::begin(text), std::end(text), cast<FloatAttr>(attribute).getValueAsDouble());
  return std::string(text, end.ptr);
}

std::string recur::ir::writeDims(RankedTensorType type) {
  std::string dims = spell(type.getShape());
  return dims.substr(1, dims.size() - 2);
}

/// The choice whose attribute is `value`.
static std::string writeChoice(const LayerAttribute &attribute, Attribute value) {
  for (StringRef choice : attribute.choices)
    if (attribute.parseChoice(value.getContext(), choice) == value)
      return choice.str();
  llvm_unreachable("the enum of an attribute has a choice for each of its values");
}

static std::string writeAttribute(const LayerAttribute &attribute, Attribute value) {
  auto writeList = [](ArrayAttr list, llvm::function_ref<std::string(Attribute)> write) {
    return llvm::join(llvm::map_range(list, write), ",");
  };
  switch (attribute.kind) {
  case LayerAttributeKind::Boolean:
    return cast<BoolAttr>(value).getValue() ? "true" : "false";
  case LayerAttributeKind::Integer:
    return std::to_string(cast<IntegerAttr>(value).getInt());
  case LayerAttributeKind::Number:
    return writeNumber(value);
  case LayerAttributeKind::String:
    return cast<StringAttr>(value).str();
  case LayerAttributeKind::Type:
    return spell(cast<TypeAttr>(value).getValue());
  case LayerAttributeKind::Integers:
    return llvm::join(llvm::map_range(cast<DenseI64ArrayAttr>(value).asArrayRef(),
                                      [](int64_t number) { return std::to_string(number); }),
                      ",");
  case LayerAttributeKind::Numbers:
    return writeList(cast<ArrayAttr>(value), writeNumber);
  case LayerAttributeKind::Enum:
    return writeChoice(attribute, value);
  case LayerAttributeKind::Enums:
    return writeList(cast<ArrayAttr>(value), [&](Attribute entry) { return writeChoice(attribute, entry); });
  }
  llvm_unreachable("all kinds are listed");
}

LayerData recur::ir::writeAttributes(Operation *op, const ov::LayerType &type) {
  LayerData data{type.writtenOpset, {}};
  if (!type.versions.empty())
    data.opset = op->getAttrOfType<IntegerAttr>(type.versionAttribute).getInt();
  for (const LayerAttribute &attribute : type.attributes) {
    Attribute value = attribute.isOfOp ? op->getAttr(attribute.name) : Attribute();
    if (!value)
      continue;
    std::string text = writeAttribute(attribute, value);
    if (attribute.opset > data.opset && attribute.defaultText && text == *attribute.defaultText)
      continue;
    data.opset = std::max(data.opset, attribute.opset);
    data.attributes.push_back({attribute.name, std::move(text)});
  }
  return data;
}
