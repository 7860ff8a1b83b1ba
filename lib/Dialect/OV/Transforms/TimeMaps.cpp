// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TimeMaps.cpp - Which ops keep time steps apart ---------------------===//
//
// One question about an op: if an operand has its time steps along an axis, where are they in a result? There is no
// answer for an op that computes an element from several time steps, or of which this is not known.
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

/// The axis that dim `axis` of a tensor is in a result of rank `rank` that it broadcasts to.
static int64_t alignAtEnd(Value operand, int64_t axis, int64_t rank) { return axis + rank - rankOf(operand); }

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
// Maps of single ops
//===----------------------------------------------------------------------===//

/// The axis of the product that dim `axis` of an operand is; nullopt for the dim that is summed.
static std::optional<int64_t> mapProduct(MatMulOp op, unsigned operand, int64_t axis) {
  Value a = op.getA(), b = op.getB(), given = op->getOperand(operand);
  // A vector has no rows, which moves the axes of the product.
  if (rankOf(a) < 2 || rankOf(b) < 2)
    return std::nullopt;
  int64_t rank = rankOf(given), product = rankOf(op.getResult());
  bool isTransposed = operand == 0 ? op.getTransposeA() : op.getTransposeB();
  int64_t kept = operand == 0 ? (isTransposed ? rank - 1 : rank - 2) : (isTransposed ? rank - 2 : rank - 1);
  if (axis < rank - 2)
    return alignAtEnd(given, axis, product);
  return axis == kept ? std::optional(operand == 0 ? product - 2 : product - 1) : std::nullopt;
}

/// The axis of the result of a gather that dim `axis` of the data or the indices is; nullopt for the dim of the data
/// that is indexed.
static std::optional<int64_t> mapGather(GatherOp op, unsigned operand, int64_t axis) {
  std::optional<int64_t> along = getConstantAxis(op.getAxis(), rankOf(op.getData()));
  int64_t indexRank = rankOf(op.getIndices());
  if (!along || operand > 1 || normalizeBatchDims(op.getBatchDims(), indexRank) != 0)
    return std::nullopt;
  if (operand == 1)
    return *along + axis;
  return axis == *along ? std::nullopt : std::optional(axis < *along ? axis : axis - 1 + indexRank);
}

static bool isSlice(Operation *op) { return isa<SliceOp, StridedSliceOp>(op); }

/// What an op for which isSlice holds takes of its data.
static std::optional<Slicing> getSlicingOf(Operation *op) {
  if (auto slice = dyn_cast<SliceOp>(op))
    return getSlicing(slice);
  return getSlicing(cast<StridedSliceOp>(op));
}

/// The axis of the result that dim `axis` of the data of a slice is; nullopt if it is not taken whole.
static std::optional<int64_t> mapSlice(const std::optional<Slicing> &slicing, int64_t axis, int64_t size) {
  if (!slicing || !slicing->areAxesKnown)
    return std::nullopt;
  const SliceDim &dim = slicing->dims[axis];
  bool isAll = dim.isKnown() && dim.start == 0 && dim.step == 1 && dim.size == size && !dim.shrinks;
  if (!dim.isWhole() && !isAll)
    return std::nullopt;
  int64_t result = axis - llvm::count_if(ArrayRef(slicing->dims).take_front(axis),
                                         [](const SliceDim &before) { return before.shrinks; });
  for (int64_t added : slicing->newAxes)
    result += added <= result ? 1 : 0;
  return result;
}

/// The axis of the result of a reduction that dim `axis` of the data is; nullopt if it is reduced.
static std::optional<int64_t> mapReduction(Operation *op, int64_t axis) {
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(op->getOperand(1), rankOf(op->getOperand(0)));
  if (!axes || llvm::is_contained(*axes, axis))
    return std::nullopt;
  if (rankOf(op->getResult(0)) == rankOf(op->getOperand(0)))
    return axis;
  return axis - llvm::count_if(*axes, [&](int64_t reduced) { return reduced < axis; });
}

/// The axis along which a softmax runs; nullopt for other ops.
static std::optional<int64_t> getSoftmaxAxis(Operation *op) {
  int64_t rank = rankOf(op->getOperand(0));
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return normalizeAxis(softmax.getAxis(), rank);
  auto logarithm = dyn_cast<LogSoftmaxOp>(op);
  return logarithm ? normalizeAxis(logarithm.getAxis(), rank) : std::nullopt;
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

/// `axis`, if it is not `along`, an axis that may count from the end; nullopt otherwise.
static std::optional<int64_t> mapUnless(std::optional<int64_t> along, int64_t axis) {
  return along && *along != axis ? std::optional(axis) : std::nullopt;
}

std::optional<TimeAxis> TimeAxes::map(Operation *op, unsigned operand, unsigned result, TimeAxis time) {
  Value given = op->getOperand(operand), made = op->getResult(result);
  // A dim is an index.
  if (!isa<RankedTensorType>(made.getType()))
    return std::nullopt;
  int64_t axis = time.axis, rank = rankOf(made);
  auto move = [&](std::optional<int64_t> to) -> std::optional<TimeAxis> {
    if (!to || *to < 0)
      return std::nullopt;
    return TimeAxis{*to, time.outer, time.inner};
  };
  if (isElementwise(op))
    return move(alignAtEnd(given, axis, rank));
  if (auto product = dyn_cast<MatMulOp>(op))
    return move(mapProduct(product, operand, axis));
  if (auto gather = dyn_cast<GatherOp>(op))
    return move(mapGather(gather, operand, axis));
  if (auto concat = dyn_cast<ConcatOp>(op))
    return move(mapUnless(normalizeAxis(concat.getAxis(), rank), axis));
  // All other operands but the first are axes, shapes and the like.
  if (operand != 0)
    return std::nullopt;
  if (keepsElements(op)) {
    // Without axes, a squeeze would drop the axis of time if that is 1.
    auto squeeze = dyn_cast<SqueezeOp>(op);
    if (squeeze && !getSqueezedAxes(typeOf(given).getShape(), squeeze.getAxes()))
      return std::nullopt;
    return mapElements(given, made, time);
  }
  if (isa<tensor::CastOp>(op))
    return time;
  if (isa<ConvolutionOp, GroupConvolutionOp>(op)) {
    if (axis == 0)
      return time;
    // A window over several time steps would mix what a reshape has merged with them.
    std::optional<int64_t> before = getStepsBefore(op, axis);
    return before && (*before == 0 || isAlone(time)) ? std::optional(time) : std::nullopt;
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    std::optional<SmallVector<int64_t>> order = getPermutation(transpose.getInputOrder(), rank);
    return order ? move(std::distance(order->begin(), llvm::find(*order, axis))) : std::nullopt;
  }
  if (isSlice(op))
    return move(mapSlice(getSlicingOf(op), axis, typeOf(given).getDimSize(axis)));
  if (isa<SplitOp, VariadicSplitOp>(op))
    return move(mapUnless(getConstantAxis(op->getOperand(1), rank), axis));
  if (isReduction(op))
    return move(mapReduction(op, axis));
  return move(mapUnless(getSoftmaxAxis(op), axis));
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
