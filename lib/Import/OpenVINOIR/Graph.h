// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Graph.h - The layers of an IR file, as written -----------*- C++ -*-===//
//
// A graph holds the layers of a model, or of a body of a loop or an If, as the XML has them. GraphReader fills it and
// checks everything that can be checked without types: ids are unique, and edges and port maps refer to layers and
// ports that exist. Types are checked when ops are built (ModelBuilder.h). Every part has its place in the file, for
// diagnostics. Strings point into the parsed XML, which must outlive the graph.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_GRAPH_H
#define RECUR_LIB_IMPORT_OPENVINOIR_GRAPH_H

#include "SourceText.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace recur::ir {

/// An attribute of an XML element.
struct TextAttribute {
  llvm::StringRef name, value;
  /// The place of the value.
  Offset offset;
};

/// A port of a layer.
struct Port {
  uint64_t id;
  Offset offset;
  llvm::StringRef precision, names;
  Offset precisionOffset;
  /// The declared dims, ShapedType::kDynamic if open. Empty if the port has no `<dim>`: the value is then a scalar, or
  /// the port does not declare its shape.
  llvm::SmallVector<int64_t, 4> dims;
  /// True if an edge leads from this output to a layer that is reached. orderLayers sets this.
  bool isUsed = false;
};

/// An input port and the edge that feeds it.
struct Input : Port {
  static constexpr unsigned none = ~0u;
  /// The layer that the edge comes from, as an index in the graph, and the output port, as an index in that layer.
  unsigned layer = none, port = 0;
  /// The place of the edge.
  Offset edge = 0;
  /// True if an edge to this port was reported. Then it is no news that the port is not fed.
  bool hasLostEdge = false;
  bool isFed() const { return layer != none; }
};

struct Loop;
struct If;

/// A `<layer>` element: one operation.
struct Layer {
  uint64_t id = 0;
  llvm::StringRef name, type, version, outputNames;
  Offset offset = 0, typeOffset = 0, versionOffset = 0, dataOffset = 0;
  /// True if the layer has a `<data>` element; `data` are its attributes.
  bool hasData = false;
  /// True if an error of the layer was reported, so that it cannot be built.
  bool isBroken = false;
  /// True if an error of its ports was reported, or if an edge was reported that may be meant for one of its inputs.
  /// Then it is no news that an edge does not find its port, or that an input has no edge.
  bool hasWrongPorts = false, hasLostEdge = false;
  llvm::SmallVector<TextAttribute, 2> data;
  std::vector<Input> inputs;
  std::vector<Port> outputs;
  /// The body and the port map of a TensorIterator or Loop; null in other layers.
  std::unique_ptr<Loop> loop;
  /// The bodies and the port maps of an If; null in other layers.
  std::unique_ptr<If> branches;

  Layer();
  Layer(Layer &&);
  ~Layer();
  /// True if the layer has this type, ignoring case.
  bool is(llvm::StringRef what) const { return type.equals_insensitive(what); }
  bool isLoop() const { return is("TensorIterator") || is("Loop"); }
  bool isIf() const { return is("If"); }
  /// The name, or type and id if the name is empty (`LSTMCell_7`).
  std::string getName() const;
  /// The layer as messages name it: "layer 7 'LSTMCell_3' of type LSTMCell".
  std::string describe() const;
  /// The attribute of `<data>` with this name, or null.
  const TextAttribute *findData(llvm::StringRef name) const;
};

/// A `<pre-process>` element: the mean of each channel of an input.
struct PreProcess {
  /// The name of the Parameter, or empty.
  llvm::StringRef input;
  struct Channel {
    uint64_t id = 0;
    /// The mean. If there is none, it is an image of `size` bytes at `place` of the weights file.
    std::optional<double> value;
    uint64_t place = 0, size = 0;
    Offset offset = 0;
  };
  std::vector<Channel> channels;
  Offset offset = 0;
};

/// The layers of a `<net>` or `<body>`. Layers refer to each other by their indices in `layers`.
struct Graph {
  std::vector<Layer> layers;
  /// The index of the layer with an id.
  llvm::DenseMap<uint64_t, unsigned> byId;
  /// Parameters, Results and Assigns in file order.
  std::vector<unsigned> parameters, results, assigns;
  /// The layers that the used Results need, Results included and Parameters excluded. Each layer comes after the layers
  /// that feed it. orderLayers fills this and `isReached`.
  std::vector<unsigned> order;
  /// For each layer, whether the used Results need it. Readers ask for Parameters, which `order` does not contain.
  std::vector<bool> isReached;
  /// The ids of layers that were reported and are not in `layers`.
  llvm::DenseSet<uint64_t> lostIds;
  /// True if a layer was reported whose id is not known, or an edge whose target is not known.
  bool hasLostLayers = false, hasLostEdges = false;
  /// Only a model has one, not a body.
  std::optional<PreProcess> preProcess;
  Offset offset = 0;

  /// True if the file may have a layer with this id that was reported.
  bool mayHaveLost(uint64_t id) const { return hasLostLayers || lostIds.contains(id); }
  /// True if the graph lacks a layer that was reported.
  bool isIncomplete() const { return hasLostLayers || !lostIds.empty(); }
};

/// An `<input>` or `<output>` of a port map: it connects a port of the loop or If with a Parameter or a Result of the
/// body. The offsets are the places of the attributes. If the entry does not have an optional attribute, its offset is
/// that of the entry; without a purpose, `purposeOffset` is not used.
struct PortMapEntry {
  bool isInput = true;
  /// The id of the port; -1 is "not connected".
  int64_t external = 0;
  /// The id of the Parameter or Result.
  uint64_t internal = 0;
  /// The indices of the Parameter or Result in the body (none if there is an error), and of the port in the loop or If
  /// (none if it is not connected).
  unsigned layer = Input::none, port = Input::none;
  /// The axis of a slice or a concatenation; nullopt if the whole tensor is passed. The numbers below are used only
  /// with an axis. `start` and `end` are both inclusive, and negative ones count from the end.
  std::optional<int64_t> axis;
  int64_t start = 0, end = -1, stride = 1, part = 1;
  llvm::StringRef purpose;
  Offset offset = 0, externalOffset = 0, internalOffset = 0, axisOffset = 0, startOffset = 0, endOffset = 0,
         strideOffset = 0, partOffset = 0, purposeOffset = 0;
};

/// A back edge of a loop: the value of a Result is the value of a Parameter in the next iteration.
struct BackEdge {
  /// The ids of the Result and the Parameter.
  uint64_t from = 0, to = 0;
  /// The indices of the Result and the Parameter in the body, once `isResolved`. An edge that was reported is never
  /// resolved.
  unsigned result = 0, parameter = 0;
  bool isResolved = false;
  Offset offset = 0, fromOffset = 0, toOffset = 0;
};

/// The body, the port map and the back edges of a TensorIterator or Loop.
struct Loop {
  std::vector<PortMapEntry> entries;
  std::vector<BackEdge> backEdges;
  Graph body;

  // resolveLoop fills the rest. Its pointers point into `entries` and `backEdges`.

  /// The inputs with an axis, and those with neither an axis nor a back edge.
  std::vector<const PortMapEntry *> sliced, invariant;
  /// A carried value: `entry` gives its first value, `edge` the next ones.
  struct Carried {
    const PortMapEntry *entry;
    const BackEdge *edge;
  };
  std::vector<Carried> carried;
  /// The input that is the number of the iteration, and the output that is the condition of a Loop, or null.
  const PortMapEntry *iteration = nullptr, *condition = nullptr;
  /// For each output port of the layer, the entry that fills it, or null.
  std::vector<const PortMapEntry *> outputs;
  /// The positions of the trip count and the first condition among the inputs of a Loop.
  unsigned tripCountPort = 0, conditionPort = 1;
};

/// A body of an If, with its port map.
struct Branch {
  /// "then" or "else".
  llvm::StringRef name;
  std::vector<PortMapEntry> entries;
  Graph body;
  /// The connected input entries. resolveIf fills this and `outputs`.
  std::vector<const PortMapEntry *> inputs;
  /// For each output port of the layer, the entry that fills it, or null.
  std::vector<const PortMapEntry *> outputs;
};

/// The bodies of an If: "then" and "else".
struct If {
  Branch branches[2];
};

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_GRAPH_H
