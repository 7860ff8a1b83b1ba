// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmptyLoopDims.h - dims after a loop that ran no iteration -*- C++ -*-===//
//
// The results of a loop without an iteration have the dims that its body would have given, as far as they are known
// before the loop (L6 of docs/Semantics.md).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_INTERPRETER_EMPTYLOOPDIMS_H
#define RECUR_LIB_INTERPRETER_EMPTYLOOPDIMS_H

#include "Machine.h"

#include "Recur/Dialect/OV/IR/NestDims.h"

namespace recur::interpreter {

/// The dims that a body would give, for a loop that ran no iteration. What a body computes from values before the loop
/// alone, by ops that cannot fail, is known too: the compiler moves it before the loop.
class EmptyLoopDims final : public ov::NestDims {
public:
  EmptyLoopDims(Machine &machine, mlir::Operation *loop) : NestDims(loop), machine(machine) {}

  /// The number that a dim is in this call, or nullopt after a fault.
  std::optional<int64_t> evaluate(Dim dim);

private:
  bool isKnown(mlir::Value value) override { return isInvariant(value); }
  bool isInvariant(mlir::Value value);
  /// Computes an invariant value of the body, unless it was computed. Returns false after a fault.
  bool compute(mlir::Value value);

  Machine &machine;
  llvm::DenseMap<mlir::Operation *, bool> invariants;
  llvm::DenseSet<mlir::Operation *> computed;
};

} // namespace recur::interpreter

#endif // RECUR_LIB_INTERPRETER_EMPTYLOOPDIMS_H
