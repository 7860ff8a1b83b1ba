// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConvolutionLast.cpp - Convolutions with channels last --------------===//
//
// Lowers a convolution whose result has its channels last. Its filters may be transformed for Winograd's algorithm.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionLowering.h"
#include "Padding.h"
#include "Reshaping.h"

#include "Recur/Dialect/OV/IR/ChannelsLast.h"
#include "Recur/Dialect/OV/IR/Dequantization.h"

using namespace mlir;

namespace recur::ov {

/// The fewest channels of data and result that make up for the transforms of Winograd's algorithm if it is used along
/// two dims. Along one dim, it saves less, and needs twice as many. Transformed filters are larger: fewer tiles than
/// these would read them for too little work, in particular large ones, which come from memory. Without a gain of this
/// factor, the filters stay small.
static constexpr int64_t kLeastWinogradChannels = 32, kLeastWinogradTiles = 12, kLeastTilesOfLargeFilters = 32,
                         kLargeFilters = 1 << 18;
static constexpr double kLeastWinogradGain = 1.15;
/// Stands for a number of positions that only the call tells.
static constexpr int64_t kMany = 1 << 10;

template <typename Op>
bool ConvolutionLowering<Op>::isLast() {
  // Other readers want its dims.
  auto isToLast = [&](Operation *user) { return matchTranspose(user, getOrderToLast(spatial + 2)); };
  return llvm::any_of(op->getUsers(), isToLast) && canBeLast(op);
}

template <typename Op>
bool ConvolutionLowering<Op>::isOwn() {
  return hasGroups && isDepthwise(cast<RankedTensorType>(op.getFilters().getType()));
}

template <typename Op>
Value ConvolutionLowering<Op>::packOwnFilters() {
  auto constant = op.getFilters().template getDefiningOp<ConstantOp>();
  auto type = cast<RankedTensorType>(constant.getType());
  SmallVector<int64_t> shape(type.getShape().take_back(spatial));
  int64_t perChannel = llvm::product_of(shape), channels = type.getDimSize(0);
  shape.push_back(channels);
  if (auto weights = dyn_cast<WeightsAttr>(constant.getValue())) {
    weights = weights.append(ReshapeStepAttr::get(type.clone({channels, perChannel})));
    weights = weights.append(TransposeStepAttr::get(b.getContext(), {1, 0}));
    weights = weights.append(ReshapeStepAttr::get(type.clone(shape)));
    return ConstantOp::create(b, constant.getLoc(), weights.getType(), weights);
  }
  auto elements = llvm::to_vector(cast<DenseElementsAttr>(constant.getValue()).template getValues<Attribute>());
  SmallVector<Attribute> packed;
  for (int64_t i = 0; i != perChannel; ++i)
    for (int64_t c = 0; c != channels; ++c)
      packed.push_back(elements[c * perChannel + i]);
  return ConstantOp::create(b, constant.getLoc(), type.clone(shape), DenseElementsAttr::get(type.clone(shape), packed));
}

template <typename Op>
bool ConvolutionLowering<Op>::usesWinograd() {
  if (hasGroups || spatial > 2 || !element.isF32() || !isConstant())
    return false;
  // Transformed filters are f32, and a third or more larger.
  auto constant = op.getFilters().template getDefiningOp<ConstantOp>();
  if (auto weights = dyn_cast<WeightsAttr>(constant.getValue()); weights && wereRounded(weights))
    return false;
  // The multiplications for all positions, without those with rows of padding, and how many positions share
  // transformed data. Many, if the number is not known.
  int64_t direct = 1, transformed = 1, tiles = 1, numTransformed = 0;
  for (auto [i, window] : llvm::enumerate(windows)) {
    int64_t kernel = *getConstantIntValue(window.kernel), places = getConstantIntValue(window.places).value_or(kMany);
    int64_t stride = op.getStrides()[i], dilation = op.getDilations()[i];
    if ((kernel != 1 && kernel != 3) || (stride != 1 && (stride != 2 || kernel != 3 || dilation != 1)))
      return false;
    int64_t steps = places;
    direct *= places * kernel;
    if (kernel == 3) {
      steps = llvm::divideCeil(places, 2 * dilation) * dilation;
      transformed *= (stride == 1 ? 4 : 5) * steps;
      ++numTransformed;
      if (i == 0 && spatial == 2)
        direct -= dilation *
                  (getConstantIntValue(window.padBegin).value_or(0) + getConstantIntValue(window.padEnd).value_or(0));
    } else {
      transformed *= steps;
    }
    tiles *= steps;
  }
  int64_t least = numTransformed == 2 ? kLeastWinogradChannels : 2 * kLeastWinogradChannels;
  int64_t elements = cast<ShapedType>(op.getFilters().getType()).getNumElements();
  return numTransformed != 0 && *getConstantIntValue(outputs) >= least && *getConstantIntValue(inputs) >= least &&
         tiles >= (elements < kLargeFilters ? kLeastWinogradTiles : kLeastTilesOfLargeFilters) &&
         double(direct) >= kLeastWinogradGain * double(transformed);
}

template <typename Op>
Value ConvolutionLowering<Op>::lowerLast() {
  // The data become [N, spatial..., I], also if they do not come from such a layout: so the sums have one order.
  int64_t rank = spatial + 2;
  SmallVector<int64_t> toLast = getOrderToLast(rank);
  SmallVector<OpFoldResult> before(rank, b.getIndexAttr(0)), behind = before, moved, sizes{batch};
  bool isPadded = false;
  for (auto [i, window] : llvm::enumerate(windows)) {
    before[i + 1] = window.padBegin;
    behind[i + 1] = window.padEnd;
    isPadded |= !isConstantIntValue(window.padBegin, 0) || !isConstantIntValue(window.padEnd, 0);
    sizes.push_back(window.places);
  }
  for (int64_t axis : toLast)
    moved.push_back(getDimOrAttr(b, data, axis));
  Value source = linalg::TransposeOp::create(b, data, emptyOf(b, moved, element), toLast)->getResult(0);
  if (isPadded)
    source = padWith(b, source, zeroOf(b, element), before, behind);

  bool isTransformed = usesWinograd(), hasTiles = !isOwn();
  int64_t tile = isTransformed ? kWinogradTile : kChannelTile;
  Value packed = hasTiles ? packFilters(tile, /*inputsLast=*/true, isTransformed) : packOwnFilters();
  if (!hasTiles) {
    sizes.push_back(groups);
  } else if (hasGroups) {
    llvm::append_range(sizes, ArrayRef<OpFoldResult>{groups, b.getIndexAttr(shapeOf(packed)[1]), b.getIndexAttr(tile)});
    SmallVector<OpFoldResult> grouped;
    SmallVector<ReassociationIndices> groupDims;
    for (int64_t i = 0; i != rank; ++i) {
      grouped.push_back(i + 1 == rank ? groups : getDimOrAttr(b, source, i));
      groupDims.push_back({i});
    }
    grouped.push_back(inputs);
    groupDims.back().push_back(rank);
    source = expandShape(b, source, groupDims, grouped);
  } else {
    // There is one group.
    SmallVector<int64_t> starts{0};
    llvm::append_range(starts, llvm::seq<int64_t>(2, rankOf(packed)));
    packed = mergeDims(b, packed, starts);
    llvm::append_range(sizes, ArrayRef<OpFoldResult>{b.getIndexAttr(shapeOf(packed)[0]), b.getIndexAttr(tile)});
  }
  SmallVector<int64_t> padding;
  SmallVector<bool> transformed;
  for (const Window &window : windows) {
    // A number that only the call tells may be 0.
    padding.push_back(getConstantIntValue(window.padBegin).value_or(0));
    padding.push_back(getConstantIntValue(window.padEnd).value_or(0));
    transformed.push_back(isTransformed && getConstantIntValue(window.kernel) == 3);
  }
  Value sums = rt::ConvolutionOp::create(b, packed, source, emptyOf(b, sizes, element), op.getStrides(),
                                         op.getDilations(), padding, transformed)
                   .getResult();

  // From [N, places..., T, R] to [N, O, places...]. The transpose behind the op takes the last step back.
  sizes.truncate(1 + spatial);
  sizes.push_back(toSize(b, times(groups, outputs)));
  if (hasTiles) {
    sums = mergeDims(b, sums, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    SmallVector<OpFoldResult> origin(rank, b.getIndexAttr(0)), steps(rank, b.getIndexAttr(1));
    auto type = RankedTensorType::get(staticShapeOf(sizes), element);
    if (sums.getType() != type)
      sums = sliceOf(b, type, sums, origin, sizes, steps);
  }
  SmallVector<int64_t> fromLast = getOrderFromLast(rank);
  SmallVector<OpFoldResult> back;
  for (int64_t axis : fromLast)
    back.push_back(sizes[axis]);
  return linalg::TransposeOp::create(b, sums, emptyOf(b, back, element), fromLast)->getResult(0);
}

template bool ConvolutionLowering<ConvolutionOp>::isLast();
template bool ConvolutionLowering<GroupConvolutionOp>::isLast();
template Value ConvolutionLowering<ConvolutionOp>::lowerLast();
template Value ConvolutionLowering<GroupConvolutionOp>::lowerLast();

} // namespace recur::ov
