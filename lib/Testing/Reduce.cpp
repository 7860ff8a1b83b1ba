// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reduce.cpp - smaller models with the same fault --------------------===//
//
// Steps that make a model smaller are tried one after the other, and kept if the model still fails in the same way. A
// step may give an invalid model: the importer rejects it, which is not the same failure, so it is not kept.
//
//===----------------------------------------------------------------------===//

#include "Recur/Testing/Reduce.h"

#include "llvm/ADT/STLExtras.h"

namespace recur::fuzz {

/// Removes the layers that nothing needs, and renumbers the others. Parameters stay unless `dropParameters`.
static void prune(Graph &graph, Node *owner, unsigned which, bool dropParameters) {
  std::vector<bool> isNeeded(graph.nodes.size());
  auto visit = [&](auto &self, int id) -> void {
    if (isNeeded[id])
      return;
    isNeeded[id] = true;
    for (const Ref &ref : graph.nodes[id].inputs)
      self(self, ref.node);
  };
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (node.type == "Result" || (node.type == "Parameter" && !dropParameters))
      visit(visit, id);
  if (owner) {
    for (const PortEntry &entry : owner->ports[which])
      visit(visit, entry.internal);
    for (const BackEdge &edge : owner->backEdges)
      visit(visit, edge.to);
  }
  std::vector<int> numbers(graph.nodes.size(), -1);
  std::vector<Node> kept;
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (isNeeded[id]) {
      numbers[id] = kept.size();
      kept.push_back(std::move(node));
    }
  for (Node &node : kept)
    for (Ref &ref : node.inputs)
      ref.node = numbers[ref.node];
  graph.nodes = std::move(kept);
  if (!owner)
    return;
  for (PortEntry &entry : owner->ports[which])
    entry.internal = numbers[entry.internal];
  for (BackEdge &edge : owner->backEdges) {
    edge.from = numbers[edge.from];
    edge.to = numbers[edge.to];
  }
}

/// Removes an input of a loop, and renumbers the ports of all bodies.
static void dropInput(Node &node, unsigned port) {
  node.inputs.erase(node.inputs.begin() + port);
  for (std::vector<PortEntry> &entries : node.ports)
    for (PortEntry &entry : entries)
      entry.external -= entry.external > int(port);
}

static void cleanUp(Graph &graph, Node *owner, unsigned which, bool dropParameters) {
  for (Node &node : graph.nodes) {
    for (size_t i = 0; i != node.bodies.size(); ++i) {
      // Remove the Results that nothing reads any more.
      Graph &body = node.bodies[i];
      for (Node &inner : body.nodes)
        if (inner.type == "Result") {
          int id = &inner - body.nodes.data();
          bool isRead = llvm::any_of(node.ports[i], [&](const PortEntry &entry) { return entry.internal == id; }) ||
                        llvm::any_of(node.backEdges, [&](const BackEdge &edge) { return edge.from == id; });
          if (!isRead)
            inner.type = "Dead";
        }
      cleanUp(body, &node, i, true);
    }
  }
  prune(graph, owner, which, dropParameters);
}

static bool hasOp(const Node &node, llvm::StringRef op) {
  return node.type == op || llvm::any_of(node.bodies, [&](const Graph &body) {
           return llvm::any_of(body.nodes, [&](const Node &inner) { return hasOp(inner, op); });
         });
}

Model keepOp(Model model, llvm::StringRef op) {
  Graph &graph = model.graph;
  auto needed = [&](const Node &node) { return hasOp(node, op); };
  if (llvm::none_of(graph.nodes, needed))
    return model;
  for (Node &node : graph.nodes)
    if (node.type == "Result")
      node.type = "Dead";
  for (int id = 0, e = graph.nodes.size(); id != e; ++id)
    for (unsigned port = 0; needed(graph.nodes[id]) && port != graph.nodes[id].outputs.size(); ++port) {
      Node result;
      result.type = "Result";
      result.version = "opset1";
      result.inputs.push_back({id, port});
      graph.nodes.push_back(std::move(result));
    }
  cleanUp(graph, nullptr, 0, /*dropParameters=*/true);
  return model;
}

/// A step tries a change at the place of this number. It returns false if there is no such place.
using Step = llvm::function_ref<bool(Model &, unsigned place)>;

static void forEachGraph(Graph &graph, llvm::function_ref<void(Graph &, Node *)> visit, Node *owner = nullptr) {
  visit(graph, owner);
  for (Node &node : graph.nodes)
    for (Graph &body : node.bodies)
      forEachGraph(body, visit, &node);
}

/// Calls `take` for the node of this number. Returns false if there is none.
static bool atNode(Model &model, unsigned place, llvm::function_ref<void(Graph &, int id, Node *owner)> take) {
  bool found = false;
  std::vector<std::tuple<Graph *, int, Node *>> all;
  forEachGraph(model.graph, [&](Graph &graph, Node *owner) {
    for (int id = graph.nodes.size(); id-- != 0;)
      all.push_back({&graph, id, owner});
  });
  if (place < all.size()) {
    auto [graph, id, owner] = all[place];
    take(*graph, id, owner);
    found = true;
  }
  return found;
}

static bool isSame(const Type &a, const Type &b) { return a.element == b.element && a.dims == b.dims; }

/// Readers of the node read an earlier output of the same type instead; place = node * 8 + choice.
static bool bypass(Model &model, unsigned place) {
  return atNode(model, place / 8, [&](Graph &graph, int id, Node *) {
    unsigned choice = place % 8;
    const Node &node = graph.nodes[id];
    if (node.type == "Parameter" || node.type == "Result")
      return;
    for (unsigned port = 0; port != node.outputs.size(); ++port) {
      unsigned seen = 0;
      for (int other = 0; other != id; ++other)
        for (unsigned from = 0; from != graph.nodes[other].outputs.size(); ++from) {
          if (!isSame(graph.nodes[other].outputs[from], node.outputs[port]) || seen++ != choice)
            continue;
          for (Node &reader : graph.nodes)
            for (Ref &ref : reader.inputs)
              if (ref.node == id && ref.port == port)
                ref = {other, from};
        }
    }
  });
}

/// Replaces a layer by a constant of zeros or ones.
static bool makeConstant(Model &model, unsigned place) {
  return atNode(model, place / 2, [&](Graph &graph, int id, Node *) {
    Node &node = graph.nodes[id];
    if (node.type == "Parameter" || node.type == "Result" || node.type == "Const" || node.outputs.size() != 1 ||
        llvm::is_contained(node.outputs[0].dims, -1))
      return;
    Tensor zeros(node.outputs[0].element, node.outputs[0].dims);
    for (int64_t i = 0; place % 2 && i != zeros.getNumElements(); ++i)
      zeros.set(i, interpreter::isReal(zeros.getType()) ? interpreter::Scalar::of(1.0)
                                                        : interpreter::Scalar::of(interpreter::Integer(1)));
    Node constant;
    constant.type = "Const";
    constant.version = "opset1";
    constant.outputs = node.outputs;
    constant.value = zeros;
    node = constant;
  });
}

static bool dropResult(Model &model, unsigned place) {
  unsigned seen = 0;
  for (Node &node : model.graph.nodes)
    if (node.type == "Result" && seen++ == place) {
      node.type = "Dead";
      return true;
    }
  return false;
}

/// Replaces a result of the model by all the values that the layer before it reads.
static bool retreat(Model &model, unsigned place) {
  unsigned seen = 0;
  for (Node &node : model.graph.nodes)
    if (node.type == "Result" && seen++ == place) {
      std::vector<Ref> inputs = model.graph.nodes[node.inputs[0].node].inputs;
      node.type = "Dead";
      for (const Ref &input : inputs) {
        Node result;
        result.type = "Result";
        result.version = "opset1";
        result.inputs.push_back(input);
        model.graph.nodes.push_back(result);
      }
      return true;
    }
  return false;
}

/// Removes an entry of a loop's port map: an output, an input (together with the input of the layer), or a back edge.
static bool dropEntry(Model &model, unsigned place) {
  std::vector<std::tuple<Node *, unsigned, bool>> all;
  forEachGraph(model.graph, [&](Graph &graph, Node *) {
    for (Node &node : graph.nodes)
      if (node.bodies.size() == 1) {
        for (unsigned i = 0; i != node.ports[0].size(); ++i)
          all.push_back({&node, i, false});
        for (unsigned i = 0; i != node.backEdges.size(); ++i)
          all.push_back({&node, i, true});
      }
  });
  if (place >= all.size())
    return false;
  auto [node, index, isEdge] = all[place];
  if (isEdge) {
    node->backEdges.erase(node->backEdges.begin() + index);
    return true;
  }
  PortEntry entry = node->ports[0][index];
  bool isUnused = true;
  if (entry.isInput && entry.external >= 0) {
    for (const PortEntry &other : node->ports[0])
      isUnused &= &other == &node->ports[0][index] || !other.isInput || other.external != entry.external;
    llvm::erase_if(node->backEdges, [&](const BackEdge &edge) { return edge.to == entry.internal; });
    node->ports[0].erase(node->ports[0].begin() + index);
    if (isUnused)
      dropInput(*node, entry.external);
    return true;
  }
  node->ports[0].erase(node->ports[0].begin() + index);
  if (entry.external < 0)
    return true;
  // Readers of later outputs are renumbered. Readers of this output make the model invalid.
  unsigned port = entry.external - node->inputs.size();
  forEachGraph(model.graph, [&](Graph &graph, Node *) {
    for (Node &reader : graph.nodes)
      for (Ref &ref : reader.inputs)
        if (&graph.nodes[ref.node] == node && ref.port > port)
          --ref.port;
  });
  node->outputs.erase(node->outputs.begin() + port);
  for (PortEntry &other : node->ports[0])
    if (!other.isInput && other.external > entry.external)
      --other.external;
  return true;
}

/// True if no node reads an output that no longer exists, or an input that was dropped.
static bool isConsistent(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    for (const Ref &ref : node.inputs)
      if (ref.node < 0 || ref.port >= graph.nodes[ref.node].outputs.size())
        return false;
    for (const Graph &body : node.bodies)
      if (!isConsistent(body))
        return false;
  }
  return true;
}

Model reduce(Model model, const Verdict &verdict, const CheckOptions &options, unsigned seconds) {
  auto fails = [&](const Model &candidate) {
    Verdict now = checkIsolated(candidate, options, seconds);
    // A refusal must have the same text, except for numbers.
    auto prefix = [](const std::string &text) {
      std::string letters;
      for (char c : text.substr(0, 160))
        if (!isdigit(c))
          letters += c;
      return letters;
    };
    return now.kind == verdict.kind && (now.kind != Verdict::Refused || prefix(now.text) == prefix(verdict.text));
  };
  Step steps[] = {dropResult, retreat, dropEntry, makeConstant, bypass};
  for (bool isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (Step step : steps)
      for (unsigned place = 0;;) {
        Model candidate = model;
        if (!step(candidate, place))
          break;
        if (!isConsistent(candidate.graph)) {
          ++place;
          continue;
        }
        cleanUp(candidate.graph, nullptr, 0, true);
        std::string before, after, bytes;
        model.print(before, bytes);
        candidate.print(after, bytes);
        if (after.size() < before.size() && fails(candidate)) {
          model = std::move(candidate);
          isSmaller = true;
        } else {
          ++place;
        }
      }
  }
  return model;
}

} // namespace recur::fuzz
