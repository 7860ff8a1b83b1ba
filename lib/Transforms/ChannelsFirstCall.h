// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsFirstCall.h - Convolutions along positions -------*- C++ -*-===//
//
// Brings the operands of an `rt.convolution` with channels first into the form that the kernels of ConvolutionKernel.h
// take.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CHANNELSFIRSTCALL_H
#define RECUR_LIB_TRANSFORMS_CHANNELSFIRSTCALL_H

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Emits calls of the kernels before `op`, which works on buffers whose rows are contiguous, and may then be erased.
/// The filters have the type of the result.
void lowerChannelsFirst(mlir::RewriterBase &rewriter, rt::ConvolutionOp op, int64_t vectorBits,
                        int64_t vectorRegisters);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CHANNELSFIRSTCALL_H
