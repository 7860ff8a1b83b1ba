// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IndependentLoops.h - Loops whose iterations are independent -*- C++ -*-===//
//
// Iterations that neither read nor write what another one writes may run in any order, and on several threads.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ANALYSIS_INDEPENDENTLOOPS_H
#define RECUR_ANALYSIS_INDEPENDENTLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace recur {

/// True if the iterations of `loop`, on buffers before their places in the workspace are planned, are provably
/// independent. Then they also raise no fault and take no memory: a loop with such an op counts as dependent.
bool hasIndependentIterations(mlir::scf::ForOp loop);

} // namespace recur

#endif // RECUR_ANALYSIS_INDEPENDENTLOOPS_H
