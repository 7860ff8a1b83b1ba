// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generator.h - random models that are valid ---------------*- C++ -*-===//
//
// `ir-fuzz` calls this function for each seed. lib/Testing/Generator has one file for each family of operations.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_GENERATOR_H
#define RECUR_TESTING_GENERATOR_H

#include "Recur/Testing/Model.h"

namespace recur::fuzz {

/// Makes a random model. A seed gives the same model on every machine.
Model generate(uint64_t seed);

} // namespace recur::fuzz

#endif // RECUR_TESTING_GENERATOR_H
