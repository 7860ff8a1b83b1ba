// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastKernel.h - Code for channels last ------------*- C++ -*-===//
//
// Emits the bodies of the kernels that ChannelsLastCall.h calls. If all channels are summed, a tile is some vectors of
// channels by some positions. The filters are read as vectors, and elements of the data are broadcast. The positions
// are numbered row by row. If each channel has filters of its own, a tile is one vector of channels by some positions
// of a row.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CHANNELSLASTKERNEL_H
#define RECUR_LIB_TRANSFORMS_CHANNELSLASTKERNEL_H

#include "Epilogue.h"
#include "Recur/Dialect/OV/IR/ChannelTiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// The epilogue of an `rt.convolution` in a kernel.
struct TileEpilogue {
  mlir::Block *body;
  /// For each of the inputs, whether all positions have the same elements.
  llvm::SmallVector<bool> isShared;
};

/// The numbers of the arguments of the kernel for a sum over all channels, in their order. Steps are distances of
/// elements.
enum ChannelSumArgument : unsigned {
  /// The filters, [tile, element, channel of the tile].
  kSumFilters,
  /// The data, from its first element on, with one dim more in front, along which a call can be divided.
  kSumData,
  /// The result, [row, column, tile, channel of the tile].
  kSumResult,
  /// The numbers of iterations of the three loops of the sum.
  kSumOuterCount,
  kSumMiddleCount,
  kSumInnerCount,
  /// The steps of the data from a row of positions to the next, and from a column to the next.
  kSumRowStep,
  kSumColumnStep,
  /// The steps of the data from an iteration to the next one.
  kSumOuterStep,
  kSumMiddleStep,
  kSumInnerStep,
  /// The number of positions whose data fits a cache. So many are computed for all filters before the next ones.
  kSumNearPositions,
  /// The number that all sums start from.
  kSumStart,
  /// The rows of the data that are no padding, from the first one to the one behind the last, and the distances of two
  /// rows of positions and of two rows of the kernel. The outer loop leaves out rows of padding.
  kSumFirstDataRow,
  kSumEndDataRow,
  kSumRowStride,
  kSumRowDilation,
  /// The step of the filters from an iteration of the outer loop to the next one.
  kSumFilterStep,
  /// The number of channels that all tiles have in the result, for the epilogue. Its other inputs come behind it, like
  /// the result.
  kSumChannels,
  kSumInputs,
};

/// The numbers of the arguments of the kernel for channels that have filters of their own, in their order.
enum DepthwiseArgument : unsigned {
  /// The filters, [row of the kernel, column of the kernel, channel].
  kDepthwiseFilters,
  /// A view of the data in which windows overlap, [row of the kernel, column of the kernel, row, column, channel].
  kDepthwiseData,
  /// The result, [row, column, channel].
  kDepthwiseResult,
  /// The number that all sums start from.
  kDepthwiseStart,
  /// As for sums over all channels. Rows of padding are left out of the loop over rows of the kernel.
  kDepthwiseFirstDataRow,
  kDepthwiseEndDataRow,
  kDepthwiseRowStride,
  kDepthwiseRowDilation,
  /// The number of rows of the result, and how many of them are left from the first row of a part on.
  kDepthwiseRows,
  kDepthwiseRowsLeft,
  /// The other inputs of the epilogue, like the result.
  kDepthwiseInputs,
};

/// Fills the entry block of a kernel for a sum over all channels, or for channels that have filters of their own.
void emitChannelSums(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes, int64_t registers,
                     const std::optional<TileEpilogue> &epilogue);
void emitDepthwise(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes,
                   const std::optional<TileEpilogue> &epilogue);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CHANNELSLASTKERNEL_H
