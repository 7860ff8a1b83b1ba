// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PortMap.cpp - Port maps, back edges and the order of layers --------===//
//
// Replaces the ids of port maps and back edges by indices, sorts the entries by their roles (sliced, carried,
// invariant, and so on), and orders the layers of a graph such that sources come before users.
//
//===----------------------------------------------------------------------===//

#include "GraphReader.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ir;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Port maps and back edges
//===----------------------------------------------------------------------===//

namespace {
/// The common part of resolving the port maps of loops and Ifs. `body` is the body that the port map belongs to.
class PortMapResolver {
protected:
  PortMapResolver(Layer &layer, Graph &body, Reports &reports)
      : layer(layer), body(body), reports(reports), errorsBefore(reports.countErrors()),
        hasLostInputs(layer.isBroken || body.isIncomplete()), hasLostOutputs(hasLostInputs) {}
  /// Marks the layer as one that cannot be built, if its port map is wrong or names layers that were reported.
  void markBroken() { layer.isBroken |= body.isIncomplete() || reports.countErrors() != errorsBefore; }
  /// The index of the layer `id` in the body, whose type must be `kind`, "Parameter" or "Result". Otherwise reports an
  /// error at `where`, with the id `reportId`, and returns nullopt; `what` names the reference in the message.
  std::optional<unsigned> findBodyLayer(uint64_t id, StringRef kind, Offset where, StringRef what, StringRef reportId);
  /// The index of the Parameter or Result that an entry names.
  std::optional<unsigned> findBodyLayer(const PortMapEntry &entry) {
    return findBodyLayer(entry.internal, entry.isInput ? "Parameter" : "Result", entry.internalOffset,
                         entry.isInput ? "port_map input" : "port_map output", "ir-port-map-layer");
  }
  /// The index of the port that an entry names. Reports an error if there is none.
  template <typename PortT>
  std::optional<unsigned> findPort(const std::vector<PortT> &ports, const PortMapEntry &entry, StringRef kind);
  /// Reports an error if the port id of an entry is below -1.
  bool checkExternal(const PortMapEntry &entry);
  /// Records that an entry was reported.
  void lose(const PortMapEntry &entry) { (entry.isInput ? hasLostInputs : hasLostOutputs) = true; }
  void reportUnfed(unsigned parameter);
  void reportParameterTwice(const PortMapEntry &first, const PortMapEntry &second);
  /// Stores an output entry at its port in `outputs`, unless it is not connected. Two entries for a port are an error.
  void fillOutput(std::vector<const PortMapEntry *> &outputs, PortMapEntry &entry);

  Layer &layer;
  Graph &body;
  Reports &reports;
  unsigned errorsBefore;
  /// True if an input or an output of the port map was reported. Then it is no news that a Parameter has no value, or
  /// that an output is missing.
  bool hasLostInputs, hasLostOutputs;
  /// The input entry that feeds a Parameter, by the index of the Parameter in the body.
  llvm::DenseMap<unsigned, const PortMapEntry *> entryTo;
};

/// Resolves the port map and the back edges of a TensorIterator or Loop.
class LoopResolver : PortMapResolver {
public:
  LoopResolver(Layer &layer, Reports &reports)
      : PortMapResolver(layer, layer.loop->body, reports), loop(*layer.loop), isLoop(layer.is("Loop")) {}

  void run() {
    bool hasCount = !isLoop || findCountAndCondition();
    if (!hasCount && !reports.goesOn())
      return;
    loop.outputs.assign(layer.outputs.size(), nullptr);
    for (BackEdge &edge : loop.backEdges)
      resolveBackEdge(edge);
    for (PortMapEntry &entry : loop.entries)
      resolveEntry(entry);
    if (isLoop && !loop.condition && !hasLostOutputs)
      reports
          .error(layer.offset, "ir-loop-condition",
                 layer.describe() + " has no port_map output with purpose=\"execution_condition\"")
          .emit();
    // The table has no back edge that was reported as an error, so no second error follows.
    for (const BackEdge &edge : loop.backEdges)
      if (edge.isResolved && edgeTo.lookup(edge.parameter) == &edge && !entryTo.count(edge.parameter) && !hasLostInputs)
        reports
            .error(edge.toOffset, "ir-back-edge-initial",
                   "back edge ends at " + body.layers[edge.parameter].describe() +
                       ", which has no port_map input for its first value")
            .emit();
    if (hasCount && !hasLostInputs)
      warnAboutUnmappedInputs();
    markBroken();
    orderBody();
  }

private:
  bool findCountAndCondition();
  void resolveBackEdge(BackEdge &edge);
  void resolveEntry(PortMapEntry &entry);
  bool resolvePurpose(PortMapEntry &entry);
  void resolveInput(PortMapEntry &entry);
  void warnAboutUnmappedInputs();
  void orderBody();

  Loop &loop;
  bool isLoop;
  /// The back edge that ends at a Parameter, by the index of the Parameter in the body.
  llvm::DenseMap<unsigned, const BackEdge *> edgeTo;
};

/// Resolves the port map of one of the two bodies of an If.
class BranchResolver : PortMapResolver {
public:
  BranchResolver(Layer &layer, Branch &branch, Reports &reports)
      : PortMapResolver(layer, branch.body, reports), branch(branch) {}
  void run();

private:
  void resolveEntry(PortMapEntry &entry);

  Branch &branch;
};
} // namespace

bool LoopResolver::findCountAndCondition() {
  if (layer.inputs.size() < 2) {
    layer.hasWrongPorts = true;
    reports
        .error(layer.offset, "ir-loop-inputs",
               layer.describe() + ": expected inputs for trip count and condition, but got " +
                   Twine(layer.inputs.size()) + " input ports")
        .emit();
    return false;
  }
  // Trip count and condition are the ports 0 and 1, in any order. If the ports have other ids, they are the first two.
  auto find = [&](uint64_t id) { return llvm::find_if(layer.inputs, [=](auto &port) { return port.id == id; }); };
  auto first = find(0), second = find(1);
  if (first != layer.inputs.end() && second != layer.inputs.end()) {
    loop.tripCountPort = first - layer.inputs.begin();
    loop.conditionPort = second - layer.inputs.begin();
  }
  return true;
}

std::optional<unsigned> PortMapResolver::findBodyLayer(uint64_t id, StringRef kind, Offset where, StringRef what,
                                                       StringRef reportId) {
  auto found = body.byId.find(id);
  if (found != body.byId.end() && body.layers[found->second].is(kind))
    return found->second;
  // A fault of the layer that was reported is not reported again.
  if (body.mayHaveLost(id))
    return std::nullopt;
  body.lostIds.insert(id);
  std::vector<std::string> names;
  for (const Layer &candidate : body.layers)
    if (candidate.is(kind))
      names.push_back(std::to_string(candidate.id) + " " + quoted(candidate.name));
  std::string choice = names.empty() ? "there is none" : "there is " + listed(names);
  if (found == body.byId.end()) {
    reports
        .error(where, reportId,
               what + ": the body of " + layer.describe() + " has no layer " + Twine(id) + "; expected a " + kind +
                   ", " + choice)
        .emit();
    return std::nullopt;
  }
  const Layer &wrong = body.layers[found->second];
  reports.error(where, reportId, what + ": expected a " + kind + " (" + choice + "), but got " + wrong.describe())
      .note(wrong.offset, "the layer is here")
      .emit();
  return std::nullopt;
}

void LoopResolver::resolveBackEdge(BackEdge &edge) {
  std::optional<unsigned> from =
      findBodyLayer(edge.from, "Result", edge.fromOffset, "source of a back edge", "ir-back-edge-source");
  std::optional<unsigned> to =
      findBodyLayer(edge.to, "Parameter", edge.toOffset, "target of a back edge", "ir-back-edge-target");
  if (!from || !to)
    return;
  edge.result = *from;
  edge.parameter = *to;
  edge.isResolved = true;
  auto [first, inserted] = edgeTo.try_emplace(*to, &edge);
  if (!inserted)
    reports.error(edge.offset, "ir-back-edge-twice", "two back edges end at " + body.layers[*to].describe())
        .note(first->second->offset, "the first is here")
        .emit();
}

/// Records the entry as the number of the iteration or as the condition, if it has that purpose. Returns false if the
/// entry is not valid.
bool LoopResolver::resolvePurpose(PortMapEntry &entry) {
  if (entry.purpose.empty())
    return true;
  if (!isLoop) {
    reports.warning(entry.purposeOffset, "ir-purpose", "a port map of a TensorIterator has no purposes; ignored");
    return true;
  }
  StringRef expected = entry.isInput ? "current_iteration" : "execution_condition";
  if (entry.purpose != expected) {
    reports
        .error(entry.purposeOffset, "ir-purpose",
               "expected purpose '" + expected + "' of a port_map " + (entry.isInput ? "input" : "output") +
                   ", but got " + quoted(entry.purpose) + didYouMean(entry.purpose, {expected}))
        .emit();
    return false;
  }
  const PortMapEntry *&holder = entry.isInput ? loop.iteration : loop.condition;
  if (holder) {
    reports.error(entry.purposeOffset, "ir-purpose-twice", "a second port_map entry with purpose " + quoted(expected))
        .note(holder->offset, "the first is here")
        .emit();
    return false;
  }
  if (entry.isInput && entry.external != -1) {
    reports
        .error(entry.externalOffset, "ir-purpose",
               "expected external_port_id -1 of the current iteration, but got " + Twine(entry.external))
        .emit();
    return false;
  }
  holder = &entry;
  return true;
}

bool PortMapResolver::checkExternal(const PortMapEntry &entry) {
  if (entry.external < -1)
    reports
        .error(entry.externalOffset, "ir-port-map-port",
               "expected a port id, or -1 for none, but got " + Twine(entry.external))
        .emit();
  return entry.external >= -1;
}

void LoopResolver::resolveEntry(PortMapEntry &entry) {
  if (!checkExternal(entry))
    return lose(entry);
  if (entry.axis && entry.stride == 0)
    reports.error(entry.strideOffset, "ir-slice-stride", "expected a stride other than 0").emit();
  if (entry.axis && entry.part < 1)
    reports.error(entry.partOffset, "ir-slice-part", "expected a part_size of at least 1, but got " + Twine(entry.part))
        .emit();
  std::optional<unsigned> found = findBodyLayer(entry);
  if (found)
    entry.layer = *found;
  if (!found || !resolvePurpose(entry))
    return lose(entry);
  if (entry.isInput)
    resolveInput(entry);
  else
    fillOutput(loop.outputs, entry);
}

template <typename PortT>
std::optional<unsigned> PortMapResolver::findPort(const std::vector<PortT> &ports, const PortMapEntry &entry,
                                                  StringRef kind) {
  for (auto [i, port] : llvm::enumerate(ports))
    if (port.id == uint64_t(entry.external))
      return i;
  if (layer.hasWrongPorts)
    return std::nullopt;
  // An edge to this port would be another error.
  layer.hasWrongPorts = true;
  std::vector<std::string> ids;
  ids.reserve(ports.size());
  for (const Port &port : ports)
    ids.push_back(std::to_string(port.id));
  reports
      .error(entry.externalOffset, "ir-port-map-port",
             layer.describe() + " has no " + kind + " port " + Twine(entry.external) + "; it has " +
                 (ids.empty() ? "none" : listed(ids)))
      .note(layer.offset, "the layer is here")
      .emit();
  return std::nullopt;
}

void PortMapResolver::reportParameterTwice(const PortMapEntry &first, const PortMapEntry &second) {
  lose(second);
  reports.error(second.offset, "ir-parameter-twice", "two port_map inputs feed " + body.layers[second.layer].describe())
      .note(first.offset, "the first is here")
      .emit();
}

void LoopResolver::resolveInput(PortMapEntry &entry) {
  const Layer &parameter = body.layers[entry.layer];
  if (entry.external == -1 && &entry != loop.iteration)
    return; // Not connected: the Parameter has no value, which is an error only if it is used.
  auto [first, inserted] = entryTo.try_emplace(entry.layer, &entry);
  if (!inserted) {
    reportParameterTwice(*first->second, entry);
    return;
  }
  const BackEdge *edge = edgeTo.lookup(entry.layer);
  if (&entry == loop.iteration || entry.axis) {
    if (edge)
      reports
          .error(edge->toOffset, "ir-back-edge-target",
                 "back edge ends at " + parameter.describe() +
                     (entry.axis ? ", which receives a slice in each iteration"
                                 : ", which receives the number of the iteration"))
          .note(entry.offset, "the port_map input is here")
          .emit();
  }
  if (&entry == loop.iteration)
    return;
  std::optional<unsigned> port = findPort(layer.inputs, entry, "input");
  if (!port)
    return;
  entry.port = *port;
  if (entry.axis)
    loop.sliced.push_back(&entry);
  else if (edge)
    loop.carried.push_back({&entry, edge});
  else
    loop.invariant.push_back(&entry);
}

void PortMapResolver::fillOutput(std::vector<const PortMapEntry *> &outputs, PortMapEntry &entry) {
  if (entry.external == -1)
    return;
  std::optional<unsigned> port = findPort(layer.outputs, entry, "output");
  if (!port)
    return;
  entry.port = *port;
  const PortMapEntry *&holder = outputs[*port];
  if (holder)
    reports
        .error(entry.externalOffset, "ir-port-map-twice",
               "two port_map outputs fill output port " + Twine(entry.external) + " of " + layer.describe())
        .note(holder->offset, "the first is here")
        .emit();
  holder = &entry;
}

void LoopResolver::warnAboutUnmappedInputs() {
  llvm::SmallVector<bool> isMapped(layer.inputs.size(), false);
  if (isLoop)
    isMapped[loop.tripCountPort] = isMapped[loop.conditionPort] = true;
  for (const PortMapEntry &entry : loop.entries)
    if (entry.isInput && entry.port != Input::none)
      isMapped[entry.port] = true;
  for (auto [port, mapped] : llvm::zip_equal(layer.inputs, isMapped))
    if (!mapped)
      reports.warning(port.offset, "ir-port-map-missing",
                      "input port " + Twine(port.id) + " of " + layer.describe() + " is not in its port_map");
}

/// Orders the layers of the body that outputs, condition and next values need. Reports used Parameters without a value.
void LoopResolver::orderBody() {
  std::vector<unsigned> roots;
  for (const PortMapEntry *entry : loop.outputs)
    if (entry)
      roots.push_back(entry->layer);
  if (loop.condition)
    roots.push_back(loop.condition->layer);
  for (const Loop::Carried &carried : loop.carried)
    roots.push_back(carried.edge->result);
  orderLayers(body, layer.isBroken ? body.results : roots, reports);
  for (unsigned parameter : body.parameters) {
    if (body.isReached[parameter] && !entryTo.count(parameter) && !edgeTo.count(parameter))
      reportUnfed(parameter);
  }
}

void PortMapResolver::reportUnfed(unsigned parameter) {
  if (hasLostInputs)
    return;
  layer.isBroken = true;
  reports
      .error(body.layers[parameter].offset, "ir-parameter-unfed",
             body.layers[parameter].describe() + " gets no value: no port_map input feeds it")
      .note(layer.offset, "in the body of " + layer.describe())
      .emit();
}

void recur::ir::resolveLoop(Layer &layer, Reports &reports) { LoopResolver(layer, reports).run(); }

//===----------------------------------------------------------------------===//
// Bodies of an If
//===----------------------------------------------------------------------===//

void BranchResolver::resolveEntry(PortMapEntry &entry) {
  if (!checkExternal(entry))
    return lose(entry);
  if (entry.axis || !entry.purpose.empty())
    reports
        .error(entry.axis ? entry.axisOffset : entry.purposeOffset, "ir-if-port-map",
               "expected no axis and no purpose in the port map of " + layer.describe())
        .emit();
  std::optional<unsigned> found = findBodyLayer(entry);
  if (!found)
    return lose(entry);
  entry.layer = *found;
  if (entry.external == -1)
    return; // Not connected: the Parameter has no value, which is an error only if it is used.
  if (!entry.isInput)
    return fillOutput(branch.outputs, entry);
  auto [first, inserted] = entryTo.try_emplace(entry.layer, &entry);
  if (!inserted)
    return reportParameterTwice(*first->second, entry);
  if (std::optional<unsigned> port = findPort(layer.inputs, entry, "input")) {
    entry.port = *port;
    branch.inputs.push_back(&entry);
  }
}

void BranchResolver::run() {
  branch.outputs.assign(layer.outputs.size(), nullptr);
  for (PortMapEntry &entry : branch.entries)
    resolveEntry(entry);
  markBroken();
  std::vector<unsigned> roots;
  for (const PortMapEntry *entry : branch.outputs)
    if (entry)
      roots.push_back(entry->layer);
  orderLayers(body, layer.isBroken ? body.results : roots, reports);
  for (unsigned parameter : body.parameters)
    if (body.isReached[parameter] && !entryTo.count(parameter))
      reportUnfed(parameter);
}

void recur::ir::resolveIf(Layer &layer, Reports &reports) {
  if (layer.inputs.empty()) {
    layer.isBroken = layer.hasWrongPorts = true;
    reports
        .error(layer.offset, "ir-if-inputs", layer.describe() + ": expected an input for the condition, but got none")
        .emit();
    if (!reports.goesOn())
      return;
  }
  for (Branch &branch : layer.branches->branches)
    BranchResolver(layer, branch, reports).run();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Reports a cycle. `layer` is on the stack, and the layer at the top of the stack uses it again.
static void reportCycle(const Graph &graph, ArrayRef<std::pair<unsigned, unsigned>> stack, unsigned layer,
                        Reports &reports) {
  auto *begin = llvm::find_if(stack, [=](auto &frame) { return frame.first == layer; });
  // The stack goes from users to sources, the message from sources to users.
  std::string path = quoted(graph.layers[layer].name);
  constexpr size_t longest = 8;
  size_t length = stack.end() - begin;
  for (size_t i = 1; i <= length; ++i) {
    if (length > longest && i == longest)
      path += " -> …";
    if (i < longest || i == length)
      path += " -> " + quoted(graph.layers[begin[length - i].first].name);
  }
  const Layer &first = graph.layers[layer];
  reports.error(first.offset, "ir-cycle", first.describe() + " depends on itself: " + path).emit();
}

void recur::ir::orderLayers(Graph &graph, ArrayRef<unsigned> roots, Reports &reports) {
  enum State : uint8_t { unseen, open, done };
  std::vector<State> states(graph.layers.size(), unseen);
  graph.isReached.assign(graph.layers.size(), false);
  graph.order.clear();
  // A depth-first search. Its stack of layers and their next inputs is explicit, because recursion could exceed the
  // call stack on a deep graph.
  SmallVector<std::pair<unsigned, unsigned>> stack;
  auto enter = [&](unsigned index) {
    const Layer &layer = graph.layers[index];
    graph.isReached[index] = true;
    states[index] = open;
    stack.push_back({index, 0});
    if (layer.is("Result") && layer.inputs.size() != 1 && !layer.hasLostEdge && !layer.hasWrongPorts)
      reports
          .error(layer.offset, "ir-inputs",
                 layer.describe() + ": expected one input port, but got " + Twine(layer.inputs.size()))
          .emit();
  };
  for (unsigned root : roots) {
    if (states[root] == unseen)
      enter(root);
    while (!stack.empty()) {
      auto &[index, next] = stack.back();
      const Layer &layer = graph.layers[index];
      if (layer.is("Parameter") || next == layer.inputs.size()) {
        states[index] = done;
        if (!layer.is("Parameter"))
          graph.order.push_back(index);
        stack.pop_back();
        continue;
      }
      const Input &input = layer.inputs[next++];
      if (!input.isFed()) {
        if (input.hasLostEdge || layer.hasLostEdge || layer.hasWrongPorts || graph.hasLostEdges)
          continue;
        reports
            .error(input.offset, "ir-input-unfed",
                   "input port " + Twine(input.id) + " of " + layer.describe() + " is not connected")
            .emit();
        continue;
      }
      Layer &source = graph.layers[input.layer];
      if (input.port < source.outputs.size())
        source.outputs[input.port].isUsed = true;
      auto checkFilled = [&](ArrayRef<const PortMapEntry *> outputs, const Twine &portMap) {
        if (input.port < outputs.size() && !outputs[input.port])
          reports
              .error(input.edge, "ir-port-map-missing",
                     "output port " + Twine(source.outputs[input.port].id) + " of " + source.describe() +
                         " is used, but not in its " + portMap)
              .note(source.offset, "the layer is here")
              .emit();
      };
      if (source.loop && !source.isBroken)
        checkFilled(source.loop->outputs, "port_map");
      if (source.branches && !source.isBroken)
        for (const Branch &branch : source.branches->branches)
          checkFilled(branch.outputs, branch.name + "_port_map");
      if (states[input.layer] == open) {
        reportCycle(graph, stack, input.layer, reports);
        if (!reports.goesOn())
          return;
        continue;
      }
      if (states[input.layer] == unseen)
        enter(input.layer);
    }
  }
}
