// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Strict.h - checks the promises of the ABI ----------------*- C -*-===//
//
// The driver behind `ir-run --strict`. It is C99 and POSIX, and a linked model can use it too.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_STRICT_H
#define RECUR_DRIVER_STRICT_H

#ifndef RECUR_DRIVER_EMBEDDED
#include "Recur/Target/EntryPoints.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The arguments and the results of a strict call. All memory belongs to the driver.
typedef struct strict_call {
  const recur_entry_points *model;
  const recur_tensor *inputs;
  int64_t maxIterations, maxBytes;
  /// The configuration of the second call; null: none. The first call has only its flags and weights, so that outputs
  /// show it if they depend on the number of threads.
  const recur_config *config;
  /// The memory of each state with dynamic dims. The call makes it larger if the model asks for more; 0: 1 MiB.
  size_t stateBytes;
  /// Results: each tensor must have room for its shape. The call sets the other members and fills the shape;
  /// free(blocks[i]) frees the data of output i.
  recur_tensor *outputs;
  void **blocks;
  /// Results of the query: its status, which is 0 or RECUR_E_ALLOCATOR_NEEDED, and the bytes of the workspace.
  int32_t queryStatus;
  size_t workspaceBytes;
  /// If the model returned a status that the ABI allows, such as RECUR_E_SHAPE: the name of the function that returned
  /// it, and its error. Otherwise `function` is null.
  const char *function;
  recur_error error;
} strict_call;

/// Calls the model twice as the strictest possible caller, and checks the promises of ABI.h. If the configuration has
/// flags, it does so with them, and then without. It leaves the outputs of the calls without flags.
///
///   - Each buffer, descriptor and shape touches a guard page: with its end in the first call, with its beginning in
///     the second. Inputs are read-only, and so are weights of the configuration, and the instance if the model has no
///     states.
///   - A query without the data of inputs must return the same as a query with it, or RECUR_E_ALLOCATOR_NEEDED and dims
///     of -1.
///   - The workspace has exactly the bytes that the query returned. If the status of the query is 0, the caller gives
///     no allocator, and in the second call no options. Otherwise the allocator puts its blocks between guard pages,
///     and all blocks must be released.
///   - The initial bytes of the workspace, of outputs and of memory of the allocator differ between the two calls, and
///     so do the bytes of true booleans in inputs, and the threads. The outputs must be equal.
///
/// Returns 0, or 1 after a broken promise, which is printed, or after a status of the model, which is then in
/// `function` and `error`.
int recur_call_strictly(strict_call *call);

#ifdef __cplusplus
}
#endif

#endif /* RECUR_DRIVER_STRICT_H */
