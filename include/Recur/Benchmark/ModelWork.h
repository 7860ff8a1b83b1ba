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

/// A constant of the module or of the weights file that work reads.
struct ReadConstant {
  /// The same for equal constants.
  const void *id;
  /// The bytes that are read, and those that the constant has in the file.
  double bytes, all;
};

/// The work of one op, or of the inputs and outputs.
struct WorkPart {
  /// How often a call does this work.
  double times;
  /// Operations on real numbers and bytes of constants, each time.
  double flops, bytes;
  /// The bytes of all constants that the innermost loop around the op reads in one iteration. They decide which cache
  /// holds them.
  double reused;
  /// The innermost time loop around the op, as an index of ModelWork::loops; -1 if there is none.
  int loop = -1;
  /// False if `flops` lacks a dim, or a number of iterations inside of the op, that is not known.
  bool isKnown = true;
  /// The constants that the work reads each time.
  std::vector<ReadConstant> constants = {};
};

/// A time loop of the model.
struct WorkLoop {
  /// That of the layer.
  mlir::Location loc;
  /// All iterations of a call. The number of those of a loop counts as one if it is not known.
  double times;
  /// False if such a number is not known.
  bool isKnown;
};

struct ModelWork {
  std::vector<WorkPart> parts;
  std::vector<WorkLoop> loops;
  /// False if a dim or a number of iterations is not known. Then the sums below lack it.
  bool isKnown = true;

  double countFlops() const;
  double countBytes() const;
  /// The least time of a call: the sum over the parts, each of which takes as long as its operations or its bytes.
  double getSeconds(const MachineRoof &roof) const;
};

/// Counts the work of a module of stage `linalg`. Of an `scf.if`, the branch with less work counts.
ModelWork countWork(mlir::ModuleOp module);

} // namespace recur

#endif // RECUR_BENCHMARK_MODELWORK_H
