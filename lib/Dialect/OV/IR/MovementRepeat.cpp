// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementRepeat.cpp - Broadcast, Tile and Pad -----------------------===//
//
// Ops that make a tensor greater. Their result shapes depend on the elements of an operand, so inference uses
// getPartlyKnownSizes. If the elements are not known, the ops can fault.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"
#include "Inference.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  std::optional<SmallVector<int64_t>> target = getPartlyKnownSizes(adaptor.getTargetShape());
  if (llvm::any_of(*target, [](int64_t dim) { return dim < 0 && !ShapedType::isDynamic(dim); }))
    return report("expected target_shape without negative entries, but got [", llvm::iterator_range(*target), "]");
  ArrayRef<int64_t> data = shapeOf(adaptor.getData());
  BroadcastMode mode = adaptor.getMode();
  // C3
  if ((mode == BroadcastMode::Explicit) != static_cast<bool>(adaptor.getAxesMapping()))
    return report("expected axes_mapping with mode \"explicit\", and only there");
  auto clash = [&] {
    return report("expected dims that agree with target_shape or are 1, but got ", adaptor.getData().getType(),
                  " and [", llvm::iterator_range(*target), "]");
  };
  // C2
  if (mode == BroadcastMode::Bidirectional) {
    std::optional<SmallVector<int64_t>> shape = broadcastShapes(data, *target);
    return shape ? addType(types, *shape, elementOf(adaptor.getData())) : clash();
  }
  SmallVector<int64_t> mapping;
  if (mode == BroadcastMode::Explicit) {
    std::optional<SmallVector<int64_t>> axes = getConstantAxes(adaptor.getAxesMapping(), target->size());
    if (!axes || axes->size() != data.size() || !llvm::is_sorted(*axes))
      return report("expected axes_mapping that is constant, has one entry for each dim of data, and increases");
    mapping = std::move(*axes);
  } else {
    if (data.size() > target->size())
      return clash();
    for (size_t i = 0; i != data.size(); ++i)
      mapping.push_back(target->size() - data.size() + i);
  }
  for (auto [dim, axis] : llvm::zip_equal(data, mapping)) {
    // A dim other than 1 does not broadcast, so the dim of the result must be the same.
    if (dim == 1 || ShapedType::isDynamic(dim))
      continue;
    if (!mergeDims(dim, (*target)[axis]))
      return clash();
    (*target)[axis] = dim;
  }
  return addType(types, *target, elementOf(adaptor.getData()));
}

std::optional<int64_t> BroadcastOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  // The target says how many parts the result has along other axes.
  int64_t to = alignAtEnd(getData(), axis, getResult());
  bool isOfTarget = getMode() == BroadcastMode::Explicit || to >= getType().getRank() - shapeOf(getTargetShape())[0];
  return operand == 0 && !isOfTarget ? std::optional(to) : std::nullopt;
}

DimSource::MaybeDim BroadcastOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  int64_t rank = getType().getRank(), at = dim - (rank - shapeOf(getTargetShape())[0]);
  DimSource::MaybeDim target;
  if (at >= 0 && !(target = dims.getElement(getTargetShape(), at)))
    return std::nullopt;
  if (getMode() != BroadcastMode::Bidirectional)
    return target;
  DimSource::MaybeDim own = dims.getBroadcast(getData(), rank, dim);
  return own && target ? dims.combine(DimKind::join, {own, target}) : own;
}

bool BroadcastOp::canFault() {
  std::optional<SmallVector<int64_t>> target = getPartlyKnownSizes(getTargetShape());
  if (!target || llvm::any_of(*target, ShapedType::isDynamic))
    return true;
  ArrayRef<int64_t> data = shapeOf(getData());
  if (getMode() != BroadcastMode::Explicit)
    return !provablyBroadcast(data, *target);
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(getAxesMapping(), target->size());
  return !axes || llvm::any_of(llvm::zip(data, *axes), [&](auto pair) {
    auto [dim, axis] = pair;
    return dim != 1 && dim != (*target)[axis];
  });
}

//===----------------------------------------------------------------------===//
// Tile
//===----------------------------------------------------------------------===//

LogicalResult TileOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  std::optional<SmallVector<int64_t>> repeats = getPartlyKnownSizes(adaptor.getRepeats());
  SmallVector<int64_t> shape(shapeOf(adaptor.getData()));
  if (shape.size() < repeats->size())
    shape.insert(shape.begin(), repeats->size() - shape.size(), 1);
  for (auto [dim, repeat] : llvm::zip(llvm::reverse(shape), llvm::reverse(*repeats))) {
    if (isUnknown(repeat))
      dim = dim == 0 ? 0 : ShapedType::kDynamic;
    else if (repeat <= 0)
      dim = 0;
    else if (!isUnknown(dim) && llvm::MulOverflow(dim, repeat, dim))
      return report("expected a result of fewer than 2^63 elements");
  }
  return addType(types, shape, elementOf(adaptor.getData()));
}

std::optional<int64_t> TileOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  std::optional<SmallVector<int64_t>> repeats = getPartlyKnownSizes(getRepeats());
  if (operand != 0 || !repeats)
    return std::nullopt;
  int64_t to = alignAtEnd(getData(), axis, getResult()), at = to - (getType().getRank() - int64_t(repeats->size()));
  return at < 0 || (*repeats)[at] == 1 ? std::optional(to) : std::nullopt;
}

DimSource::MaybeDim TileOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  int64_t rank = getType().getRank(), own = dim - (rank - rankOf(getData()));
  std::optional<SmallVector<int64_t>> repeats = getPartlyKnownSizes(getRepeats());
  if (!repeats)
    return std::nullopt;
  int64_t at = dim - (rank - static_cast<int64_t>(repeats->size()));
  int64_t repeat = at < 0 ? 1 : (*repeats)[at];
  DimSource::MaybeDim size = own < 0 ? dims.constant(1) : dims.get(getData(), own);
  return repeat < 0 ? std::nullopt : dims.combine(DimKind::product, {size, dims.constant(repeat)});
}

bool TileOp::canFault() {
  std::optional<SmallVector<int64_t>> repeats = getPartlyKnownSizes(getRepeats());
  return !repeats || llvm::any_of(*repeats, isUnknown) ||
         (!getData().getType().hasStaticShape() &&
          llvm::any_of(*repeats, [](int64_t repeat) { return repeat > kMostUncheckedRepeats; }));
}

OpFoldResult TileOp::fold(FoldAdaptor adaptor) {
  std::optional<SmallVector<int64_t>> repeats = getPartlyKnownSizes(getRepeats());
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

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

LogicalResult PadOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  Value data = adaptor.getData();
  SmallVector<int64_t> shape(shapeOf(data));
  // C2
  auto begin = getPartlyKnownSizes(adaptor.getPadsBegin()), end = getPartlyKnownSizes(adaptor.getPadsEnd());
  if (begin->size() != shape.size() || end->size() != shape.size())
    return report("expected pads_begin and pads_end with an entry for each dim of ", data.getType(), ", but got ",
                  adaptor.getPadsBegin().getType(), " and ", adaptor.getPadsEnd().getType());
  PadMode mode = adaptor.getPadMode();
  // C5
  for (auto [dim, before, behind] : llvm::zip_equal(shape, *begin, *end)) {
    if (isUnknown(dim) || isUnknown(before) || isUnknown(behind)) {
      // A dim without pads stays the same, even if it is not known.
      if (before != 0 || behind != 0)
        dim = ShapedType::kDynamic;
      continue;
    }
    int64_t most = mode == PadMode::Reflect            ? std::max<int64_t>(dim - 1, 0)
                   : mode == PadMode::Symmetric        ? dim
                   : mode == PadMode::Edge && dim == 0 ? 0
                                                       : std::numeric_limits<int64_t>::max();
    if (before > most || behind > most)
      return report("expected pads in mode \"", stringifyPadMode(mode), "\" of at most ", most, ", but got ", before,
                    " and ", behind);
    int64_t sum;
    if (llvm::AddOverflow(before, behind, sum) || llvm::AddOverflow(dim, sum, sum) || sum < 0)
      return report("expected pads that make a dim from 0 to 2^63, but got ", before, " and ", behind, " for ", dim);
    dim = sum;
  }
  return addType(types, shape, elementOf(data));
}

std::optional<int64_t> PadOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  auto begin = getPartlyKnownSizes(getPadsBegin()), end = getPartlyKnownSizes(getPadsEnd());
  bool isWhole = begin && end && (*begin)[axis] == 0 && (*end)[axis] == 0;
  return operand == 0 && isWhole ? std::optional(axis) : std::nullopt;
}

DimSource::MaybeDim PadOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  auto begin = getPartlyKnownSizes(getPadsBegin()), end = getPartlyKnownSizes(getPadsEnd());
  constexpr int64_t most = int64_t(1) << 40;
  auto isSmall = [](int64_t number) { return number >= 0 && number <= most; };
  if (!begin || !end || !isSmall((*begin)[dim]) || !isSmall((*end)[dim]))
    return std::nullopt;
  return dims.combine(DimKind::sum, {dims.get(getData(), dim), dims.constant((*begin)[dim] + (*end)[dim])});
}

bool PadOp::canFault() {
  auto begin = getPartlyKnownSizes(getPadsBegin()), end = getPartlyKnownSizes(getPadsEnd());
  if (!begin || !end)
    return true;
  for (auto [dim, before, behind] : llvm::zip_equal(shapeOf(getData()), *begin, *end)) {
    if (isUnknown(before) || isUnknown(behind))
      return true;
    // If the dim is known too, inference has checked the pads.
    if (!isUnknown(dim) || (before == 0 && behind == 0))
      continue;
    if (getPadMode() != PadMode::Constant || before < 0 || behind < 0)
      return true;
  }
  return false;
}
