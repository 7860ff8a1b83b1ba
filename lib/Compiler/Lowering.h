// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Lowering.h - The passes of a compilation -----------------*- C++ -*-===//
//
// Implementation of compile: what its steps share with the passes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_LOWERING_H
#define RECUR_COMPILER_LOWERING_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Target/SharedKernels.h"

#include <chrono>

namespace recur {

using Clock = std::chrono::steady_clock;

/// Adds the seconds since `start` to those of the stage in `times`, and makes now the start of the next stage.
void addTime(std::vector<StageTime> &times, llvm::StringRef stage, Clock::time_point &start);

/// Reports the steps of a compilation: the passes of the module, and those of `compile` after them.
class Steps {
public:
  /// `modules` is the number of modules that will be lowered.
  Steps(const decltype(CompileOptions::progress) &report, unsigned modules) : report(report), modules(modules) {}

  /// The passes of a module follow, and then those of the modules that are left, which are about as many for each, and
  /// the last steps.
  void expectPasses(unsigned count) { steps = done + count * modules-- + kLastSteps; }
  /// All modules are lowered, so the number of steps is known.
  void expectLast() { steps = done + kLastSteps; }
  /// Returns false if the caller of the compiler wants it to end, now or earlier.
  bool begin(llvm::StringRef step) {
    if (report && !isCancelled)
      isCancelled = !report(step, std::min(done++, steps - 1), steps);
    return !isCancelled;
  }
  /// Reports that all steps are done. The answer comes too late.
  void end() {
    if (report)
      (void)report("done", steps, steps);
  }
  explicit operator bool() const { return report != nullptr; }

private:
  /// The weights, the optimization of the code, and the code itself.
  static constexpr unsigned kLastSteps = 3;

  const decltype(CompileOptions::progress) &report;
  unsigned modules, done = 0, steps = kLastSteps;
  bool isCancelled = false;
};

/// The lowering of one of several modules shares this with the others.
struct SharedLowering {
  /// The machine that constants are packed for.
  const llvm::TargetMachine &best;
  std::vector<StageTime> &times;
  Steps &steps;
  /// The kernels that models share, and the number of the level among theirs. Null if the model keeps all kernels.
  SharedKernels *kernels;
  size_t level;
};

/// Lowers a module to Stage::LLVM, as `lower` does, as one of several.
mlir::LogicalResult lowerShared(mlir::ModuleOp module, const CompileOptions &options,
                                const llvm::TargetMachine &machine, const SharedLowering &shared);

} // namespace recur

#endif // RECUR_COMPILER_LOWERING_H
