// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Document.cpp - a model's file, to be changed -----------------------===//

#include "Document.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstring>
#include <sstream>

using llvm::StringRef;

namespace recur::fuzz {

bool Document::parse(StringRef text) { return bool(xml.load_buffer(text.data(), text.size())); }

std::string Document::print() const {
  std::ostringstream os;
  xml.save(os, " ");
  return os.str();
}

static void collectLayers(Element graph, std::vector<Element> &layers) {
  for (Element layer : graph.child("layers").children("layer")) {
    layers.push_back(layer);
    for (Element body : getBodies(layer))
      collectLayers(body, layers);
  }
}

std::vector<Element> Document::findLayers() const {
  std::vector<Element> layers;
  collectLayers(getRoot(), layers);
  return layers;
}

unsigned getBytesOfType(StringRef type) {
  return llvm::StringSwitch<unsigned>(type)
      .Cases({"i8", "u8", "boolean"}, 1)
      .Cases({"i16", "u16", "f16", "bf16"}, 2)
      .Cases({"i32", "u32", "f32"}, 4)
      .Cases({"i64", "u64", "f64"}, 8)
      .Default(0);
}

bool Document::readConstant(Element layer, ConstantValue &value) const {
  Element data = layer.child("data");
  value.type = data.attribute("element_type").value();
  value.shape = splitList(data.attribute("shape").value());
  uint64_t offset = data.attribute("offset").as_ullong(), size = data.attribute("size").as_ullong();
  unsigned bytes = getBytesOfType(value.type);
  if (!bytes || offset > bin.size() || size > bin.size() - offset || size / bytes > 4096)
    return false;
  for (uint64_t at = offset; at + bytes <= offset + size; at += bytes) {
    int64_t bits = 0;
    std::memcpy(&bits, bin.data() + at, bytes);
    if (value.type == "f32") {
      float real;
      std::memcpy(&real, bin.data() + at, sizeof(real));
      bits = real > -1e15f && real < 1e15f ? int64_t(real) : 0;
    } else if (value.type == "f64") {
      double real;
      std::memcpy(&real, bin.data() + at, sizeof(real));
      bits = real > -1e15 && real < 1e15 ? int64_t(real) : 0;
    } else if (bytes < 8 && value.type[0] == 'i') {
      bits = int64_t(uint64_t(bits) << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    }
    value.values.push_back(bits);
  }
  return true;
}

void Document::writeConstant(Element layer, const ConstantValue &value) {
  // Some readers want aligned data.
  bin.resize((bin.size() + 63) / 64 * 64);
  size_t offset = bin.size();
  unsigned bytes = std::max(1u, getBytesOfType(value.type));
  for (int64_t number : value.values) {
    char data[8];
    if (value.type == "f32") {
      float real = number;
      std::memcpy(data, &real, sizeof(real));
    } else if (value.type == "f64") {
      double real = number;
      std::memcpy(data, &real, sizeof(real));
    } else {
      std::memcpy(data, &number, sizeof(number));
    }
    bin.append(data, bytes);
  }
  Element element = layer.child("data");
  if (!element)
    element = layer.prepend_child("data");
  setAttribute(element, "element_type", value.type);
  setAttribute(element, "shape", joinList(value.shape));
  setAttribute(element, "offset", std::to_string(offset));
  setAttribute(element, "size", std::to_string(bin.size() - offset));
}

bool isOp(Element layer, StringRef op) { return op == layer.attribute("type").value(); }

Element getGraph(Element layer) { return layer.parent().parent(); }

Element findLayer(Element graph, StringRef id) {
  for (Element layer : graph.child("layers").children("layer"))
    if (id == layer.attribute("id").value())
      return layer;
  return {};
}

std::vector<Element> getInputEdges(Element layer) {
  std::vector<Element> edges;
  StringRef id = layer.attribute("id").value();
  for (Element edge : getGraph(layer).child("edges").children("edge"))
    if (id == edge.attribute("to-layer").value())
      edges.push_back(edge);
  return edges;
}

Element getSource(Element edge) { return findLayer(edge.parent().parent(), edge.attribute("from-layer").value()); }

std::vector<Element> getBodies(Element layer) {
  std::vector<Element> bodies;
  for (const char *name : {"body", "then_body", "else_body"})
    if (Element body = layer.child(name))
      bodies.push_back(body);
  return bodies;
}

std::vector<Element> getPortEntries(Element layer) {
  std::vector<Element> entries;
  for (const char *name : {"port_map", "then_port_map", "else_port_map", "back_edges"})
    for (Element entry : layer.child(name).children())
      entries.push_back(entry);
  return entries;
}

std::vector<std::string> splitList(StringRef text) {
  std::vector<std::string> list;
  if (text.trim().empty())
    return list;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts)
    list.push_back(part.trim().str());
  return list;
}

std::string joinList(llvm::ArrayRef<std::string> list) { return llvm::join(list, ","); }

void setAttribute(Element element, StringRef name, StringRef value) {
  pugi::xml_attribute attribute = element.attribute(name.str().c_str());
  if (!attribute)
    attribute = element.append_attribute(name.str().c_str());
  attribute.set_value(value.str().c_str());
}

std::string makeId(const Document &document) {
  int64_t most = 0;
  for (Element layer : document.findLayers())
    most = std::max<int64_t>(most, layer.attribute("id").as_llong());
  return std::to_string(uint64_t(most) % 1000000000 + 1);
}

} // namespace recur::fuzz
