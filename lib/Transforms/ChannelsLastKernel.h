// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastKernel.h - Convolutions along channels -------*- C++ -*-===//
//
// The functions that compute convolutions whose result has its channels as the last dim. Lanes run along the channels
// of the result, so no lane is lost in a small plane, and strides cost nothing.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CHANNELSLASTKERNEL_H
#define RECUR_LIB_TRANSFORMS_CHANNELSLASTKERNEL_H

#include "RowProduct.h"

namespace recur {

/// Emits calls of a kernel before `op`, which computes `convolution` on buffers and starts from `start`. Fails, and
/// changes nothing, if the filters are not packed or the channels of a buffer are not contiguous.
///
/// If all channels are summed, a tile is some vectors of channels by some positions. The filters are read as vectors,
/// and elements of the data are broadcast, so the data may have any layout. The positions are numbered row by row. If
/// each channel has filters of its own, a tile is one vector of channels by some positions of a row.
///
/// The sum over the input channels and over the elements of the filters has the order of the other kernels for
/// convolutions.
mlir::LogicalResult lowerChannelsLast(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                                      const ChannelsLast &convolution, mlir::Value start, int64_t vectorBits,
                                      int64_t vectorRegisters);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CHANNELSLASTKERNEL_H
