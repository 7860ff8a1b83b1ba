// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generator.h - random models that are valid ---------------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_GENERATOR_H
#define RECUR_TOOLS_IR_FUZZ_GENERATOR_H

#include "Model.h"

namespace recur::fuzz {

/// Makes a random model. A seed gives the same model on every machine.
Model generate(uint64_t seed);

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_GENERATOR_H
