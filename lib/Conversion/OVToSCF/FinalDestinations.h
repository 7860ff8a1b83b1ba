// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FinalDestinations.h - Where a result may be computed -----*- C++ -*-===//
//
// A value can be computed in the buffer that it is written to only if nothing else uses the buffer in the meantime.
// Loops and branches share the test for that. The rest of FinalDestinations.cpp belongs to DoubleBufferedValue.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOSCF_FINALDESTINATIONS_H
#define RECUR_LIB_CONVERSION_OVTOSCF_FINALDESTINATIONS_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace recur {

/// True if the destination of `write` may already be written when `op` runs, a loop or branch in front of `write`. Then
/// it must be defined before `op`, and nothing else may use it from `op` up to `write`.
bool mayWriteEarlier(mlir::Operation *op, mlir::bufferization::MaterializeInDestinationOp write);

} // namespace recur

#endif // RECUR_LIB_CONVERSION_OVTOSCF_FINALDESTINATIONS_H
