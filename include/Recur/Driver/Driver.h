// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Driver.h - running a model on .npy files -----------------*- C++ -*-===//
//
// One C program (lib/Driver/Runner.c) over the public ABI does the work, for a model in this process and for one that
// is linked into a program of its own.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_DRIVER_H
#define RECUR_DRIVER_DRIVER_H

#include "Recur/Target/EntryPoints.h"
#include "Recur/Target/ModelDescription.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace recur {

struct RunOptions {
  /// FILE, in the order of the Parameters, or NAME=FILE.
  std::vector<std::string> inputs;
  /// Empty: outputs are not written.
  std::string outputDir;
  /// Make up the inputs that are not given: floats in [-1, 1), integers 0 or 1, dims that are dynamic 2.
  std::optional<uint64_t> randomSeed;
  /// Compare with DIR/out_0.npy, ...; empty: do not. |got - want| <= atol + rtol * |want|; integers are equal.
  std::string expectDir;
  double rtol = 1e-4, atol = 1e-5;
  /// Calls that are timed, after the first.
  uint64_t repeat = 0;
  /// As the strictest caller does: guard pages, no allocator where the query asks for none; no calls are timed.
  bool strict = false;
  /// Of each loop, and what the model may allocate; 0: no limit. The defaults end a loop that would not.
  int64_t maxIterations = 100'000'000;
  int64_t maxBytes = int64_t(4) << 30;

  /// As the C program reads them.
  std::vector<std::string> arguments() const;
};

/// The exit status of both: 0; 1 after an error, which was printed; 2 if an output differs from what was expected.
int runModel(const recur_entry_points &model, const RunOptions &options);

/// Links the object with the driver into a program, by $CC (split into words; else cc, clang or gcc in PATH), and runs
/// it. Everything is in a temporary directory, which is removed.
llvm::Expected<int> runLinkedModel(llvm::ArrayRef<char> object, const ModelDescription &model,
                                   const RunOptions &options);

} // namespace recur

#endif // RECUR_DRIVER_DRIVER_H
