// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastDim.h - A dim that broadcasts, checked ----------*- C++ -*-===//
//
// Shared by the two places that broadcast before they compute: operands of an op (BroadcastOperands.cpp) and inputs of
// a loop (BroadcastInputs.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H
#define RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Checks that the size `own` is 1 or `size`. A failure is a shape fault. Returns `size`, which depends on the check.
mlir::Value checkBroadcasts(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value own, mlir::Value size);

/// Broadcasts dim `dim` of `input` from the size `own` to `size`. If `own` is null, the dim is provably `size` already.
/// Dims other than the last are repeated by a view. Elements along the last dim are repeated by a copy, because a view
/// with a stride of 0 there would prevent vector loads. The copy is made only if the sizes differ at run time.
mlir::Value broadcastDim(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value input, int64_t dim,
                         mlir::Value own, mlir::Value size);

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H
