// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dims.cpp - Where the dims of an op's results come from -------------===//
//
// DimSource asks the op that defines a value to describe its dims (DimsOpInterface) or elements (ElementsOpInterface);
// the op in turn asks the DimSource for those of its operands. ValueDims adds a cache and turns dims that no op
// describes into symbols.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/Dims.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

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

/// All of `dims`, or nullopt if one of them is nullopt.
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
  // The operand may also be a buffer, as that of bufferization.to_tensor is.
  if ((op->hasTrait<OpTrait::SameOperandsAndResultShape>() || op->hasTrait<OpTrait::SameOperandsAndResultType>()) &&
      isa<RankedTensorType>(op->getOperand(0).getType()))
    return get(op->getOperand(0), dim);
  return std::nullopt;
}

DimSource::MaybeDim DimSource::askElement(OpResult result, int64_t position) {
  if (auto elements = dyn_cast<ElementsOpInterface>(result.getOwner()))
    return elements.describeElement(*this, result.getResultNumber(), position);
  return std::nullopt;
}

/// The longest chain of ops that is followed, to bound the depth of the recursion.
static constexpr unsigned kMaxDepth = 512;

DimSource::MaybeDim ValueDims::get(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (auto it = found.find({tensor, dim}); it != found.end())
    return it->second;
  MaybeDim result;
  if (depth < kMaxDepth) {
    ++depth;
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      result = getOfArgument(argument, dim);
    else if (auto cast = tensor.getDefiningOp<tensor::CastOp>())
      result = get(cast.getSource(), dim);
    else
      result = getOfOp(llvm::cast<OpResult>(tensor), dim);
    --depth;
  }
  if (!result && isKnown(tensor))
    result = exprs.intern({DimKind::dim, dim, tensor, {}});
  found[{tensor, dim}] = result;
  return result;
}

DimSource::MaybeDim ValueDims::getElement(Value tensor, int64_t position) {
  std::optional<int64_t> length = getStaticLength(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (!length || position >= *length || !(element.isSignlessInteger(32) || element.isSignlessInteger(64)) ||
      depth >= kMaxDepth)
    return std::nullopt;
  if (std::optional<SmallVector<int64_t>> numbers = getConstantIntegers(tensor))
    return constant((*numbers)[position]);
  ++depth;
  MaybeDim result;
  if (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    result = getSameElement(tensor, cast.getSource(), position);
  else if (auto produced = dyn_cast<OpResult>(tensor))
    result = askElement(produced, position);
  --depth;
  if (!result && isKnown(tensor))
    result = exprs.intern({DimKind::element, position, tensor, {}});
  return result;
}

} // namespace recur::ov

#include "Recur/Dialect/OV/IR/OVInterfaces.cpp.inc"
