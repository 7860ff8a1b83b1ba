// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TimeMaps.cpp - Which ops keep time steps apart ---------------------===//
//
// Follows time steps from an operand of an op to its results. Most ops say themselves which axes they keep
// (AxesOpInterface). Reshapes and convolutions depend on other dims, or on other time steps, and are answered here.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "TimeAxes.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Other dims
//===----------------------------------------------------------------------===//

DimSource::MaybeDim TimeAxes::divide(DimSource::Dim dividend, DimSource::Dim divisor) {
  std::optional<int64_t> a = dims.exprs.getConstant(dividend), b = dims.exprs.getConstant(divisor);
  if (a && b)
    return *b != 0 && *a % *b == 0 ? dims.constant(*a / *b) : std::nullopt;
  DimSource::Dim quotient = dims.exprs.divide({dividend}, {divisor});
  return dims.exprs.combine(DimKind::product, {quotient, divisor}) == dividend ? DimSource::MaybeDim(quotient)
                                                                               : std::nullopt;
}

DimSource::MaybeDim TimeAxes::multiplyDims(Value value, int64_t begin, int64_t end) {
  SmallVector<DimSource::MaybeDim> factors{dims.constant(1)};
  for (int64_t axis = begin; axis < end; ++axis)
    factors.push_back(dims.get(value, axis));
  return dims.combine(DimKind::product, factors);
}

std::optional<TimeAxis> TimeAxes::mapElements(Value from, Value to, TimeAxis time) {
  DimSource::MaybeDim own = dims.get(from, time.axis), before = multiplyDims(from, 0, time.axis),
                      behind = multiplyDims(from, time.axis + 1, rankOf(from));
  auto divideAll = [&](DimSource::MaybeDim all, DimSource::Dim factor, DimSource::MaybeDim divisor) {
    return all && divisor ? divide(dims.exprs.combine(DimKind::product, {*all, factor}), *divisor) : std::nullopt;
  };
  std::optional<TimeAxis> found;
  for (int64_t axis = 0; axis < rankOf(to); ++axis) {
    DimSource::MaybeDim same = dims.get(to, axis), above = multiplyDims(to, 0, axis),
                        below = multiplyDims(to, axis + 1, rankOf(to));
    DimSource::MaybeDim outer = divideAll(before, time.outer, above), inner = divideAll(behind, time.inner, below);
    // If the dims on one side agree, those on the other side do so too, even if they are not known.
    if (own && same == own && ((above && above == before) || (below && below == behind))) {
      outer = time.outer;
      inner = time.inner;
    }
    if (!outer || !inner)
      continue;
    // If there is one time step, several unit dims may be time. The first that has nothing else is as good as any.
    TimeAxis place{axis, *outer, *inner};
    if (!found || isAlone(place))
      found = place;
    if (isAlone(place))
      break;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

static bool isSlice(Operation *op) { return isa<SliceOp, StridedSliceOp>(op); }

/// What an op for which isSlice holds takes of its data.
static std::optional<Slicing> getSlicingOf(Operation *op) {
  if (auto slice = dyn_cast<SliceOp>(op))
    return getSlicing(slice);
  return getSlicing(cast<StridedSliceOp>(op));
}

/// How many time steps before its own the result of a convolution for a time step is computed from, if dim `axis` of
/// the data is time. Returns nullopt if there is not one result for each time step, or if it needs later ones.
template <typename OpT>
static std::optional<int64_t> countStepsBefore(OpT op, int64_t axis) {
  if (axis < 2)
    return std::nullopt;
  int64_t spatial = axis - 2, rank = rankOf(op.getFilters());
  int64_t kernel = typeOf(op.getFilters()).getDimSize(rank - rankOf(op.getData()) + axis);
  if (ShapedType::isDynamic(kernel) || op.getStrides()[spatial] != 1)
    return std::nullopt;
  bool isExplicit = op.getAutoPad() == AutoPad::Explicit;
  int64_t begin = isExplicit ? op.getPadsBegin()[spatial] : 0, end = isExplicit ? op.getPadsEnd()[spatial] : 0, before;
  // So many steps have no place in a state.
  if (llvm::MulOverflow(kernel - 1, op.getDilations()[spatial], before) || !llvm::isInt<32>(before))
    return std::nullopt;
  return begin == before && end == 0 ? std::optional(before) : std::nullopt;
}

std::optional<int64_t> TimeAxes::getStepsBefore(Operation *op, int64_t axis) {
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return countStepsBefore(convolution, axis);
  auto convolution = dyn_cast<GroupConvolutionOp>(op);
  return convolution ? countStepsBefore(convolution, axis) : std::nullopt;
}

std::optional<TimeAxis> TimeAxes::map(Operation *op, unsigned operand, unsigned result, TimeAxis time) {
  Value given = op->getOperand(operand), made = op->getResult(result);
  // A dim is an index.
  if (!isa<RankedTensorType>(made.getType()))
    return std::nullopt;
  if (keepsElements(op) && operand == 0) {
    // Without axes, a squeeze would drop the axis of time if that is 1.
    auto squeeze = dyn_cast<SqueezeOp>(op);
    if (squeeze && !getSqueezedAxes(typeOf(given).getShape(), squeeze.getAxes()))
      return std::nullopt;
    return mapElements(given, made, time);
  }
  if (isa<tensor::CastOp>(op))
    return time;
  // A window over several time steps would mix what a reshape has merged with them.
  if (std::optional<int64_t> before = operand == 0 ? getStepsBefore(op, time.axis) : std::nullopt)
    return *before == 0 || isAlone(time) ? std::optional(time) : std::nullopt;
  auto axes = dyn_cast<AxesOpInterface>(op);
  std::optional<int64_t> to = axes ? axes.mapAxis(operand, result, time.axis) : std::nullopt;
  return to && *to >= 0 ? std::optional(TimeAxis{*to, time.outer, time.inner}) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The last time step
//===----------------------------------------------------------------------===//

/// True if dim `axis` of the data is sliced to its last element, and all other dims are taken whole.
static bool takesLast(const std::optional<Slicing> &slicing, Value begin, Value end, int64_t axis,
                      std::optional<int64_t> length) {
  std::optional<SmallVector<int64_t>> begins = getConstantIntegers(begin), ends = getConstantIntegers(end);
  if (!slicing || !slicing->areAxesKnown || !slicing->newAxes.empty())
    return false;
  for (auto [number, dim] : llvm::enumerate(slicing->dims)) {
    if (int64_t(number) != axis) {
      if (!dim.isWhole())
        return false;
      continue;
    }
    bool startsAtEnd = dim.entry && dim.hasBegin && begins && (*begins)[*dim.entry] == -1;
    if (length && dim.isKnown())
      startsAtEnd |= dim.start == *length - 1;
    bool isOpen = dim.entry && dim.step == 1 &&
                  (!dim.hasEnd || (ends && (*ends)[*dim.entry] >= std::numeric_limits<int32_t>::max()));
    if (!startsAtEnd || !(dim.shrinks || dim.size == 1 || isOpen))
      return false;
  }
  return true;
}

bool TimeAxes::isLastStep(Operation *op, TimeAxis time) {
  if (!isAlone(time))
    return false;
  // Both have their bounds as the operands behind the data.
  if (isSlice(op))
    return takesLast(getSlicingOf(op), op->getOperand(1), op->getOperand(2), time.axis, length);
  auto gather = dyn_cast<GatherOp>(op);
  if (!gather || get(gather.getIndices()).kind != Timing::Fixed || rankOf(gather.getIndices()) > 1)
    return false;
  std::optional<SmallVector<int64_t>> indices = getConstantIntegers(gather.getIndices());
  return getConstantAxis(gather.getAxis(), rankOf(gather.getData())) == time.axis && indices && indices->size() == 1 &&
         (indices->front() == -1 || (length && indices->front() == *length - 1)) &&
         normalizeBatchDims(gather.getBatchDims(), rankOf(gather.getIndices())) == 0;
}
