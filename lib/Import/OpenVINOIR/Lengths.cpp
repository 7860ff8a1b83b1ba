// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Lengths.cpp - Lengths of lists that follow from the graph ----------===//
//
// A list of unknown length is reshaped to the length that it must have.
//
//===----------------------------------------------------------------------===//

#include "Lengths.h"

#include "Expansions/Expansion.h"
#include "LayerChecks.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

namespace {
/// The operands of one layer.
class Lists {
public:
  Lists(LayerBuilder &layer, SmallVectorImpl<Value> &operands) : e(layer, {}, {}), layer(layer), operands(operands) {}

  /// True if operand `i` is a list of integers of unknown length.
  bool isOpen(unsigned i) const {
    return i < operands.size() && isa<IntegerType>(elementOf(operands[i])) && rankOf(operands[i]) == 1 &&
           typeOf(operands[i]).isDynamicDim(0);
  }
  /// Gives list `i`, if its length is not known, this one. Nothing changes if no list can have it.
  void tell(unsigned i, int64_t length) {
    if (isOpen(i) && length >= 0 && length <= kMostEntries)
      operands[i] = e.reshape(operands[i], e.size(length));
  }
  /// Gives list `i` the length `rank`, by ones in front. It may be shorter.
  void fill(unsigned i, int64_t rank) {
    if (!isOpen(i) || rank <= 0 || rank > kMostEntries)
      return;
    Value list = e.convert(operands[i], e.i64());
    Value all = e.concat({e.integers(SmallVector<int64_t>(rank, 1)), list}, 0);
    operands[i] = e.reshape(e.slice(all, 0, e.dim(list, 0), e.dim(all, 0)), e.size(rank));
  }
  /// The length of the first list from `first` on that has one.
  std::optional<int64_t> findLength(unsigned first) const {
    for (unsigned i = first; i < operands.size(); ++i)
      if (rankOf(operands[i]) == 1 && !typeOf(operands[i]).isDynamicDim(0))
        return typeOf(operands[i]).getDimSize(0);
    return std::nullopt;
  }
  int64_t rankOfData() const { return rankOf(operands[0]); }

  Expansion e;
  LayerBuilder &layer;
  SmallVectorImpl<Value> &operands;

private:
  /// No tensor has more dims.
  static constexpr int64_t kMostEntries = 1024;
};
} // namespace

/// GatherND: the result has a dim for each dim of the indices but the last one, and for each dim of the data that has
/// no coordinate. Before opset 8 the batch dims become one.
static void tellCoordinates(Lists &lists, std::optional<int64_t> declared) {
  Value &indices = lists.operands[1];
  int64_t last = rankOf(indices) - 1;
  if (last < 0 || !typeOf(indices).isDynamicDim(last))
    return;
  const TextAttribute *text = lists.layer.findData("batch_dims");
  int64_t batch = text ? parseInteger(text->value).value_or(0) : 0;
  if (batch < 0 || batch > last || batch >= lists.rankOfData())
    return;
  int64_t most = lists.rankOfData() - batch;
  std::optional<int64_t> count;
  if (most == 1) {
    count = 1;
  } else if (declared) {
    bool isFlat = getOpset(lists.layer.layer, *lists.layer.type) < 8 && batch > 1;
    count = last + most - *declared - (isFlat ? batch - 1 : 0);
  }
  if (!count || *count < 1 || *count > most)
    return;
  SmallVector<Size> sizes;
  for (int64_t i : llvm::seq(last))
    sizes.push_back(lists.e.dim(indices, i));
  sizes.push_back(lists.e.size(*count));
  indices = lists.e.reshape(indices, sizes);
}

/// Broadcast: the target has the rank of the result. One that broadcasts both ways may have fewer entries.
static LogicalResult tellTarget(Lists &lists, int64_t declared) {
  bool isBoth = false;
  if (lists.layer.findData("mode")) {
    FailureOr<Attribute> mode = lists.layer.readAttribute("mode");
    if (failed(mode))
      return failure();
    isBoth = cast<ov::BroadcastModeAttr>(*mode).getValue() == ov::BroadcastMode::Bidirectional;
  }
  if (isBoth && declared <= lists.rankOfData())
    lists.fill(1, declared);
  else
    lists.tell(1, declared);
  return success();
}

LogicalResult recur::ir::tellLengths(LayerBuilder &layer, SmallVectorImpl<Value> &operands) {
  if (operands.size() < 2)
    return success();
  Lists lists(layer, operands);
  const Layer &own = layer.layer;
  std::optional<int64_t> declared = layer.getDeclaredRank();
  int64_t rank = lists.rankOfData();
  if (own.is("Pad") || own.is("SpaceToBatch") || own.is("BatchToSpace")) {
    for (unsigned i : {1, 2, 3})
      if (i < operands.size() && !(own.is("Pad") && i == 3))
        lists.tell(i, rank);
  } else if (own.is("VariadicSplit")) {
    lists.tell(2, own.outputs.size());
  } else if (own.is("Slice")) {
    if (std::optional<int64_t> length = lists.findLength(1))
      for (unsigned i : llvm::seq<unsigned>(1, operands.size()))
        lists.tell(i, *length);
  } else if (own.is("GatherND")) {
    tellCoordinates(lists, declared);
  } else if (!declared) {
    return success();
  } else if (own.is("Reshape")) {
    lists.tell(1, *declared);
  } else if (own.is("Broadcast")) {
    return tellTarget(lists, *declared);
  } else if (own.is("Tile")) {
    if (*declared > rank)
      lists.tell(1, *declared);
    else
      lists.fill(1, *declared);
  } else if (own.is("Unsqueeze")) {
    lists.tell(1, *declared - rank);
  } else if (own.is("Squeeze") || StringRef(layer.type->importer) == "importReduction") {
    // A reduction that keeps dims has as many as its data. The number of its axes does not matter.
    if (*declared < rank)
      lists.tell(1, rank - *declared);
  }
  return success(!lists.e.hasFailed());
}
