// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReduceModule.h - smaller modules with the same fault --------*- C++ -*-===//
//
// `ir-reduce` removes from a model what its failure does not need.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_REDUCEMODULE_H
#define RECUR_TESTING_REDUCEMODULE_H

#include "Recur/Testing/Executions.h"
#include "mlir/IR/OwningOpRef.h"

namespace recur::fuzz {

/// Compiles the module, and if it is a model that is not lowered yet, runs it on inputs that are made up, and compares
/// the outputs with those of the interpreter; in a process of its own, of at most `seconds` of CPU time. A failure is
/// an error, a crash, or a difference.
Verdict findFailure(mlir::ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weights, unsigned seconds);

/// Removes ops, outputs and inputs from the first function of the module while `fails` holds for what is left. A value
/// of an op that is removed is replaced by an operand of the op, or by a new input.
mlir::OwningOpRef<mlir::ModuleOp> reduceModule(mlir::OwningOpRef<mlir::ModuleOp> module,
                                               llvm::function_ref<bool(mlir::ModuleOp)> fails);

} // namespace recur::fuzz

#endif // RECUR_TESTING_REDUCEMODULE_H
