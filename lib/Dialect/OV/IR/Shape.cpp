// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Shape.cpp - Shapes -------------------------------------------------===//
//
// This file has the type inference, dims and folds of ShapeOf, Reshape, Squeeze and Unsqueeze. The last three only
// change the dims, so they fold alike and describe the elements of their results as those of their operands.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"
#include "Inference.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// ShapeOf
//===----------------------------------------------------------------------===//

LogicalResult ShapeOfOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return addType(types, rankOf(adaptor.getData()), adaptor.getOutputType());
}

// The only dim of the result is static.
DimSource::MaybeDim ShapeOfOp::describeDim(DimSource &, unsigned, int64_t) { return std::nullopt; }

DimSource::MaybeDim ShapeOfOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  return dims.get(getData(), position);
}

OpFoldResult ShapeOfOp::fold(FoldAdaptor adaptor) {
  auto data = cast<RankedTensorType>(getData().getType());
  if (!data.hasStaticShape() || !getType().hasStaticShape())
    return {};
  SmallVector<APInt> dims;
  for (int64_t dim : data.getShape())
    dims.push_back(APInt(64, dim).sextOrTrunc(getType().getElementTypeBitWidth()));
  return DenseElementsAttr::get(getType(), dims);
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  std::optional<SmallVector<int64_t>> target = getPartlyKnownSizes(adaptor.getTargetShape());
  // C2
  std::string why;
  std::optional<ReshapedShape> shape = reshapeShape(shapeOf(adaptor.getData()), *target, adaptor.getSpecialZero(), why);
  if (!shape)
    return report(why, ", but got ", adaptor.getData().getType(), " and target_shape [", llvm::iterator_range(*target),
                  "]");
  return addType(types, shape->dims, elementOf(adaptor.getData()));
}

/// Entry `i` of the target shape, with a special zero replaced by the input's dim. A -1 is returned as the constant -1.
/// Nullopt if the entry is not known, or if it might be -1 at run time.
static DimSource::MaybeDim getTarget(DimSource &dims, ReshapeOp op, int64_t i) {
  DimExpressions &exprs = dims.exprs;
  DimSource::MaybeDim entry = dims.getElement(op.getTargetShape(), i);
  if (!entry || exprs.getConstant(*entry) == -1)
    return entry;
  if (!exprs.isProvablySize(*entry))
    return std::nullopt;
  if (!op.getSpecialZero() || i >= rankOf(op.getData()) || exprs.getConstant(*entry).value_or(0) != 0)
    return entry;
  DimSource::MaybeDim copied = dims.get(op.getData(), i);
  if (!copied || copied == entry || exprs.getConstant(*entry) == 0)
    return copied;
  return exprs.intern({DimKind::ifZero, 0, {}, {*entry, *copied}});
}

DimSource::MaybeDim ReshapeOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  DimSource::MaybeDim entry = getTarget(dims, *this, dim);
  if (!entry || dims.exprs.getConstant(*entry) != -1)
    return entry;
  SmallVector<DimSource::MaybeDim> all, others;
  // A dim that a special zero copies takes no part in the quotient, also if it is 0.
  llvm::SmallDenseSet<int64_t> copied;
  for (int64_t i = 0, rank = getType().getRank(); i < rank; ++i) {
    if (i == dim)
      continue;
    DimSource::MaybeDim other = getTarget(dims, *this, i), raw = dims.getElement(getTargetShape(), i);
    if (!other || dims.exprs.getConstant(*other) == -1 || dims.exprs.get(*other).kind == DimKind::ifZero)
      return std::nullopt;
    if (getSpecialZero() && i < rankOf(getData()) && dims.exprs.getConstant(*raw) == 0)
      copied.insert(i);
    else
      others.push_back(other);
  }
  for (int64_t i = 0; i < rankOf(getData()); ++i)
    if (!copied.contains(i))
      all.push_back(dims.get(getData(), i));
  return dims.divide(all, others);
}

DimSource::MaybeDim ReshapeOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  return dims.getSameElement(getResult(), getData(), position);
}

bool ReshapeOp::canFault() {
  std::optional<SmallVector<int64_t>> target = getPartlyKnownSizes(getTargetShape());
  std::string why;
  std::optional<ReshapedShape> shape;
  if (target)
    shape = reshapeShape(shapeOf(getData()), *target, getSpecialZero(), why);
  return !shape || !shape->safe;
}

/// Folds an op whose result has the elements of `data` in the same order, but other dims. `attr` is the value of
/// `data`, or null.
static OpFoldResult foldReshape(Value data, Attribute attr, RankedTensorType type) {
  if (!type.hasStaticShape() || !cast<RankedTensorType>(data.getType()).hasStaticShape())
    return {};
  if (data.getType() == type)
    return data;
  if (auto weights = getWeights(attr, data))
    return weights.append(ReshapeStepAttr::get(type));
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(attr))
    return dense.reshape(type);
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // The types are equal. If at most one dim is dynamic, it follows from the number of elements, so the op is a no-op.
  // But where another dim is 0, any number fits.
  if (getData().getType() == getType() && !canFault() && getType().getNumDynamicDims() <= 1 &&
      !llvm::is_contained(getType().getShape(), 0))
    return getData();
  if (canFault())
    return {};
  return foldReshape(getData(), adaptor.getData(), getType());
}

/// True if no entry of the target shape copies a dim of the input (a special zero).
static bool isAbsolute(ReshapeOp op) {
  if (!op.getSpecialZero())
    return true;
  std::optional<SmallVector<int64_t>> target = getPartlyKnownSizes(op.getTargetShape());
  return target && llvm::none_of(*target, [](int64_t entry) { return entry == 0 || ShapedType::isDynamic(entry); });
}

namespace {
/// Replaces reshape(reshape(x, a), b) by reshape(x, b), if the reshape to `a` cannot fail and `b` does not copy dims.
/// The inner op may also be a squeeze or an unsqueeze.
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
    std::optional<SmallVector<int64_t>> target = getPartlyKnownSizes(op.getTargetShape());
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

//===----------------------------------------------------------------------===//
// Squeeze
//===----------------------------------------------------------------------===//

LogicalResult SqueezeOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  ArrayRef<int64_t> shape = shapeOf(adaptor.getData());
  // C1
  std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(shape, adaptor.getAxes());
  if (!axes)
    return report("expected axes that are constant, in range and without repetition, for ",
                  adaptor.getData().getType());
  SmallVector<int64_t> result;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(*axes, static_cast<int64_t>(i)))
      result.push_back(dim);
    // C2
    else if (!mergeDims(dim, 1))
      return report("expected dim ", i, " to be 1, but got ", adaptor.getData().getType());
  }
  return addType(types, result, elementOf(adaptor.getData()));
}

std::optional<int64_t> SqueezeOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(shapeOf(getData()), getAxes());
  if (operand != 0 || !axes || llvm::is_contained(*axes, axis))
    return std::nullopt;
  return dropAxes(*axes, axis);
}

DimSource::MaybeDim SqueezeOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(shapeOf(getData()), getAxes());
  int64_t from = axes ? skipAxes(*axes, rankOf(getData()), dim) : -1;
  return from < 0 ? std::nullopt : dims.get(getData(), from);
}

DimSource::MaybeDim SqueezeOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  return dims.getSameElement(getResult(), getData(), position);
}

bool SqueezeOp::canFault() {
  std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(shapeOf(getData()), getAxes());
  return !axes || llvm::any_of(*axes, [&](int64_t axis) { return shapeOf(getData())[axis] != 1; });
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  if (getData().getType() == getType())
    return getData();
  return canFault() ? OpFoldResult() : foldReshape(getData(), adaptor.getData(), getType());
}

//===----------------------------------------------------------------------===//
// Unsqueeze
//===----------------------------------------------------------------------===//

LogicalResult UnsqueezeOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  // C1
  std::optional<SmallVector<int64_t>> raw = getConstantIntegers(adaptor.getAxes()), axes;
  if (raw)
    axes = getConstantAxes(adaptor.getAxes(), rankOf(adaptor.getData()) + raw->size());
  if (!axes)
    return report("expected axes that are constant, in range and without repetition, for ",
                  adaptor.getData().getType());
  llvm::sort(*axes);
  SmallVector<int64_t> result(shapeOf(adaptor.getData()));
  for (int64_t axis : *axes)
    result.insert(result.begin() + axis, 1);
  return addType(types, result, elementOf(adaptor.getData()));
}

std::optional<int64_t> UnsqueezeOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(getAxes(), getType().getRank());
  return operand == 0 && axes ? std::optional(insertAxes(*axes, axis)) : std::nullopt;
}

DimSource::MaybeDim UnsqueezeOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(getAxes(), getType().getRank());
  if (!axes)
    return std::nullopt;
  return dims.get(getData(), dropAxes(*axes, dim));
}

DimSource::MaybeDim UnsqueezeOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  return dims.getSameElement(getResult(), getData(), position);
}

OpFoldResult UnsqueezeOp::fold(FoldAdaptor adaptor) {
  if (getData().getType() == getType())
    return getData();
  return foldReshape(getData(), adaptor.getData(), getType());
}
