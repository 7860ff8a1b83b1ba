// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Arithmetic.cpp - Arithmetic on elements ----------------------------===//

#include "Inference.h"

using namespace mlir;
using namespace recur::ov;

bool CumSumOp::canFault() { return getAxis() && !getConstantAxis(getAxis(), rankOf(getData())); }

/// Of sizes only, where nothing wraps. An operand of one element goes with each of the other.
template <typename Op>
static DimSource::MaybeDim describeElementOfArithmetic(DimSource &dims, Op op, DimKind kind, int64_t position) {
  SmallVector<DimSource::MaybeDim> operands;
  for (Value operand : op.getOperands()) {
    DimSource::MaybeDim dim = dims.getElement(operand, getStaticLength(operand) == 1 ? 0 : position);
    if (!dim || !dims.exprs.isSurelySize(*dim) || !elementOf(operand).isSignlessInteger(64))
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
