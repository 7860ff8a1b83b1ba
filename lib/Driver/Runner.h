// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Runner.h - one driver for models in the JIT and linked ---*- C -*-===//
#ifndef RECUR_DRIVER_RUNNER_H
#define RECUR_DRIVER_RUNNER_H

#ifdef RECUR_DRIVER_EMBEDDED
/* The program of ir-run --aot: everything in one directory, the ABI's types in the header of the model. */
#include "EntryPoints.h"
#else
#include "Recur/Target/EntryPoints.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Loads inputs, calls the model, writes or compares outputs. The arguments (without a program name):
///
///   --output-dir=DIR      write out_0.npy, out_1.npy, ...
///   --random-inputs=SEED  make up what is not given
///   --expect=DIR          compare with out_0.npy, ... in DIR; --rtol=R, --atol=A
///   --repeat=N            time N further calls
///   --strict              as the strictest caller does (Strict.h)
///   --max-iterations=N    bound of each loop; 0: none
///   --max-bytes=N         bound of what the model allocates; 0: none
///   -- INPUT...           FILE (in order) or NAME=FILE
///
/// Errors go to standard error as "error: ...". Returns 0; 1 after an error; 2 if an output differs.
int recur_run_model(const recur_entry_points *model, int argc, const char *const *argv);

#ifdef __cplusplus
}
#endif

#endif /* RECUR_DRIVER_RUNNER_H */
