// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dims.cpp - Where the dims of an op's results come from -------------===//

#include "Recur/Dialect/OV/IR/Dims.h"

#include "Recur/Dialect/OV/IR/OV.h"

using namespace mlir;

namespace recur::ov {

static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

std::optional<int64_t> getStaticLength(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() > 1 || !type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements();
}

DimSource::MaybeDim DimSource::getAgreed(ValueRange operands, int64_t dim) {
  for (Value operand : operands)
    if (MaybeDim found = get(operand, dim))
      return found;
  return std::nullopt;
}

DimSource::MaybeDim DimSource::getBroadcast(ValueRange operands, int64_t rank, int64_t dim) {
  SmallVector<MaybeDim> dims;
  for (Value operand : operands)
    if (int64_t own = dim - (rank - rankOf(operand)); own >= 0)
      dims.push_back(get(operand, own));
  return combine(DimKind::join, dims);
}

DimSource::MaybeDim DimSource::getSameElement(Value tensor, Value other, int64_t position) {
  return getStaticLength(tensor) == getStaticLength(other) ? getElement(other, position) : std::nullopt;
}

/// The dims that are known, or nullopt if one is not.
static std::optional<SmallVector<DimSource::Dim>> takeAll(ArrayRef<DimSource::MaybeDim> dims) {
  SmallVector<DimSource::Dim> result;
  for (DimSource::MaybeDim dim : dims) {
    if (!dim)
      return std::nullopt;
    result.push_back(*dim);
  }
  return result;
}

DimSource::MaybeDim DimSource::combine(DimKind kind, ArrayRef<MaybeDim> dims) {
  std::optional<SmallVector<Dim>> known = takeAll(dims);
  return known ? MaybeDim(exprs.combine(kind, *known)) : std::nullopt;
}

DimSource::MaybeDim DimSource::divide(ArrayRef<MaybeDim> dividends, ArrayRef<MaybeDim> divisors) {
  std::optional<SmallVector<Dim>> upper = takeAll(dividends), lower = takeAll(divisors);
  return upper && lower ? MaybeDim(exprs.divide(*upper, *lower)) : std::nullopt;
}

DimSource::MaybeDim DimSource::ask(OpResult result, int64_t dim) {
  Operation *op = result.getOwner();
  if (auto dims = dyn_cast<DimsOpInterface>(op))
    return dims.describeDim(*this, result.getResultNumber(), dim);
  if (op->hasTrait<OpTrait::SameOperandsAndResultShape>() || op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return get(op->getOperand(0), dim);
  return std::nullopt;
}

DimSource::MaybeDim DimSource::askElement(OpResult result, int64_t position) {
  if (auto elements = dyn_cast<ElementsOpInterface>(result.getOwner()))
    return elements.describeElement(*this, result.getResultNumber(), position);
  return std::nullopt;
}

} // namespace recur::ov

#include "Recur/Dialect/OV/IR/OVInterfaces.cpp.inc"
