// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementSlice.cpp - Parts of a tensor ------------------------------===//
//
// Slice, StridedSlice, Split and VariadicSplit take parts of a tensor. A Slicing describes the part that a slice takes,
// and folds of the splits use it too. A number that is known only at run time is kDynamic in it.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"
#include "Inference.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// The elements that a slice takes
//===----------------------------------------------------------------------===//

/// The entries of bounds or steps; kDynamic for an entry that is not known.
static std::optional<SmallVector<int64_t>> getEntries(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()); !type || type.getRank() != 1)
    return std::nullopt;
  return getPartlyKnownSizes(value);
}

/// Sets `start`, `size` and `step` of `dim` for a dim of the data that has `size` elements. Any number may be kDynamic.
static void resolve(SliceDim &dim, int64_t begin, int64_t end, int64_t step, int64_t size) {
  dim.start = dim.size = ShapedType::kDynamic;
  dim.step = dim.shrinks ? 1 : step;
  if (dim.shrinks) {
    dim.size = 1;
    if (!dim.hasBegin)
      dim.start = 0;
    else if (!isUnknown(begin) && (begin >= 0 || !isUnknown(size)))
      dim.start = begin < 0 ? begin + size : begin;
    return;
  }
  if (isUnknown(step))
    return;
  bool isBackward = step < 0;
  if (dim.isWhole()) {
    dim.start = 0;
    dim.size = size;
    return;
  }
  if (isUnknown(size)) {
    if (!isBackward && (!dim.hasBegin || begin == 0))
      dim.start = 0;
    if (!dim.hasBegin && !dim.hasEnd && step == -1)
      dim.size = size;
    return;
  }
  int64_t least = isBackward ? -1 : 0, most = isBackward ? size - 1 : size;
  auto clamp = [&](bool isGiven, int64_t bound, int64_t least, int64_t otherwise) {
    if (!isGiven)
      return otherwise;
    if (isUnknown(bound))
      return ShapedType::kDynamic;
    return std::clamp(bound < 0 ? bound + size : bound, least, std::max(least, most));
  };
  // The first index is that of an element, if there is one.
  int64_t first = clamp(dim.hasBegin, begin, std::min<int64_t>(0, most), isBackward ? most : least);
  int64_t final = clamp(dim.hasEnd, end, least, isBackward ? least : most);
  dim.start = first;
  if (isUnknown(first) || isUnknown(final))
    return;
  dim.size = countSteps(first, final, step);
  // An empty slice may start anywhere; 0 keeps the offset in range.
  if (dim.size == 0)
    dim.start = 0;
}

namespace {
/// The entries of bounds and steps. All lists have the same length.
struct Entries {
  SmallVector<int64_t> begin, end, steps;
};
} // namespace

/// The entries of all bounds and steps (1 if `steps` is null), or nullopt with the reason in `why`.
static std::optional<Entries> getAllEntries(Value begin, Value end, Value steps, std::string &why) {
  auto beginEntries = getEntries(begin), endEntries = getEntries(end);
  std::optional<SmallVector<int64_t>> stepEntries;
  if (beginEntries)
    stepEntries = steps ? getEntries(steps) : SmallVector<int64_t>(beginEntries->size(), 1);
  if (!beginEntries || !endEntries || !stepEntries || beginEntries->size() != endEntries->size() ||
      beginEntries->size() != stepEntries->size()) {
    why = "expected bounds and steps of rank 1 and one static length";
    return std::nullopt;
  }
  return Entries{std::move(*beginEntries), std::move(*endEntries), std::move(*stepEntries)};
}

static constexpr StringLiteral kZeroStep = "expected steps other than 0";

/// Resolves each dim that has an entry. Returns false, with the reason in `why`, if a step is 0 or an index is out of
/// range.
static bool resolveAll(Slicing &slicing, ArrayRef<int64_t> shape, const Entries &entries, std::string &why) {
  for (auto [dim, size] : llvm::zip_equal(slicing.dims, shape)) {
    if (!dim.entry) {
      dim.size = size;
      continue;
    }
    int64_t step = entries.steps[*dim.entry];
    if (step == 0 && !dim.shrinks) {
      why = kZeroStep;
      return false;
    }
    resolve(dim, entries.begin[*dim.entry], entries.end[*dim.entry], step, size);
    if (!dim.shrinks || isUnknown(dim.start) || isUnknown(size))
      continue;
    dim.isInside = dim.start >= 0 && dim.start < size;
    if (!dim.isInside) {
      why = "expected an index in range of the axis that shrinks";
      return false;
    }
  }
  return true;
}

/// The counterpart of `resolveAll` if the axes are known only at run time: any entry may belong to any dim, or to none.
static bool resolveAnyAxes(Slicing &slicing, const Entries &entries, std::string &why) {
  if (llvm::is_contained(entries.steps, 0)) {
    why = kZeroStep;
    return false;
  }
  slicing.areAxesKnown = false;
  bool isByOne = llvm::all_of(entries.steps, [](int64_t step) { return step == 1; });
  for (auto [i, dim] : llvm::enumerate(slicing.dims)) {
    dim.entry = i;
    dim.start = dim.size = ShapedType::kDynamic;
    dim.step = isByOne ? 1 : ShapedType::kDynamic;
  }
  return true;
}

template <typename T>
static std::optional<Slicing> getSlicingOfSlice(T op, std::string &why) {
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  std::optional<SmallVector<int64_t>> start = getEntries(op.getStart()), axes;
  if (!data || !start || start->size() > static_cast<size_t>(data.getRank())) {
    why = "expected bounds of rank 1, and of a static length that is not above the rank of data";
    return std::nullopt;
  }
  Slicing slicing;
  slicing.dims.resize(data.getRank());
  std::optional<Entries> entries = getAllEntries(op.getStart(), op.getStop(), op.getStep(), why);
  if (!entries)
    return std::nullopt;
  Value given = op.getAxes();
  std::optional<SmallVector<int64_t>> entriesOfAxes = given ? getEntries(given) : std::nullopt;
  if (entriesOfAxes && entriesOfAxes->size() == start->size() && llvm::any_of(*entriesOfAxes, isUnknown))
    return resolveAnyAxes(slicing, *entries, why) ? std::optional(slicing) : std::nullopt;
  axes = given ? getConstantAxes(given, data.getRank()) : llvm::to_vector(llvm::seq<int64_t>(0, start->size()));
  if (!axes || axes->size() != start->size()) {
    why = "expected axes of static length that are in range and without repetition, one for each bound";
    return std::nullopt;
  }
  for (auto [i, axis] : llvm::enumerate(*axes))
    slicing.dims[axis].entry = i;
  if (!resolveAll(slicing, data.getShape(), *entries, why))
    return std::nullopt;
  return slicing;
}

template <typename T>
static std::optional<Slicing> getSlicingOfStridedSlice(T op, std::string &why) {
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  std::optional<SmallVector<int64_t>> begin = getEntries(op.getBegin());
  if (!data || !begin) {
    why = "expected bounds and steps of rank 1 and one static length";
    return std::nullopt;
  }
  for (ArrayRef<int64_t> mask :
       {op.getBeginMask(), op.getEndMask(), op.getNewAxisMask(), op.getShrinkAxisMask(), op.getEllipsisMask()})
    if (!llvm::all_of(mask, [](int64_t bit) { return bit == 0 || bit == 1; })) {
      why = "expected masks of 0 and 1";
      return std::nullopt;
    }
  auto isSet = [](ArrayRef<int64_t> mask, size_t i) { return i < mask.size() && mask[i] == 1; };
  int64_t needed = 0, ellipses = 0;
  for (size_t i = 0; i != begin->size(); ++i) {
    if (isSet(op.getEllipsisMask(), i))
      ++ellipses;
    else if (!isSet(op.getNewAxisMask(), i))
      ++needed;
  }
  if (ellipses > 1 || needed > data.getRank()) {
    why = ellipses > 1 ? "expected one ellipsis at most" : "expected no more entries than data has dims";
    return std::nullopt;
  }
  Slicing slicing;
  int64_t resultDim = 0;
  auto takeWhole = [&](int64_t count) {
    slicing.dims.resize(slicing.dims.size() + count);
    resultDim += count;
  };
  for (unsigned i = 0; i != begin->size(); ++i) {
    if (isSet(op.getEllipsisMask(), i)) {
      takeWhole(data.getRank() - needed);
    } else if (isSet(op.getNewAxisMask(), i)) {
      slicing.newAxes.push_back(resultDim++);
    } else {
      bool shrinks = isSet(op.getShrinkAxisMask(), i);
      slicing.dims.push_back({i, !isSet(op.getBeginMask(), i), !isSet(op.getEndMask(), i), shrinks, false});
      resultDim += !shrinks;
    }
  }
  takeWhole(data.getRank() - slicing.dims.size());
  std::optional<Entries> entries = getAllEntries(op.getBegin(), op.getEnd(), op.getStrides(), why);
  if (!entries || !resolveAll(slicing, data.getShape(), *entries, why))
    return std::nullopt;
  return slicing;
}

namespace recur::ov {
std::optional<Slicing> getSlicing(SliceOp::Adaptor op, std::string &why) { return getSlicingOfSlice(op, why); }
std::optional<Slicing> getSlicing(StridedSliceOp::Adaptor op, std::string &why) {
  return getSlicingOfStridedSlice(op, why);
}
std::optional<Slicing> getSlicing(SliceOp op) {
  std::string why;
  return getSlicingOfSlice(op, why);
}
std::optional<Slicing> getSlicing(StridedSliceOp op) {
  std::string why;
  return getSlicingOfStridedSlice(op, why);
}
} // namespace recur::ov

SmallVector<int64_t> Slicing::getResultShape() const {
  SmallVector<int64_t> shape;
  for (const SliceDim &dim : dims)
    if (!dim.shrinks)
      shape.push_back(dim.size);
  for (int64_t axis : newAxes)
    shape.insert(shape.begin() + axis, 1);
  return shape;
}

bool Slicing::isSafe() const {
  return areAxesKnown &&
         llvm::all_of(dims, [](const SliceDim &dim) { return dim.shrinks ? dim.isInside : !isUnknown(dim.step); });
}

/// True if all elements of a dim of `size` elements are taken in order.
static bool isWhole(const SliceDim &dim, int64_t size) {
  return dim.isWhole() || (dim.isKnown() && !dim.shrinks && dim.step == 1 && dim.size == size);
}

/// The part of a dense constant that `slicing` takes, or null if it is too large to fold. All numbers in `slicing` must
/// be known.
static Attribute sliceDense(DenseElementsAttr dense, const Slicing &slicing, RankedTensorType type) {
  if (dense.isSplat())
    return DenseElementsAttr::get(type, dense.getSplatValue<Attribute>());
  if (!isSmall(type))
    return {};
  auto values = dense.getValues<Attribute>();
  ArrayRef<int64_t> shape = dense.getType().getShape();
  SmallVector<Attribute> result;
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t n = type.getNumElements(); n-- > 0;) {
    int64_t at = 0;
    for (auto [dim, i, size] : llvm::zip_equal(slicing.dims, index, shape))
      at = at * size + dim.start + i * dim.step;
    result.push_back(values[at]);
    for (int64_t d = shape.size(); d-- > 0;) {
      if (++index[d] < slicing.dims[d].size)
        break;
      index[d] = 0;
    }
  }
  return DenseElementsAttr::get(type, result);
}

/// The part of a constant in the weights file that `slicing` takes, as layout steps.
static Attribute sliceWeights(WeightsAttr weights, const Slicing &slicing, RankedTensorType type) {
  SmallVector<int64_t> shape(weights.getTensorType().getShape());
  MLIRContext *context = type.getContext();
  for (auto [axis, dim] : llvm::enumerate(slicing.dims)) {
    if (isWhole(dim, shape[axis]))
      continue;
    shape[axis] = dim.size;
    // Nothing, wherever it begins, and one element, whatever the step.
    int64_t start = dim.size == 0 ? 0 : dim.start, step = dim.size <= 1 ? 1 : dim.step;
    weights = weights.append(ExtractStepAttr::get(context, axis, start, dim.size, step));
  }
  if (type.getShape() != ArrayRef(shape))
    weights = weights.append(ReshapeStepAttr::get(type));
  return weights;
}

static Attribute sliceConstant(Value data, Attribute constant, const Slicing &slicing, Type resultType) {
  auto type = cast<RankedTensorType>(resultType);
  if (!type.hasStaticShape() || !llvm::all_of(slicing.dims, [](const SliceDim &dim) { return dim.isKnown(); }))
    return {};
  if (auto weights = getWeights(constant, data))
    return sliceWeights(weights, slicing, type);
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(constant))
    return sliceDense(dense, slicing, type);
  return {};
}

//===----------------------------------------------------------------------===//
// Slice and StridedSlice
//===----------------------------------------------------------------------===//

template <typename Adaptor>
static LogicalResult inferSlice(const Report &report, Adaptor adaptor, Types &types) {
  // C1, C2, C3
  std::string why;
  std::optional<Slicing> slicing = getSlicing(adaptor, why);
  if (!slicing)
    return report(why, ", for ", adaptor.getData().getType());
  return addType(types, slicing->getResultShape(), elementOf(adaptor.getData()));
}

LogicalResult SliceOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferSlice(report, adaptor, types);
}

LogicalResult StridedSliceOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferSlice(report, adaptor, types);
}

/// A dim of the result is a dim of the data if the slice takes that dim whole, or follows from it if the slice goes
/// through all of that dim in steps.
template <typename Op>
static DimSource::MaybeDim describeSlice(DimSource &dims, Op op, int64_t dim) {
  std::optional<Slicing> slicing = getSlicing(op);
  if (!slicing)
    return std::nullopt;
  int64_t own = dropAxes(slicing->newAxes, dim);
  for (auto [i, taken] : llvm::enumerate(slicing->dims))
    if (!taken.shrinks && own-- == 0) {
      if (taken.isWhole())
        return dims.get(op.getData(), i);
      bool hasSteps = !isUnknown(taken.step) && taken.step > 0;
      DimSource::MaybeDim length =
          hasSteps && !taken.hasBegin && !taken.hasEnd ? dims.get(op.getData(), i) : std::nullopt;
      return length ? DimSource::MaybeDim(dims.exprs.countSteps(*length, taken.step)) : std::nullopt;
    }
  return std::nullopt;
}

/// The axis of the result that axis `axis` of the data is; nullopt if it is not taken whole.
template <typename Op>
static std::optional<int64_t> mapSlicedAxis(Op op, unsigned operand, int64_t axis) {
  std::optional<Slicing> slicing = operand == 0 ? getSlicing(op) : std::nullopt;
  if (!slicing || !slicing->areAxesKnown)
    return std::nullopt;
  const SliceDim &dim = slicing->dims[axis];
  bool isAll = dim.isKnown() && dim.start == 0 && dim.step == 1 && dim.size == shapeOf(op.getData())[axis];
  if (dim.shrinks || !(dim.isWhole() || isAll))
    return std::nullopt;
  SmallVector<int64_t> dropped;
  for (auto [number, other] : llvm::enumerate(slicing->dims))
    if (other.shrinks)
      dropped.push_back(number);
  return insertAxes(slicing->newAxes, dropAxes(dropped, axis));
}

std::optional<int64_t> SliceOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  return mapSlicedAxis(*this, operand, axis);
}

std::optional<int64_t> StridedSliceOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  return mapSlicedAxis(*this, operand, axis);
}

DimSource::MaybeDim SliceOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return describeSlice(dims, *this, dim);
}

DimSource::MaybeDim StridedSliceOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return describeSlice(dims, *this, dim);
}

template <typename Op>
static DimSource::MaybeDim describeElementOfSlice(DimSource &dims, Op op, int64_t position) {
  std::optional<Slicing> slicing = getSlicing(op);
  std::optional<int64_t> length = getStaticLength(op.getData());
  if (!slicing || !length || slicing->dims.size() != 1 || !slicing->dims.front().isKnown())
    return std::nullopt;
  int64_t at = slicing->dims.front().start + position * slicing->dims.front().step;
  return at >= 0 && at < *length ? dims.getElement(op.getData(), at) : std::nullopt;
}

DimSource::MaybeDim SliceOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  return describeElementOfSlice(dims, *this, position);
}

DimSource::MaybeDim StridedSliceOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  return describeElementOfSlice(dims, *this, position);
}

bool SliceOp::canFault() {
  std::optional<Slicing> slicing = getSlicing(*this);
  return !slicing || !slicing->isSafe();
}

bool StridedSliceOp::canFault() {
  std::optional<Slicing> slicing = getSlicing(*this);
  return !slicing || !slicing->isSafe();
}

template <typename Op>
static OpFoldResult foldSlice(Op op, Attribute data) {
  std::optional<Slicing> slicing = getSlicing(op);
  if (!slicing || op.canFault())
    return {};
  bool takesAll = slicing->newAxes.empty();
  for (auto [dim, size] : llvm::zip_equal(slicing->dims, shapeOf(op.getData())))
    takesAll &= isWhole(dim, size);
  if (takesAll && op.getData().getType() == op.getType())
    return op.getData();
  if (data)
    return sliceConstant(op.getData(), data, *slicing, op.getType());
  return foldKnownIntegers(op.getResult());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) { return foldSlice(*this, adaptor.getData()); }

OpFoldResult StridedSliceOp::fold(FoldAdaptor adaptor) { return foldSlice(*this, adaptor.getData()); }

//===----------------------------------------------------------------------===//
// Split and VariadicSplit
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> recur::ov::resolveSplitLengths(ArrayRef<int64_t> lengths, int64_t dim) {
  SmallVector<int64_t> result(lengths);
  int64_t *rest = nullptr, sum = 0;
  bool isKnown = true;
  for (int64_t &length : result) {
    if (length == -1 && !rest) {
      rest = &length;
      continue;
    }
    isKnown &= !isUnknown(length);
    if (!isUnknown(length) && (length < 0 || llvm::AddOverflow(sum, length, sum)))
      return std::nullopt;
  }
  if (!isUnknown(dim) && (sum > dim || (isKnown && !rest && sum != dim)))
    return std::nullopt;
  if (rest)
    *rest = isKnown && !isUnknown(dim) ? dim - sum : ShapedType::kDynamic;
  return result;
}

LogicalResult SplitOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData();
  int64_t count = adaptor.getNumSplits();
  SmallVector<int64_t> shape(shapeOf(data));
  int64_t &dim = shape[*getConstantAxis(adaptor.getAxis(), rankOf(data))];
  // C3
  if (!isUnknown(dim) && dim % count != 0)
    return report("expected num_splits that divides the dim, but got ", count, " and ", dim);
  if (!isUnknown(dim))
    dim /= count;
  types.assign(count, RankedTensorType::get(shape, elementOf(data)));
  return success();
}

LogicalResult VariadicSplitOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData(), lengths = adaptor.getSplitLengths();
  std::optional<int64_t> axis = getConstantAxis(adaptor.getAxis(), rankOf(data));
  std::optional<SmallVector<int64_t>> known = getPartlyKnownSizes(lengths);
  // C4
  if (known->empty())
    return report("expected split_lengths with an entry");
  if (int64_t(known->size()) > kMaxShapeElements && llvm::any_of(*known, isUnknown))
    return report("expected at most ", kMaxShapeElements, " split_lengths that are no constants, but got ",
                  known->size());
  SmallVector<int64_t> shape(shapeOf(data));
  std::optional<SmallVector<int64_t>> parts = resolveSplitLengths(*known, shape[*axis]);
  if (!parts)
    return report("expected split_lengths that make up the dim, but got [", llvm::iterator_range(*known), "] and ",
                  shape[*axis]);
  for (int64_t part : *parts) {
    shape[*axis] = part;
    types.push_back(RankedTensorType::get(shape, elementOf(data)));
  }
  return success();
}

std::optional<int64_t> SplitOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  return operand == 0 ? keepUnless(getConstantAxis(getAxis(), rankOf(getData())), axis) : std::nullopt;
}

std::optional<int64_t> VariadicSplitOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  return operand == 0 ? keepUnless(getConstantAxis(getAxis(), rankOf(getData())), axis) : std::nullopt;
}

DimSource::MaybeDim SplitOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  if (dim != getConstantAxis(getAxis(), rankOf(getData())))
    return dims.get(getData(), dim);
  return dims.divide({dims.get(getData(), dim)}, {dims.constant(getNumSplits())});
}

DimSource::MaybeDim VariadicSplitOp::describeDim(DimSource &dims, unsigned result, int64_t dim) {
  DimSource::MaybeDim whole = dims.get(getData(), dim);
  if (dim != getConstantAxis(getAxis(), rankOf(getData())))
    return whole;
  std::optional<SmallVector<int64_t>> lengths = getPartlyKnownSizes(getSplitLengths());
  if (!lengths || llvm::any_of(*lengths, isUnknown))
    return std::nullopt;
  if ((*lengths)[result] != -1)
    return dims.constant((*lengths)[result]);
  // The op fails if the others do not fit the dim.
  int64_t others = 0;
  for (int64_t length : *lengths)
    if (length != -1 && llvm::SubOverflow(others, length, others))
      return std::nullopt;
  return dims.combine(DimKind::sum, {whole, dims.constant(others)});
}

/// Element `position` of part number `result` of a tensor of rank 0 or 1, as an element of `data`.
static DimSource::MaybeDim describeElementOfPart(DimSource &dims, Value data, ValueRange parts, unsigned result,
                                                 int64_t position) {
  std::optional<int64_t> whole = getStaticLength(data);
  for (Value part : parts.take_front(result)) {
    std::optional<int64_t> length = getStaticLength(part);
    if (!length)
      return std::nullopt;
    position += *length;
  }
  return whole && position < *whole ? dims.getElement(data, position) : std::nullopt;
}

DimSource::MaybeDim SplitOp::describeElement(DimSource &dims, unsigned result, int64_t position) {
  return describeElementOfPart(dims, getData(), getParts(), result, position);
}

DimSource::MaybeDim VariadicSplitOp::describeElement(DimSource &dims, unsigned result, int64_t position) {
  return describeElementOfPart(dims, getData(), getParts(), result, position);
}

bool SplitOp::canFault() {
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  return !axis || (getNumSplits() != 1 && isUnknown(shapeOf(getData())[*axis]));
}

bool VariadicSplitOp::canFault() {
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  std::optional<SmallVector<int64_t>> lengths = getPartlyKnownSizes(getSplitLengths());
  return !axis || !lengths || isUnknown(shapeOf(getData())[*axis]) || llvm::any_of(*lengths, isUnknown);
}

/// Folds a split of `data` into parts of `lengths` along `axis`. `constant` is the value of `data`, or null; then the
/// parts fold if their elements are known.
static LogicalResult foldSplit(Value data, Attribute constant, ValueRange parts, int64_t axis,
                               ArrayRef<int64_t> lengths, SmallVectorImpl<OpFoldResult> &results) {
  if (parts.size() == 1 && parts.front().getType() == data.getType()) {
    results.push_back(data);
    return success();
  }
  Slicing slicing;
  for (int64_t size : shapeOf(data)) {
    SliceDim &dim = slicing.dims.emplace_back();
    dim.size = size;
  }
  int64_t start = 0;
  for (auto [part, length] : llvm::zip_equal(parts, lengths)) {
    SliceDim &dim = slicing.dims[axis];
    dim.entry = 0;
    dim.start = start;
    dim.size = length;
    start += length;
    Attribute folded = constant ? sliceConstant(data, constant, slicing, part.getType()) : foldKnownIntegers(part);
    if (!folded)
      return failure();
    results.push_back(folded);
  }
  return success();
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (canFault())
    return failure();
  int64_t axis = *getConstantAxis(getAxis(), rankOf(getData())), dim = shapeOf(getData())[axis];
  if (isUnknown(dim) && getNumSplits() != 1)
    return failure();
  SmallVector<int64_t> lengths(getNumSplits(), isUnknown(dim) ? dim : dim / static_cast<int64_t>(getNumSplits()));
  return foldSplit(getData(), adaptor.getData(), getParts(), axis, lengths, results);
}

LogicalResult VariadicSplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (canFault())
    return failure();
  int64_t axis = *getConstantAxis(getAxis(), rankOf(getData()));
  std::optional<SmallVector<int64_t>> lengths =
      resolveSplitLengths(*getPartlyKnownSizes(getSplitLengths()), shapeOf(getData())[axis]);
  if (!lengths)
    return failure();
  return foldSplit(getData(), adaptor.getData(), getParts(), axis, *lengths, results);
}
