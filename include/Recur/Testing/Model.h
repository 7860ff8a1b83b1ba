// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Model.h - random models as layers ------------------------*- C++ -*-===//
//
// A random model is kept as layers, ports and edges, as in the XML of OpenVINO, because the importer reads it and
// because it can be reduced layer by layer.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_MODEL_H
#define RECUR_TESTING_MODEL_H

#include "Recur/Interpreter/Tensor.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace recur::fuzz {

using interpreter::getElementName;
using interpreter::Tensor;

/// A type as a port declares it. A dim of -1 is known only at run time.
struct Type {
  recur_element_type element = RECUR_F32;
  interpreter::Shape dims;
};

/// An output of a layer of the same graph.
struct Ref {
  int node = -1;
  unsigned port = 0;
};

/// An entry of a port map. `external` is a port of the layer, or -1 if it is not connected. `internal` is the id of a
/// Parameter or Result of the body. The other members are the attributes of the entry in the XML.
struct PortEntry {
  bool isInput = true;
  int external = -1, internal = -1;
  std::optional<int64_t> axis;
  int64_t start = 0, end = -1, stride = 1, part = 1;
  std::string purpose;
};

/// A back edge, from a Result to a Parameter of the body, by the ids of the nodes.
struct BackEdge {
  int from = -1, to = -1;
};

struct Graph;

/// A layer. Its id is its index in its graph.
struct Node {
  std::string type, version;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Ref> inputs;
  std::vector<Type> outputs;
  /// The value of a Const, or the input of a Parameter of the model.
  std::optional<Tensor> value;
  /// The body of a TensorIterator or a Loop (one), or the branches of an If.
  std::vector<Graph> bodies;
  /// The port map of each body.
  std::vector<std::vector<PortEntry>> ports;
  std::vector<BackEdge> backEdges;
};

/// The layers of a model or of a body.
struct Graph {
  std::vector<Node> nodes;
};

/// A random model, with the inputs to call it with.
struct Model {
  Graph graph;
  /// The features of the model. Statistics count the models that have each.
  std::set<std::string> features;

  /// The values of the model's Parameters, in order.
  std::vector<Tensor> getInputs() const;
  /// Prints the IR text, and the bytes of its constants.
  void print(std::string &xml, std::string &bin) const;
  /// The number of layers of each operation.
  std::map<std::string, unsigned> countOps() const;
  unsigned countNodes() const;
  /// Adds the features that say which loops and branches are nested in which.
  void addNests();
  /// Adds the features that say how large dims, ranks and constants are.
  void addSizes();
};

/// Writes a directory with model.xml, model.bin and in_<i>.npy. Returns false if a file cannot be written.
bool writeModel(const Model &model, llvm::StringRef directory);

} // namespace recur::fuzz

#endif // RECUR_TESTING_MODEL_H
