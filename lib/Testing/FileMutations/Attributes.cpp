// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Attributes.cpp - changes of layers' attributes ---------------------===//

#include "Mutator.h"

#include "Recur/Dialect/OV/IR/Layers.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using llvm::StringRef;

namespace recur::fuzz {

llvm::ArrayRef<int64_t> getExtremes() {
  using Limits = std::numeric_limits<int64_t>;
  static constexpr int64_t extremes[] = {0,
                                         -1,
                                         1,
                                         2,
                                         -2,
                                         3,
                                         5,
                                         7,
                                         -7,
                                         64,
                                         65536,
                                         1000000,
                                         (int64_t(1) << 31) - 1,
                                         int64_t(1) << 31,
                                         -(int64_t(1) << 31),
                                         int64_t(1) << 32,
                                         int64_t(1) << 62,
                                         Limits::max(),
                                         Limits::max() - 1,
                                         Limits::min(),
                                         Limits::min(),
                                         Limits::min() + 1};
  return extremes;
}

int64_t Mutator::anyInteger() { return random.chance(70) ? random.pick(getExtremes()) : int64_t(random.below(20)) - 8; }

std::string Mutator::anyNumberText() {
  static constexpr StringRef texts[] = {"0.5",   "-0.0",  "1.5", "1e308", "-1e308", "1e-45",
                                        "nan",   "inf",   "",    "abc",   "true",   "false",
                                        "0x10",  "1,1",   "0,0", "-1,-1", "None",   "18446744073709551615",
                                        "1e400", "-inf",  " 1",  "+1",    "1 1",    "9223372036854775808",
                                        "[1,2]", "1,,2,", "?",   "2..4",  "-1e-30", "-9223372036854775809"};
  return random.chance(65) ? std::to_string(anyInteger()) : random.pick(texts).str();
}

void Mutator::changeList(std::vector<std::string> &list, bool isOfDims) {
  auto entry = [&]() -> std::string {
    if (isOfDims && random.chance(30))
      return "?";
    return random.chance(isOfDims ? 60 : 30) ? std::to_string(random.below(6)) : std::to_string(anyInteger());
  };
  unsigned kind = random.below(100);
  if (list.empty() || kind < 10) {
    list.insert(list.begin() + random.below(list.size() + 1), entry());
  } else if (kind < 60) {
    random.pick(list) = entry();
  } else if (kind < 75) {
    list.erase(list.begin() + random.below(list.size()));
  } else if (kind < 82) {
    list.clear();
  } else if (kind < 90) {
    std::string all = entry();
    llvm::fill(list, all);
  } else if (kind < 96) {
    std::swap(random.pick(list), random.pick(list));
  } else {
    static constexpr unsigned sizes[] = {9, 33, 65, 1000, 20000};
    list.resize(random.pick(sizes), list.front());
  }
}

pugi::xml_attribute Mutator::anyAttribute(Element layer) {
  std::vector<pugi::xml_attribute> all;
  for (pugi::xml_attribute attribute : layer.child("data").attributes())
    all.push_back(attribute);
  return all.empty() ? pugi::xml_attribute() : random.pick(all);
}

bool Mutator::setExtremeAttribute(Element layer) {
  pugi::xml_attribute attribute = anyAttribute(layer);
  return attribute && attribute.set_value(anyNumberText().c_str());
}

bool Mutator::changeAttributeList(Element layer) {
  pugi::xml_attribute attribute = anyAttribute(layer);
  if (!attribute)
    return false;
  std::vector<std::string> list = splitList(attribute.value());
  changeList(list, /*isOfDims=*/false);
  return attribute.set_value(joinList(list).c_str());
}

/// The description of an attribute that a layer of this operation may have, or null.
static const ov::LayerAttribute *findAttribute(Element layer, StringRef name) {
  const ov::LayerType *type = ov::findLayerType(layer.attribute("type").value());
  if (!type)
    return nullptr;
  auto found = llvm::find_if(type->attributes, [&](const auto &attribute) { return attribute.name == name; });
  return found == type->attributes.end() ? nullptr : found;
}

bool Mutator::setOtherWord(Element layer) {
  pugi::xml_attribute attribute = anyAttribute(layer);
  if (!attribute)
    return false;
  static constexpr StringRef words[] = {"true",       "false",  "1",         "0",        "numpy", "none", "explicit",
                                        "same_upper", "valid",  "i64",       "i32",      "f32",   "f16",  "boolean",
                                        "u8",         "u4",     "nf4",       "f64",      "sum",   "max",  "linear",
                                        "bf16",       "string", "undefined", "constant", "floor", "ceil"};
  const ov::LayerAttribute *known = findAttribute(layer, attribute.name());
  StringRef word = known && !known->choices.empty() && random.chance(80) ? StringRef(random.pick(known->choices))
                                                                         : random.pick(words);
  return attribute.set_value(word.str().c_str());
}

bool Mutator::setForeignAttribute(Element layer) {
  pugi::xml_attribute attribute = anyAttribute(layer);
  std::vector<Element> layers = document.findLayers();
  pugi::xml_attribute other = anyAttribute(random.pick(layers));
  return attribute && other && attribute.set_value(other.value());
}

bool Mutator::addAttribute(Element layer) {
  const ov::LayerType *type = ov::findLayerType(layer.attribute("type").value());
  if (!type || type->attributes.empty())
    return false;
  const ov::LayerAttribute &added = random.pick(type->attributes);
  Element data = layer.child("data");
  if (!data)
    data = layer.prepend_child("data");
  std::string text = added.choices.empty() ? anyNumberText() : random.pick(added.choices).str();
  setAttribute(data, added.name, text);
  return true;
}

bool Mutator::dropAttribute(Element layer) {
  pugi::xml_attribute attribute = anyAttribute(layer);
  return attribute && layer.child("data").remove_attribute(attribute);
}

bool Mutator::changeVersion(Element layer) {
  static constexpr StringRef others[] = {"", "opset0", "opset17", "extension", "experimental", "opset99999999999"};
  std::string version = random.chance(80) ? "opset" + std::to_string(1 + random.below(16)) : random.pick(others).str();
  setAttribute(layer, "version", version);
  return true;
}

bool Mutator::changeOp(Element layer) {
  const ov::LayerType &other = random.pick(ov::getLayerTypes());
  setAttribute(layer, "type", other.name);
  setAttribute(layer, "version", "opset" + std::to_string(std::max(1u, other.writtenOpset)));
  return true;
}

} // namespace recur::fuzz
