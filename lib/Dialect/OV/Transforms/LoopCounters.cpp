// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopCounters.cpp - Find induction variables ------------------------===//
//
// A counter is an induction variable: the iteration index, or a carried integer to which the body adds a constant.
// Integers of the program wrap, so the functions also track how far a counter can go before one of the integers
// involved wraps.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "RaiseLoops.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <limits>

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
    if (!isOneInteger(value) || !(keepsElements(op) || isa<ConvertOp>(op)) || !isOneInteger(op->getOperand(0)))
      break;
    if (isa<ConvertOp>(op) && getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() >
                                  getElementTypeOrSelf(value).getIntOrFloatBitWidth())
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The result of `op` as one of its operands times a constant plus a constant, if `op` is such a sum, product or
/// negation.
static std::optional<Affine> takeApart(Operation *op) {
  if (isa_and_nonnull<NegativeOp>(op))
    return Affine{op->getOperand(0), -1, 0};
  if (!isa_and_nonnull<AddOp, SubtractOp, MultiplyOp>(op))
    return std::nullopt;
  for (unsigned i : {1, 0}) {
    std::optional<int64_t> by = getConstantInteger(op->getOperand(i));
    if (!by)
      continue;
    Value rest = op->getOperand(1 - i);
    if (isa<MultiplyOp>(op))
      return Affine{rest, *by, 0};
    if (isa<AddOp>(op))
      return Affine{rest, 1, *by};
    if (i == 0)
      return Affine{rest, -1, *by};
    if (*by != std::numeric_limits<int64_t>::min())
      return Affine{rest, 1, -*by};
  }
  return std::nullopt;
}

/// True if |value| > 2^30. Counters whose starts and offsets are not far do not wrap in 32 bits.
static bool isFar(int64_t value) { return value < -(int64_t(1) << 30) || value > int64_t(1) << 30; }

Affine raising::getAffine(Value value) {
  Affine result{lookThroughForms(value), 1, 0};
  while (isOneInteger(result.base)) {
    std::optional<Affine> inner = takeApart(result.base.getDefiningOp());
    if (!inner || !isOneInteger(inner->base))
      break;
    std::optional<int64_t> scale = llvm::checkedMul(result.scale, inner->scale),
                           offset = llvm::checkedMulAdd(result.scale, inner->offset, result.offset);
    // If |value| < 2^30 and |offset| <= 2^30, then |scale * base| < 2^31, so no base on the way wraps.
    if (!scale || *scale == 0 || !offset || isFar(*offset))
      break;
    result = {lookThroughForms(inner->base), *scale, *offset};
  }
  return result;
}

std::optional<Induction> raising::getInduction(LoopOp loop, Value value) {
  if (!isOneInteger(value))
    return std::nullopt;
  Affine affine = getAffine(value);
  auto arg = dyn_cast<BlockArgument>(affine.base);
  if (!arg || arg.getOwner() != loop.getBodyBlock())
    return std::nullopt;
  unsigned bits = getElementTypeOrSelf(arg).getIntOrFloatBitWidth();
  auto create = [&](std::optional<int64_t> start, std::optional<int64_t> step) -> std::optional<Induction> {
    if (!start || !step || !llvm::isIntN(bits - 1, *start) || !llvm::isIntN(bits - 1, *step))
      return std::nullopt;
    return Induction{*start, *step, bits};
  };
  if (arg == loop.getIndexArg())
    return create(affine.offset, affine.scale);
  for (auto [i, carried] : llvm::enumerate(loop.getCarriedArgs())) {
    if (carried != arg)
      continue;
    std::optional<int64_t> init = getConstantInteger(loop.getInitArgs()[i]);
    Affine next = getAffine(loop.getYield().getNext()[i]);
    if (!init || isFar(*init) || next.base != arg || next.scale != 1)
      return std::nullopt;
    return create(llvm::checkedMulAdd(affine.scale, *init, affine.offset), llvm::checkedMul(affine.scale, next.offset));
  }
  return std::nullopt;
}

std::optional<int64_t> raising::getLast(LoopOp loop, Induction counter) {
  std::optional<int64_t> trip = getConstantInteger(loop.getTripCount());
  std::optional<int64_t> last =
      trip && *trip > 0 ? llvm::checkedMulAdd(counter.step, *trip - 1, counter.start) : std::nullopt;
  return last && llvm::isIntN(counter.bits - 1, *last) ? last : std::nullopt;
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
  if (keepsElements(op) || isa<GatherOp>(op))
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
