// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Times.h - the times of the layers of a model -------------*- C++ -*-===//
//
// Calls a model that measures its layers.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_TIMES_H
#define RECUR_LIB_EXPLAIN_TIMES_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Explain/Explanation.h"

namespace recur {

/// Compiles the model with a profile, and calls it for about half a second with random inputs. Fails if a dim of an
/// input is not known. The module is lowered.
llvm::Expected<ExplainedTimes> measureTimes(Model &model, CompileOptions options);

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_TIMES_H
