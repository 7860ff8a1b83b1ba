// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVTensorOps.cpp - Verifiers and effects of the tensor ops ----------===//

#include "OpInterfaces.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ov;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// True if dim `i` of `a` and dim `j` of `b` are known to be equal.
static bool surelySameDim(Value a, int64_t i, Value b, int64_t j) {
  return (a == b && i == j) || surelyEqual(shapeOf(a)[i], shapeOf(b)[j]);
}

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr, WeightsAttr>(getValue()))
    return emitOpError("expected a value that is dense or #ov.weights, but got ") << getValue();
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setNameFn) { setNameFn(getResult(), "cst"); }

//===----------------------------------------------------------------------===//
// canFault
//===----------------------------------------------------------------------===//

/// True if the shapes of an element-wise op may clash at run time.
static bool canClash(Value a, Value b, StringRef autoBroadcast) {
  if (a == b)
    return false;
  if (autoBroadcast == "none")
    return !surelyEqual(shapeOf(a), shapeOf(b));
  return !surelyBroadcast(shapeOf(a), shapeOf(b));
}

#define BINARY_OPS(X)                                                                                                  \
  X(AddOp)                                                                                                             \
  X(SubtractOp)                                                                                                        \
  X(MultiplyOp)                                                                                                        \
  X(MaximumOp)                                                                                                         \
  X(MinimumOp)                                                                                                         \
  X(PowerOp)                                                                                                           \
  X(LogicalAndOp)                                                                                                      \
  X(EqualOp)                                                                                                           \
  X(NotEqualOp)                                                                                                        \
  X(LessOp)                                                                                                            \
  X(LessEqualOp)                                                                                                       \
  X(GreaterOp)                                                                                                         \
  X(GreaterEqualOp)

#define CAN_FAULT_BINARY(OP)                                                                                           \
  bool OP::canFault() { return canClash(getLhs(), getRhs(), getAutoBroadcast()); }
BINARY_OPS(CAN_FAULT_BINARY)
#undef CAN_FAULT_BINARY

bool DivideOp::canFault() {
  if (canClash(getLhs(), getRhs(), getAutoBroadcast()))
    return true;
  if (isa<FloatType>(getType().getElementType()))
    return false;
  std::optional<SmallVector<int64_t>> divisors = getConstantIntegers(getRhs());
  return !divisors || llvm::is_contained(*divisors, 0);
}

bool SelectOp::canFault() {
  return canClash(getThenValue(), getElseValue(), getAutoBroadcast()) ||
         canClash(getThenValue(), getCondition(), getAutoBroadcast()) ||
         canClash(getElseValue(), getCondition(), getAutoBroadcast());
}

bool MatMulOp::canFault() {
  int64_t rankA = getA().getType().getRank(), rankB = getB().getType().getRank();
  int64_t contractedA = rankA == 1 || !getTransposeA() ? rankA - 1 : rankA - 2;
  int64_t contractedB = rankB == 1 ? 0 : getTransposeB() ? rankB - 1 : rankB - 2;
  if (!surelySameDim(getA(), contractedA, getB(), contractedB))
    return true;
  if (rankA <= 2 || rankB <= 2 || getA() == getB())
    return false;
  return !surelyBroadcast(shapeOf(getA()).drop_back(2), shapeOf(getB()).drop_back(2));
}

/// A static batch must not hide that dims which must agree are only known at run time.
template <typename Cell>
static bool canCellFault(Cell cell, ValueRange states) {
  auto isDynamic = [](Value value) { return !cast<ShapedType>(value.getType()).hasStaticShape(); };
  if (isDynamic(cell.getR()) || isDynamic(cell.getB()) || ShapedType::isDynamic(shapeOf(cell.getW())[0]))
    return true;
  if (!surelySameDim(cell.getX(), 1, cell.getW(), 1))
    return true;
  return llvm::any_of(states, [&](Value state) {
    return !surelySameDim(cell.getX(), 0, state, 0) || ShapedType::isDynamic(shapeOf(state)[1]);
  });
}

bool LSTMCellOp::canFault() { return canCellFault(*this, {getInitialHiddenState(), getInitialCellState()}); }
bool GRUCellOp::canFault() { return canCellFault(*this, getInitialHiddenState()); }
bool RNNCellOp::canFault() { return canCellFault(*this, getInitialHiddenState()); }

bool ReshapeOp::canFault() {
  std::optional<SmallVector<int64_t>> target = getPartlyKnownIntegers(getTargetShape());
  std::string why;
  std::optional<ReshapedShape> shape;
  if (target)
    shape = reshapeShape(shapeOf(getData()), *target, getSpecialZero(), why);
  return !shape || !shape->safe;
}

bool SqueezeOp::canFault() {
  std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(shapeOf(getData()), getAxes());
  return !axes || llvm::any_of(*axes, [&](int64_t axis) { return shapeOf(getData())[axis] != 1; });
}

bool ConcatOp::canFault() {
  Value first = getInputs().front();
  std::optional<int64_t> axis = normalizeAxis(getAxis(), shapeOf(first).size());
  return !axis || llvm::any_of(getInputs().drop_front(), [&](Value input) {
    for (int64_t i = 0, e = shapeOf(first).size(); i != e; ++i)
      if (i != *axis && !surelySameDim(first, i, input, i))
        return true;
    return false;
  });
}

bool BroadcastOp::canFault() {
  std::optional<SmallVector<int64_t>> target = getPartlyKnownIntegers(getTargetShape());
  if (!target || llvm::any_of(*target, ShapedType::isDynamic))
    return true;
  ArrayRef<int64_t> data = shapeOf(getData());
  if (getMode() != "explicit")
    return !surelyBroadcast(data, *target);
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(getAxesMapping(), target->size());
  return !axes || llvm::any_of(llvm::zip(data, *axes), [&](auto pair) {
    auto [dim, axis] = pair;
    return dim != 1 && dim != (*target)[axis];
  });
}

bool GatherOp::canFault() {
  std::optional<SmallVector<int64_t>> indices = getConstantIntegers(getIndices());
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(getAxis(), shapeOf(getData()).size());
  if (!indices || !axes || axes->size() != 1)
    return true;
  int64_t size = shapeOf(getData())[axes->front()];
  int64_t least = getVersion() >= 8 ? -size : 0;
  if (ShapedType::isDynamic(size) ||
      llvm::any_of(*indices, [&](int64_t index) { return index < least || index >= size; }))
    return true;
  int64_t batch = normalizeBatchDims(getBatchDims(), getIndices().getType().getRank());
  return !surelyEqual(shapeOf(getData()).take_front(batch), shapeOf(getIndices()).take_front(batch));
}

bool GatherTreeOp::canFault() { return !getType().hasStaticShape() || getType().getNumElements() != 0; }

//===----------------------------------------------------------------------===//
// Effects, speculation, compatible types
//===----------------------------------------------------------------------===//

#define FAULTING_OPS(X)                                                                                                \
  BINARY_OPS(X)                                                                                                        \
  X(DivideOp)                                                                                                          \
  X(SelectOp)                                                                                                          \
  X(MatMulOp)                                                                                                          \
  X(LSTMCellOp)                                                                                                        \
  X(GRUCellOp)                                                                                                         \
  X(RNNCellOp)                                                                                                         \
  X(ReshapeOp)                                                                                                         \
  X(SqueezeOp)                                                                                                         \
  X(ConcatOp)                                                                                                          \
  X(BroadcastOp)                                                                                                       \
  X(GatherOp)                                                                                                          \
  X(GatherTreeOp)

FAULTING_OPS(RECUR_OV_FAULT_INTERFACES)

#define INFER_OPS(X)                                                                                                   \
  FAULTING_OPS(X)                                                                                                      \
  X(ShapeOfOp)                                                                                                         \
  X(UnsqueezeOp)                                                                                                       \
  X(TransposeOp)                                                                                                       \
  X(ReduceSumOp)                                                                                                       \
  X(ReduceMaxOp)

INFER_OPS(RECUR_OV_COMPATIBLE_TYPES)

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ClampOp::verify() {
  // clamp_c1
  if (!(getMin().convertToDouble() <= getMax().convertToDouble()))
    return emitOpError("expected min that is not greater than max, but got ")
           << getMin().convertToDouble() << " and " << getMax().convertToDouble();
  return success();
}

template <typename Cell>
static LogicalResult verifyCell(Cell cell, size_t activationCount) {
  // cell_c3
  if (cell.getActivations().size() != activationCount)
    return cell.emitOpError("expected ") << activationCount << " activations, but got " << cell.getActivations().size();
  for (Attribute activation : cell.getActivations())
    if (!llvm::is_contained({"sigmoid", "tanh", "relu", "hardsigmoid"}, cast<StringAttr>(activation).getValue()))
      return cell.emitOpError("expected activations of sigmoid, tanh, relu and hardsigmoid, but got ") << activation;
  for (ArrayAttr parameters : {cell.getActivationsAlpha(), cell.getActivationsBeta()})
    if (!parameters.empty() && parameters.size() != activationCount)
      return cell.emitOpError("expected activations_alpha and activations_beta with no entry or ")
             << activationCount << ", but got " << parameters.size();
  // cell_c4
  if (!(cell.getClip().convertToDouble() >= 0.0))
    return cell.emitOpError("expected clip that is not negative, but got ") << cell.getClip().convertToDouble();
  return success();
}

LogicalResult LSTMCellOp::verify() { return verifyCell(*this, 3); }
LogicalResult GRUCellOp::verify() { return verifyCell(*this, 2); }
LogicalResult RNNCellOp::verify() { return verifyCell(*this, 1); }

LogicalResult SoftmaxOp::verify() {
  // softmax_c1
  if (!normalizeAxis(getAxis(), getType().getRank()))
    return emitOpError("expected an axis of ") << getType() << ", but got " << static_cast<int64_t>(getAxis());
  return success();
}
