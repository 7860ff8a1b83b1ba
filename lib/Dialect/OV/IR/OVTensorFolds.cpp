// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVTensorFolds.cpp - Folds and canonicalization of the tensor ops ---===//
//
// Small dense constants are computed here; a constant that stays in the weights file gets one more step of its layout.
// A fold never changes a type: where a declared result knows less than what the fold finds, the op stays.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ov;

/// Greater constants are not worth folding: they live in the weights file.
static constexpr int64_t kMaxDenseBytes = 1024;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

static bool isSmall(RankedTensorType type) {
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  return type.hasStaticShape() && type.getNumElements() <= kMaxDenseBytes / bytes;
}

/// The dense constant of `type` whose element at `index` is `source(index)`, an element of `from`.
static DenseElementsAttr rearrange(DenseElementsAttr from, RankedTensorType type,
                                   function_ref<int64_t(ArrayRef<int64_t>)> source) {
  if (from.isSplat())
    return DenseElementsAttr::get(type, from.getSplatValue<Attribute>());
  auto values = from.getValues<Attribute>();
  SmallVector<Attribute> result;
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t n = type.getNumElements(); n-- > 0;) {
    result.push_back(values[source(index)]);
    for (int64_t d = type.getRank(); d-- > 0;) {
      if (++index[d] < type.getDimSize(d))
        break;
      index[d] = 0;
    }
  }
  return DenseElementsAttr::get(type, result);
}

/// The strides of a dense tensor of static shape.
static SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

//===----------------------------------------------------------------------===//
// Convert
//===----------------------------------------------------------------------===//

static APInt toInteger(const APFloat &value, IntegerType type) {
  if (type.getWidth() == 1)
    return APInt(1, !value.isZero());
  // Saturates, and makes 0 of NaN, by itself.
  APSInt result(type.getWidth(), type.isUnsigned());
  bool isExact;
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result;
}

static Attribute convertElement(Attribute element, Type to) {
  auto toInt = dyn_cast<IntegerType>(to);
  auto toFloat = dyn_cast<FloatType>(to);
  if (auto real = dyn_cast<FloatAttr>(element)) {
    if (toInt)
      return IntegerAttr::get(to, toInteger(real.getValue(), toInt));
    APFloat value = real.getValue();
    bool losesInfo;
    value.convert(toFloat.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return FloatAttr::get(to, value);
  }
  auto integer = cast<IntegerAttr>(element);
  auto from = cast<IntegerType>(integer.getType());
  bool isSigned = from.isSignless() && from.getWidth() != 1;
  if (toFloat) {
    APFloat value(toFloat.getFloatSemantics());
    value.convertFromAPInt(integer.getValue(), isSigned, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(to, value);
  }
  if (toInt.getWidth() == 1)
    return IntegerAttr::get(to, APInt(1, !integer.getValue().isZero()));
  const APInt &value = integer.getValue();
  return IntegerAttr::get(to, isSigned ? value.sextOrTrunc(toInt.getWidth()) : value.zextOrTrunc(toInt.getWidth()));
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  if (getInput().getType() == type)
    return getInput();
  if (adaptor.getInput() && cast<TypedAttr>(adaptor.getInput()).getType() != getInput().getType())
    return {};
  if (auto weights = dyn_cast_or_null<WeightsAttr>(adaptor.getInput()))
    return type.hasStaticShape() ? weights.append(ConvertStepAttr::get(getContext(), type.getElementType()), type)
                                 : nullptr;
  auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (!dense || !type.hasStaticShape())
    return {};
  if (dense.isSplat())
    return DenseElementsAttr::get(type, convertElement(dense.getSplatValue<Attribute>(), type.getElementType()));
  if (!isSmall(type))
    return {};
  SmallVector<Attribute> result;
  for (Attribute element : dense.getValues<Attribute>())
    result.push_back(convertElement(element, type.getElementType()));
  return DenseElementsAttr::get(type, result);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

OpFoldResult ShapeOfOp::fold(FoldAdaptor adaptor) {
  auto data = cast<RankedTensorType>(getData().getType());
  if (!data.hasStaticShape() || !getType().hasStaticShape())
    return {};
  SmallVector<APInt> dims;
  for (int64_t dim : data.getShape())
    dims.push_back(APInt(64, dim).sextOrTrunc(getType().getElementTypeBitWidth()));
  return DenseElementsAttr::get(getType(), dims);
}

/// Folds an op that only gives the elements of `data` other dims.
static OpFoldResult foldReshape(Value data, Attribute attr, RankedTensorType type) {
  if (!type.hasStaticShape() || !cast<RankedTensorType>(data.getType()).hasStaticShape())
    return {};
  if (data.getType() == type)
    return data;
  if (auto weights = dyn_cast_or_null<WeightsAttr>(attr))
    return weights.append(
        ReshapeStepAttr::get(type.getContext(), DenseI64ArrayAttr::get(type.getContext(), type.getShape())), type);
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(attr))
    return dense.reshape(type);
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // A dim that is inferred and one that is copied are the same where only one dim is unknown on each side.
  if (getData().getType() == getType() && !canFault() && getType().getNumDynamicDims() <= 1)
    return getData();
  if (canFault())
    return {};
  return foldReshape(getData(), adaptor.getData(), getType());
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  if (getData().getType() == getType())
    return getData();
  return canFault() ? OpFoldResult() : foldReshape(getData(), adaptor.getData(), getType());
}

OpFoldResult UnsqueezeOp::fold(FoldAdaptor adaptor) {
  if (getData().getType() == getType())
    return getData();
  return foldReshape(getData(), adaptor.getData(), getType());
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  std::optional<SmallVector<int64_t>> order = getPermutation(getInputOrder(), type.getRank());
  if (!order)
    return {};
  if (getArg().getType() == type && llvm::is_sorted(*order))
    return getArg();
  if (!type.hasStaticShape() || !getArg().getType().hasStaticShape())
    return {};
  if (auto weights = dyn_cast_or_null<WeightsAttr>(adaptor.getArg()))
    return weights.append(TransposeStepAttr::get(getContext(), *order), type);
  auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getArg());
  if (!dense || (!dense.isSplat() && !isSmall(type)))
    return {};
  SmallVector<int64_t> strides = denseStrides(shapeOf(getArg()));
  return rearrange(dense, type, [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [i, axis] : llvm::zip_equal(index, *order))
      at += i * strides[axis];
    return at;
  });
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1 && getInputs().front().getType() == getType())
    return getInputs().front();
  RankedTensorType type = getType();
  std::optional<int64_t> axis = normalizeAxis(getAxis(), type.getRank());
  if (!axis || canFault() || !isSmall(type))
    return {};
  for (Attribute input : adaptor.getInputs())
    if (!isa_and_nonnull<DenseElementsAttr>(input))
      return {};
  // The dims before the axis are one outer dim, those from the axis on are one row of each operand.
  int64_t outer = 1;
  for (int64_t dim : type.getShape().take_front(*axis))
    outer *= dim;
  SmallVector<Attribute> result;
  for (int64_t o = 0; o != outer; ++o)
    for (Attribute input : adaptor.getInputs()) {
      auto dense = cast<DenseElementsAttr>(input);
      int64_t row = dense.getNumElements() / outer;
      auto values = dense.getValues<Attribute>();
      for (int64_t i = 0; i != row; ++i)
        result.push_back(values[o * row + i]);
    }
  return DenseElementsAttr::get(type, result);
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getData());
  std::optional<SmallVector<int64_t>> indices = getConstantIntegers(getIndices());
  // shape_of may be known at the indices even where it is not known as a whole.
  if (indices && !dense && type.getRank() <= 1 && type.getElementType().isSignlessInteger() && !canFault() &&
      isSmall(type)) {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(getResult());
    if (!known || llvm::any_of(*known, ShapedType::isDynamic))
      return {};
    SmallVector<APInt> values;
    for (int64_t value : *known)
      values.push_back(APInt(64, value).sextOrTrunc(type.getElementTypeBitWidth()));
    return DenseElementsAttr::get(type, values);
  }
  int64_t dataRank = getData().getType().getRank(), indexRank = getIndices().getType().getRank();
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(getAxis(), dataRank);
  if (!dense || !indices || !axes || canFault() || !isSmall(type) || !getData().getType().hasStaticShape())
    return {};
  int64_t axis = axes->front(), batch = normalizeBatchDims(getBatchDims(), indexRank);
  SmallVector<int64_t> dataStrides = denseStrides(shapeOf(getData()));
  SmallVector<int64_t> indexStrides = denseStrides(shapeOf(getIndices()));
  return rearrange(dense, type, [&](ArrayRef<int64_t> index) {
    int64_t at = 0, which = 0;
    for (int64_t d = 0; d != axis; ++d)
      at += index[d] * dataStrides[d];
    for (int64_t d = 0; d != indexRank; ++d)
      which += index[d < batch ? d : d + axis - batch] * indexStrides[d];
    for (int64_t d = axis + 1; d != dataRank; ++d)
      at += index[d - 1 + indexRank - batch] * dataStrides[d];
    int64_t chosen = (*indices)[which];
    return at + (chosen < 0 ? chosen + shapeOf(getData())[axis] : chosen) * dataStrides[axis];
  });
}

//===----------------------------------------------------------------------===//
// Canonicalization of reshape
//===----------------------------------------------------------------------===//

/// True if the entries of `target` do not refer to the dims of what is reshaped.
static bool isAbsolute(ReshapeOp op) {
  if (!op.getSpecialZero())
    return true;
  std::optional<SmallVector<int64_t>> target = getPartlyKnownIntegers(op.getTargetShape());
  return target && llvm::none_of(*target, [](int64_t entry) { return entry == 0 || ShapedType::isDynamic(entry); });
}

namespace {
/// reshape(reshape(x, a), b) is reshape(x, b), if a cannot fail and b does not copy dims.
struct MergeReshapes final : OpRewritePattern<ReshapeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Operation *inner = op.getData().getDefiningOp();
    if (!isa_and_nonnull<ReshapeOp, SqueezeOp, UnsqueezeOp>(inner))
      return rewriter.notifyMatchFailure(op, "expected data that is reshaped before");
    if (!isMemoryEffectFree(inner))
      return rewriter.notifyMatchFailure(op, "expected an inner reshape that cannot fail");
    if (!isAbsolute(op))
      return rewriter.notifyMatchFailure(op, "expected a target_shape that does not copy dims");
    std::optional<SmallVector<int64_t>> target = getPartlyKnownIntegers(op.getTargetShape());
    std::string why;
    if (!target || !reshapeShape(shapeOf(inner->getOperand(0)), *target, op.getSpecialZero(), why))
      return rewriter.notifyMatchFailure(op, "expected a target_shape that fits the first tensor");
    rewriter.modifyOpInPlace(op, [&] { op.getDataMutable().assign(inner->getOperand(0)); });
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &results, MLIRContext *context) {
  results.add<MergeReshapes>(context);
}
