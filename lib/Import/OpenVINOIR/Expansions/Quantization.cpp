// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Quantization.cpp - Quantization ------------------------------------===//
//
// This file expands FakeQuantize: it rounds numbers to a few levels, which it computes with ordinary arithmetic.
// Weights are rounded at compile time, by a step of their layout.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <functional>

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
  Value outLow = e.given(3), outHigh = e.given(4);
  std::optional<ComputedLimit> low = matchLimit(e.given(1)), high = matchLimit(e.given(2));
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
  return e.make<ov::RoundOp>(
      value, e.attribute("mode", ov::RoundModeAttr::get(value.getContext(), ov::RoundMode::HalfToEven)));
}

/// The constant that `value` is in effect, by the folds of up to `depth` ops. Null if there is none.
static TypedAttr getConstant(Value value, unsigned depth = 8) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return dyn_cast<TypedAttr>(constant);
  Operation *op = value.getDefiningOp();
  if (depth == 0 || !op || !isa<ov::OVDialect>(op->getDialect()) || op->getNumRegions() != 0)
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getConstant(operand, depth - 1));
    if (!operands.back())
      return {};
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return {};
  OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
  return dyn_cast_or_null<TypedAttr>(dyn_cast<Attribute>(result));
}

/// The elements of a dense constant.
static std::vector<char> getElements(DenseElementsAttr dense) {
  ArrayRef<char> raw = dense.getRawData();
  std::vector<char> bytes;
  for (int64_t i = 0, count = dense.isSplat() ? dense.getNumElements() : 1; i < count; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

/// The result of FakeQuantize if its operands are constant. Null if they are not, or if no layout step gives it.
static TypedAttr quantizeConstant(Expansion &e) {
  TypedAttr operands[5];
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!(operand = getConstant(e.operand(i))))
      return {};
  auto [data, inLow, inHigh, outLow, outHigh] = operands;
  auto step = ov::FakeQuantizeStepAttr::get(data.getContext(), e.integer("levels"), inLow, inHigh, outLow, outHigh);
  auto type = dyn_cast<RankedTensorType>(data.getType());
  if (!type || type.getNumElements() == 0 || !step.fits(type))
    return {};
  if (auto weights = dyn_cast<ov::WeightsAttr>(data))
    return weights.append(step);
  std::vector<char> limits;
  for (TypedAttr limit : step.getOwnConstants()) {
    auto dense = dyn_cast<DenseElementsAttr>(limit);
    if (!dense)
      return {};
    llvm::append_range(limits, getElements(dense));
  }
  std::vector<char> elements = getElements(cast<DenseElementsAttr>(data)), result(elements.size());
  step.apply(type, elements, limits, result);
  return DenseElementsAttr::getFromRawBuffer(type, result);
}

/// True if `low` and `high` are finite constants of f32 for which `isFine` holds, each pair of them.
static bool holdsForLimits(Value low, Value high, function_ref<bool(float, float)> isFine) {
  auto lows = dyn_cast_or_null<DenseElementsAttr>(getConstant(low)),
       highs = dyn_cast_or_null<DenseElementsAttr>(getConstant(high));
  if (!lows || !highs || lows.getType() != highs.getType() || !lows.getElementType().isF32())
    return false;
  return llvm::all_of(llvm::zip_equal(lows.getValues<float>(), highs.getValues<float>()), [&](auto pair) {
    auto [least, most] = pair;
    return std::isfinite(least) && std::isfinite(most) && std::isfinite(most - least) && isFine(least, most);
  });
}

/// True if the formula gives the limits of the output for those of the input. Then numbers that are not between the
/// limits may become the limits before.
static bool mayClamp(Expansion &e) {
  return holdsForLimits(e.operand(1), e.operand(2), std::less<float>()) &&
         holdsForLimits(e.operand(3), e.operand(4), [](float low, float high) {
           float range = high - low;
           return range + low == high && !(low == 0 && std::signbit(low));
         });
}

LogicalResult recur::ir::expandFakeQuantize(Expansion &e) {
  if (e.integer("levels") < 2)
    return e.error("expected 'levels' to be 2 or more, but got " + Twine(e.integer("levels")));
  if (failed(e.expectSameElements({0, 1, 2, 3, 4})))
    return failure();
  Value data = e.operand(0), inLow = e.operand(1), inHigh = e.operand(2), outLow = e.operand(3), outHigh = e.operand(4);
  // QuantizeLinear is round(data / scale) + zeroPoint. So a number halfway between two levels goes to the one whose
  // distance from the zero point is even.
  if (std::optional<ComputedLimit> limit = matchQuantizeLinear(e)) {
    Value scale = e.convert(limit->scale, elementOf(data)), zeroPoint = e.convert(limit->zeroPoint, elementOf(data));
    Value level = e.add(roundToEven(e, e.divide(data, scale)), zeroPoint);
    return e.replace(e.minimum(e.maximum(level, outLow), outHigh));
  }
  if (TypedAttr constant = quantizeConstant(e))
    return e.replace(e.constant(constant));
  double steps = double(e.integer("levels") - 1);
  bool isClamped = elementOf(data).isF32() && mayClamp(e);
  // NaN stays.
  if (isClamped) {
    Value notBelow = e.select(e.less(data, inLow), inLow, data);
    data = e.select(e.make<ov::GreaterOp>({notBelow, inHigh}), inHigh, notBelow);
  }
  Value level = roundToEven(e, e.multiply(e.divide(e.subtract(data, inLow), e.subtract(inHigh, inLow)), steps));
  Value result = e.add(e.multiply(e.divide(level, steps), e.subtract(outHigh, outLow)), outLow);
  if (isClamped)
    return e.replace(result);
  Value isBelow = e.make<ov::LessEqualOp>({data, e.minimum(inLow, inHigh)});
  Value isAbove = e.make<ov::GreaterOp>({data, e.maximum(inLow, inHigh)});
  return e.replace(e.select(isBelow, outLow, e.select(isAbove, outHigh, result)));
}

namespace {
/// The numbers of a type of 8 bits.
struct SmallFloat {
  /// The bits of the mantissa, and the exponents of the least normal number and of the greatest one.
  int mantissa, least, greatest;
  /// The greatest number.
  double most;
};
} // namespace

/// The numbers of `type` that are nearest to those of an f32 tensor; of two, the even one.
static Value roundTo(Expansion &e, Value value, const SmallFloat &type) {
  Value most = e.scalar(type.most, e.f32()), negative = e.scalar(-type.most, e.f32());
  // Not by minimum and maximum, so that NaN stays.
  value = e.select(e.less(most, value), most, e.select(e.less(value, negative), negative, value));
  // The numbers from a power of two to the next one have the same distances.
  Value magnitude = e.make<ov::AbsOp>(value);
  Value distance = e.scalar(std::ldexp(1.0, type.least - type.mantissa), e.f32());
  for (int exponent = type.least + 1; exponent <= type.greatest; ++exponent)
    distance = e.select(e.less(magnitude, e.scalar(std::ldexp(1.0, exponent), e.f32())), distance,
                        e.scalar(std::ldexp(1.0, exponent - type.mantissa), e.f32()));
  return e.multiply(roundToEven(e, e.divide(value, distance)), distance);
}

LogicalResult recur::ir::expandFakeConvert(Expansion &e) {
  Value data = e.operand(0);
  if (failed(e.expectRank(1, 0, rankOf(data))) || (e.operand(2) && failed(e.expectRank(2, 0, rankOf(data)))))
    return failure();
  Type given = elementOf(data);
  Value scale = e.convert(e.operand(1), e.f32());
  Value shift = e.operand(2) ? e.convert(e.operand(2), e.f32()) : e.scalar(0, e.f32());
  SmallFloat type = e.text("destination_type") == "f8e4m3" ? SmallFloat{3, -6, 8, 448} : SmallFloat{2, -14, 15, 57344};
  Value moved = e.subtract(e.multiply(e.convert(data, e.f32()), scale), shift);
  // OpenVINO rounds to f16 first.
  Value rounded = e.convert(e.convert(moved, Float16Type::get(data.getContext())), e.f32());
  return e.replace(e.convert(e.divide(e.add(roundTo(e, rounded, type), shift), scale), given));
}
