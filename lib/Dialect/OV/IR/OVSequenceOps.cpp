// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVSequenceOps.cpp - LSTM, GRU and RNN over a sequence --------------===//

#include "OpInterfaces.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ov;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// Checks the operands that all sequences have; `gates` is the number of gates in W and R, `biases` that in B.
template <typename Adaptor>
static LogicalResult inferSequence(std::optional<Location> loc, StringRef name, Adaptor adaptor, int64_t gates,
                                   int64_t biases, ValueRange states, SmallVectorImpl<Type> &types) {
  auto report = [&](auto &&...args) { return emitOptionalError(loc, "'", name, "' op ", args...); };
  for (Value operand : adaptor.getOperands())
    if (!isa<RankedTensorType>(operand.getType()))
      return report("expected operands that are ranked tensors, but got ", operand.getType());
  Type element = typeOf(adaptor.getX()).getElementType();
  // sequence_c2
  for (Value operand : adaptor.getOperands())
    if (operand != adaptor.getSequenceLengths() && typeOf(operand).getElementType() != element)
      return report("expected operands of one element type, but got ", element, " and ",
                    typeOf(operand).getElementType());
  int64_t hidden = adaptor.getHiddenSize();
  // sequence_c1
  if (hidden <= 0 || hidden > (int64_t(1) << 40))
    return report("expected a positive hidden_size, but got ", hidden);
  // sequence_c5
  StringRef direction = adaptor.getDirection();
  if (!llvm::is_contained({"forward", "reverse", "bidirectional"}, direction))
    return report("expected direction \"forward\", \"reverse\" or \"bidirectional\", but got \"", direction, "\"");
  // What is known of each dim; those that are given have to be that.
  int64_t batch = ShapedType::kDynamic, length = batch, input = batch;
  int64_t directions = direction == "bidirectional" ? 2 : 1, rows = gates * hidden, bias = biases * hidden;
  // sequence_c1, sequence_c2
  auto expect = [&](Value value, StringRef what, ArrayRef<int64_t *> dims) -> LogicalResult {
    if (typeOf(value).getRank() != static_cast<int64_t>(dims.size()))
      return report("expected ", what, " of rank ", dims.size(), ", but got ", value.getType());
    for (auto [i, dim] : llvm::enumerate(dims)) {
      std::optional<int64_t> merged = mergeDims(*dim, typeOf(value).getDimSize(i));
      if (!merged)
        return report("expected dim ", i, " of ", what, " to be ", *dim, ", but got ", value.getType());
      *dim = *merged;
    }
    return success();
  };
  if (failed(expect(adaptor.getX(), "X", {&batch, &length, &input})))
    return failure();
  if (length == 0)
    return report("expected a sequence that is not empty, but got ", adaptor.getX().getType());
  for (Value state : states)
    if (failed(expect(state, "a state", {&batch, &directions, &hidden})))
      return failure();
  if (failed(expect(adaptor.getSequenceLengths(), "sequence_lengths", {&batch})) ||
      failed(expect(adaptor.getW(), "W", {&directions, &rows, &input})) ||
      failed(expect(adaptor.getR(), "R", {&directions, &rows, &hidden})) ||
      failed(expect(adaptor.getB(), "B", {&directions, &bias})))
    return failure();
  types.push_back(RankedTensorType::get({batch, directions, length, hidden}, element));
  types.append(states.size(), RankedTensorType::get({batch, directions, hidden}, element));
  return success();
}

LogicalResult LSTMSequenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferSequence(loc, getOperationName(), adaptor, 4, 4,
                       {adaptor.getInitialHiddenState(), adaptor.getInitialCellState()}, types);
}

LogicalResult GRUSequenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  return inferSequence(loc, getOperationName(), adaptor, 3, adaptor.getLinearBeforeReset() ? 4 : 3,
                       adaptor.getInitialHiddenState(), types);
}

LogicalResult RNNSequenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  return inferSequence(loc, getOperationName(), adaptor, 1, 1, adaptor.getInitialHiddenState(), types);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

template <typename SequenceT>
static LogicalResult verifySequence(SequenceT op, size_t activationCount) {
  // sequence_c3
  if (op.getActivations().size() != activationCount)
    return op.emitOpError("expected ") << activationCount << " activations, but got " << op.getActivations().size();
  for (Attribute activation : op.getActivations())
    if (!llvm::is_contained({"sigmoid", "tanh", "relu", "hardsigmoid"}, cast<StringAttr>(activation).getValue()))
      return op.emitOpError("expected activations of sigmoid, tanh, relu and hardsigmoid, but got ") << activation;
  for (ArrayAttr parameters : {op.getActivationsAlpha(), op.getActivationsBeta()})
    if (!parameters.empty() && parameters.size() != activationCount)
      return op.emitOpError("expected activations_alpha and activations_beta with no entry or ")
             << activationCount << ", but got " << parameters.size();
  // sequence_c4
  if (!(op.getClip().convertToDouble() >= 0.0))
    return op.emitOpError("expected clip that is not negative, but got ") << op.getClip().convertToDouble();
  return success();
}

LogicalResult LSTMSequenceOp::verify() { return verifySequence(*this, 3); }
LogicalResult GRUSequenceOp::verify() { return verifySequence(*this, 2); }
LogicalResult RNNSequenceOp::verify() { return verifySequence(*this, 1); }

//===----------------------------------------------------------------------===//
// Effects, speculation, compatible types
//===----------------------------------------------------------------------===//

#define SEQUENCE_OPS(X)                                                                                                \
  X(LSTMSequenceOp)                                                                                                    \
  X(GRUSequenceOp)                                                                                                     \
  X(RNNSequenceOp)

#define CAN_FAULT(OP)                                                                                                  \
  bool OP::canFault() {                                                                                                \
    return llvm::any_of(getOperands(), [](Value operand) { return !typeOf(operand).hasStaticShape(); });               \
  }
SEQUENCE_OPS(CAN_FAULT)
#undef CAN_FAULT

SEQUENCE_OPS(RECUR_OV_FAULT_INTERFACES)
SEQUENCE_OPS(RECUR_OV_COMPATIBLE_TYPES)
