// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Model.h - a model that is made up, as layers -------------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_MODEL_H
#define RECUR_TOOLS_IR_FUZZ_MODEL_H

#include "Recur/Interpreter/Tensor.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace recur::fuzz {

using interpreter::Tensor;

/// As a port declares it; -1 is a dim that only the run tells.
struct Type {
  recur_element_type element = RECUR_F32;
  interpreter::Shape dims;
};

/// An output of a layer of the same graph.
struct Ref {
  int node = -1;
  unsigned port = 0;
};

/// An entry of a port map. `internal` is a Parameter or Result of the body.
struct PortEntry {
  bool isInput = true;
  int external = -1, internal = -1;
  std::optional<int64_t> axis;
  int64_t start = 0, end = -1, stride = 1, part = 1;
  std::string purpose;
};

/// From a Result to a Parameter of the body.
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
  /// Of a Const its value, of a Parameter of the model the input.
  std::optional<Tensor> value;
  /// Of a TensorIterator or a Loop its body (one), of an If its branches.
  std::vector<Graph> bodies;
  std::vector<std::vector<PortEntry>> ports;
  std::vector<BackEdge> backEdges;
};

struct Graph {
  std::vector<Node> nodes;
};

struct Model {
  Graph graph;
  /// What it is about: statistics count the models that have it.
  std::set<std::string> features;

  /// The values of the Parameters, in order.
  std::vector<Tensor> getInputs() const;
  /// The IR text, and the bytes of its constants.
  void print(std::string &xml, std::string &bin) const;
  /// How often each operation occurs.
  std::map<std::string, unsigned> countOps() const;
  unsigned countNodes() const;
  /// What stands in what.
  void addNests();
  /// How great dims, ranks and constants are.
  void addSizes();
};

/// A directory with model.xml, model.bin and in_<i>.npy.
bool writeModel(const Model &model, llvm::StringRef directory);

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_MODEL_H
