// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelWork.h - What a call of a model must do at least ----*- C++ -*-===//
//
// Counts the operations on real numbers, and the bytes that must be read: of constants in each iteration that uses
// them, of inputs and outputs once. What passes between ops costs nothing, because it may stay in registers.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_BENCHMARK_MODELWORK_H
#define RECUR_BENCHMARK_MODELWORK_H

#include "Recur/Benchmark/Probe.h"

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <vector>

namespace recur {

/// The work of one op, or of the inputs and outputs.
struct WorkPart {
  /// How often a call does this work.
  double times;
  /// Operations on real numbers and bytes of constants, each time.
  double flops, bytes;
  /// The bytes of all constants that the innermost loop around the op reads in one iteration. They decide which cache
  /// holds them.
  double reused;
};

struct ModelWork {
  std::vector<WorkPart> parts;

  double countFlops() const;
  double countBytes() const;
  /// The least time of a call: the sum over the parts, each of which takes as long as its operations or its bytes.
  double getSeconds(const MachineRoof &roof) const;
};

/// Counts the work of a module of stage `linalg`. nullopt if it has a dim or a number of iterations that is not known.
/// Of an `scf.if`, the branch with less work counts.
std::optional<ModelWork> countWork(mlir::ModuleOp module);

} // namespace recur

#endif // RECUR_BENCHMARK_MODELWORK_H
