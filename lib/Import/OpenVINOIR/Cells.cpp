// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cells.cpp - Cells and sequences in the form of the dialect ---------===//
//
// The first versions of LSTMCell and LSTMSequence have inputs that later versions do not have. The importer turns them
// into the form of the later versions, so the dialect has one op for all. An RNNSequence may list its functions for
// each direction.
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

/// A cell has several products and sums, so one of f16 or bf16 is computed in f32. A sequence carries its states in
/// f32.
LogicalResult recur::ir::importCell(LayerBuilder &layer) { return createWidened(layer, layer.operands); }

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
  return createWidened(layer, operands);
}

LogicalResult recur::ir::importLSTMSequence(LayerBuilder &layer) {
  if (failed(checkPeepholes(layer, 7)))
    return failure();
  return createWidened(layer, layer.operands.take_front(7));
}

/// RNNSequence: models from ONNX list the function, and its parameters, once for each of two directions. Equal entries
/// become one.
LogicalResult recur::ir::importRNNSequence(LayerBuilder &layer) {
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes();
  if (failed(attributes))
    return failure();
  for (NamedAttribute &attribute : *attributes) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    if (list && list.size() == 2 && list[0] == list[1])
      attribute.setValue(layer.builder.getArrayAttr(list[0]));
  }
  return createWidened(layer, layer.operands, *attributes);
}
