// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LargeWeights.h - Weights that L1 may not hold ------------*- C++ -*-===//
//
// A time loop that reads such weights in each iteration gains if they are read forward and backward by turns.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_LARGEWEIGHTS_H
#define RECUR_LIB_TRANSFORMS_LARGEWEIGHTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace recur {

/// True for a view of weights that L1 of a CPU may not hold.
bool isPartOfLargeWeights(mlir::Value buffer);

/// True if the iterations of the loop read different parts of large weights.
bool readsLargeWeights(mlir::scf::ForOp loop);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_LARGEWEIGHTS_H
