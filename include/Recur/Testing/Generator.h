// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generator.h - random models that are valid ---------------*- C++ -*-===//
//
// `ir-fuzz` calls this function for each seed. lib/Testing/Generator has one file for each family of operations.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_GENERATOR_H
#define RECUR_TESTING_GENERATOR_H

#include "Recur/Testing/Model.h"
#include "llvm/ADT/StringRef.h"

namespace recur::fuzz {

/// Makes a random model. A seed gives the same model on every machine.
Model generate(uint64_t seed);

/// The operations that models have. The model of a seed has the one at the place `seed` modulo their number, except for
/// a few models.
std::vector<llvm::StringRef> getOperations();

} // namespace recur::fuzz

#endif // RECUR_TESTING_GENERATOR_H
