// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cells.cpp - Cells and sequences in the form of the dialect ---------===//
//
// The first versions of LSTMCell and LSTMSequence have inputs that later versions do not have. The importer turns them
// into the form of the later versions, so the dialect has one op for all. Lists of activation functions and of their
// parameters may be shorter or longer than those of the dialect.
//
//===----------------------------------------------------------------------===//

#include "Importers.h"

#include "Expansions/Expansion.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// The first versions have peephole weights as input number `peepholePort`. Constant zeros have no effect and are
/// accepted; other weights are not supported and are reported.
static LogicalResult checkPeepholes(LayerBuilder &layer, unsigned peepholePort) {
  if (layer.operands.size() > peepholePort) {
    auto peepholes = layer.operands[peepholePort].getDefiningOp<ov::ConstantOp>();
    if (!peepholes || !isZero(peepholes.getValue(), layer.state.weights.getBytes()))
      return layer.error(layer.layer.inputs[peepholePort].edge, "ir-peepholes",
                         "expected peephole weights that are constant zeros; others are not supported");
  }
  return success();
}

/// The number of activation functions of one direction, which is that of the defaults.
static size_t countActivations(const ov::LayerType &type) {
  auto known = llvm::find_if(type.attributes, [](const ov::LayerAttribute &own) { return own.name == "activations"; });
  return known->defaultText->count(',') + 1;
}

/// Drops the second half of a list that has `count` entries for each of two directions, if both halves are equal.
static ArrayAttr mergeDirections(ArrayAttr list, size_t count) {
  ArrayRef<Attribute> entries = list.getValue();
  bool isTwice = entries.size() == 2 * count && entries.take_front(count) == entries.drop_front(count);
  return isTwice ? ArrayAttr::get(list.getContext(), entries.take_front(count)) : list;
}

/// Creates the op of a cell or a sequence. A cell has several products and sums, so one of f16 or bf16 is computed in
/// f32. A sequence carries its states in f32. Only HardSigmoid has parameters, so a list of them may end before the
/// entry of the last function: what is missing has the default of HardSigmoid.
static LogicalResult createWithActivations(LayerBuilder &layer, ValueRange operands) {
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  if (failed(attributes))
    return failure();
  auto find = [](ArrayRef<NamedAttribute> list, StringRef name) {
    return cast<ArrayAttr>(llvm::find_if(list, [&](NamedAttribute own) { return own.getName() == name; })->getValue());
  };
  size_t count = countActivations(*layer.type);
  for (NamedAttribute &attribute : *attributes) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!list)
      continue;
    SmallVector<Attribute> entries(list.begin(), list.end());
    StringRef name = attribute.getName();
    if (size_t functions = find(*attributes, "activations").size(); name != "activations" && !entries.empty())
      while (entries.size() % count != 0 && entries.size() < functions)
        entries.push_back(layer.builder.getF64FloatAttr(name == "activations_alpha" ? 0.2 : 0.5));
    attribute.setValue(mergeDirections(layer.builder.getArrayAttr(entries), count));
  }
  return createWidened(layer, operands, *attributes);
}

LogicalResult recur::ir::importLSTMCell(LayerBuilder &layer) {
  if (failed(checkPeepholes(layer, 6)))
    return failure();
  SmallVector<Value> operands(layer.operands.take_front(6));
  if (operands.size() == 5) {
    // The older form has a single W of [4H, I + H] for X and the hidden state, followed by B. Its first I columns are
    // W of the later form, and the others are R.
    auto x = cast<RankedTensorType>(operands[0].getType()), hidden = cast<RankedTensorType>(operands[1].getType());
    auto w = cast<RankedTensorType>(operands[3].getType()), b = cast<RankedTensorType>(operands[4].getType());
    auto constant = operands[3].getDefiningOp<ov::ConstantOp>();
    if (b.getRank() != 1 || w.getRank() != 2 || x.getRank() != 2 || hidden.getRank() != 2)
      return layer.error("ir-inputs",
                         "expected six inputs, or five of which W is [4H, I + H] and B is [4H], but got W " + spell(w) +
                             " and B " + spell(b));
    if (!constant)
      return layer.error(layer.layer.inputs[3].edge, "ir-lstm-weights",
                         "expected W to be a constant where it is [4H, I + H]");
    int64_t inputSize = x.getDimSize(1), hiddenSize = hidden.getDimSize(1);
    if (ShapedType::isDynamic(inputSize) || ShapedType::isDynamic(hiddenSize) || inputSize > w.getDimSize(1) ||
        w.getDimSize(1) - inputSize != hiddenSize)
      return layer.error(layer.layer.inputs[3].edge, "ir-lstm-weights",
                         "expected W to be [4H, I + H], where X is " + spell(x) + " and the state is " + spell(hidden) +
                             ", but got " + spell(w));
    Value bias = operands[4];
    operands[3] = layer.createConstant(extractColumns(constant.getValue(), 0, inputSize));
    operands[4] = layer.createConstant(extractColumns(constant.getValue(), inputSize, hiddenSize));
    operands.push_back(bias);
  }
  return createWithActivations(layer, operands);
}

LogicalResult recur::ir::importLSTMSequence(LayerBuilder &layer) {
  if (failed(checkPeepholes(layer, 7)))
    return failure();
  return createWithActivations(layer, layer.operands.take_front(7));
}

LogicalResult recur::ir::importSequence(LayerBuilder &layer) { return createWithActivations(layer, layer.operands); }

LogicalResult recur::ir::importCell(LayerBuilder &layer) { return createWithActivations(layer, layer.operands); }
