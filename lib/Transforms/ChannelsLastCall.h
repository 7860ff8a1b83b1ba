// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastCall.h - Convolutions along channels ---------*- C++ -*-===//
//
// The functions that compute convolutions whose result has its channels as the last dim. Lanes run along the channels
// of the result, so no lane is lost in a small plane, and strides cost nothing.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CHANNELSLASTCALL_H
#define RECUR_LIB_TRANSFORMS_CHANNELSLASTCALL_H

#include "RowProduct.h"

namespace recur {

/// Emits calls of a kernel before `op`, which computes `convolution` on buffers and starts from `start`. Fails, and
/// changes nothing, if the filters are not packed or the channels of a buffer are not contiguous.
///
/// The sum is over the elements of the filters and then the input channels. If an element-wise op alone reads the
/// result, the kernel computes it, and it is erased (Epilogue.h).
mlir::LogicalResult lowerChannelsLast(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                                      const ChannelsLast &convolution, mlir::Value start, int64_t vectorBits,
                                      int64_t vectorRegisters);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CHANNELSLASTCALL_H
