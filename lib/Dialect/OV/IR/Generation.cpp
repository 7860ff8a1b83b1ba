// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.cpp - Range and generators of random bits ---------------===//
//
// This file has the type inference, dims and folds of Range. The number of elements is known at compile time if start,
// stop and step are. Slices count their elements with countSteps too.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"
#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace recur::ov;

int64_t recur::ov::countSteps(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop)
    return 0;
  // The difference of two int64_t may not fit int64_t, but it fits uint64_t.
  uint64_t distance = step > 0 ? uint64_t(stop) - uint64_t(start) : uint64_t(start) - uint64_t(stop);
  uint64_t length = step > 0 ? uint64_t(step) : -uint64_t(step);
  uint64_t count = (distance - 1) / length + 1;
  return std::min<uint64_t>(count, std::numeric_limits<int64_t>::max());
}

int64_t recur::ov::countRealSteps(double start, double stop, double step) {
  double count = std::ceil((stop - start) / step);
  if (!std::isfinite(stop - start) || std::isnan(count) || count >= std::ldexp(1.0, 56))
    return ShapedType::kDynamic;
  return static_cast<int64_t>(std::max(count, 0.0));
}

/// The element of a floating-point constant that has one element.
static std::optional<double> getConstantReal(Value value) {
  DenseFPElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) || attr.getNumElements() != 1)
    return std::nullopt;
  APFloat number = *attr.getValues<APFloat>().begin();
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// The element of a tensor of one element as an integer, if it is known. A floating-point number is truncated; one that
/// does not fit saturates.
static std::optional<int64_t> getKnownInteger(Value value) {
  if (isa<IntegerType>(elementOf(value))) {
    std::optional<SmallVector<int64_t>> known = getConstantIntegers(value);
    return known && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
  }
  std::optional<double> number = getConstantReal(value);
  if (!number || std::isnan(*number))
    return std::nullopt;
  llvm::APSInt integer(64, /*isUnsigned=*/false);
  bool isExact;
  APFloat(*number).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return integer.getSExtValue();
}

/// The element of a tensor of one element as a double, if it is known.
static std::optional<double> getKnownNumber(Value value) {
  if (isa<IntegerType>(elementOf(value)))
    return getKnownInteger(value);
  return getConstantReal(value);
}

LogicalResult RangeOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  // C4
  for (Value operand : adaptor.getOperands())
    if (rankOf(operand) == 1 && !mergeDims(shapeOf(operand)[0], 1))
      return report("expected operands of one element, but got ", operand.getType());
  Type element = adaptor.getOutputType();
  // C6
  if (getKnownNumber(adaptor.getStep()) == 0.0)
    return report("expected a step other than 0");
  int64_t count = ShapedType::kDynamic;
  if (isa<IntegerType>(element) ||
      llvm::all_of(adaptor.getOperands(), [](Value operand) { return isa<IntegerType>(elementOf(operand)); })) {
    std::optional<int64_t> start = getKnownInteger(adaptor.getStart()), stop = getKnownInteger(adaptor.getStop()),
                           step = getKnownInteger(adaptor.getStep());
    // A step that truncates to 0 is a fault at run time, so the count stays unknown.
    if (start && stop && step && *step != 0)
      count = countSteps(*start, *stop, *step);
  } else {
    std::optional<double> start = getKnownNumber(adaptor.getStart()), stop = getKnownNumber(adaptor.getStop()),
                          step = getKnownNumber(adaptor.getStep());
    if (start && stop && step)
      count = countRealSteps(*start, *stop, *step);
  }
  return addType(types, count, element);
}

// The number of steps is known for the numbers below a size. Any other cannot be expressed.
DimSource::MaybeDim RangeOp::describeDim(DimSource &dims, unsigned, int64_t) {
  std::optional<SmallVector<int64_t>> start = getConstantIntegers(getStart()), step = getConstantIntegers(getStep());
  if (!start || !step || *start != ArrayRef<int64_t>(0) || *step != ArrayRef<int64_t>(1) ||
      !isa<IntegerType>(elementOf(getStop())))
    return std::nullopt;
  DimSource::MaybeDim stop = dims.getElement(getStop(), 0);
  return stop && dims.exprs.isProvablySize(*stop) ? stop : std::nullopt;
}

bool RangeOp::canFault() {
  return llvm::any_of(getOperands(), [](Value operand) {
    std::optional<SmallVector<int64_t>> known = getConstantIntegers(operand);
    return !known || known->size() != 1;
  });
}

OpFoldResult RangeOp::fold(FoldAdaptor adaptor) {
  auto element = dyn_cast<IntegerType>(getType().getElementType());
  std::optional<SmallVector<int64_t>> start = getConstantIntegers(getStart()), step = getConstantIntegers(getStep());
  if (!element || !start || !step || !isSmall(getType()) || canFault() || start->size() != 1 || step->size() != 1)
    return {};
  SmallVector<APInt> values;
  APInt value(64, start->front(), /*isSigned=*/true);
  for (int64_t i = 0; i != getType().getDimSize(0); ++i, value += APInt(64, step->front(), /*isSigned=*/true))
    values.push_back(value.sextOrTrunc(element.getWidth()));
  return DenseElementsAttr::get(getType(), values);
}

//===----------------------------------------------------------------------===//
// Philox
//===----------------------------------------------------------------------===//

LogicalResult PhiloxOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  std::optional<int64_t> blocks = getKnownInteger(adaptor.getBlocks());
  // C2
  if (blocks && *blocks < 0)
    return report("expected 0 blocks or more, but got ", *blocks);
  return addType(types, {blocks.value_or(ShapedType::kDynamic), 4},
                 IntegerType::get(adaptor.getBlocks().getContext(), 32, IntegerType::Unsigned));
}

DimSource::MaybeDim PhiloxOp::describeDim(DimSource &, unsigned, int64_t) { return std::nullopt; }

bool PhiloxOp::canFault() { return !getKnownInteger(getBlocks()); }

//===----------------------------------------------------------------------===//
// MersenneTwister
//===----------------------------------------------------------------------===//

LogicalResult MersenneTwisterOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  std::optional<int64_t> count = getKnownInteger(adaptor.getCount());
  // C2
  if (count && *count < 0)
    return report("expected 0 words or more, but got ", *count);
  return addType(types, {count.value_or(ShapedType::kDynamic)},
                 IntegerType::get(adaptor.getCount().getContext(), 32, IntegerType::Unsigned));
}

DimSource::MaybeDim MersenneTwisterOp::describeDim(DimSource &, unsigned, int64_t) { return std::nullopt; }

bool MersenneTwisterOp::canFault() { return !getKnownInteger(getCount()); }
