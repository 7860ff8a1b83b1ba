// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arithmetic.cpp - Arithmetic on elements ----------------------------===//
//
// Most arithmetic ops are declared completely in Arithmetic.td. This file has what cannot be generated: the elements of
// Add and Multiply, which compute shapes, the folds of constants in the weights file, and the fault check of CumSum.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"
#include "Inference.h"

using namespace mlir;
using namespace recur::ov;

std::optional<int64_t> CumSumOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  std::optional<int64_t> along = getAxis() ? getConstantAxis(getAxis(), rankOf(getData())) : 0;
  return operand == 0 ? keepUnless(along, axis) : std::nullopt;
}

bool CumSumOp::canFault() { return getAxis() && !getConstantAxis(getAxis(), rankOf(getData())); }

/// Element `position` of a sum or product (`kind`) of tensors of dims. Only elements that are provably not negative, of
/// type i64, are tracked: dims are so small that sums and products of them do not wrap. An operand of one element
/// broadcasts.
template <typename Op>
static DimSource::MaybeDim describeElementOfArithmetic(DimSource &dims, Op op, DimKind kind, int64_t position) {
  SmallVector<DimSource::MaybeDim> operands;
  for (Value operand : op.getOperands()) {
    DimSource::MaybeDim dim = dims.getElement(operand, getStaticLength(operand) == 1 ? 0 : position);
    if (!dim || !dims.exprs.isProvablySize(*dim) || !elementOf(operand).isSignlessInteger(64))
      return std::nullopt;
    operands.push_back(dim);
  }
  return dims.combine(kind, operands);
}

DimSource::MaybeDim AddOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  return describeElementOfArithmetic(dims, *this, DimKind::sum, position);
}

DimSource::MaybeDim MultiplyOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  return describeElementOfArithmetic(dims, *this, DimKind::product, position);
}

/// The constant `weights` of type `type`, in the weights file, with the constant `operand` subtracted from each element
/// or multiplied by it. Null if there is no layout step for it.
static OpFoldResult foldIntoWeights(ArithmeticKind kind, WeightsAttr weights, Attribute operand,
                                    RankedTensorType type) {
  auto constant = dyn_cast_or_null<TypedAttr>(operand);
  if (!weights || !isa_and_nonnull<WeightsAttr, DenseElementsAttr>(operand) || weights.getType() != type)
    return {};
  auto step = ArithmeticStepAttr::get(type.getContext(), kind, constant);
  return step.fits(weights.getTensorType()) ? weights.append(step) : OpFoldResult();
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (getAutoBroadcast() != AutoBroadcast::Numpy)
    return {};
  return foldIntoWeights(ArithmeticKind::Subtract, getWeights(adaptor.getLhs(), getLhs()), adaptor.getRhs(), getType());
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  if (getAutoBroadcast() != AutoBroadcast::Numpy)
    return {};
  if (OpFoldResult folded = foldIntoWeights(ArithmeticKind::Multiply, getWeights(adaptor.getLhs(), getLhs()),
                                            adaptor.getRhs(), getType()))
    return folded;
  return foldIntoWeights(ArithmeticKind::Multiply, getWeights(adaptor.getRhs(), getRhs()), adaptor.getLhs(), getType());
}
