// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reduce.h - smaller models with the same fault ------------*- C++ -*-===//
//
// A model that fails is large. `ir-fuzz --reduce` removes everything that the failure does not need.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_REDUCE_H
#define RECUR_TESTING_REDUCE_H

#include "Recur/Testing/Executions.h"

namespace recur::fuzz {

/// Returns the smallest model found that still fails in the same way. `seconds` limits each check.
Model reduce(Model model, const Verdict &verdict, const CheckOptions &options, unsigned seconds);

/// Returns the model without the layers that the outermost layers with the operation `op`, themselves or in a body, do
/// not need. All their outputs become results. Returns the whole model if none has the operation.
Model keepOp(Model model, llvm::StringRef op);

} // namespace recur::fuzz

#endif // RECUR_TESTING_REDUCE_H
