// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Executions.h - one model, run in several ways ------------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_EXECUTIONS_H
#define RECUR_TOOLS_IR_FUZZ_EXECUTIONS_H

#include "Model.h"
#include "llvm/ADT/StringRef.h"

namespace recur::fuzz {

/// Ways to run a compiled model. Naive is without optimizations, Recur's and LLVM's. Of these two the glue is as it comes. Linked is the code and the target of `ir-run --aot`, with its weights inside, but
/// linked by the JIT's linker, which takes less time.
enum class Mode { Optimized, Naive, Linked };

struct CheckOptions {
  std::vector<Mode> modes = {Mode::Optimized, Mode::Naive};
  /// What is optimized is called as the strictest caller does (Strict.h): a breach of a promise is a difference.
  bool isStrict = true;
  /// A bug that is put into what the optimized mode compiles; empty: none.
  std::string plant;
  /// Where constants are kept for the importer, and what the strict caller says.
  std::string directory;
};

struct Verdict {
  enum Kind {
    Agrees,
    Fault,       /* agrees, and ends with a fault */
    Unsupported, /* refused as not supported yet */
    IllPosed,    /* rounding decides too much to compare anything */
    Unplanted,   /* the bug does not fit the model */
    Rejected,    /* by the importer: the generator's fault, or the importer's */
    Refused,     /* by the compiler */
    Differs,
    Crashed,
    Hangs,
  };
  Kind kind = Agrees;
  /// What is wrong, in one line.
  std::string text;

  bool isFailure() const { return kind >= Rejected; }
};

llvm::StringRef spell(Verdict::Kind kind);

/// Interprets the model, runs it compiled, and compares. Real numbers may differ by a few times what disturbing each
/// rounded number by two units in the last place makes of them; all else is equal.
Verdict check(const Model &model, const CheckOptions &options);

/// What the strict caller said when the model ended the process; empty where it was not that.
std::string readBreach(llvm::StringRef directory);

/// Ends the process after so many seconds of its CPU, of which a machine that is busy gives few; or, if it waits for
/// something, after 20 times as many.
void limitTime(unsigned seconds);
/// True if that is what the signal means.
bool isTimeLimit(int signal);

/// The same in a process of its own.
Verdict checkIsolated(const Model &model, const CheckOptions &options, unsigned seconds);

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_EXECUTIONS_H
