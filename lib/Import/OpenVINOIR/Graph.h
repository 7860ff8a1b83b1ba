// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Graph.h - The layers of an IR file, as written -----------*- C++ -*-===//
//
// What the XML says, checked for everything that can be checked without types: ids are unique, edges and port maps end
// at things that exist. Strings point into the parsed XML, which outlives the graph.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_GRAPH_H
#define RECUR_LIB_IMPORT_OPENVINOIR_GRAPH_H

#include "SourceText.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace recur::ir {

struct TextAttribute {
  llvm::StringRef name, value;
  /// Of the value.
  Offset offset;
};

struct Port {
  uint64_t id;
  Offset offset;
  llvm::StringRef precision, names;
  Offset precisionOffset;
  /// The declared dims; none where the port has no `<dim>` (a scalar, or nothing said).
  llvm::SmallVector<int64_t, 4> dims;
};

/// An input port and the edge that feeds it.
struct Input : Port {
  static constexpr unsigned none = ~0u;
  /// Index of the layer, and of its output port, that the edge comes from.
  unsigned layer = none, port = 0;
  Offset edge = 0;
  bool isFed() const { return layer != none; }
};

struct Loop;
struct If;

struct Layer {
  uint64_t id = 0;
  llvm::StringRef name, type, version, outputNames;
  Offset offset = 0, typeOffset = 0, versionOffset = 0, dataOffset = 0;
  bool hasData = false;
  llvm::SmallVector<TextAttribute, 2> data;
  std::vector<Input> inputs;
  std::vector<Port> outputs;
  /// Of a TensorIterator or Loop.
  std::unique_ptr<Loop> loop;
  /// Of an If.
  std::unique_ptr<If> branches;

  Layer();
  Layer(Layer &&);
  ~Layer();
  bool is(llvm::StringRef what) const { return type.equals_insensitive(what); }
  bool isConst() const { return is("Const") || is("Constant"); }
  bool isLoop() const { return is("TensorIterator") || is("Loop"); }
  bool isIf() const { return is("If"); }
  /// The name, or one made of type and id.
  std::string getName() const;
  /// "layer 7 'LSTMCell_3' of type LSTMCell".
  std::string describe() const;
  const TextAttribute *findData(llvm::StringRef name) const;
};

struct Graph {
  std::vector<Layer> layers;
  llvm::DenseMap<uint64_t, unsigned> byId;
  /// Parameters and Results in file order.
  std::vector<unsigned> parameters, results;
  /// What must be built for the Results that matter: sources before users, no Parameters.
  std::vector<unsigned> order;
  /// For a Parameter, whether `order` uses it.
  std::vector<bool> isReached;
  Offset offset = 0;
};

struct PortMapEntry {
  bool isInput = true;
  int64_t external = 0;
  uint64_t internal = 0;
  /// Index of the layer in the body, and of the port of the loop layer (none where external is -1).
  unsigned layer = 0, port = Input::none;
  std::optional<int64_t> axis;
  int64_t start = 0, end = -1, stride = 1, part = 1;
  llvm::StringRef purpose;
  Offset offset = 0, externalOffset = 0, internalOffset = 0, axisOffset = 0, startOffset = 0, endOffset = 0,
         strideOffset = 0, partOffset = 0, purposeOffset = 0;
};

struct BackEdge {
  uint64_t from = 0, to = 0;
  /// Indices of the layers in the body.
  unsigned result = 0, parameter = 0;
  Offset offset = 0, fromOffset = 0, toOffset = 0;
};

/// The parts of a TensorIterator or Loop layer.
struct Loop {
  std::vector<PortMapEntry> entries;
  std::vector<BackEdge> backEdges;
  Graph body;

  // What the port map comes to. Pointers are into `entries` and `backEdges`.
  std::vector<const PortMapEntry *> sliced, invariant;
  struct Carried {
    const PortMapEntry *entry;
    const BackEdge *edge;
  };
  std::vector<Carried> carried;
  const PortMapEntry *iteration = nullptr, *condition = nullptr;
  /// For each output port of the layer the entry that fills it, or null.
  std::vector<const PortMapEntry *> outputs;
  /// Of a Loop: the positions of the trip count and the first condition among the layer's inputs.
  unsigned tripCountPort = 0, conditionPort = 1;
};

/// A body of an If, with its port map.
struct Branch {
  /// "then" or "else".
  llvm::StringRef name;
  std::vector<PortMapEntry> entries;
  Graph body;
  /// The entries that feed Parameters.
  std::vector<const PortMapEntry *> inputs;
  /// For each output port of the layer the entry that fills it, or null.
  std::vector<const PortMapEntry *> outputs;
};

struct If {
  Branch branches[2];
};

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_GRAPH_H
