// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Types.cpp - changes of dims and element types ----------------------===//

#include "Mutator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace recur::fuzz {

Element Mutator::anyParameter(Element layer) {
  // Walk from the layer to what it is computed from.
  std::vector<Element> reached = {layer}, found;
  llvm::StringSet<> seen;
  while (!reached.empty()) {
    Element next = reached.back();
    reached.pop_back();
    if (!next || !seen.insert(next.attribute("id").value()).second)
      continue;
    if (isOp(next, "Parameter"))
      found.push_back(next);
    for (Element edge : getInputEdges(next))
      reached.push_back(getSource(edge));
  }
  return found.empty() ? Element() : random.pick(found);
}

/// Removes the dims of all ports, so that the importer infers them.
static void forgetDims(const Document &document) {
  for (Element layer : document.findLayers())
    for (const char *side : {"input", "output"})
      for (Element port : layer.child(side).children("port"))
        while (port.remove_child("dim"))
          ;
}

/// Removes the element types of all ports.
static void forgetTypes(const Document &document) {
  for (Element layer : document.findLayers())
    for (const char *side : {"input", "output"})
      for (Element port : layer.child(side).children("port"))
        port.remove_attribute("precision");
}

bool Mutator::changeDims(Element layer) {
  Element data = anyParameter(layer).child("data");
  std::vector<std::string> shape = splitList(data.attribute("shape").value());
  if (!data || shape.empty())
    return false;
  if (random.chance(85))
    forgetDims(document);
  switch (random.below(5)) {
  case 0:
    random.pick(shape) = "?";
    break;
  case 1:
    random.pick(shape) = "0";
    break;
  case 2:
    random.pick(shape) = std::to_string(1 + random.below(6));
    break;
  case 3:
    random.pick(shape) = anyNumberText();
    break;
  default:
    llvm::fill(shape, random.chance(70) ? std::string("?") : std::to_string(random.below(3)));
  }
  setAttribute(data, "shape", joinList(shape));
  return true;
}

bool Mutator::changeRank(Element layer) {
  Element data = anyParameter(layer).child("data");
  if (!data)
    return false;
  if (random.chance(90))
    forgetDims(document);
  std::vector<std::string> shape = splitList(data.attribute("shape").value());
  static constexpr unsigned ranks[] = {0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 100, 10000};
  std::string dim = random.chance(50) ? "1" : random.chance(50) ? "2" : "?";
  unsigned rank = random.pick(ranks);
  shape.resize(rank, rank > 10 && random.chance(80) ? "1" : dim);
  if (random.chance(20))
    std::reverse(shape.begin(), shape.end());
  setAttribute(data, "shape", random.chance(3) ? "..." : joinList(shape));
  return true;
}

bool Mutator::changeType(Element layer) {
  Element data = anyParameter(layer).child("data");
  if (!data)
    return false;
  static constexpr StringRef types[] = {"f32", "i64", "i32", "f16",    "bf16",   "f64",      "boolean",
                                        "i8",  "u8",  "i16", "u16",    "u32",    "u64",      "boolean",
                                        "i4",  "u1",  "nf4", "string", "f8e4m3", "undefined"};
  if (random.chance(95))
    forgetTypes(document);
  setAttribute(data, "element_type", random.pick(types));
  // All of the model has the type.
  if (random.chance(30))
    for (Element other : document.findLayers())
      if (isOp(other, "Parameter"))
        setAttribute(other.child("data"), "element_type", data.attribute("element_type").value());
  return true;
}

bool Mutator::changePort(Element layer) {
  std::vector<Element> ports;
  for (const char *side : {"input", "output"})
    for (Element port : layer.child(side).children("port"))
      ports.push_back(port);
  if (ports.empty())
    return false;
  Element port = random.pick(ports);
  static constexpr StringRef precisions[] = {"FP32", "I64", "BOOL", "FP16", "U8", "I4", "UNSPECIFIED", "", "XYZ"};
  switch (random.below(4)) {
  case 0:
    setAttribute(port, "precision", random.pick(precisions));
    break;
  case 1:
    setAttribute(port, "id", anyNumberText());
    break;
  case 2:
    port.append_child("dim").text().set(anyNumberText().c_str());
    break;
  default:
    for (Element dim : port.children("dim"))
      if (random.chance(50))
        dim.text().set(anyNumberText().c_str());
  }
  return true;
}

bool Mutator::callWithOtherRank(Element) {
  callFault = CallFault::Rank;
  return true;
}

bool Mutator::callWithOtherDims(Element) {
  callFault = CallFault::Dims;
  return true;
}

bool Mutator::callWithOtherType(Element) {
  callFault = CallFault::Type;
  return true;
}

} // namespace recur::fuzz
