// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FileMutations.h - mutations of a model's file ---------------*- C++ -*-===//
//
// A mutant is a model's file with a few changes, as a bug of an exporter or an attacker makes them. The tools must
// refuse it with a message that helps, or compute what the interpreter computes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_FILEMUTATIONS_H
#define RECUR_TESTING_FILEMUTATIONS_H

#include "Recur/Testing/ModelFiles.h"
#include "Recur/Testing/Mutations.h"
#include "Recur/Testing/Statistics.h"

namespace recur::fuzz {

/// How the call of a mutant does not fit its inputs.
enum class CallFault { None, Rank, Dims, Type };

/// A changed file.
struct Mutant {
  ModelFile file;
  /// The operation of the layer that most changes are about.
  std::string op;
  /// The names of the changes.
  std::vector<std::string> mutations;
  CallFault callFault = CallFault::None;
};

/// All changes of files.
std::vector<MutationInfo> getFileMutations();

/// Makes a mutant of a file of the corpus. A seed and a corpus give the same mutant on every machine. Of as many
/// consecutive seeds as there are operations that can be imported, each is about another operation.
Mutant mutateFile(uint64_t seed, const Corpus &corpus);

/// A report of a mutant that is not checked yet.
Report describe(uint64_t seed, const Mutant &mutant);

/// Imports the mutant, and if it can be imported, compares its runs as compareRuns does. A mutant that is refused by
/// errors with places and words of the model is Invalid.
Verdict checkFile(uint64_t seed, const Mutant &mutant, const CheckOptions &options);

/// The inputs of the last call of `checkFile`, for a report.
const std::vector<Tensor> &getLastInputs();

} // namespace recur::fuzz

#endif // RECUR_TESTING_FILEMUTATIONS_H
