// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LimitChecks.h - The checks of time loops -----------------*- C++ -*-===//
//
// A time loop must not have more iterations than the caller allows, and ends once the caller has cancelled the call.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_LIMITCHECKS_H
#define RECUR_LIB_TRANSFORMS_LIMITCHECKS_H

#include "mlir/IR/Builders.h"

namespace recur {

/// Emits the check that the caller's limit of iterations is above `number`, the number of an iteration, an index. It
/// holds in any case if `isExempt` is given, and true.
void emitLimitCheck(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number, mlir::Value isExempt = {});

/// Emits the check that the caller has not cancelled the call.
void emitCancelCheck(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_LIMITCHECKS_H
