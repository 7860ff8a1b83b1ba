// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Quantization.cpp - Quantization ------------------------------------===//
//
// This file expands FakeQuantize: it rounds numbers to a few levels, which it computes with ordinary arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {

/// The operands of a limit that a model computes as (level - zeroPoint) * scale.
struct ComputedLimit {
  Value level, zeroPoint, scale;
};

} // namespace

static std::optional<ComputedLimit> matchLimit(Value limit) {
  auto product = limit.getDefiningOp<ov::MultiplyOp>();
  if (!product)
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (auto difference = product->getOperand(i).getDefiningOp<ov::SubtractOp>())
      return ComputedLimit{difference->getOperand(0), difference->getOperand(1), product->getOperand(1 - i)};
  return std::nullopt;
}

/// Matches a FakeQuantize that is QuantizeLinear of ONNX: the limits of its input are those of its output, less a zero
/// point, times a scale. Returns the lower limit of its input.
static std::optional<ComputedLimit> matchQuantizeLinear(Expansion &e) {
  Value outLow = e.operand(3), outHigh = e.operand(4);
  std::optional<ComputedLimit> low = matchLimit(e.operand(1)), high = matchLimit(e.operand(2));
  DenseFPElementsAttr first, last;
  if (!low || !high || low->level != outLow || high->level != outHigh || low->zeroPoint != high->zeroPoint ||
      low->scale != high->scale || !matchPattern(outLow, m_Constant(&first)) ||
      !matchPattern(outHigh, m_Constant(&last)) || !first.isSplat() || !last.isSplat())
    return std::nullopt;
  double steps = last.getSplatValue<APFloat>().convertToDouble() - first.getSplatValue<APFloat>().convertToDouble();
  return steps == double(e.integer("levels") - 1) ? low : std::nullopt;
}

/// Rounds to the nearest integer, and to the even one of two.
static Value roundToEven(Expansion &e, Value value) {
  if (!value)
    return {};
  return e.make<ov::RoundOp>(
      value, e.attribute("mode", ov::RoundModeAttr::get(value.getContext(), ov::RoundMode::HalfToEven)));
}

LogicalResult recur::ir::expandFakeQuantize(Expansion &e) {
  if (e.integer("levels") < 2)
    return e.error("expected 'levels' to be 2 or more, but got " + Twine(e.integer("levels")));
  Value data = e.operand(0), inLow = e.operand(1), inHigh = e.operand(2), outLow = e.operand(3), outHigh = e.operand(4);
  // QuantizeLinear is round(data / scale) + zeroPoint. So a number halfway between two levels goes to the one whose
  // distance from the zero point is even.
  if (std::optional<ComputedLimit> limit = matchQuantizeLinear(e)) {
    Value level = e.add(roundToEven(e, e.divide(data, limit->scale)), limit->zeroPoint);
    return e.replace(e.minimum(e.maximum(level, outLow), outHigh));
  }
  double steps = double(e.integer("levels") - 1);
  Value level = roundToEven(e, e.multiply(e.divide(e.subtract(data, inLow), e.subtract(inHigh, inLow)), steps));
  Value result = e.add(e.multiply(e.divide(level, steps), e.subtract(outHigh, outLow)), outLow);
  Value isBelow = e.make<ov::LessEqualOp>({data, e.minimum(inLow, inHigh)});
  Value isAbove = e.make<ov::GreaterOp>({data, e.maximum(inLow, inHigh)});
  return e.replace(e.select(isBelow, outLow, e.select(isAbove, outHigh, result)));
}
