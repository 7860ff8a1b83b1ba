// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastDim.h - A dim that broadcasts, checked ----------*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H
#define RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Checks that the size `own` is 1 or `size`. Returns `size`, which depends on the check.
mlir::Value checkBroadcasts(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value own, mlir::Value size);

/// `input`, whose dim `dim` is `own`, with `size` there. Rows are repeated as a view. Elements next to one another are
/// copied where they are repeated, so that vectors can be read of those that are not; the call finds out. Without `own`
/// the dim is known to be `size`.
mlir::Value broadcastDim(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value input, int64_t dim,
                         mlir::Value own, mlir::Value size);

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H
