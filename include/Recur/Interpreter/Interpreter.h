// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Interpreter.h - the reference interpreter of ov ----------*- C++ -*-===//
//
// The reference that tests compare compiled models with. It has one simple, slow function for each op, written from the
// op's specification. It shares neither folds nor shape computations with the compiler, so that an error in one of them
// does not hide in the other.
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
#include <optional>

namespace recur {

/// The limits of a run, and a function that is told the results of each op.
struct InterpreterOptions {
  /// The limit for the iterations of each execution of a loop; 0: no limit.
  int64_t maxIterations = 0;
  /// The limit for the bytes of each tensor; 0: no limit. callModel passes it on as recur_options.max_bytes.
  int64_t maxBytes = 0;
  /// After a fault, finds the faults of the layers that do not need it. callModel ignores it.
  bool findsAllFaults = false;
  /// Called after each op with its results. `iterations` has the current iteration of each loop around the op, from the
  /// outermost to the innermost. callModel ignores it.
  std::function<void(mlir::Operation *op, llvm::ArrayRef<int64_t> iterations,
                     llvm::ArrayRef<const interpreter::Tensor *> results)>
      observe;
};

/// The result of a run. If `status` is RECUR_OK, `outputs` are the outputs of the model in order; else `message` says
/// what failed.
struct ModelRun {
  recur_status status = RECUR_OK;
  std::string message;
  std::vector<interpreter::Tensor> outputs;
  /// With InterpreterOptions::findsAllFaults, the statuses of all layers that fail, of which a call may give any.
  std::vector<recur_status> faults = {};
};

/// The arguments of the states of a module after a reset, two for each state: zeros of the static dims (no elements if
/// a dim is dynamic), and false. Nullopt if all states together have more than `maxBytes` (0: no limit but 1 GiB).
std::optional<std::vector<interpreter::Tensor>> getInitialStates(mlir::ModuleOp module, int64_t maxBytes = 0);

/// Runs the first function of a module of `ov` ops on `inputs`, whose number, element types and shapes must fit its
/// arguments. Without the arguments of states, these are those after a reset, and the outputs have no states. `weights`
/// are the bytes of the weights file, which `#ov.weights` refers to. A fault of the model is a status in the result.
/// First gives each loop of the function the dims after no iteration that it lacks, as ov-tell-empty-dims does.
ModelRun interpret(mlir::ModuleOp module, llvm::ArrayRef<char> weights, llvm::ArrayRef<interpreter::Tensor> inputs,
                   const InterpreterOptions &options = {});

/// Calls a compiled model on copies of `inputs`: init, query, then run with an allocator. The inputs must be as many as
/// the model has.
ModelRun callModel(const recur_entry_points &entries, llvm::ArrayRef<interpreter::Tensor> inputs,
                   const InterpreterOptions &limits = {});

/// The interpreter, or another function, behind the C interface of a compiled model. The functions of that interface
/// have no context argument, so at most one InterpretedModel may exist at a time.
class InterpretedModel {
public:
  using Run = std::function<ModelRun(llvm::ArrayRef<interpreter::Tensor> inputs, const InterpreterOptions &limits)>;

  /// Interprets the first function of `module`, which must outlive this object. `weights` may be null.
  InterpretedModel(mlir::ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weights);
  /// Calls `run` instead of the interpreter. The inputs and outputs are described by the first function of `module`.
  InterpretedModel(mlir::ModuleOp module, Run run);
  ~InterpretedModel();
  const recur_entry_points &entryPoints() const;

  struct State;

private:
  std::unique_ptr<State> state;
};

} // namespace recur

#endif // RECUR_INTERPRETER_INTERPRETER_H
