// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arithmetic.cpp - Arithmetic on elements ----------------------------===//
//
// Most arithmetic ops are declared completely in Arithmetic.td. This file has what cannot be generated: the elements of
// Add and Multiply, which compute shapes, and the fault check of CumSum.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

using namespace mlir;
using namespace recur::ov;

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
