// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Type.cpp - Conversions of the element type -------------------------===//
//
// This file has the type inference and folds of Convert and ConvertLike. Convert folds constants with the rules of its
// semantics: floats are truncated and saturate, integers wrap. On constants in the weights file, it becomes a layout
// step.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"
#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

/// `value` truncated to an integer of `type` as ov.convert does it; i1 means "not 0".
static APInt toInteger(const APFloat &value, IntegerType type) {
  if (type.getWidth() == 1)
    return APInt(1, !value.isZero());
  // convertToInteger saturates, and converts NaN to 0.
  APSInt result(type.getWidth(), type.isUnsigned());
  bool isExact;
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result;
}

/// True if the real type `wide` holds each number of the real type `narrow`.
static bool holdsAll(Type wide, Type narrow) {
  auto to = dyn_cast<FloatType>(wide), from = dyn_cast<FloatType>(narrow);
  return to && from && APFloat::isRepresentableBy(from.getFloatSemantics(), to.getFloatSemantics());
}

/// An element of a constant, converted to the element type `to` with the semantics of ov.convert.
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
  // A conversion to a real type that holds all numbers, and back.
  if (auto inner = getInput().getDefiningOp<ConvertOp>(); inner && inner.getInput().getType() == type)
    if (holdsAll(elementOf(getInput()), type.getElementType()))
      return inner.getInput();
  if (adaptor.getInput() && cast<TypedAttr>(adaptor.getInput()).getType() != getInput().getType())
    return {};
  if (auto weights = getWeights(adaptor.getInput(), getInput()))
    return type.hasStaticShape() ? weights.append(ConvertStepAttr::get(getContext(), type.getElementType())) : nullptr;
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

DimSource::MaybeDim ConvertOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  DimSource::MaybeDim element = dims.getElement(getInput(), position);
  // A conversion to a narrower type wraps numbers that do not fit. Such numbers are not tracked.
  std::optional<int64_t> number = element ? dims.exprs.getConstant(*element) : std::nullopt;
  return number && getType().getElementTypeBitWidth() < 64 && !llvm::isInt<31>(*number) ? std::nullopt : element;
}

//===----------------------------------------------------------------------===//
// ConvertLike
//===----------------------------------------------------------------------===//

LogicalResult ConvertLikeOp::inferTypes(const Report &, Adaptor adaptor, Types &types) {
  return addType(types, shapeOf(adaptor.getData()), elementOf(adaptor.getLike()));
}

std::optional<int64_t> ConvertLikeOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  return operand == 0 ? std::optional(axis) : std::nullopt;
}

DimSource::MaybeDim ConvertLikeOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return dims.get(getData(), dim);
}

namespace {
/// Replaces ov.convert_like by ov.convert: the result type is known, so `like` is not needed.
struct BecomeConvert final : OpRewritePattern<ConvertLikeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ConvertLikeOp op, PatternRewriter &rewriter) const override {
    if (op.getType().getShape() != op.getData().getType().getShape())
      return rewriter.notifyMatchFailure(op, "expected a result that knows the same dims as data");
    rewriter.replaceOpWithNewOp<ConvertOp>(op, op.getType(), op.getData());
    return success();
  }
};
} // namespace

void ConvertLikeOp::getCanonicalizationPatterns(RewritePatternSet &results, MLIRContext *context) {
  results.add<BecomeConvert>(context);
}
