// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConvolutionCall.h - Call the kernels for convolutions ----*- C++ -*-===//
//
// Brings the operands of a convolution into the form that the kernels of ConvolutionKernel.h take.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CONVOLUTIONCALL_H
#define RECUR_LIB_TRANSFORMS_CONVOLUTIONCALL_H

#include "RowProduct.h"

namespace recur {

/// Emits calls of the kernels before `op`, which computes `convolution` on buffers and starts from `start`. Fails, and
/// changes nothing, if the filters are not packed or the rows of a buffer are not contiguous.
mlir::LogicalResult lowerConvolution(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                                     const Convolution &convolution, mlir::Value start, int64_t vectorBits,
                                     int64_t vectorRegisters);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CONVOLUTIONCALL_H
