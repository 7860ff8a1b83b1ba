// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Workers.h - processes that check random models -----------*- C++ -*-===//
//
// A wrong model may crash or hang, so models are checked in other processes than the one that reports.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_WORKERS_H
#define RECUR_TESTING_WORKERS_H

#include "Recur/Testing/Statistics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace recur::fuzz {

/// The models that workers check, and how.
struct WorkPlan {
  uint64_t firstSeed = 1, count = 100;
  /// The number of processes, at least 1.
  unsigned jobs = 1;
  /// The CPU time for one model, in seconds. A model that takes longer hangs.
  unsigned seconds = 60;
  /// A directory that exists. Each process makes a directory of its own in it.
  std::string directory;
  /// The memory that a process may take, in bytes; 0: no limit.
  uint64_t bytes = 0;
  /// Checks the model of a seed, in a process of its own that has this directory.
  std::function<Report(uint64_t seed, const std::string &directory)> check;
  /// Makes the report of a model whose process ended, without a verdict.
  std::function<Report(uint64_t seed)> describe;

  /// Lets the plan check the models that `generate` makes, with options for each seed and directory.
  void checkGenerated(std::function<CheckOptions(uint64_t seed, const std::string &directory)> getOptions);
};

/// A report of a model that is not checked yet: its seed, its features and its operations.
Report describe(uint64_t seed, const Model &model);

/// Checks the models of all seeds in processes of their own, so that a crash ends only one of them. Calls `report` in
/// this process for each model as it ends, until `report` returns false.
void runWorkers(const WorkPlan &plan, llvm::function_ref<bool(const Report &)> report);

} // namespace recur::fuzz

#endif // RECUR_TESTING_WORKERS_H
