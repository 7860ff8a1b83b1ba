// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Edges.cpp - changes of edges, ports and port maps ------------------===//

#include "Mutator.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace recur::fuzz {

Element Mutator::anySource(Element layer) {
  std::vector<Element> found;
  for (Element other : getGraph(layer).child("layers").children("layer"))
    if (other.child("output").child("port"))
      found.push_back(other);
  return found.empty() ? Element() : random.pick(found);
}

/// Lets the edge start at an output of the layer.
static void setSource(Element edge, Element source, Random &random) {
  std::vector<Element> ports;
  for (Element port : source.child("output").children("port"))
    ports.push_back(port);
  setAttribute(edge, "from-layer", source.attribute("id").value());
  if (!ports.empty())
    setAttribute(edge, "from-port", random.pick(ports).attribute("id").value());
}

bool Mutator::rewire(Element layer) {
  std::vector<Element> edges = getInputEdges(layer);
  Element source = anySource(layer);
  if (edges.empty() || !source)
    return false;
  // The ports that the edge joins may say other types, which would end the import.
  if (random.chance(90))
    for (Element other : document.findLayers())
      for (Element port : other.child("input").children("port")) {
        port.remove_children();
        port.remove_attribute("precision");
      }
  // Also two operands that change places, and one operand twice.
  Element edge = random.pick(edges), other = random.pick(edges);
  if (random.chance(30) && edge != other) {
    for (const char *name : {"from-layer", "from-port"}) {
      std::string text = edge.attribute(name).value();
      setAttribute(edge, name, other.attribute(name).value());
      setAttribute(other, name, text);
    }
    return true;
  }
  setSource(edge, source, random);
  return true;
}

bool Mutator::dropEdge(Element layer) {
  std::vector<Element> edges = getInputEdges(layer);
  if (edges.empty())
    return false;
  Element edge = random.pick(edges);
  return edge.parent().remove_child(edge);
}

bool Mutator::changeEdgeEnd(Element layer) {
  std::vector<Element> edges = getInputEdges(layer);
  if (edges.empty())
    return false;
  static constexpr StringRef names[] = {"from-layer", "from-port", "to-layer", "to-port"};
  setAttribute(random.pick(edges), random.pick(names), anyNumberText());
  return true;
}

bool Mutator::dropInput(Element layer) {
  std::vector<Element> edges = getInputEdges(layer);
  if (edges.empty())
    return false;
  // Mostly the last one: it is often optional.
  Element edge = random.chance(60) ? edges.back() : random.pick(edges);
  StringRef id = edge.attribute("to-port").value();
  for (Element port : layer.child("input").children("port"))
    if (id == port.attribute("id").value()) {
      port.parent().remove_child(port);
      break;
    }
  return edge.parent().remove_child(edge);
}

bool Mutator::addInput(Element layer) {
  Element source = anySource(layer), edges = getGraph(layer).child("edges");
  if (!source || !edges)
    return false;
  Element inputs = layer.child("input");
  if (!inputs)
    inputs = layer.insert_child_after("input", layer.child("data"));
  unsigned count = random.chance(80) ? 1 : 2 + random.below(40);
  for (unsigned i = 0; i != count; ++i) {
    std::string id = std::to_string(1000 + i);
    setAttribute(inputs.append_child("port"), "id", id);
    Element edge = edges.append_child("edge");
    setSource(edge, source, random);
    setAttribute(edge, "to-layer", layer.attribute("id").value());
    setAttribute(edge, "to-port", id);
  }
  return true;
}

bool Mutator::changeOutputs(Element layer) {
  Element outputs = layer.child("output");
  if (outputs && random.chance(40))
    return outputs.remove_child(outputs.last_child());
  if (!outputs)
    outputs = layer.append_child("output");
  for (unsigned i = 0, e = random.chance(80) ? 1 : 50; i != e; ++i)
    setAttribute(outputs.append_child("port"), "id", std::to_string(2000 + i));
  return true;
}

bool Mutator::changePortEntry(Element layer) {
  std::vector<Element> entries = getPortEntries(layer);
  if (entries.empty())
    return false;
  Element entry = random.pick(entries);
  std::vector<pugi::xml_attribute> attributes;
  for (pugi::xml_attribute attribute : entry.attributes())
    attributes.push_back(attribute);
  static constexpr StringRef names[] = {"axis", "start", "end", "stride", "part_size", "purpose"};
  if (attributes.empty() || random.chance(30)) {
    setAttribute(entry, random.pick(names), anyNumberText());
    return true;
  }
  pugi::xml_attribute attribute = random.pick(attributes);
  // The id of another entry is mostly more than an extreme number.
  std::string name = attribute.name();
  if (StringRef(name).contains("id") && random.chance(60))
    return attribute.set_value(random.pick(entries).attribute(name.c_str()).value());
  if (random.chance(15))
    return entry.remove_attribute(attribute);
  return attribute.set_value(random.chance(50) ? std::to_string(int64_t(random.below(9)) - 4).c_str()
                                               : anyNumberText().c_str());
}

bool Mutator::dropPortEntry(Element layer) {
  std::vector<Element> entries = getPortEntries(layer);
  if (entries.empty())
    return false;
  Element entry = random.pick(entries);
  return entry.parent().remove_child(entry);
}

bool Mutator::doublePortEntry(Element layer) {
  std::vector<Element> entries = getPortEntries(layer);
  if (entries.empty())
    return false;
  Element entry = random.pick(entries);
  Element copy = entry.parent().append_copy(entry);
  if (random.chance(60) && copy.first_attribute())
    copy.first_attribute().set_value(random.pick(entries).first_attribute().value());
  return true;
}

} // namespace recur::fuzz
