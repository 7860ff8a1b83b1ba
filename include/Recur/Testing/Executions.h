// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Executions.h - one model, run in several ways ------------*- C++ -*-===//
#ifndef RECUR_TESTING_EXECUTIONS_H
#define RECUR_TESTING_EXECUTIONS_H

#include "Recur/Testing/Model.h"
#include "llvm/ADT/StringRef.h"

namespace recur::fuzz {

/// Ways to run a compiled model. Naive omits the optimizations of Recur and of LLVM. Optimized and Naive leave the ABI
/// shim unoptimized. Linked has the code and the target of `ir-run --aot`, with its weights inside, but the JIT's
/// linker links it, which takes less time.
enum class Mode { Optimized, Naive, Linked };

/// How a model is checked.
struct CheckOptions {
  std::vector<Mode> modes = {Mode::Optimized, Mode::Naive};
  /// The optimized model is called as the strictest caller does (Strict.h), and a broken promise is a difference.
  bool isStrict = true;
  /// The name of the mutation that the optimized mode compiles, or empty.
  std::string mutation;
  /// The directory for the weights file that the importer reads, and for the output of the strict caller.
  std::string directory;
};

/// The result of checking a model.
struct Verdict {
  enum Kind {
    Agrees,
    Fault,       /* agrees, and ends with a fault */
    Unsupported, /* refused as not supported yet */
    IllPosed,    /* rounding decides too much to compare anything */
    Unmutated,   /* the mutation does not fit the model */
    Rejected,    /* by the importer: the generator's fault, or the importer's */
    Refused,     /* by the compiler */
    Differs,
    Crashed,
    Hangs,
  };
  Kind kind = Agrees;
  /// A description of the failure, in one line.
  std::string text;

  bool isFailure() const { return kind >= Rejected; }
};

/// The name of a kind in messages.
llvm::StringRef spell(Verdict::Kind kind);

/// Interprets the model, runs it compiled, and compares the outputs. Real numbers may differ by a few times the change
/// that disturbing each rounded number by up to two units in the last place causes. Everything else must be equal.
Verdict check(const Model &model, const CheckOptions &options);

/// Reads the breach that the strict caller reported when the model ended the process. Empty if it reported none.
std::string readBreach(llvm::StringRef directory);

/// Limits the process to `seconds` of CPU time, so that a busy machine does not shorten the limit; and, for a process
/// that waits for something, to 20 times as many seconds of elapsed time.
void limitTime(unsigned seconds);
/// True if the signal is the one by which limitTime ends a process.
bool isTimeLimit(int signal);

/// Like `check`, but in a process of its own that limitTime limits.
Verdict checkIsolated(const Model &model, const CheckOptions &options, unsigned seconds);

} // namespace recur::fuzz

#endif // RECUR_TESTING_EXECUTIONS_H
