// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Driver.h - running a model on .npy files -----------------*- C++ -*-===//
//
// The work is done by C code (lib/Driver/Runner.c) that uses only the public ABI. The same code runs a model in this
// process (JIT) and a model that is linked into a program of its own.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_DRIVER_H
#define RECUR_DRIVER_DRIVER_H

#include "Recur/Target/EntryPoints.h"
#include "Recur/Target/ModelDescription.h"
#include "Recur/Target/Profile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace recur {

/// The most threads of a run.
inline constexpr unsigned kMaxThreads = 256;

/// Options of a run. Runner.h lists them as arguments of the C code.
struct RunOptions {
  /// FILE, in the order of the Parameters of the model, or NAME=FILE.
  std::vector<std::string> inputs;
  /// NAME=FILE: the value of a state before the run.
  std::vector<std::string> states;
  /// Empty: outputs and states are not written.
  std::string outputDir;
  /// Inputs that are not given get random data from this seed: floats in [-1, 1), integers 0 or 1, dynamic dims 2.
  /// Without a seed, all inputs must be given.
  std::optional<uint64_t> randomSeed;
  /// Compare outputs with DIR/out_0.npy, ...; empty: do not. Floats must satisfy |got - want| <= atol + rtol * |want|;
  /// integers and booleans must be equal.
  std::string expectDir;
  double rtol = 1e-4, atol = 1e-5;
  /// The number of calls that are timed, after the first call.
  uint64_t repeat = 0;
  /// Call the model as the strictest possible caller (lib/Driver/Strict.h): with guard pages around all buffers, and
  /// without an allocator if the query does not ask for one. Not together with `repeat`.
  bool strict = false;
  /// Print nothing but errors and times.
  bool quiet = false;
  /// Print a line for each output and state, if outputDir is empty: its element type, its shape, and the least, the
  /// greatest and the mean of its elements.
  bool show = false;
  /// Suggest --shape where dims of random inputs are chosen.
  bool suggestShapes = false;
  /// The number of threads that the model may use, from 1 to kMaxThreads.
  unsigned threads = 1;
  /// Limits for the iterations of each loop and for the bytes that the model allocates; 0: no limit. The defaults stop
  /// a model whose loop does not end.
  int64_t maxIterations = 100'000'000;
  int64_t maxBytes = int64_t(4) << 30;
  /// The words of the command that runs a linked program, which is its last argument. Empty: the program runs by
  /// itself.
  std::string emulator;
  /// More options of the C compiler that makes a linked program.
  std::vector<std::string> compilerOptions;

  /// The options as arguments of recur_run_model (lib/Driver/Runner.h).
  std::vector<std::string> arguments() const;
};

/// The arguments of `options`, as the C code takes them: a count and an array, which lives as long as this.
class RunArguments {
public:
  explicit RunArguments(const RunOptions &options);
  int count() const { return static_cast<int>(pointers.size()); }
  const char *const *data() const { return pointers.data(); }

private:
  std::vector<std::string> texts;
  std::vector<const char *> pointers;
};

/// Runs a model in this process. Returns the exit status for the tool: 0; 1 after an error, which was printed; 2 if an
/// output differs from the expected one. `readProfile` is NAME_profile of a model that measures its layers, or null;
/// its rows are printed.
int runModel(const recur_entry_points &model, const RunOptions &options, recur_profile_reader readProfile = nullptr);

/// Reads the inputs of a run and makes it ready, but calls nothing. For a model that is interpreted, that finds faults
/// of the inputs before a model is compiled. Returns false after an error, which was printed.
bool checkInputs(const recur_entry_points &model, const RunOptions &options);

/// Links the object file of a model and the driver into a program (runSystemCompiler) and runs it. Returns the
/// program's exit status, as runModel does. All files are in a temporary directory, which is removed in the end. If
/// $RECUR_DRIVER_CACHE names a folder, the object file of the driver is kept there for later calls.
/// `weights` are the packed weights if they are not in the object; the program maps or reads them as the model says.
llvm::Expected<int> runLinkedModel(llvm::ArrayRef<char> object, const ModelDescription &model,
                                   const RunOptions &options, llvm::ArrayRef<uint8_t> weights = {});

} // namespace recur

#endif // RECUR_DRIVER_DRIVER_H
