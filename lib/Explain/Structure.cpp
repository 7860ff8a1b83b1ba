// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Structure.cpp - the loops of a module ------------------------------===//
//
// Walks over the ops of a body in their order. A sequence of cells is described as the loop that it becomes.
//
//===----------------------------------------------------------------------===//
#include "Structure.h"

#include "Flow.h"
#include "Names.h"

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;

namespace {
class StructureReader {
public:
  explicit StructureReader(const llvm::SourceMgr &sources) : sources(sources) {}

  void read(Region &region, ExplainedBody &body);

private:
  /// Reads the loops of a region, and appends its layers in their order.
  void readLayers(Region &region, ExplainedBody &body, SmallVectorImpl<Operation *> &layers);
  ExplainedLoop readLoop(Operation &op);
  template <typename LoopT>
  void readLoop(LoopT loop, ExplainedLoop &result);
  /// Each of `states` is the initial value of a state, and the value of the last step.
  template <typename SequenceT>
  void readSequence(SequenceT sequence, ArrayRef<std::pair<Value, Value>> states, ExplainedLoop &result);

  const llvm::SourceMgr &sources;
  CountText counts;
};
} // namespace

template <typename LoopT>
void StructureReader::readLoop(LoopT loop, ExplainedLoop &result) {
  result.count = counts.describe(loop);
  for (auto [i, input, part] : llvm::enumerate(loop.getSliced(), loop.getSliceArgs())) {
    ov::SliceInputAttr slice = loop.getSliceAt(i);
    int64_t dim = cast<RankedTensorType>(input.getType()).getDimSize(slice.getAxis());
    // An end of the axis is 0 or -1, in whatever way the model states it.
    auto normalize = [&](int64_t at, int64_t end) {
      return !ShapedType::isDynamic(dim) && dim && (at - end) % dim == 0 ? end : at;
    };
    bool isBackward = slice.isBackward();
    result.slices.push_back({getName(input), spellType(input.getType()), spellType(part.getType()), slice.getAxis(),
                             slice.getPartSize(), normalize(slice.getStart(), isBackward ? -1 : 0),
                             normalize(slice.getEnd(), isBackward ? 0 : -1), slice.getStride(),
                             countTensorBytes(part.getType())});
  }
  for (auto [initial, state, final] :
       llvm::zip_equal(loop.getInitArgs(), loop.getCarriedArgs(), *loop.getLoopResults()))
    result.states.push_back({getName(state), getName(initial), spellType(state.getType()), getUsers(final),
                             countTensorBytes(state.getType())});
  ov::YieldOp yield = loop.getYield();
  for (auto [i, part, whole] : llvm::enumerate(yield.getConcat(), loop.getConcatenated())) {
    ov::ConcatOutputAttr concat = loop.getConcatAt(i);
    result.results.push_back({getUsers(whole), spellType(whole.getType()), spellType(part.getType()), concat.getAxis(),
                              concat.getReverse(), countTensorBytes(part.getType())});
  }
  for (auto [part, whole] : llvm::zip_equal(yield.getLast(), loop.getLast()))
    result.results.push_back({getUsers(whole), spellType(whole.getType()), spellType(part.getType()), std::nullopt,
                              /*isReverse=*/false, countTensorBytes(part.getType())});
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getBody(), captured);
  for (Value value : captured)
    if (Operation *op = value.getDefiningOp(); !op || !op->hasTrait<OpTrait::ConstantLike>())
      result.reads.push_back({getName(value), spellType(value.getType())});
  read(loop.getBody(), result.body);
}

template <typename SequenceT>
void StructureReader::readSequence(SequenceT sequence, ArrayRef<std::pair<Value, Value>> states,
                                   ExplainedLoop &result) {
  Value x = sequence.getX();
  result.count = counts.describeSequence(x, sequence.getSequenceLengths());
  auto setDims = [](Type type, ArrayRef<std::pair<unsigned, int64_t>> dims) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    for (auto [axis, dim] : dims)
      shape[axis] = dim;
    return tensor.clone(shape);
  };
  Type part = setDims(x.getType(), {{1, 1}});
  Type stepResult = setDims(sequence.getY().getType(), {{1, 1}, {2, 1}});
  StringRef stateNames[] = {"hidden state", "cell state"};
  bool isBoth = sequence.getNumDirections() == 2;
  for (int64_t i = 0; i < sequence.getNumDirections(); ++i) {
    bool isBackward = i == 1 || sequence.getDirection() == ov::SequenceDirection::Reverse;
    result.slices.push_back({getName(x), spellType(x.getType()), spellType(part), 1, 1, isBackward ? -1 : 0,
                             isBackward ? 0 : -1, isBackward ? -1 : 1, countTensorBytes(part)});
    for (auto [number, state] : llvm::enumerate(states)) {
      auto [initial, final] = state;
      Type own = setDims(initial.getType(), {{1, 1}});
      std::string name = stateNames[number].str();
      if (isBoth)
        name += isBackward ? ", backward" : ", forward";
      result.states.push_back({name, getName(initial), spellType(own), getUsers(final), countTensorBytes(own)});
    }
    if (!sequence.getY().use_empty())
      result.results.push_back({getUsers(sequence.getY()), spellType(sequence.getY().getType()), spellType(stepResult),
                                2, isBackward, countTensorBytes(stepResult)});
  }
  StringRef cell = result.type;
  cell.consume_back("Sequence");
  CountsByType cells{{cell.str() + "Cell", unsigned(sequence.getNumDirections())}};
  result.body.boxes.push_back({ExplainedBox::Kind::Layers, 0, std::move(cells)});
  result.body.places.insert(result.layer.getKey());
}

ExplainedLoop StructureReader::readLoop(Operation &op) {
  ExplainedLoop result;
  result.layer = findLayer(op.getLoc(), sources);
  result.type = getLayerType(&op);
  result.body.places.insert(result.layer.getKey());
  llvm::TypeSwitch<Operation *>(&op)
      .Case<ov::TensorIteratorOp, ov::LoopOp>([&](auto loop) { readLoop(loop, result); })
      .Case([&](ov::LSTMSequenceOp sequence) {
        readSequence(
            sequence,
            {{sequence.getInitialHiddenState(), sequence.getHo()}, {sequence.getInitialCellState(), sequence.getCo()}},
            result);
      })
      .Case<ov::GRUSequenceOp, ov::RNNSequenceOp>([&](auto sequence) {
        readSequence(sequence, {{sequence.getInitialHiddenState(), sequence.getHo()}}, result);
      });
  return result;
}

void StructureReader::readLayers(Region &region, ExplainedBody &body, SmallVectorImpl<Operation *> &layers) {
  for (Operation &op : region.getOps()) {
    if (!isLayer(&op))
      continue;
    if (isLoopOrSequence(&op)) {
      body.loops.push_back(readLoop(op));
    } else {
      body.places.insert(findLayer(op.getLoc(), sources).getKey());
      // The bodies of an If belong to the body around it.
      for (Region &inner : op.getRegions())
        readLayers(inner, body, layers);
    }
    layers.push_back(&op);
  }
}

void StructureReader::read(Region &region, ExplainedBody &body) {
  SmallVector<Operation *> layers;
  readLayers(region, body, layers);
  readFlow(region, layers, body);
}

ExplainedBody recur::describeStructure(ModuleOp module, const llvm::SourceMgr &sources) {
  ExplainedBody body;
  StructureReader(sources).read((*findEntry(module)).getBody(), body);
  return body;
}
