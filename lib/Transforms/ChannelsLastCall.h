// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastCall.h - Convolutions along channels ---------*- C++ -*-===//
//
// The functions that compute an `rt.convolution` with channels last. Lanes run along the channels of the result, so no
// lane is lost in a small plane, and strides cost nothing.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CHANNELSLASTCALL_H
#define RECUR_LIB_TRANSFORMS_CHANNELSLASTCALL_H

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Emits calls of a kernel before `op`, which works on buffers whose channels are contiguous, and may then be erased.
/// The sum is over the elements of the kernel and then the input channels.
void lowerChannelsLast(mlir::RewriterBase &rewriter, rt::ConvolutionOp op, int64_t vectorBits, int64_t vectorRegisters);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CHANNELSLASTCALL_H
