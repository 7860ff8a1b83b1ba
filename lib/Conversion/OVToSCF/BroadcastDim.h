// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastDim.h - A dim that broadcasts, checked ----------*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H
#define RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {

/// Checks that the size `own` is 1 or `size`. Returns `size`, which depends on the check.
mlir::Value checkBroadcasts(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value own, mlir::Value size);

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BROADCASTDIM_H
