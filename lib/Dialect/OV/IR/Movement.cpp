// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.cpp - Transposition, concatenation, reversal --------------===//
//
// Transpose and Concat fold small dense constants. A transposed constant that stays in the weights file gets one more
// layout step.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"
#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  SmallVector<int64_t> result;
  SmallVector<int64_t> order = *getPermutation(adaptor.getInputOrder(), rankOf(adaptor.getArg()));
  for (int64_t axis : order)
    result.push_back(shapeOf(adaptor.getArg())[axis]);
  return addType(types, result, elementOf(adaptor.getArg()));
}

std::optional<int64_t> TransposeOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  std::optional<SmallVector<int64_t>> order = getPermutation(getInputOrder(), getType().getRank());
  if (operand != 0 || !order)
    return std::nullopt;
  return std::distance(order->begin(), llvm::find(*order, axis));
}

DimSource::MaybeDim TransposeOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  std::optional<SmallVector<int64_t>> order = getPermutation(getInputOrder(), getType().getRank());
  return order ? dims.get(getArg(), (*order)[dim]) : std::nullopt;
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  std::optional<SmallVector<int64_t>> order = getPermutation(getInputOrder(), type.getRank());
  if (!order)
    return {};
  if (getArg().getType() == type && llvm::is_sorted(*order))
    return getArg();
  if (!type.hasStaticShape() || !getArg().getType().hasStaticShape())
    return {};
  if (auto weights = getWeights(adaptor.getArg(), getArg()))
    return weights.append(TransposeStepAttr::get(getContext(), *order));
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

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value first = adaptor.getInputs().front();
  std::optional<int64_t> axis = normalizeAxis(adaptor.getAxis(), rankOf(first));
  SmallVector<int64_t> result(shapeOf(first));
  for (Value input : adaptor.getInputs().drop_front()) {
    SmallVector<int64_t> shape(shapeOf(input));
    int64_t sum = ShapedType::kDynamic;
    if (shape.size() == result.size()) {
      if (!ShapedType::isDynamic(shape[*axis]) && !ShapedType::isDynamic(result[*axis]) &&
          llvm::AddOverflow(shape[*axis], result[*axis], sum))
        return report("expected a result of fewer than 2^63 elements");
      shape[*axis] = result[*axis];
    }
    // C3
    std::optional<SmallVector<int64_t>> merged = mergeShapes(result, shape);
    if (!merged)
      return report("expected dims that agree except along axis ", *axis, ", but got ", first.getType(), " and ",
                    input.getType());
    result = std::move(*merged);
    result[*axis] = sum;
  }
  return addType(types, result, elementOf(first));
}

std::optional<int64_t> ConcatOp::mapAxis(unsigned, unsigned, int64_t axis) {
  return keepUnless(normalizeAxis(getAxis(), getType().getRank()), axis);
}

DimSource::MaybeDim ConcatOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  if (dim != normalizeAxis(getAxis(), getType().getRank()))
    return dims.getAgreed(getInputs(), dim);
  SmallVector<DimSource::MaybeDim> parts;
  for (Value input : getInputs())
    parts.push_back(dims.get(input, dim));
  return dims.combine(DimKind::sum, parts);
}

DimSource::MaybeDim ConcatOp::describeElement(DimSource &dims, unsigned, int64_t position) {
  for (Value input : getInputs()) {
    std::optional<int64_t> length = getStaticLength(input);
    if (!length)
      return std::nullopt;
    if (position < *length)
      return dims.getElement(input, position);
    position -= *length;
  }
  return std::nullopt;
}

bool ConcatOp::canFault() {
  Value first = getInputs().front();
  std::optional<int64_t> axis = normalizeAxis(getAxis(), shapeOf(first).size());
  return !axis || llvm::any_of(getInputs().drop_front(), [&](Value input) {
    for (int64_t i = 0, e = shapeOf(first).size(); i != e; ++i)
      if (i != *axis && !provablySameDim(first, i, input, i))
        return true;
    return false;
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
  // The dims before the axis are flattened to one outer dim, the others to one row of each operand.
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

//===----------------------------------------------------------------------===//
// ReverseSequence
//===----------------------------------------------------------------------===//

LogicalResult ReverseSequenceOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData(), lengths = adaptor.getSeqLengths();
  SmallVector<int64_t> shape(shapeOf(data));
  // C3
  std::optional<int64_t> batch = normalizeAxis(adaptor.getBatchAxis(), shape.size());
  std::optional<int64_t> seq = normalizeAxis(adaptor.getSeqAxis(), shape.size());
  if (*batch == *seq)
    return report("expected batch_axis and seq_axis that are different axes of ", data.getType(), ", but got ",
                  static_cast<int64_t>(adaptor.getBatchAxis()), " and ", static_cast<int64_t>(adaptor.getSeqAxis()));
  // C5
  std::optional<int64_t> merged = mergeDims(shape[*batch], shapeOf(lengths)[0]);
  if (!merged)
    return report("expected seq_lengths with a length for each batch of ", data.getType(), ", but got ",
                  lengths.getType());
  shape[*batch] = *merged;
  return addType(types, shape, elementOf(data));
}

std::optional<int64_t> ReverseSequenceOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  int64_t rank = getType().getRank();
  return operand == 0 ? keepUnless(normalizeAxis(getSeqAxis(), rank), axis) : normalizeAxis(getBatchAxis(), rank);
}

DimSource::MaybeDim ReverseSequenceOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return dims.get(getData(), dim);
}

bool ReverseSequenceOp::canFault() {
  std::optional<int64_t> seq = normalizeAxis(getSeqAxis(), rankOf(getData()));
  std::optional<int64_t> batch = normalizeAxis(getBatchAxis(), rankOf(getData()));
  std::optional<SmallVector<int64_t>> lengths = getConstantIntegers(getSeqLengths());
  if (!seq || !batch || !lengths || isUnknown(shapeOf(getData())[*seq]) || isUnknown(shapeOf(getData())[*batch]))
    return true;
  return llvm::any_of(*lengths, [&](int64_t length) { return length < 0 || length > shapeOf(getData())[*seq]; });
}
