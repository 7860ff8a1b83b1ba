// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cells.cpp - LSTM, GRU and RNN: cells and sequences -----------------===//

#include "OpTable.h"
#include "TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// Creates a cell or a sequence with all of the attributes that the ov op must have.
static LogicalResult createCell(LayerBuilder &layer, const OpRow &row, ValueRange operands,
                                ArrayRef<StringRef> defaultActivations, ArrayRef<StringRef> importOnly = {}) {
  FailureOr<SmallVector<NamedAttribute>> read = layer.readAttributes(row);
  if (failed(read))
    return failure();
  Builder &builder = layer.builder;
  NamedAttrList attributes(*read);
  for (StringRef name : importOnly)
    attributes.erase(name);

  static constexpr StringRef known[] = {"sigmoid", "tanh", "relu", "hardsigmoid"};
  if (!attributes.get("activations"))
    attributes.set("activations", builder.getStrArrayAttr(defaultActivations));
  auto activations = cast<ArrayAttr>(attributes.get("activations"));
  for (auto name : activations.getAsRange<StringAttr>())
    if (!llvm::is_contained(known, name.getValue()))
      return layer.error(layer.findData("activations")->offset, "ir-activation",
                         "unknown activation " + quoted(name) + didYouMean(name, known));
  for (StringRef name : {"activations_alpha", "activations_beta"})
    if (!attributes.get(name))
      attributes.set(name, builder.getArrayAttr({}));

  Operation *op = layer.create(row.op, operands, attributes);
  if (!op)
    return failure();
  layer.results.assign(op->result_begin(), op->result_end());
  return success();
}

/// The first versions have attributes and an input, `peepholePort`, that later ones have not; what they change is not
/// supported.
static LogicalResult checkFirstLSTM(LayerBuilder &layer, unsigned peepholePort) {
  if (const TextAttribute *forget = layer.findData("input_forget"))
    if (!forget->value.trim().equals_insensitive("false") && forget->value.trim() != "0")
      return layer.error(forget->offset, "ir-attribute",
                         "expected input_forget false, but got " + quoted(forget->value) +
                             "; coupled input and forget gates are not supported");
  if (const TextAttribute *format = layer.findData("weights_format"))
    if (!format->value.trim().equals_insensitive("fico"))
      return layer.error(format->offset, "ir-attribute",
                         "expected weights_format 'fico', but got " + quoted(format->value) +
                             "; other orders of the gates are not supported");
  if (layer.operands.size() > peepholePort) {
    auto peepholes = layer.operands[peepholePort].getDefiningOp<ov::ConstantOp>();
    if (!peepholes || !isZero(peepholes.getValue(), layer.state.weights.getBytes()))
      return layer.error(layer.layer.inputs[peepholePort].edge, "ir-peepholes",
                         "expected peephole weights that are constant zeros; others are not supported");
  }
  return success();
}

LogicalResult recur::ir::importLSTMCell(LayerBuilder &layer, const OpRow &row) {
  if (failed(checkFirstLSTM(layer, 6)))
    return failure();
  SmallVector<Value> operands(layer.operands.take_front(6));
  if (operands.size() == 5) {
    // The older spelling: one W of [4H, I + H] for [x | h], then B.
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
  return createCell(layer, row, operands, {"sigmoid", "tanh", "tanh"}, {"input_forget", "weights_format"});
}

LogicalResult recur::ir::importGRUCell(LayerBuilder &layer, const OpRow &row) {
  return createCell(layer, row, layer.operands, {"sigmoid", "tanh"});
}

LogicalResult recur::ir::importRNNCell(LayerBuilder &layer, const OpRow &row) {
  return createCell(layer, row, layer.operands, {"tanh"});
}

LogicalResult recur::ir::importLSTMSequence(LayerBuilder &layer, const OpRow &row) {
  if (failed(checkFirstLSTM(layer, 7)))
    return failure();
  return createCell(layer, row, layer.operands.take_front(7), {"sigmoid", "tanh", "tanh"},
                    {"input_forget", "weights_format"});
}

LogicalResult recur::ir::importGRUSequence(LayerBuilder &layer, const OpRow &row) {
  return createCell(layer, row, layer.operands, {"sigmoid", "tanh"});
}

LogicalResult recur::ir::importRNNSequence(LayerBuilder &layer, const OpRow &row) {
  return createCell(layer, row, layer.operands, {"tanh"});
}
