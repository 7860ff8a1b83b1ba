// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLast.h - Convolutions with channels last ---------*- C++ -*-===//
//
// `ov-channels-last` writes a convolution that shall have its channels last as an ordinary convolution between two
// transposes. Its lowering recognizes them, and transposes nothing. This file says what the transposes look like.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_CHANNELSLAST_H
#define RECUR_DIALECT_OV_IR_CHANNELSLAST_H

#include "Recur/Dialect/OV/IR/ChannelTiles.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"

namespace recur::ov {

/// The order of a transpose that makes dim 1, the channels, the last one, and of one that makes the last one dim 1.
inline llvm::SmallVector<int64_t> getOrderToLast(int64_t rank) {
  llvm::SmallVector<int64_t> order{0};
  for (int64_t i = 2; i < rank; ++i)
    order.push_back(i);
  order.push_back(1);
  return order;
}
inline llvm::SmallVector<int64_t> getOrderFromLast(int64_t rank) {
  llvm::SmallVector<int64_t> order{0, rank - 1};
  for (int64_t i = 1; i < rank - 1; ++i)
    order.push_back(i);
  return order;
}

/// The op as a transpose of this order, or null if it is none. `op` may be null.
inline TransposeOp matchTranspose(mlir::Operation *op, llvm::ArrayRef<int64_t> order) {
  auto transpose = llvm::dyn_cast_or_null<TransposeOp>(op);
  if (!transpose || transpose.getType().getRank() != int64_t(order.size()))
    return {};
  std::optional<llvm::SmallVector<int64_t>> own = getPermutation(transpose.getInputOrder(), order.size());
  return own && llvm::equal(*own, order) ? transpose : TransposeOp();
}

/// True if each channel has filters of its own.
inline bool isDepthwise(mlir::RankedTensorType filters) {
  return filters.getDimSize(1) == 1 && filters.getDimSize(2) == 1;
}

/// True if the lowering of a convolution can have the channels of its result last: it has f32 or f64, and constant
/// filters, which belong to all channels, to groups with whole tiles of them, or each to one channel. It has one or two
/// spatial dims, or three if it has one group and no dilation along the last one.
template <typename Op>
bool canBeLast(Op op) {
  constexpr bool hasGroups = std::is_same_v<Op, GroupConvolutionOp>;
  auto constant = op.getFilters().template getDefiningOp<ConstantOp>();
  mlir::RankedTensorType type = op.getType();
  bool hasDepth = type.getRank() == 5;
  if (!constant || type.getRank() > 5 || (hasDepth && (hasGroups || op.getDilations().back() != 1)) ||
      (!type.getElementType().isF32() && !type.getElementType().isF64()))
    return false;
  auto filters = llvm::cast<mlir::RankedTensorType>(constant.getType());
  // A small constant stays one if it is small when it is padded to whole tiles.
  if (!hasGroups) {
    int64_t elements = filters.getNumElements(), channels = filters.getDimSize(0);
    if (llvm::isa<WeightsAttr>(constant.getValue()) || elements == 0 || hasDepth)
      return elements != 0 && llvm::isa<WeightsAttr>(constant.getValue());
    int64_t padded = elements / channels * llvm::alignTo(channels, kChannelTile);
    return padded * (filters.getElementTypeBitWidth() / 8) <= kMaxDenseBytes;
  }
  bool hasTiles = filters.getDimSize(1) % kChannelTile == 0 && llvm::isa<WeightsAttr>(constant.getValue());
  return filters.getNumElements() != 0 && (isDepthwise(filters) || hasTiles);
}

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_CHANNELSLAST_H
