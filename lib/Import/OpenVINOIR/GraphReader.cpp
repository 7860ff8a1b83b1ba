// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphReader.cpp - From XML to a graph ------------------------------===//
//
// Reads layers, ports, edges and port maps, and checks each where it is read. PortMap.cpp then resolves the ids of port
// maps and orders the layers.
//
//===----------------------------------------------------------------------===//

#include "GraphReader.h"

#include "PreProcess.h"
#include "TypeSyntax.h"
#include "XML.h"

#include "Recur/Import/OpenVINOIR.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ir;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Layer::Layer() = default;
Layer::Layer(Layer &&) = default;
Layer::~Layer() = default;

std::string Layer::getName() const { return name.empty() ? shown(type) + "_" + std::to_string(id) : name.str(); }

std::string Layer::describe() const {
  return "layer " + std::to_string(id) + " " + quoted(name) + " of type " + shown(type);
}

const recur::ir::TextAttribute *Layer::findData(StringRef what) const {
  for (const TextAttribute &attribute : data)
    if (attribute.name == what)
      return &attribute;
  return nullptr;
}

namespace {
/// Reads a `<net>` or `<body>` element into a graph, with the bodies of its layers. `depth` is the number of bodies
/// around the element.
class GraphReader {
public:
  GraphReader(XML &xml, Reports &reports, const recur::ImportOptions &options)
      : xml(xml), reports(reports), options(options) {}

  void readGraph(pugi::xml_node owner, Graph &graph, unsigned depth);

private:
  void readLayer(pugi::xml_node node, Graph &graph, unsigned depth);
  template <typename PortT>
  void readPorts(pugi::xml_node list, std::vector<PortT> &ports);
  void readEdges(pugi::xml_node list, Graph &graph);
  bool checkBody(Layer &layer, const Twine &prefix, pugi::xml_node body, pugi::xml_node portMap, unsigned depth);
  void readLoop(pugi::xml_node node, Layer &layer, unsigned depth);
  void readIf(pugi::xml_node node, Layer &layer, unsigned depth);
  void readPortMap(pugi::xml_node list, std::vector<PortMapEntry> &entries);
  void readBackEdges(pugi::xml_node list, Loop &loop);

  XML &xml;
  Reports &reports;
  const recur::ImportOptions &options;
};
} // namespace

void GraphReader::readGraph(pugi::xml_node owner, Graph &graph, unsigned depth) {
  graph.offset = xml.offsetOf(owner);
  pugi::xml_node layers, edges, preProcess;
  xml.forEachChild(owner,
                   {"layers", "edges", "rt_info", "meta_data", "quantization_parameters", "pre-process", "statistics"},
                   [&](StringRef name, pugi::xml_node child) {
                     if (name == "layers")
                       layers = xml.takeOnly(layers, child);
                     else if (name == "edges")
                       edges = xml.takeOnly(edges, child);
                     else if (name == "pre-process")
                       preProcess = xml.takeOnly(preProcess, child);
                   });
  if (!layers || !layers.first_child()) {
    reports
        .error(layers ? xml.offsetOf(layers) : graph.offset, "ir-no-layers",
               "<" + Twine(owner.name()) + "> has no layers")
        .emit();
    graph.hasLostLayers = true;
    return;
  }
  if (preProcess && depth == 0)
    graph.preProcess = readPreProcess(xml, preProcess);
  unsigned errorsBefore = reports.countErrors();
  graph.layers.reserve(std::distance(layers.begin(), layers.end()));
  xml.forEachChild(layers, {"layer"}, [&](StringRef, pugi::xml_node child) { readLayer(child, graph, depth); });
  // After an error in a layer, the graph may lack that layer. Its edges would cause more errors, which do not help.
  if (edges && (reports.countErrors() == errorsBefore || reports.goesOn()))
    readEdges(edges, graph);
}

void GraphReader::readLayer(pugi::xml_node node, Graph &graph, unsigned depth) {
  if (reports.full())
    return;
  Layer layer;
  layer.offset = xml.offsetOf(node);
  unsigned errorsBefore = reports.countErrors();
  Element attributes(xml, node, {"id", "name", "type", "version"}, {"output_names", "precision"});
  std::optional<uint64_t> id = attributes.getId("id");
  const TextAttribute *type = attributes.get("type");
  if (!id) {
    graph.hasLostLayers = true;
    return;
  }
  if (!type) {
    graph.lostIds.insert(*id);
    return;
  }
  layer.id = *id;
  layer.type = type->value.trim();
  layer.typeOffset = type->offset;
  layer.versionOffset = layer.offset;
  if (const TextAttribute *name = attributes.find("name"))
    layer.name = name->value;
  if (const TextAttribute *version = attributes.find("version")) {
    layer.version = version->value;
    layer.versionOffset = version->offset;
  }
  if (const TextAttribute *names = attributes.find("output_names"))
    layer.outputNames = names->value;

  auto [known, inserted] = graph.byId.try_emplace(layer.id, graph.layers.size());
  if (!inserted) {
    Layer &first = graph.layers[known->second];
    // Edges may mean either of them, and the id that one of them lacks is not known.
    first.isBroken = first.hasWrongPorts = graph.hasLostLayers = true;
    reports.error(layer.offset, "ir-layer-id", "layer id " + Twine(layer.id) + " is used twice")
        .note(first.offset, "first used by " + first.describe())
        .emit();
    return;
  }

  bool isLoop = layer.isLoop();
  pugi::xml_node data, inputs, outputs;
  auto visit = [&](StringRef name, pugi::xml_node child) {
    if (name == "data")
      data = xml.takeOnly(data, child);
    else if (name == "input")
      inputs = xml.takeOnly(inputs, child);
    else if (name == "output")
      outputs = xml.takeOnly(outputs, child);
  };
  if (isLoop)
    xml.forEachChild(node, {"data", "input", "output", "rt_info", "port_map", "back_edges", "body"}, visit);
  else if (layer.isIf())
    xml.forEachChild(node,
                     {"data", "input", "output", "rt_info", "then_port_map", "then_body", "else_port_map", "else_body"},
                     visit);
  else // Other layers may have any children. checkLayers reports the types that are not supported.
    xml.forEachChild(node, {}, visit);
  if (data) {
    layer.hasData = true;
    layer.dataOffset = xml.offsetOf(data);
    layer.data = xml.readAttributes(data);
  }
  unsigned errorsBeforePorts = reports.countErrors();
  readPorts(inputs, layer.inputs);
  readPorts(outputs, layer.outputs);
  layer.hasWrongPorts = reports.countErrors() != errorsBeforePorts;
  layer.isBroken = reports.countErrors() != errorsBefore;
  if (isLoop)
    readLoop(node, layer, depth);
  else if (layer.isIf())
    readIf(node, layer, depth);

  if (layer.is("Parameter"))
    graph.parameters.push_back(graph.layers.size());
  else if (layer.is("Result"))
    graph.results.push_back(graph.layers.size());
  else if (layer.is("Assign"))
    graph.assigns.push_back(graph.layers.size());
  if (depth != 0 && (layer.is("Assign") || layer.is("ReadValue"))) {
    layer.isBroken = true;
    reports
        .error(layer.offset, "ir-op",
               layer.describe() + ": a state in a body is not supported; pass its value through the loop or If, and "
                                  "have ReadValue and Assign "
                                  "outside")
        .emit();
  }
  graph.layers.push_back(std::move(layer));
}

template <typename PortT>
void GraphReader::readPorts(pugi::xml_node list, std::vector<PortT> &ports) {
  llvm::DenseMap<uint64_t, Offset> seen;
  xml.forEachChild(list, {"port"}, [&](StringRef, pugi::xml_node node) {
    PortT port;
    port.offset = xml.offsetOf(node);
    port.precisionOffset = port.offset;
    Element attributes(xml, node, {"id"}, {"precision", "names"});
    std::optional<uint64_t> id = attributes.getId("id");
    port.id = id.value_or(0);
    if (const TextAttribute *precision = attributes.find("precision")) {
      port.precision = precision->value;
      port.precisionOffset = precision->offset;
    }
    if (const TextAttribute *names = attributes.find("names"))
      port.names = names->value;
    if (id) {
      auto [first, inserted] = seen.try_emplace(*id, port.offset);
      if (!inserted)
        reports.error(port.offset, "ir-port-id", "port id " + Twine(*id) + " is used twice")
            .note(first->second, "first used here")
            .emit();
    }
    xml.forEachChild(node, {"dim", "rt_info"}, [&](StringRef name, pugi::xml_node child) {
      if (name != "dim")
        return;
      std::string problem;
      FailureOr<int64_t> dim = parseDim(child.child_value(), problem);
      if (succeeded(dim))
        port.dims.push_back(*dim);
      else
        reports.error(xml.offsetOf(child), "ir-dim", problem).emit();
    });
    ports.push_back(std::move(port));
  });
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

template <typename PortT>
static std::string listPorts(const std::vector<PortT> &ports) {
  if (ports.empty())
    return "it has none";
  std::vector<std::string> ids;
  ids.reserve(ports.size());
  for (const Port &port : ports)
    ids.push_back(std::to_string(port.id));
  return "it has " + listed(ids);
}

void GraphReader::readEdges(pugi::xml_node list, Graph &graph) {
  // Maps find the ports by layer and id. A search would take quadratic time for a layer with many ports.
  llvm::DenseMap<std::pair<unsigned, uint64_t>, unsigned> inputsById, outputsById;
  for (auto [i, layer] : llvm::enumerate(graph.layers)) {
    for (auto [j, port] : llvm::enumerate(layer.inputs))
      inputsById.try_emplace({i, port.id}, j);
    for (auto [j, port] : llvm::enumerate(layer.outputs))
      outputsById.try_emplace({i, port.id}, j);
  }
  xml.forEachChild(list, {"edge"}, [&](StringRef, pugi::xml_node node) {
    if (reports.full())
      return;
    Element attributes(xml, node, {"from-layer", "from-port", "to-layer", "to-port"}, {});
    std::optional<uint64_t> ids[] = {attributes.getId("from-layer"), attributes.getId("from-port"),
                                     attributes.getId("to-layer"), attributes.getId("to-port")};
    if (!llvm::all_of(ids, [](auto &id) { return id.has_value(); })) {
      graph.hasLostEdges = true;
      return;
    }
    auto findLayer = [&](StringRef attribute, uint64_t id) -> std::optional<unsigned> {
      auto found = graph.byId.find(id);
      if (found != graph.byId.end())
        return found->second;
      if (graph.mayHaveLost(id))
        return std::nullopt;
      reports
          .error(attributes.find(attribute)->offset, "ir-edge-layer",
                 "edge refers to layer " + Twine(id) + ", which does not exist")
          .emit();
      // Other edges of the layer say nothing new.
      graph.lostIds.insert(id);
      return std::nullopt;
    };
    bool isTargetLost = graph.lostIds.contains(*ids[2]);
    std::optional<unsigned> from = findLayer("from-layer", *ids[0]), to = findLayer("to-layer", *ids[2]);
    if (!to) {
      graph.hasLostEdges |= !isTargetLost;
      return;
    }
    Layer &target = graph.layers[*to];
    auto input = inputsById.find({*to, *ids[3]});
    bool hasInput = input != inputsById.end();
    (hasInput ? target.inputs[input->second].hasLostEdge : target.hasLostEdge) = true;
    if (!from)
      return;
    Layer &source = graph.layers[*from];
    auto output = outputsById.find({*from, *ids[1]});
    if (output == outputsById.end()) {
      if (!source.hasWrongPorts)
        reports
            .error(attributes.find("from-port")->offset, "ir-edge-port",
                   source.describe() + " has no output port " + Twine(*ids[1]) + "; " + listPorts(source.outputs))
            .note(source.offset, "the layer is here")
            .emit();
      source.hasWrongPorts = true;
      return;
    }
    if (!hasInput) {
      // The edge may be meant for another layer.
      target.isBroken = graph.hasLostEdges = true;
      if (!target.hasWrongPorts)
        reports
            .error(attributes.find("to-port")->offset, "ir-edge-port",
                   target.describe() + " has no input port " + Twine(*ids[3]) + "; " + listPorts(target.inputs))
            .note(target.offset, "the layer is here")
            .emit();
      return;
    }
    Input &port = target.inputs[input->second];
    if (port.isFed()) {
      // It is not clear which edge is right, and what the other one is meant for.
      port.layer = Input::none;
      port.hasLostEdge = graph.hasLostEdges = true;
      return reports
          .error(attributes.getOffset(), "ir-edge-twice",
                 "input port " + Twine(port.id) + " of " + target.describe() + " has two edges")
          .note(port.edge, "the first is here")
          .emit();
    }
    port.layer = *from;
    port.port = output->second;
    port.edge = attributes.getOffset();
    port.hasLostEdge = false;
  });
}

//===----------------------------------------------------------------------===//
// TensorIterator and Loop
//===----------------------------------------------------------------------===//

/// Reports an error if the layer has no body or no port map, or if the body is too deep in other bodies. Their elements
/// begin with `prefix`. Returns false if the body is not to be read.
bool GraphReader::checkBody(Layer &layer, const Twine &prefix, pugi::xml_node body, pugi::xml_node portMap,
                            unsigned depth) {
  if (!body)
    reports.error(layer.offset, "ir-no-body", layer.describe() + " has no <" + prefix + "body>").emit();
  else if (!portMap)
    reports.error(layer.offset, "ir-no-port-map", layer.describe() + " has no <" + prefix + "port_map>").emit();
  else if (depth + 1 > options.maxDepth)
    reports.error(xml.offsetOf(body), "limit-depth", "bodies are nested deeper than " + Twine(options.maxDepth)).emit();
  else
    return true;
  layer.isBroken = true;
  return false;
}

void GraphReader::readLoop(pugi::xml_node node, Layer &layer, unsigned depth) {
  layer.loop = std::make_unique<Loop>();
  pugi::xml_node portMap, backEdges, body;
  for (pugi::xml_node child : node.children()) {
    StringRef name = child.name();
    if (name == "port_map")
      portMap = xml.takeOnly(portMap, child);
    else if (name == "back_edges")
      backEdges = xml.takeOnly(backEdges, child);
    else if (name == "body")
      body = xml.takeOnly(body, child);
  }
  unsigned errorsBefore = reports.countErrors();
  if (!checkBody(layer, "", body, portMap, depth))
    return;
  readPortMap(portMap, layer.loop->entries);
  readBackEdges(backEdges, *layer.loop);
  layer.isBroken |= reports.countErrors() != errorsBefore;
  readGraph(body, layer.loop->body, depth + 1);
  if (reports.countErrors() == errorsBefore || reports.goesOn())
    resolveLoop(layer, reports);
}

void GraphReader::readPortMap(pugi::xml_node list, std::vector<PortMapEntry> &entries) {
  xml.forEachChild(list, {"input", "output"}, [&](StringRef name, pugi::xml_node node) {
    unsigned errorsBefore = reports.countErrors();
    PortMapEntry entry;
    entry.isInput = name == "input";
    entry.offset = xml.offsetOf(node);
    Element attributes(
        xml, node, {"external_port_id", "internal_layer_id", "axis", "start", "end", "stride", "part_size", "purpose"},
        {"internal_port_id"});
    auto read = [&](StringRef what, auto &value, Offset &offset) {
      if (const TextAttribute *attribute = attributes.find(what)) {
        offset = attribute->offset;
        if (std::optional<int64_t> number = attributes.getInteger(what))
          value = *number;
      }
    };
    std::optional<int64_t> external = attributes.getInteger("external_port_id");
    std::optional<uint64_t> internal = attributes.getId("internal_layer_id");
    entry.axisOffset = entry.startOffset = entry.endOffset = entry.strideOffset = entry.partOffset = entry.offset;
    read("axis", entry.axis, entry.axisOffset);
    read("start", entry.start, entry.startOffset);
    read("end", entry.end, entry.endOffset);
    read("stride", entry.stride, entry.strideOffset);
    read("part_size", entry.part, entry.partOffset);
    if (const TextAttribute *purpose = attributes.find("purpose")) {
      entry.purpose = purpose->value;
      entry.purposeOffset = purpose->offset;
    }
    if (reports.countErrors() != errorsBefore)
      return;
    entry.external = *external;
    entry.internal = *internal;
    entry.externalOffset = attributes.find("external_port_id")->offset;
    entry.internalOffset = attributes.find("internal_layer_id")->offset;
    entries.push_back(entry);
  });
}

void GraphReader::readBackEdges(pugi::xml_node list, Loop &loop) {
  xml.forEachChild(list, {"edge"}, [&](StringRef, pugi::xml_node node) {
    Element attributes(xml, node, {"from-layer", "to-layer"}, {"from-port", "to-port"});
    std::optional<uint64_t> from = attributes.getId("from-layer"), to = attributes.getId("to-layer");
    if (!from || !to)
      return;
    BackEdge edge;
    edge.from = *from;
    edge.to = *to;
    edge.offset = attributes.getOffset();
    edge.fromOffset = attributes.find("from-layer")->offset;
    edge.toOffset = attributes.find("to-layer")->offset;
    loop.backEdges.push_back(edge);
  });
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

void GraphReader::readIf(pugi::xml_node node, Layer &layer, unsigned depth) {
  layer.branches = std::make_unique<If>();
  unsigned errorsBefore = reports.countErrors();
  static constexpr llvm::StringLiteral names[] = {"then", "else"};
  for (auto [branch, name] : llvm::zip_equal(layer.branches->branches, names)) {
    branch.name = name;
    pugi::xml_node portMap, body;
    for (pugi::xml_node child : node.children()) {
      StringRef childName = child.name();
      if (!childName.consume_front(name))
        continue;
      if (childName == "_port_map")
        portMap = xml.takeOnly(portMap, child);
      else if (childName == "_body")
        body = xml.takeOnly(body, child);
    }
    unsigned errorsBeforeBranch = reports.countErrors();
    if (!checkBody(layer, name.str() + "_", body, portMap, depth)) {
      if (reports.goesOn())
        continue;
      return;
    }
    readPortMap(portMap, branch.entries);
    layer.isBroken |= reports.countErrors() != errorsBeforeBranch;
    readGraph(body, branch.body, depth + 1);
  }
  if (reports.countErrors() == errorsBefore || reports.goesOn())
    resolveIf(layer, reports);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

struct ModelFile::Document {
  XML xml;
};

ModelFile::ModelFile() = default;
ModelFile::~ModelFile() = default;

LogicalResult ModelFile::read(StringRef text, Reports &reports, const recur::ImportOptions &options) {
  document = std::make_unique<Document>();
  XML &xml = document->xml;
  pugi::xml_node net;
  if (failed(xml.parse(text, reports, net)))
    return failure();

  Element attributes(xml, net, {"name", "version"}, {"batch"});
  if (const TextAttribute *attribute = attributes.find("name"))
    name = attribute->value;
  const TextAttribute *version = attributes.get("version");
  if (!version)
    return failure();
  std::optional<int64_t> number = attributes.getInteger("version");
  if (!number)
    return failure();
  if (*number != 10 && *number != 11)
    return reports.error(version->offset, "ir-version",
                         "expected IR version 10 or 11, but got version " + Twine(*number));

  GraphReader(xml, reports, options).readGraph(net, graph, 0);
  if (reports.stops())
    return failure();
  if (graph.results.empty() && !graph.isIncomplete())
    return reports.error(graph.offset, "ir-no-result", "the model has no Result layer");
  // No layer reads the output of an Assign.
  std::vector<unsigned> roots = graph.results;
  llvm::append_range(roots, graph.assigns);
  orderLayers(graph, roots, reports);
  return failure(reports.stops());
}
