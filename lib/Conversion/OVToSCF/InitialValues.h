// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InitialValues.h - Initial values of states ---------------*- C++ -*-===//
//
// A call needs the initial value of a state only while the state is not set. This is part of convert-ov-loops-to-scf,
// because the branch for it has a buffer, as branches of a model have.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOSCF_INITIALVALUES_H
#define RECUR_LIB_CONVERSION_OVTOSCF_INITIALVALUES_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace recur {
/// Moves the computation of initial values that take work into branches that run while the state is not set.
void branchToInitialValues(mlir::RewriterBase &rewriter, mlir::FunctionOpInterface func);
} // namespace recur

#endif // RECUR_LIB_CONVERSION_OVTOSCF_INITIALVALUES_H
