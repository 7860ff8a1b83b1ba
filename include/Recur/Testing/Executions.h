// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Executions.h - one model, run in several ways ------------*- C++ -*-===//
//
// Runs a random model by the interpreter and as a compiled model in several modes, and compares the outputs.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_EXECUTIONS_H
#define RECUR_TESTING_EXECUTIONS_H

#include "Recur/Testing/Model.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace recur::fuzz {

/// The registry of all dialects, made once.
const mlir::DialectRegistry &getRegistry();

/// Ways to run a compiled model. Naive omits the optimizations of Recur and of LLVM. Optimized and Naive leave the ABI
/// shim unoptimized. Linked has the code and the target of `ir-run --aot`, with its weights inside, but the JIT's
/// linker links it, which takes less time.
enum class Mode { Optimized, Naive, Linked };

/// Options for checking a model.
struct CheckOptions {
  /// The ways to run the model. Each is compared with the interpreter.
  std::vector<Mode> modes = {Mode::Optimized, Mode::Naive};
  /// The optimized model is called as the strictest caller does (Strict.h), and a broken promise is a difference.
  bool isStrict = true;
  /// RECUR_E_SHAPE is right for a model that has any fault. A compiled model looks at sizes first, also at those behind
  /// an op that fails, which the interpreter does not reach.
  bool takesShapeFaults = false;
  /// The name of the mutation that the optimized mode compiles, or empty.
  std::string mutation;
  /// The directory for the weights file that the importer reads, and for the output of the strict caller.
  std::string directory;
};

/// The result of checking a model.
struct Verdict {
  enum Kind {
    Agrees,      /* all outputs agree */
    Fault,       /* the model ends with the same fault, compiled and interpreted */
    Unsupported, /* the compiler refuses the model as not supported yet */
    IllPosed,    /* rounding changes the outputs too much to compare them */
    Unmutated,   /* the module has no place for the mutation */
    Limited,     /* a run ends at a limit of iterations or of memory */
    Invalid,     /* the importer or the compiler refuses a mutated file, and says where and why */
    Rejected,    /* the importer refuses the model: an error of the generator or of the importer */
    Refused,     /* the compiler fails */
    Differs,     /* an output or a status differs, or the model breaks a promise of the interface */
    Crashed,     /* the process ended */
    Hangs,       /* the process took more time than allowed */
    Unclear, /* an error of a mutated file has no place or no message, or tells of the compiler instead of the model */
  };
  Kind kind = Agrees;
  /// A description of the failure, in one line.
  std::string text;

  /// True if the model shows an error of Recur. A model that was not compared is no failure.
  bool isFailure() const { return kind >= Rejected; }
};

/// The name of a kind in messages.
llvm::StringRef spell(Verdict::Kind kind);

/// Interprets the model, runs it compiled, and compares the outputs. Real numbers may differ by a few times the change
/// that disturbing each rounded number by up to two units in the last place causes. Everything else must be equal.
Verdict check(const Model &model, const CheckOptions &options);

/// Compares the interpreted model with the compiled ones as `check` does, for a module that is imported and not lowered
/// yet. `error` is the text of the first error that the compiler has reported; the caller keeps it up to date by a
/// handler of diagnostics.
Verdict compareRuns(mlir::ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weights, llvm::ArrayRef<Tensor> inputs,
                    const CheckOptions &options, std::string &error);

/// The inputs of a call of a module of `ov` ops: those of `known` whose types fit, and others that the seed decides.
/// Nullopt if they would be too large.
std::optional<std::vector<Tensor>> makeInputs(mlir::ModuleOp module, llvm::ArrayRef<Tensor> known, uint64_t seed);

/// Fills a tensor with numbers that are mostly small, and that the seed decides.
void fill(Tensor &tensor, uint64_t seed);

/// Reads the message of the strict caller (Strict.h) about a broken promise of the interface, after the model ended the
/// process. `directory` is that of CheckOptions. Empty if there is no message.
std::string readBreach(llvm::StringRef directory);

/// Calls `check` in a process of its own that limitTime limits. If the process crashes, the text of the verdict says
/// where (CrashNotes.h).
Verdict runIsolated(llvm::function_ref<Verdict()> check, unsigned seconds);

/// Like `check`, but in a process of its own that limitTime limits.
Verdict checkIsolated(const Model &model, const CheckOptions &options, unsigned seconds);

} // namespace recur::fuzz

#endif // RECUR_TESTING_EXECUTIONS_H
