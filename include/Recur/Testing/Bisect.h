// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bisect.h - where compiled and interpreted differ -----------*- C++ -*-===//
//
// `ir-run --bisect` calls this function to find the layer that a wrong compiler pass has broken.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_BISECT_H
#define RECUR_TESTING_BISECT_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Interpreter/Interpreter.h"

namespace recur {

/// Adds outputs to the model for what each layer computes in each iteration, runs it compiled and interpreted on
/// `inputs`, and prints the first layer and iteration at which the two differ. The tolerances `rtol` and `atol` apply.
/// Returns false if they differ or could not be compared.
bool bisect(const Model &model, const CompileOptions &options, llvm::ArrayRef<interpreter::Tensor> inputs,
            const InterpreterOptions &limits, double rtol, double atol);

} // namespace recur

#endif // RECUR_TESTING_BISECT_H
