// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FinalDestinations.h - Where a result may be computed -----*- C++ -*-===//
#ifndef RECUR_LIB_CONVERSION_OVTOSCF_FINALDESTINATIONS_H
#define RECUR_LIB_CONVERSION_OVTOSCF_FINALDESTINATIONS_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace recur {

/// True if the destination of `write` may already be written when `op` runs, a loop or branch in front of `write`. Then
/// it must be defined before `op`, and nothing else may use it from `op` up to `write`.
bool mayWriteEarlier(mlir::Operation *op, mlir::bufferization::MaterializeInDestinationOp write);

} // namespace recur

#endif // RECUR_LIB_CONVERSION_OVTOSCF_FINALDESTINATIONS_H
