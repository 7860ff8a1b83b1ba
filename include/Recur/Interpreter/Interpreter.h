// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Interpreter.h - ov straight from its specification -------*- C++ -*-===//
//
// What the compiler is held against: one function for each op, written from the op's description, slow and obvious. It
// shares neither folds nor shape arithmetic with the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_INTERPRETER_INTERPRETER_H
#define RECUR_INTERPRETER_INTERPRETER_H

#include "Recur/Interpreter/Tensor.h"
#include "Recur/Target/EntryPoints.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <memory>

namespace recur {

/// What a run may use, and who watches it.
struct InterpreterOptions {
  /// Of one execution of one loop, and of one tensor; 0: no limit.
  int64_t maxIterations = 0;
  int64_t maxBytes = 0;
  /// Called after each op with its results; `iterations` are those of the loops around it, from the outside in.
  std::function<void(mlir::Operation *op, llvm::ArrayRef<int64_t> iterations,
                     llvm::ArrayRef<const interpreter::Tensor *> results)>
      observe;
};

/// What a run ends with: outputs, or a status with a message.
struct ModelRun {
  recur_status status = RECUR_OK;
  std::string message;
  std::vector<interpreter::Tensor> outputs;
};

/// Runs the one function of a module of `ov` on `inputs`. `weights` are the bytes that `#ov.weights` refers to.
ModelRun interpret(mlir::ModuleOp module, llvm::ArrayRef<char> weights, llvm::ArrayRef<interpreter::Tensor> inputs,
                   const InterpreterOptions &options = {});

/// Calls a compiled model.
ModelRun callModel(const recur_entry_points &entries, llvm::ArrayRef<interpreter::Tensor> inputs,
                   const InterpreterOptions &limits = {});

/// The interpreter behind the interface of a compiled model. That interface has no place for a context: there is one
/// such model at a time. With a function of one's own, that is run on the inputs instead of the interpreter.
class InterpretedModel {
public:
  using Run = std::function<ModelRun(llvm::ArrayRef<interpreter::Tensor> inputs, const InterpreterOptions &limits)>;

  InterpretedModel(mlir::ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weights);
  InterpretedModel(mlir::ModuleOp module, Run run);
  ~InterpretedModel();
  const recur_entry_points &entryPoints() const;

  struct State;

private:
  std::unique_ptr<State> state;
};

} // namespace recur

#endif // RECUR_INTERPRETER_INTERPRETER_H
