// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Graphs.cpp - layers that are doubled, chained and nested -----------===//

#include "Mutator.h"

#include "Recur/Dialect/OV/IR/Layers.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace recur::fuzz {

static Element addEdge(Element graph, StringRef from, StringRef fromPort, StringRef to, StringRef toPort) {
  Element edge = graph.child("edges").append_child("edge");
  setAttribute(edge, "from-layer", from);
  setAttribute(edge, "from-port", fromPort);
  setAttribute(edge, "to-layer", to);
  setAttribute(edge, "to-port", toPort);
  return edge;
}

/// Adds a copy of the layer with this id, which reads what the layer reads.
static Element addCopy(Element layer, const std::string &id) {
  std::vector<Element> edges = getInputEdges(layer);
  Element copy = layer.parent().insert_copy_after(layer, layer);
  setAttribute(copy, "id", id);
  setAttribute(copy, "name", (StringRef(layer.attribute("name").value()) + "_" + id).str());
  for (Element edge : edges)
    setAttribute(edge.parent().append_copy(edge), "to-layer", id);
  return copy;
}

/// Adds a Result of this id for the first output of the layer.
static void addResult(Element layer, const std::string &id) {
  Element result = layer.parent().append_child("layer");
  setAttribute(result, "id", id);
  setAttribute(result, "name", "result_" + id);
  setAttribute(result, "type", "Result");
  setAttribute(result, "version", "opset1");
  setAttribute(result.append_child("input").append_child("port"), "id", "0");
  addEdge(getGraph(layer), layer.attribute("id").value(), layer.child("output").child("port").attribute("id").value(),
          id, "0");
}

bool Mutator::doubleLayer(Element layer) {
  if (random.chance(20)) {
    // The same id twice.
    layer.parent().insert_copy_after(layer, layer);
    return true;
  }
  std::string id = makeId(document);
  Element copy = addCopy(layer, id);
  if (layer.child("output").child("port") && getGraph(layer) == document.getRoot())
    addResult(copy, makeId(document));
  return true;
}

/// True if another change has put very many elements into the layer. Few copies of it fill the memory.
static bool isHuge(Element layer) {
  struct Counter : pugi::xml_tree_walker {
    bool for_each(pugi::xml_node &) override { return ++count < 2'000; }
    unsigned count = 0;
  } counter;
  layer.traverse(counter);
  return counter.count >= 2'000;
}

/// One of `counts`, which grow. An expansion has a hundred times as many ops as another layer, and so takes as much
/// more time to compile: it gets at most 3 copies. A layer with an importer of its own may become one too, once another
/// change opens its axes or lengths: 100 reductions along axes of the call take 6 seconds.
static unsigned pickCount(Random &random, Element layer, llvm::ArrayRef<unsigned> counts) {
  const ov::LayerType *type = ov::findLayerType(StringRef(layer.attribute("type").value()));
  unsigned count = random.pick(counts);
  if (isHuge(layer))
    return 1;
  if (!type)
    return count;
  bool mayExpand = !type->importer.empty() && !type->isElementwise;
  return std::min(count, type->op.empty() ? 3u : mayExpand ? 20u : count);
}

/// Puts many copies of the layer, or of an element-wise one, behind it.
bool Mutator::chainLayers(Element layer) {
  Element output = layer.child("output").child("port");
  Element graph = getGraph(layer);
  std::vector<Element> readers;
  for (Element edge : graph.child("edges").children("edge"))
    if (StringRef(edge.attribute("from-layer").value()) == layer.attribute("id").value())
      readers.push_back(edge);
  std::vector<Element> inputs = getInputEdges(layer);
  if (!output || readers.empty() || inputs.empty())
    return false;
  static constexpr unsigned counts[] = {2, 2, 2, 5, 5, 20, 100};
  unsigned count = pickCount(random, layer, counts);
  int64_t id = std::atoll(makeId(document).c_str());
  std::string lastId = layer.attribute("id").value(), port = output.attribute("id").value();
  for (unsigned i = 0; i != count; ++i, ++id) {
    std::string own = std::to_string(id);
    addCopy(layer, own);
    for (Element edge : graph.child("edges").children("edge"))
      if (edge.attribute("to-layer").value() == own) {
        // The first operand is the layer before.
        setAttribute(edge, "from-layer", lastId);
        setAttribute(edge, "from-port", port);
        break;
      }
    lastId = own;
  }
  for (Element edge : readers)
    setAttribute(edge, "from-layer", lastId);
  return true;
}

/// Adds many layers side by side: copies, or results.
bool Mutator::widen(Element layer) {
  if (!layer.child("output").child("port") || getGraph(layer) != document.getRoot())
    return false;
  static constexpr unsigned counts[] = {2, 3, 10, 40};
  bool copies = random.chance(60);
  unsigned count = pickCount(random, layer, counts);
  int64_t id = std::atoll(makeId(document).c_str());
  for (unsigned i = 0; i != count; ++i) {
    Element source = layer;
    if (copies)
      source = addCopy(layer, std::to_string(id++));
    addResult(source, std::to_string(id++));
  }
  return true;
}

/// Puts a copy of the layer with bodies into one of its bodies, often.
bool Mutator::nest(Element layer) {
  std::vector<Element> bodies = getBodies(layer);
  if (bodies.empty())
    return false;
  static constexpr unsigned counts[] = {1, 1, 2, 3, 5, 70};
  // Each copy has those before it, so that many of a large one do not fit.
  unsigned count = random.pick(counts);
  pugi::xml_document saved;
  saved.append_copy(layer);
  int64_t id = std::atoll(makeId(document).c_str());
  Element outer = layer;
  for (unsigned i = 0; i != count; ++i) {
    std::vector<Element> inside = getBodies(outer);
    Element body = random.pick(inside), layers = body.child("layers");
    Element copy = layers.append_copy(saved.first_child());
    // Another change may have emptied the body.
    if (!copy)
      return i != 0;
    setAttribute(copy, "id", std::to_string(id++));
    // It reads what fits by chance.
    std::vector<Element> sources;
    for (Element other : layers.children("layer"))
      if (other != copy && other.child("output").child("port"))
        sources.push_back(other);
    for (Element port : copy.child("input").children("port"))
      if (!sources.empty()) {
        Element source = random.pick(sources);
        addEdge(body, source.attribute("id").value(), source.child("output").child("port").attribute("id").value(),
                copy.attribute("id").value(), port.attribute("id").value());
      }
    outer = copy;
  }
  return true;
}

bool Mutator::dropLayer(Element layer) {
  std::vector<Element> layers;
  for (Element other : getGraph(layer).child("layers").children("layer"))
    layers.push_back(other);
  Element dropped = random.pick(layers);
  return dropped.parent().remove_child(dropped);
}

/// Puts elements into elements, far deeper than any model does.
bool Mutator::nestElements(Element layer) {
  static constexpr StringRef names[] = {"body", "layer", "layers", "rt_info", "data", "port_map", "dim"};
  static constexpr unsigned depths[] = {10, 100, 1000, 5000};
  std::string name = random.pick(names).str();
  Element at = random.chance(50) ? layer : document.getRoot();
  for (unsigned i = 0, e = random.pick(depths); i != e; ++i)
    at = at.append_child(name.c_str());
  return true;
}

} // namespace recur::fuzz
