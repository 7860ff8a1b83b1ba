// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Runner.h - running a model on .npy files, in C -----------*- C -*-===//
//
// The driver behind ir-run, for a model in the JIT and for a model that is linked into a program.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_RUNNER_H
#define RECUR_DRIVER_RUNNER_H

#ifndef RECUR_DRIVER_EMBEDDED
/* In the program of ir-run --aot, main.c includes the header of the model, which has these types. */
#include "Recur/Target/EntryPoints.h"
#include "Recur/Target/MapWeights.h"
#include "Recur/Target/Profile.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Loads inputs, calls the model, and writes or compares outputs. The arguments, without a program name, are:
///
///   --output-dir=DIR      write out_0.npy, out_1.npy, ...
///   --show                print a line for each output and state, if --output-dir is not given
///   --random-inputs=SEED  use random data for inputs that are not given
///   --suggest-shapes      name the --shape of ir-run for the dims of such inputs, if the model leaves some open
///   --expect=DIR          compare with out_0.npy, ... in DIR; --rtol=R, --atol=A
///   --repeat=N            time N further calls
///   --quiet               print nothing but errors and times
///   --strict              call as the strictest possible caller (Strict.h)
///   --map-weights=FILE    map the weights of the model by recur_map_weights
///   --read-weights=FILE   read the weights of the model into memory, and check them by recur_check_weights
///   --threads=N           run with N threads (Gang.h). With --strict, only the second of the two calls does
///   --max-iterations=N    limit for each loop; 0: none
///   --max-bytes=N         limit for the bytes that the model allocates; 0: none
///   -- INPUT...           FILE (in order) or NAME=FILE
///
/// Errors go to standard error as "error: ...". Returns 0; 1 after an error; 2 if an output differs.
int recur_run_model(const recur_entry_points *model, int argc, const char *const *argv);

/// The same for a model that measures its layers: `read` is its NAME_profile. Prints what all calls took, the rows with
/// the most time first.
int recur_run_profiled_model(const recur_entry_points *model, recur_profile_reader read, int argc,
                             const char *const *argv);

/// The same in parts, for a caller that times calls itself: recur_run_model opens a run, finishes and closes it.
typedef struct recur_run recur_run;

/// Loads inputs and makes all ready for calls. Returns null after an error, which was printed.
recur_run *recur_open_run(const recur_entry_points *model, int argc, const char *const *argv);

/// Calls the model once, and does all that the arguments ask for. Returns the status of recur_run_model.
int recur_finish_run(recur_run *run);

/// Calls the model `count` times, and sets the time of each call in seconds. Returns 0, or 1 after an error.
int recur_time_calls(recur_run *run, size_t count, double *seconds);

/// The instance of the run, from which NAME_profile reads.
const void *recur_get_instance(const recur_run *run);

/// Frees all memory of the run.
void recur_close_run(recur_run *run);

#ifdef __cplusplus
}
#endif

#endif /* RECUR_DRIVER_RUNNER_H */
