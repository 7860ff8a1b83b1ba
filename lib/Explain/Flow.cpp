// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Flow.cpp - how data flows through a body ---------------------------===//
//
// Layers are in one box if the same loops come before them, and the same loops after them. Then there is no cycle of
// boxes: the loops before a box are among those before the next one, so in a cycle they are all the same.
//
//===----------------------------------------------------------------------===//
#include "Flow.h"

#include "Names.h"

#include "Recur/Compiler/Summary.h"
#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace recur;

namespace {
class FlowReader {
public:
  FlowReader(Region &region, ArrayRef<Operation *> layers) : region(region), layers(layers) {
    for (auto [i, op] : llvm::enumerate(layers))
      numbers[op] = i;
  }

  void read(ExplainedBody &body);

private:
  using Kind = ExplainedBox::Kind;
  /// A layer or an input that a value comes from: the number of the layer, or that of the input behind all layers.
  struct Source {
    size_t node;
    Value value;
  };
  using Sources = SmallVector<Source, 4>;

  bool isModel() const { return isa<func::FuncOp>(region.getParentOp()); }
  size_t getInput(BlockArgument argument) const;
  /// Adds where a value comes from. Constants come from nowhere.
  void addSources(Value value, Sources &sources) const;
  Sources findSources(Operation *op) const;
  /// The loops before each layer and after it.
  void findLoops(ArrayRef<Sources> sources);

  Region &region;
  ArrayRef<Operation *> layers;
  llvm::DenseMap<Operation *, size_t> numbers;
  size_t numInputs = 1;
  std::vector<llvm::BitVector> before, after;
};
} // namespace

size_t FlowReader::getInput(BlockArgument argument) const {
  if (!isModel() || argument.getOwner() != &region.front())
    return 0;
  // A state has two arguments: its value, and whether it is set.
  size_t number = argument.getArgNumber(), numArguments = region.getNumArguments();
  size_t numStates = numArguments - numInputs, begin = numArguments - 2 * numStates;
  return number < begin ? number : begin + (number - begin) / 2;
}

void FlowReader::addSources(Value value, Sources &sources) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    sources.push_back({layers.size() + getInput(argument), value});
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto found = numbers.find(op); found != numbers.end())
    sources.push_back({found->second, value});
  else if (op->hasTrait<OpTrait::ConstantLike>())
    return;
  else if (!region.isAncestor(op->getParentRegion()))
    sources.push_back({layers.size(), value});
  else
    for (Value operand : op->getOperands())
      addSources(operand, sources);
}

FlowReader::Sources FlowReader::findSources(Operation *op) const {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  if (isLoopOrSequence(op))
    getUsedValuesDefinedAbove(op->getRegions(), values);
  else
    for (Region &inner : op->getRegions())
      if (!inner.empty())
        values.insert_range(inner.front().getTerminator()->getOperands());
  Sources sources;
  for (Value value : values)
    addSources(value, sources);
  return sources;
}

void FlowReader::findLoops(ArrayRef<Sources> sources) {
  llvm::DenseMap<size_t, unsigned> loops;
  for (auto [i, op] : llvm::enumerate(layers))
    if (isLoopOrSequence(op))
      loops.try_emplace(i, loops.size());
  // The keys of a map must not be empty.
  before.assign(layers.size(), llvm::BitVector(loops.size() + 1));
  after = before;
  for (size_t i = 0; i < layers.size(); ++i)
    for (const Source &source : sources[i]) {
      if (source.node >= layers.size())
        continue;
      before[i] |= before[source.node];
      if (auto loop = loops.find(source.node); loop != loops.end())
        before[i].set(loop->second);
    }
  for (size_t i = layers.size(); i-- > 0;)
    for (const Source &source : sources[i]) {
      if (source.node >= layers.size())
        continue;
      after[source.node] |= after[i];
      if (auto loop = loops.find(i); loop != loops.end())
        after[source.node].set(loop->second);
    }
}

void FlowReader::read(ExplainedBody &body) {
  Operation *end = region.front().getTerminator();
  size_t numOutputs = isModel() ? end->getNumOperands() : 1;
  if (isModel()) {
    auto states = region.getParentOp()->getParentOfType<ModuleOp>()->getAttrOfType<DenseI64ArrayAttr>(ov::kStatesAttr);
    numInputs = region.getNumArguments() - (states ? states.size() : 0);
  }
  std::vector<Sources> sources;
  sources.reserve(layers.size());
  for (Operation *op : layers)
    sources.push_back(findSources(op));
  findLoops(sources);

  // The box of each layer and input.
  std::vector<size_t> boxes(layers.size() + numInputs);
  for (size_t i = 0; i < numInputs; ++i) {
    boxes[layers.size() + i] = body.boxes.size();
    body.boxes.push_back({Kind::Input, i});
  }
  llvm::DenseMap<std::pair<llvm::BitVector, llvm::BitVector>, size_t> groups;
  size_t loop = 0;
  for (auto [i, op] : llvm::enumerate(layers)) {
    boxes[i] = body.boxes.size();
    if (isLoopOrSequence(op)) {
      body.boxes.push_back({Kind::Loop, loop++});
      continue;
    }
    auto [group, isNew] = groups.try_emplace({before[i], after[i]}, body.boxes.size());
    boxes[i] = group->second;
    if (isNew)
      body.boxes.push_back({Kind::Layers});
    ++body.boxes[boxes[i]].layers[getLayerType(op)];
  }

  llvm::MapVector<std::pair<size_t, size_t>, llvm::SetVector<Value>> flows;
  auto addFlows = [&](ArrayRef<Source> from, size_t to) {
    for (const Source &source : from)
      if (boxes[source.node] != to)
        flows[{boxes[source.node], to}].insert(source.value);
  };
  for (size_t i = 0; i < layers.size(); ++i)
    addFlows(sources[i], boxes[i]);
  for (size_t i = 0; i < numOutputs; ++i)
    body.boxes.push_back({Kind::Output, i});
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    Sources from;
    addSources(value, from);
    addFlows(from, body.boxes.size() - numOutputs + (isModel() ? i : 0));
  }
  for (const auto &[ends, values] : flows) {
    ExplainedFlow flow{ends.first, ends.second, {}};
    for (Value value : values)
      flow.tensors.push_back(getName(value) + " " + spellType(value.getType()));
    body.flows.push_back(std::move(flow));
  }
}

void recur::readFlow(Region &region, ArrayRef<Operation *> layers, ExplainedBody &body) {
  FlowReader(region, layers).read(body);
}
