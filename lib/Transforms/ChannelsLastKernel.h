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
#include "Recur/Dialect/OV/IR/ChannelsLast.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// An epilogue in a kernel.
struct TileEpilogue {
  Epilogue op;
  /// For each input but the result of the convolution, whether all positions have the same elements.
  llvm::SmallVector<bool> isShared;
};

/// Fills the entry block of a kernel for a sum over all channels, or for channels on their own. The arguments are
/// described at the emitters.
void emitChannelSums(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes, int64_t registers,
                     const std::optional<TileEpilogue> &epilogue);
void emitOwnChannels(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes,
                     const std::optional<TileEpilogue> &epilogue);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CHANNELSLASTKERNEL_H
