// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopCounters.cpp - What counts iterations --------------------------===//

#include "RaiseLoops.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace recur::ov;
using namespace recur::ov::raising;

bool raising::isOneInteger(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType().isSignlessInteger() && type.getElementTypeBitWidth() >= 32 && type.hasStaticShape() &&
         type.getNumElements() == 1;
}

bool raising::isOneBoolean(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getElementType().isInteger(1) && type.hasStaticShape() && type.getNumElements() == 1;
}

std::optional<int64_t> raising::getConstantInteger(Value value) {
  std::optional<SmallVector<int64_t>> values = getConstantIntegers(value);
  if (!values || values->size() != 1)
    return std::nullopt;
  return values->front();
}

Value raising::lookThroughForms(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isOneInteger(value) || !isa<ReshapeOp, SqueezeOp, UnsqueezeOp, ConvertOp>(op) ||
        !isOneInteger(op->getOperand(0)))
      break;
    if (isa<ConvertOp>(op) && getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() >
                                  getElementTypeOrSelf(value).getIntOrFloatBitWidth())
      break;
    value = op->getOperand(0);
  }
  return value;
}

Offset raising::getOffset(Value value) {
  Offset result{lookThroughForms(value), 0};
  while (Operation *op = result.base.getDefiningOp()) {
    if (!isa<AddOp, SubtractOp>(op) || !isOneInteger(result.base))
      break;
    std::optional<int64_t> by = getConstantInteger(op->getOperand(1));
    Value rest = op->getOperand(0);
    if (!by && isa<AddOp>(op)) {
      by = getConstantInteger(op->getOperand(0));
      rest = op->getOperand(1);
    }
    if (!by || !isOneInteger(rest))
      break;
    std::optional<int64_t> sum =
        isa<AddOp>(op) ? llvm::checkedAdd(result.offset, *by) : llvm::checkedSub(result.offset, *by);
    if (!sum)
      break;
    result = {lookThroughForms(rest), *sum};
  }
  return result;
}

std::optional<Induction> raising::getInduction(LoopOp loop, Value value) {
  if (!isOneInteger(value))
    return std::nullopt;
  Offset offset = getOffset(value);
  auto arg = dyn_cast<BlockArgument>(offset.base);
  if (!arg || arg.getOwner() != loop.getBodyBlock())
    return std::nullopt;
  if (arg == loop.getIndexArg())
    return Induction{offset.offset, 1};
  for (auto [i, carried] : llvm::enumerate(loop.getCarriedArgs())) {
    if (carried != arg)
      continue;
    std::optional<int64_t> start = getConstantInteger(loop.getInitArgs()[i]);
    Offset next = getOffset(loop.getYield().getNext()[i]);
    std::optional<int64_t> sum = start ? llvm::checkedAdd(*start, offset.offset) : std::nullopt;
    if (!sum || next.base != arg)
      return std::nullopt;
    return Induction{*sum, next.offset};
  }
  return std::nullopt;
}

bool raising::isNonNegative(Value value, unsigned depth) {
  if (std::optional<SmallVector<int64_t>> constant = getConstantIntegers(value))
    return llvm::all_of(*constant, [](int64_t entry) { return entry >= 0; });
  Operation *op = value.getDefiningOp();
  if (!op || !depth)
    return false;
  auto operand = [&](unsigned i) { return isNonNegative(op->getOperand(i), depth - 1); };
  if (isa<ShapeOfOp>(op))
    return true;
  if (isa<ReshapeOp, SqueezeOp, UnsqueezeOp, GatherOp>(op))
    return operand(0);
  if (isa<ConvertOp>(op)) {
    Type from = getElementTypeOrSelf(op->getOperand(0)), to = getElementTypeOrSelf(value);
    return from.isSignlessInteger() && from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth() && operand(0);
  }
  if (isa<MaximumOp>(op))
    return operand(0) || operand(1);
  if (isa<MinimumOp>(op))
    return operand(0) && operand(1);
  return false;
}

Value raising::getEntry(Value values, int64_t position) {
  if (isOneInteger(values))
    return position == 0 ? lookThroughForms(values) : Value();
  auto concat = values.getDefiningOp<ConcatOp>();
  if (!concat)
    return Value();
  for (Value operand : concat.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() != 1 || !type.hasStaticShape())
      return Value();
    if (position < type.getDimSize(0))
      return getEntry(operand, position);
    position -= type.getDimSize(0);
  }
  return Value();
}

Value raising::createInteger(OpBuilder &builder, Location loc, RankedTensorType type, int64_t value) {
  return ConstantOp::create(builder, loc, type,
                            DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
}
