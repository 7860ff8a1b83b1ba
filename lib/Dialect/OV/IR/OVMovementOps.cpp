// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVMovementOps.cpp - Effects and folds of what moves data -----------===//

#include "Inference.h"
#include "OpInterfaces.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ov;
using inference::rankOf;
using inference::shapeOf;

static bool isUnknown(int64_t number) { return ShapedType::isDynamic(number); }

//===----------------------------------------------------------------------===//
// canFault
//===----------------------------------------------------------------------===//

bool SplitOp::canFault() {
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  return !axis || (getNumSplits() != 1 && isUnknown(shapeOf(getData())[*axis]));
}

bool VariadicSplitOp::canFault() {
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  std::optional<SmallVector<int64_t>> lengths = getPartlyKnownIntegers(getSplitLengths());
  return !axis || !lengths || isUnknown(shapeOf(getData())[*axis]) || llvm::any_of(*lengths, isUnknown);
}

bool Slicing::isSafe() const {
  return llvm::all_of(dims, [](const SliceDim &dim) { return dim.shrinks ? dim.isInside : !isUnknown(dim.step); });
}

bool SliceOp::canFault() {
  std::optional<Slicing> slicing = getSlicing(*this);
  return !slicing || !slicing->isSafe();
}

bool StridedSliceOp::canFault() {
  std::optional<Slicing> slicing = getSlicing(*this);
  return !slicing || !slicing->isSafe();
}

bool TileOp::canFault() {
  std::optional<SmallVector<int64_t>> repeats = getPartlyKnownIntegers(getRepeats());
  return !repeats || llvm::any_of(*repeats, isUnknown);
}

bool PadOp::canFault() {
  auto begin = getPartlyKnownIntegers(getPadsBegin()), end = getPartlyKnownIntegers(getPadsEnd());
  if (!begin || !end)
    return true;
  for (auto [dim, before, behind] : llvm::zip_equal(shapeOf(getData()), *begin, *end)) {
    if (isUnknown(before) || isUnknown(behind))
      return true;
    // Of a dim that is known, inference has checked all there is.
    if (!isUnknown(dim) || (before == 0 && behind == 0))
      continue;
    if (getPadMode() != "constant" || before < 0 || behind < 0)
      return true;
  }
  return false;
}

bool RangeOp::canFault() {
  return llvm::any_of(getOperands(), [](Value operand) {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(operand);
    return !known || known->size() != 1 || isUnknown(known->front());
  });
}

bool OneHotOp::canFault() {
  std::optional<SmallVector<int64_t>> depth = getPartlyKnownIntegers(getDepth());
  return !depth || isUnknown(depth->front());
}

/// True if all of `indices` are constant and in range of `size` elements, from the end too.
static bool areInside(Value indices, int64_t size) {
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(indices);
  return constant && !isUnknown(size) &&
         llvm::all_of(*constant, [&](int64_t index) { return index >= -size && index < size; });
}

/// The same of coordinates, of which the last dim of `indices` holds one for each of `dims`.
static bool areCoordinatesInside(Value indices, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return true;
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(indices);
  if (!constant || llvm::any_of(dims, isUnknown))
    return false;
  for (auto [i, index] : llvm::enumerate(*constant))
    if (int64_t size = dims[i % dims.size()]; index < -size || index >= size)
      return false;
  return true;
}

static bool isStatic(Value value) { return cast<ShapedType>(value.getType()).hasStaticShape(); }

bool ReverseSequenceOp::canFault() {
  std::optional<int64_t> seq = normalizeAxis(getSeqAxis(), rankOf(getData()));
  std::optional<int64_t> batch = normalizeAxis(getBatchAxis(), rankOf(getData()));
  std::optional<SmallVector<int64_t>> lengths = getConstantIntegers(getSeqLengths());
  if (!seq || !batch || !lengths || isUnknown(shapeOf(getData())[*seq]) || isUnknown(shapeOf(getData())[*batch]))
    return true;
  return llvm::any_of(*lengths, [&](int64_t length) { return length < 0 || length > shapeOf(getData())[*seq]; });
}

bool GatherElementsOp::canFault() {
  std::optional<int64_t> axis = normalizeAxis(getAxis(), rankOf(getData()));
  return !axis || !isStatic(getData()) || !isStatic(getIndices()) ||
         !areInside(getIndices(), shapeOf(getData())[*axis]);
}

bool GatherNDOp::canFault() {
  int64_t batch = getBatchDims(), coordinates = shapeOf(getIndices()).back();
  return !surelyEqual(shapeOf(getData()).take_front(batch), shapeOf(getIndices()).take_front(batch)) ||
         !areCoordinatesInside(getIndices(), shapeOf(getData()).slice(batch, coordinates));
}

bool ScatterUpdateOp::canFault() {
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  return !axis || !isStatic(getData()) || !isStatic(getIndices()) || !isStatic(getUpdates()) ||
         !areInside(getIndices(), shapeOf(getData())[*axis]);
}

bool ScatterElementsUpdateOp::canFault() {
  std::optional<int64_t> axis = getConstantAxis(getAxis(), rankOf(getData()));
  return !axis || !isStatic(getData()) || !isStatic(getIndices()) || !isStatic(getUpdates()) ||
         !areInside(getIndices(), shapeOf(getData())[*axis]);
}

bool ScatterNDUpdateOp::canFault() {
  return !isStatic(getData()) || !isStatic(getIndices()) || !isStatic(getUpdates()) ||
         !areCoordinatesInside(getIndices(), shapeOf(getData()).take_front(shapeOf(getIndices()).back()));
}

/// The batch and the number of filters may be anything.
static bool canConvolutionFault(Value data, Value filters, bool hasGroups) {
  SmallVector<int64_t> kernel(shapeOf(filters));
  kernel.erase(kernel.begin() + hasGroups);
  return llvm::any_of(shapeOf(data).drop_front(), isUnknown) || llvm::any_of(kernel, isUnknown);
}

bool ConvolutionOp::canFault() { return canConvolutionFault(getData(), getFilters(), /*hasGroups=*/false); }
bool GroupConvolutionOp::canFault() { return canConvolutionFault(getData(), getFilters(), /*hasGroups=*/true); }

//===----------------------------------------------------------------------===//
// Effects, speculation, compatible types
//===----------------------------------------------------------------------===//

#define MOVEMENT_OPS(X)                                                                                                \
  X(SplitOp)                                                                                                           \
  X(VariadicSplitOp)                                                                                                   \
  X(SliceOp)                                                                                                           \
  X(StridedSliceOp)                                                                                                    \
  X(TileOp)                                                                                                            \
  X(PadOp)                                                                                                             \
  X(RangeOp)                                                                                                           \
  X(OneHotOp)                                                                                                          \
  X(ReverseSequenceOp)                                                                                                 \
  X(GatherElementsOp)                                                                                                  \
  X(GatherNDOp)                                                                                                        \
  X(ScatterUpdateOp)                                                                                                   \
  X(ScatterElementsUpdateOp)                                                                                           \
  X(ScatterNDUpdateOp)                                                                                                 \
  X(ConvolutionOp)                                                                                                     \
  X(GroupConvolutionOp)

MOVEMENT_OPS(RECUR_OV_FAULT_INTERFACES)
MOVEMENT_OPS(RECUR_OV_COMPATIBLE_TYPES)

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// Greater constants are not worth folding: they live in the weights file.
static constexpr int64_t kMaxDenseBytes = 1024;

static bool isSmall(RankedTensorType type) {
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  return type.hasStaticShape() && type.getNumElements() <= kMaxDenseBytes / bytes;
}

static bool isWhole(const SliceDim &dim, int64_t size) {
  return dim.isWhole() || (dim.isKnown() && !dim.shrinks && dim.step == 1 && dim.size == size);
}

/// The part of a dense constant that `slicing`, all of which is known, takes.
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

/// The same of a constant that stays in the weights file: steps of its layout.
static Attribute sliceWeights(WeightsAttr weights, const Slicing &slicing, RankedTensorType type) {
  SmallVector<int64_t> shape(weights.getTensorType().getShape());
  if (llvm::any_of(slicing.dims, [](const SliceDim &dim) { return dim.step != 1; }))
    return {};
  MLIRContext *context = type.getContext();
  for (auto [axis, dim] : llvm::enumerate(slicing.dims)) {
    if (isWhole(dim, shape[axis]))
      continue;
    shape[axis] = dim.size;
    weights = weights.append(ExtractStepAttr::get(context, axis, dim.start, dim.size),
                             RankedTensorType::get(shape, type.getElementType()));
  }
  if (type.getShape() != ArrayRef(shape))
    weights = weights.append(ReshapeStepAttr::get(context, DenseI64ArrayAttr::get(context, type.getShape())), type);
  return weights;
}

static Attribute sliceConstant(Attribute constant, const Slicing &slicing, Type resultType) {
  auto type = cast<RankedTensorType>(resultType);
  if (!type.hasStaticShape() || !llvm::all_of(slicing.dims, [](const SliceDim &dim) { return dim.isKnown(); }))
    return {};
  if (auto weights = dyn_cast_or_null<WeightsAttr>(constant))
    return sliceWeights(weights, slicing, type);
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(constant))
    return sliceDense(dense, slicing, type);
  return {};
}

/// The entries of a short vector of integers, where they are known although their producer is not constant.
static Attribute foldKnownIntegers(Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  if (type.getRank() > 1 || !type.getElementType().isSignlessInteger() || !isSmall(type))
    return {};
  std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(result);
  if (!known || llvm::any_of(*known, isUnknown))
    return {};
  SmallVector<APInt> values;
  for (int64_t value : *known)
    values.push_back(APInt(64, value).sextOrTrunc(type.getElementTypeBitWidth()));
  return DenseElementsAttr::get(type, values);
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
    return sliceConstant(data, *slicing, op.getType());
  return foldKnownIntegers(op.getResult());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) { return foldSlice(*this, adaptor.getData()); }
OpFoldResult StridedSliceOp::fold(FoldAdaptor adaptor) { return foldSlice(*this, adaptor.getData()); }

/// Folds the parts of a constant, of `lengths` along `axis`.
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
    Attribute folded = constant ? sliceConstant(constant, slicing, part.getType()) : foldKnownIntegers(part);
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
      resolveSplitLengths(*getPartlyKnownIntegers(getSplitLengths()), shapeOf(getData())[axis]);
  if (!lengths)
    return failure();
  return foldSplit(getData(), adaptor.getData(), getParts(), axis, *lengths, results);
}

OpFoldResult TileOp::fold(FoldAdaptor adaptor) {
  std::optional<SmallVector<int64_t>> repeats = getPartlyKnownIntegers(getRepeats());
  if (!repeats)
    return {};
  if (getData().getType() == getType() && llvm::all_of(*repeats, [](int64_t repeat) { return repeat == 1; }))
    return getData();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getData());
  if (!dense || canFault() || !isSmall(getType()))
    return {};
  SmallVector<int64_t> shape(shapeOf(getData()));
  shape.insert(shape.begin(), getType().getRank() - shape.size(), 1);
  auto values = dense.getValues<Attribute>();
  SmallVector<Attribute> result;
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t n = getType().getNumElements(); n-- > 0;) {
    int64_t at = 0;
    for (auto [i, size] : llvm::zip_equal(index, shape))
      at = at * size + i % size;
    result.push_back(values[at]);
    for (int64_t d = shape.size(); d-- > 0;) {
      if (++index[d] < getType().getDimSize(d))
        break;
      index[d] = 0;
    }
  }
  return DenseElementsAttr::get(getType(), result);
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

OpFoldResult ScatterUpdateOp::fold(FoldAdaptor adaptor) {
  // Nothing is written.
  if (cast<ShapedType>(getIndices().getType()).getNumDynamicDims() == 0 &&
      cast<ShapedType>(getIndices().getType()).getNumElements() == 0 && getData().getType() == getType() && !canFault())
    return getData();
  return {};
}
